/*
 * odd_app.h - what the programs of odd_app have in common, and their list.
 */
#ifndef GSTRACE_TRACER_TEST_ODD_APP_H
#define GSTRACE_TRACER_TEST_ODD_APP_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "tracer/cupti_abi.h"
#include "tracer/fake_cupti/fake_cupti.h"

extern char **environ;

/* The handle of the fake, for who wants to close it. */
extern void *odd_library;

/** A function of the fake by its name; ends the program if there is none. */
void *odd_find(const char *name);

/* ... typed as declared. */
#define F(name) (*(__typeof__(&name))odd_find(#name))

#define C(name) (*(gst_cupti_##name##_t *)odd_find(#name))

/** Launch @count kernels into the default stream. */
void odd_launch(int count);

/** A line on stdout, at once. */
void odd_say(const char *text);

void odd_pause_ms(long ms);

/** End with status 3, which no program ends with by itself, unless @is_so. */
void odd_need(bool is_so, const char *what);

pthread_t odd_start(void *(*body)(void *), void *argument);

/** Wait for @child; its status as of waitpid(). */
int odd_status_of(pid_t child);

/* X(name, function) */
#ifdef __x86_64__
#define ODD_FILTERS(X)                    \
	X("strict-filter", strict_filter) \
	X("refusing-filter", refusing_filter)
#else
#define ODD_FILTERS(X)
#endif

#define ODD_PROGRAMS(X)                               \
	X("state", state)                             \
	X("take-over", take_over)                     \
	X("take-over-at-exit", take_over_at_exit)     \
	X("close-often", close_often)                 \
	X("no-standard-files", no_standard_files)     \
	X("many-descriptors", many_descriptors)       \
	X("descriptors-4", descriptors_4)             \
	X("descriptors-8", descriptors_8)             \
	X("descriptors-64", descriptors_64)           \
	X("mask-all", mask_all)                       \
	X("elsewhere", elsewhere)                     \
	X("from-nowhere", from_nowhere)               \
	X("drop-rights", drop_rights)                 \
	X("rename-itself", rename_itself)             \
	X("environment-race", environment_race)       \
	X("raw-clone", raw_clone)                     \
	X("vfork-and-spawn", vfork_and_spawn)         \
	X("daemon-before", daemon_before)             \
	X("daemon-after", daemon_after)               \
	X("exec-itself", exec_itself)                 \
	X("after-exec", after_exec)                   \
	X("own-fault-handler", own_fault_handler)     \
	X("calls-in-handlers", calls_in_handlers)     \
	X("jump-out-of-calls", jump_out_of_calls)     \
	X("exit-from-a-thread", exit_from_a_thread)   \
	X("exit-in-exit", exit_in_exit)               \
	X("cancel-a-call", cancel_a_call)             \
	X("cancel-the-start", cancel_the_start)       \
	X("thousand-threads", thousand_threads)       \
	X("threads-that-end", threads_that_end)       \
	X("tiny-stacks", tiny_stacks)                 \
	X("tiny-start", tiny_start)                   \
	X("closes-libraries", closes_libraries)       \
	X("resets", resets)                           \
	X("second-client", second_client)             \
	X("first-client", first_client)               \
	X("takes-the-buffers", takes_the_buffers)     \
	X("finalizes", finalizes)                     \
	X("small-address-space", small_address_space) \
	X("other-root", other_root)                   \
	X("unshared-files", unshared_files)           \
	X("threads-end-inside", threads_end_inside)   \
	X("calls-at-thread-end", calls_at_thread_end) \
	X("main-thread-ends", main_thread_ends)       \
	X("signal-storm", signal_storm)               \
	X("leave-threads", leave_threads)             \
	X("fork-storm", fork_storm)                   \
	X("small-data", small_data)                   \
	X("locked-memory", locked_memory)             \
	X("real-time", real_time)                     \
	ODD_FILTERS(X)

#define ODD_X(name, function) void odd_##function(void);
ODD_PROGRAMS(ODD_X)
#undef ODD_X

#endif
