/*
 * odd_threads.c - programs with odd threads, signals and ends.
 *
 * Role      : run by name by odd_app.c.
 * Method    : each calls the fake CUDA, does what it is named for, and calls on.
 * Invariant : what is printed is the same in every run.
 * Not here  : what must be in the trace (survive_test.c).
 */
#include "tracer/test/odd_app.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- signals and jumps ----------------------------------------------------------------------- */

static char *guarded;
static volatile sig_atomic_t faults;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (number != SIGSEGV || (char *)info->si_addr != guarded) {
		_exit(90);
	}
	faults++;
	mprotect(guarded, 4096, PROT_READ | PROT_WRITE);
}

static void use_guarded(void *argument)
{
	(void)argument;
	*(volatile char *)guarded = 1;
}

void odd_own_fault_handler(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	static char memory[65536];
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};

	guarded = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	for (int i = 0; i < 20; i++) {
		mprotect(guarded, 4096, PROT_NONE);
		F(fake_inside)(use_guarded, NULL);
		odd_launch(1);
	}
	F(fake_device_sync)();
	printf("%d\n", (int)faults);
	fflush(stdout);
}

/* A handler that makes calls, on a small stack of its own. */
static void on_signal_call(int number)
{
	int saved_errno = errno;

	(void)number;
	odd_launch(1);
	errno = saved_errno;
}

static void raise_inside(void *argument)
{
	(void)argument;
	raise(SIGUSR1);
}

void odd_calls_in_handlers(void)
{
	struct sigaction action = {.sa_handler = on_signal_call, .sa_flags = SA_ONSTACK};
	static char memory[32768];
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 20; i++) {
		raise(SIGUSR1);
		odd_launch(1);
	}
	F(fake_device_sync)();
	odd_say("done");
}

static sigjmp_buf back;

