/*
 * wrap_host_func - many short host functions, whose times are recorded (RECORD --host-functions=wrap).
 *
 * before, a host function and after, a hundred times: each host function begins when the kernel before it has finished, and
 * the kernel behind it begins when it has returned. At last two host functions in two streams.
 *
 * EXPECT ops host_func: 102
 * EXPECT edges: F1 >= 200
 * EXPECT ordered: before#2 -> host_func#1
 * EXPECT ordered: host_func#1 -> after#2
 * EXPECT ordered: before#101 -> host_func#100
 * EXPECT ordered: host_func#100 -> after#101
 * EXPECT none: lost-records
 */
#include "kernels/common.h"

__global__ void before(unsigned us, unsigned *turn)
{
	spin_us(us);
	*turn += 1;
}

__global__ void after(unsigned us, unsigned *turn)
{
	spin_us(us);
	*turn += 1;
}

struct log {
	volatile unsigned *turn;
	unsigned calls, right;
};

/* Of three turns a round the host's is the second. */
static void CUDART_CB host_task(void *data)
{
	struct log *log = (struct log *)data;
	log->right += *log->turn == 3 * log->calls + 1;
	*log->turn += 1;
	log->calls++;
}

static void CUDART_CB short_task(void *)
{
	host_work_us(200);
}

int main(void)
{
	const unsigned rounds = 100;
	cudaStream_t stream, other;
	struct log log = {NULL, 0, 0};
	unsigned *turn;

	require_gpu();
	CHECK(cudaMallocHost(&turn, sizeof(*turn)));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	before<<<1, 1, 0, stream>>>(1, turn);
	after<<<1, 1, 0, stream>>>(1, turn);
	settle();
	*turn = 0;
	log.turn = turn;

	double begin = wall_us();
	for (unsigned i = 0; i < rounds; i++) {
		before<<<1, 1, 0, stream>>>(20, turn);
		CHECK(cudaLaunchHostFunc(stream, host_task, &log));
		after<<<1, 1, 0, stream>>>(20, turn);
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaLaunchHostFunc(stream, short_task, NULL));
	CHECK(cudaLaunchHostFunc(other, short_task, NULL));
	CHECK(cudaDeviceSynchronize());
	report("wrap_host_func", wall_us() - begin);

	VERIFY(log.calls == rounds && log.right == rounds, "host functions run in order");
	VERIFY(*turn == 3 * rounds, "each took its turn");
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	CHECK(cudaFreeHost(turn));
	return 0;
}
