/*
 * assert.h - assertions for bugs of ours, never for bad input.
 *
 * GST_ASSERT is on in every build: a wrong answer is worse than a crash. GST_DCHECK is for inner
 * loops: on unless NDEBUG. Both print "file:line: assertion failed: condition" and abort.
 */
#ifndef GSTRACE_ANALYZER_BASE_ASSERT_H
#define GSTRACE_ANALYZER_BASE_ASSERT_H

/** Report a broken condition on stderr and abort. */
_Noreturn void gst_assert_fail(const char *condition, const char *file, int line);

#define GST_ASSERT(condition) \
	((condition) ? (void)0 : gst_assert_fail(#condition, __FILE__, __LINE__))

#ifdef NDEBUG
/* Not evaluated, but still compiled. */
#define GST_DCHECK(condition) ((void)sizeof((condition) ? 1 : 0))
#else
#define GST_DCHECK(condition) GST_ASSERT(condition)
#endif

#endif
