/*
 * copy_batch - a batch of copies with each source access order.
 *
 * The writes of a batch are in stream order always; when its sources are read is the caller's word:
 * in stream order, during the call, or at any time (M3). A kernel busy before the batch in its stream
 * tells whether its targets were written early (they must not be); changing the sources right after the
 * call returned tells when they were read. Sources are pageable first, then pinned.
 *
 * EXPECT edges: S3 == 0
 * EXPECT none: lost-records
 */
#include <string>
#include <vector>

#include "kernels/ordering/witness.h"

static const unsigned busy_us = 5000;

/* Busy for a while, then see what stands in the target. */
__global__ void reader(struct span *span, unsigned us, const volatile int *target,
		       volatile int *seen)
{
	spin_span(span, us);
	*seen = *target;
}

int main(void)
{
	static const struct {
		const char *name;
		cudaMemcpySrcAccessOrder order;
	} orders[] = {{"stream", cudaMemcpySrcAccessOrderStream},
		      {"during_call", cudaMemcpySrcAccessOrderDuringApiCall},
		      {"any", cudaMemcpySrcAccessOrderAny}};
	cudaStream_t stream;
	int *device, *pinned, *seen;

	witness_start("copy_batch");
	load_kernels(reader);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&device, 2 * sizeof(int)));
	CHECK(cudaMallocHost(&pinned, 2 * sizeof(int)));
	CHECK(cudaMallocHost(&seen, sizeof(int)));
	std::vector<int> pageable(2);
	for (int *source : {pageable.data(), pinned}) {
		for (const auto &o : orders) {
			std::string name = source == pinned ? "pinned_" : "pageable_";
			name += o.name;
			void *to[] = {device, device + 1};
			const void *from[] = {source, source + 1};
			size_t sizes[] = {sizeof(int), sizeof(int)}, first = 0;
			cudaMemcpyAttributes attributes = {};
			struct span *s = new_span();
			int result[2];

			attributes.srcAccessOrder = o.order;
			CHECK(cudaMemsetAsync(device, 0, 2 * sizeof(int), stream));
			source[0] = source[1] = 1;
			CHECK(cudaStreamSynchronize(stream));
			reader<<<1, 1, 0, stream>>>(s, busy_us, device, seen);
			await_begin(s);
			double us = wall_us();
			CHECK(cudaMemcpyBatchAsync(to, from, sizes, 2, &attributes, &first, 1,
						   stream));
			us = wall_us() - us;
			int verdict = waited(s, us, busy_us);
			source[0] = source[1] = 2;
			CHECK(cudaStreamSynchronize(stream));
			CHECK(cudaMemcpy(result, device, sizeof(result), cudaMemcpyDeviceToHost));

			must((name + "_writes_in_stream_order").c_str(), *seen == 0);
			saw((name + "_call_waits").c_str(), verdict);
			claim("%s_us=%.1f", name.c_str(), us);
			if (o.order == cudaMemcpySrcAccessOrderDuringApiCall) {
				must((name + "_read_in_call").c_str(),
				     result[0] == 1 && result[1] == 1);
			} else {
				saw((name + "_read_in_call").c_str(),
				    result[0] == 1 && result[1] == 1);
			}
		}
	}
	CHECK(cudaFree(device));
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaFreeHost(seen));
	return witness_end();
}
