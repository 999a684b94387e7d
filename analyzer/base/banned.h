/*
 * banned.h - functions that must not be called: a call does not compile.
 *
 * They write without a length (strcpy, strcat, sprintf), keep hidden state (strtok, gmtime), cannot
 * report an error (atoi) or grow the stack by input (alloca). Use memcpy with a checked length,
 * snprintf, strtoull, gmtime_r. Comes in through status.h; system headers are included first, so
 * that their own declarations are left alone.
 */
#ifndef GSTRACE_ANALYZER_BASE_BANNED_H
#define GSTRACE_ANALYZER_BASE_BANNED_H

#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GST_BANNED(function) gst_##function##_is_banned_see_banned_h

#undef strcpy
#define strcpy(...) GST_BANNED(strcpy)
#undef strcat
#define strcat(...) GST_BANNED(strcat)
#undef strncpy
#define strncpy(...) GST_BANNED(strncpy)
#undef strncat
#define strncat(...) GST_BANNED(strncat)
#undef strtok
#define strtok(...) GST_BANNED(strtok)
#undef sprintf
#define sprintf(...) GST_BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) GST_BANNED(vsprintf)
#undef atoi
#define atoi(...) GST_BANNED(atoi)
#undef atol
#define atol(...) GST_BANNED(atol)
#undef atoll
#define atoll(...) GST_BANNED(atoll)
#undef gmtime
#define gmtime(...) GST_BANNED(gmtime)
#undef localtime
#define localtime(...) GST_BANNED(localtime)
#undef ctime
#define ctime(...) GST_BANNED(ctime)
#undef alloca
#define alloca(...) GST_BANNED(alloca)

#endif