static void on_signal_jump(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

/* As an interpreter does that is told to stop: out of the handler, out of the call. */
void odd_jump_out_of_calls(void)
{
	struct sigaction action = {.sa_handler = on_signal_jump};

	sigaction(SIGUSR1, &action, NULL);
	for (volatile int i = 0; i < 20; i++) {
		if (!sigsetjmp(back, 1)) {
			F(fake_inside)(raise_inside, NULL);
			odd_launch(1);
			odd_need(false, "the call is left");
		}
		odd_launch(1);
	}
	F(fake_device_sync)();
	odd_say("done");
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void *exit_soon(void *argument)
{
	(void)argument;
	odd_launch(5);
	odd_pause_ms(60);
	exit(14);
}

void odd_exit_from_a_thread(void)
{
	pthread_detach(odd_start(exit_soon, NULL));
	F(fake_launch)(FAKE_NULL, "endless", UINT64_C(1000000000000));
	F(fake_device_sync)();
}

static void call_and_exit(void)
{
	odd_launch(2);
	exit(15);
}

static void call_at_exit(void)
{
	odd_launch(2);
}

void odd_exit_in_exit(void)
{
	atexit(call_and_exit); /* runs after ours */
	odd_launch(3);
	atexit(call_at_exit); /* runs before ours */
	atexit(call_and_exit);
	exit(16);
}

static void *wait_long(void *argument)
{
	(void)argument;
	F(fake_device_sync)();
	return NULL;
}

void odd_cancel_a_call(void)
{
	pthread_t thread;
	void *result;

	F(fake_launch)(FAKE_NULL, "endless", UINT64_C(1000000000000));
	for (int i = 0; i < 3; i++) {
		thread = odd_start(wait_long, NULL);
		odd_pause_ms(20);
		pthread_cancel(thread);
		odd_need(!pthread_join(thread, &result) && result == PTHREAD_CANCELED,
			 "it is cancelled");
	}
	odd_launch(5);
	odd_say("done");
	exit(17);
}

static void *first_call_in_a_thread(void *argument)
{
	/* waiting to be cancelled while CUDA starts */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	*(volatile int *)argument = 1;
	odd_pause_ms(5);
	F(fake_init)();
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	odd_pause_ms(60000);
	return NULL;
}

void odd_cancel_the_start(void)
{
	volatile int is_up = 0;
	pthread_t thread = odd_start(first_call_in_a_thread, (void *)(uintptr_t)&is_up);
	void *result;

	while (!is_up) {
		odd_pause_ms(1);
	}
	pthread_cancel(thread);
	odd_need(!pthread_join(thread, &result) && result == PTHREAD_CANCELED, "it is cancelled");
	odd_launch(5);
	odd_say("done");
}

/* ---- threads --------------------------------------------------------------------------------- */

static pthread_barrier_t all_there;

static void *one_of_many(void *argument)
{
	(void)argument;
	odd_launch(3);
	pthread_barrier_wait(&all_there);
	odd_launch(2);
	return NULL;
}

void odd_thousand_threads(void)
{
	static pthread_t threads[1000];
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	pthread_barrier_init(&all_there, NULL, 1000);
	for (int i = 0; i < 1000; i++) {
		odd_need(!pthread_create(&threads[i], &attr, one_of_many, NULL), "a thread");
	}
	for (int i = 0; i < 1000; i++) {
		pthread_join(threads[i], NULL);
	}
	F(fake_device_sync)();
	odd_say("done");
}

static void *launch_for_ever(void *argument)
{
	static volatile bool is_over; /* never */

	pthread_barrier_wait(&all_there);
	while (!is_over) {
		odd_launch(1);
	}
	return argument;
}

/* exit() while a thousand threads are in calls. */
void odd_leave_threads(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	odd_launch(1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	pthread_barrier_init(&all_there, NULL, 1001);
	for (int i = 0; i < 1000; i++) {
		odd_need(!pthread_create(&thread, &attr, launch_for_ever, NULL), "a thread");
	}
	pthread_barrier_wait(&all_there);
	odd_pause_ms(20);
	odd_say("done");
	exit(18);
}

static void *one_call(void *argument)
{
	(void)argument;
	odd_launch(1);
	return NULL;
}

void odd_threads_that_end(void)
{
	for (int i = 0; i < 5000; i++) {
		pthread_join(odd_start(one_call, NULL), NULL);
	}
	F(fake_device_sync)();
	odd_say("done");
}

/* Every sort of call, so that the deepest of our functions is among them. */
static void *all_calls(void *argument)
{
	int stream, event, graph, exec;
	uint64_t memory;

	(void)argument;
	stream = F(fake_stream_create)(false, -1);
	event = F(fake_event_create)();
	F(fake_launch)(stream, "a_kernel_with_a_name_of_its_own", 0);
	F(fake_launch_ex)(stream, "another", 0);
	F(fake_memcpy_async)(stream, FAKE_H2D, false, 4096);
	F(fake_memcpy)(FAKE_D2H, true, 4096);
	F(fake_memset_async)(stream, 64);
	F(fake_event_record)(event, stream);
	F(fake_stream_wait)(FAKE_NULL, event);
	F(fake_event_sync)(event);
	F(fake_host_func)(stream, 0);
	F(fake_memory)("batch", stream);
	F(fake_memory)("batch-copy", stream);
	F(fake_profiler)(false);
	F(fake_profiler)(true);
	memory = F(fake_malloc)(4096);
	F(fake_free)(memory);
	F(fake_capture_begin)(stream);
	F(fake_launch)(stream, "captured", 0);
	graph = F(fake_capture_end)(stream);
	exec = F(fake_graph_instantiate)(graph);
	F(fake_graph_launch)(exec, stream);
	F(fake_nvtx)("mark-wide", "", 0);
	F(fake_stream_sync)(stream);
	F(fake_fail_next)(700);
	F(fake_stream_query)(stream);
	F(fake_event_destroy)(event);
	F(fake_stream_destroy)(stream);
	return NULL;
}

/* In a stack as small as there may be; where the program starts CUDA has a usual one. */
void odd_tiny_stacks(void)
{
	long smallest = sysconf(_SC_THREAD_STACK_MIN);
	pthread_attr_t attr;
	pthread_t thread;

	if (smallest < 16384) {
		smallest = 16384;
	}
	F(fake_init)();
	for (int i = 0; i < 3; i++) {
		pthread_attr_init(&attr);
		odd_need(!pthread_attr_setstacksize(&attr, (size_t)smallest), "a small stack");
		odd_need(!pthread_create(&thread, &attr, all_calls, NULL), "a thread");
		pthread_join(thread, NULL);
	}
	F(fake_device_sync)();
	odd_say("done");
}

static void *start_cuda(void *argument)
{
	(void)argument;
	F(fake_init)();
	odd_launch(5);
	return NULL;
}

/* CUDA starts where there is little room: what the loader needs, and we. */
void odd_tiny_start(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	odd_need(!pthread_attr_setstacksize(&attr, 24 << 10), "a small stack");
	odd_need(!pthread_create(&thread, &attr, start_cuda, NULL), "a thread");
	pthread_join(thread, NULL);
	F(fake_device_sync)();
	odd_say("done");
}

static void end_thread(void *argument)
{
	pthread_exit(argument);
}

static void *end_inside(void *argument)
{
	odd_launch(1);
	F(fake_inside)(end_thread, argument);
	odd_launch(1);
	odd_need(false, "the thread ends in the call");
	return NULL;
}

/* In the middle of a call. */
void odd_threads_end_inside(void)
{
	for (int i = 0; i < 50; i++) {
		void *result;

		odd_need(!pthread_join(odd_start(end_inside, &i), &result) && result == &i,
			 "a thread ends");
	}
	odd_launch(1);
	F(fake_device_sync)();
	odd_say("done");
}

static pthread_key_t keys[2];
static __thread int left[2]; /* lives to the very end */

static void call_at_the_end(void *argument)
{
	int *mine = argument;

	odd_launch(1);
	if (--*mine) {
		/* once more, when the others have run */
		pthread_setspecific(keys[mine - left], mine);
	}
}

static void *with_destructors(void *argument)
{
	(void)argument;
	/* as often as the C library goes round */
	left[0] = 4;
	left[1] = 4;
	odd_launch(1);
	pthread_setspecific(keys[0], &left[0]);
	pthread_setspecific(keys[1], &left[1]);
	pthread_exit(NULL);
}

/* Calls in destructors, before ours and after it. */
void odd_calls_at_thread_end(void)
{
	odd_need(!pthread_key_create(&keys[0], call_at_the_end), "a key");
	odd_launch(1);
	odd_need(!pthread_key_create(&keys[1], call_at_the_end), "another");
	for (int i = 0; i < 4200; i++) {
		pthread_join(odd_start(with_destructors, NULL), NULL);
	}
	F(fake_device_sync)();
	odd_say("done");
}

static void say_the_end(void)
{
	odd_say("exit function");
}

static void *outlives_main(void *argument)
{
	(void)argument;
	odd_pause_ms(400);
	odd_launch(10);
	odd_say("thread");
	return NULL;
}

/* A program ends with its last thread then. */
void odd_main_thread_ends(void)
{
	odd_need(!atexit(say_the_end), "an exit function");
	odd_launch(3);
	odd_start(outlives_main, NULL);
	odd_say("main");
	pthread_exit(NULL);
}

static _Atomic int alarms; /* any thread may take one */

static void on_alarm(int number)
{
	char name[17] = "";

	(void)number;
	alarms = 1;
	/* None of ours may take it. */
	if (!prctl(PR_GET_NAME, name) && strncmp(name, "gstrace", 7) == 0) {
		_exit(91);
	}
}

static void *launch_much(void *argument)
{
	for (int i = 0; i < 50; i++) {
		odd_launch(20);
		odd_pause_ms(1);
	}
	return argument;
}

/* A signal every 200 us that any thread may get. */
void odd_signal_storm(void)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	pthread_t threads[3];

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 3; i++) {
		threads[i] = odd_start(launch_much, NULL);
	}
	for (int i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	F(fake_device_sync)();
	printf("%d\n", alarms);
	fflush(stdout);
}

static void *fork_much(void *argument)
{
	for (int i = 0; i < 25; i++) {
		pid_t child = fork();

		if (child == 0) {
			if (i & 1) {
				_exit(21);
			}
			exit(21);
		}
		odd_need(WEXITSTATUS(odd_status_of(child)) == 21, "a child's status");
	}
	return argument;
}

/* Several threads fork while others call. */
void odd_fork_storm(void)
{
	pthread_t threads[4];

	F(fake_init)();
	for (int i = 0; i < 4; i++) {
		threads[i] = odd_start(i < 2 ? fork_much : launch_much, NULL);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
	}
	F(fake_device_sync)();
	odd_say("done");
}
