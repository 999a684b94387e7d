/*
 * harness.h - run fake_app under the real libgstrace.so in a folder of its own.
 *
 * The test's environment names the parts: GSTRACE_LIB, FAKE_APP, FAKE_CUPTI, FAKE_CUPTI_11_8, FAKE_CUPTI_BROKEN,
 * and for some tests ODD_APP, FAULT_SHIM.
 */
#ifndef GSTRACE_TRACER_TEST_HARNESS_H
#define GSTRACE_TRACER_TEST_HARNESS_H

#include <stdbool.h>
#include <sys/types.h>

/* 1 in a build with ThreadSanitizer, which some programs cannot be run under. */
#if defined(__SANITIZE_THREAD__)
#define RUN_IS_THREAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RUN_IS_THREAD_SANITIZED 1
#endif
#endif
#ifndef RUN_IS_THREAD_SANITIZED
#define RUN_IS_THREAD_SANITIZED 0
#endif

/* 1 in a build with any sanitizer: its runtime has memory, system calls and signals of its own. */
#if defined(__SANITIZE_ADDRESS__) || RUN_IS_THREAD_SANITIZED
#define RUN_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RUN_IS_SANITIZED 1
#endif
#endif
#ifndef RUN_IS_SANITIZED
#define RUN_IS_SANITIZED 0
#endif

struct run {
	char dir[256];	   /* working directory of the program; traces go there */
	char shm[256];	   /* its staging folder, on tmpfs */
	char trace[600];   /* the one trace it wrote; "" if none */
	int traces;	   /* how many it wrote */
	int status;	   /* as waitpid() gives it */
	char out[1 << 20]; /* its stdout */
	char err[1 << 16]; /* its stderr */
	double seconds;
	pid_t pid;
	int out_fd;
	const char *library; /* variant of the fake: FAKE_CUPTI unless set */
	const char *cupti;   /* GSTRACE_CUPTI; NULL: the same; */
	bool has_nvtx;	     /* NVTX_INJECTION64_PATH is set too */
	bool is_untraced;    /* without CUDA_INJECTION64_PATH */
	long file_limit;     /* RLIMIT_FSIZE, 0 = none */
	const char *program; /* variable that names it: FAKE_APP unless set */
	bool has_shim;	     /* FAULT_SHIM is loaded before all others */
	const char *env[16]; /* more variables, "NAME=value" */
};

/** cmocka setup and teardown: *state is a fresh struct run with empty folders; removed afterwards. */
int run_setup(void **state);
int run_teardown(void **state);

/** Run @script to its end; harness.c says how long it may take. Fills in status, out, err and trace. */
void run_script(struct run *run, const char *script);

/** The two halves of it, to kill the program in between or to read out_fd. */
void run_start(struct run *run, const char *script);
void run_finish(struct run *run);

/** Remove what it left, before another run. */
void run_clear(struct run *run);

/** It ended by itself, with @code. */
void run_assert_ended(const struct run *run, int code);

/** Lines of @text. */
int run_lines(const char *text);

/** Files in the staging folder. */
int run_staging_files(const struct run *run);

#endif
