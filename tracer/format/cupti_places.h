/*
 * cupti_places.h - where a libcupti is looked for, and which are usable: one list for the library that loads it and
 * for `gstrace doctor`, which explains what the library will do.
 *
 * Order of the search: one that the program has loaded already; GSTRACE_CUPTI (then nothing else); for each soname, newest
 * first and none of a newer major version than the driver's: the loader's own path, CUDA_HOME, the folders.
 */
#ifndef GSTRACE_TRACER_FORMAT_CUPTI_PLACES_H
#define GSTRACE_TRACER_FORMAT_CUPTI_PLACES_H

/* cuptiGetVersion() of CUPTI 11.8: an older one can kill the program. */
#define GST_CUPTI_OLDEST 18

/* X(soname, major); a soname of CUPTI 11 carries the minor version. */
#define GST_CUPTI_SONAMES(X)    \
	X("libcupti.so.14", 14) \
	X("libcupti.so.13", 13) \
	X("libcupti.so.12", 12) \
	X("libcupti.so.11.8", 11)

/* X(folder): below CUDA_HOME. */
#define GST_CUPTI_HOME_FOLDERS(X) \
	X("/extras/CUPTI/lib64/") \
	X("/lib64/")

/* X(folder); % is the major version. */
#define GST_CUPTI_FOLDERS(X)                             \
	X("/usr/local/cuda-%/extras/CUPTI/lib64/")       \
	X("/usr/local/cuda-%/targets/x86_64-linux/lib/") \
	X("/usr/local/cuda-%/lib64/")                    \
	X("/usr/local/cuda/extras/CUPTI/lib64/")         \
	X("/usr/local/cuda/lib64/")                      \
	X("/opt/cuda/extras/CUPTI/lib64/")               \
	X("/usr/lib/x86_64-linux-gnu/")                  \
	X("/usr/lib64/")

#endif
