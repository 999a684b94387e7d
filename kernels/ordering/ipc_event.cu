/*
 * ipc_event - an event that two processes record and await.
 *
 * The child opens the parent's event and records it behind a kernel; a wait of the parent is for that record (E7),
 * whose other end is in another trace: it has an open end. Told is whether the parent's kernel waited.
 *
 * EXPECT edges: E1 == 0
 * EXPECT none: lost-records
 */
#include <sys/wait.h>

#include "kernels/ordering/witness.h"

SPIN_KERNEL(waiter)

static void give(int to, const void *data, size_t size)
{
	VERIFY(write(to, data, size) == (ssize_t)size, "the pipe takes it");
}

static void take(int from, void *data, size_t size)
{
	VERIFY(read(from, data, size) == (ssize_t)size, "the pipe gives it");
}

/* Its own CUDA begins in here: the fork came before any of the parent's. */
static int child(int from, int to)
{
	cudaIpcEventHandle_t handle;
	cudaEvent_t event;
	char word = 0;

	take(from, &handle, sizeof(handle));
	witness_start("ipc_event_child");
	load_kernels(busy);
	CHECK(cudaIpcOpenEventHandle(&event, handle));
	struct span *s = new_span();
	busy<<<1, 1>>>(s, 20000);
	await_begin(s);
	CHECK(cudaEventRecord(event, 0));
	give(to, &word, 1);
	CHECK(cudaDeviceSynchronize());
	/* When it ended, by the clock of the device that both use. */
	unsigned long long end = s->end;
	give(to, &end, sizeof(end));
	take(from, &word, 1);
	CHECK(cudaEventDestroy(event));
	return 0;
}

int main(void)
{
	int down[2], up[2];
	pid_t pid;
	cudaEvent_t event;
	cudaIpcEventHandle_t handle;
	cudaStream_t stream;
	unsigned long long end;
	char word = 0;

	VERIFY(!pipe(down) && !pipe(up), "there are pipes");
	pid = fork();
	if (!pid) {
		_exit(child(down[0], up[1]));
	}
	witness_start("ipc_event");
	load_kernels(waiter);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
	CHECK(cudaIpcGetEventHandle(&handle, event));
	give(down[1], &handle, sizeof(handle));
	take(up[0], &word, 1);
	struct span *s = new_span();
	CHECK(cudaStreamWaitEvent(stream, event, 0));
	waiter<<<1, 1, 0, stream>>>(s, 500);
	CHECK(cudaDeviceSynchronize());
	take(up[0], &end, sizeof(end));
	must("waits_for_record_of_other_process", s->begin >= end);
	give(down[1], &word, 1);
	VERIFY(waitpid(pid, NULL, 0) == pid, "the child ends");
	return witness_end();
}
