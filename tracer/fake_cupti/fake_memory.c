/*
 * fake_memory.c - copies, memory and what is said of it in the fake CUDA.
 *
 * Role      : the calls of fake_cupti.h that are about these.
 * Method    : fake_cuda.c has what a call is made of.
 * Invariant : the lock is never held in a callback or while waiting.
 * Not here  : what CUPTI does with callbacks and records.
 */
#include "tracer/fake_cupti/fake_cuda.h"

#include <string.h>

/* ---- copies and memory --------------------------------------------------------------------- */

static void copy_record(int on, enum fake_copy copy, bool is_pinned, uint64_t bytes,
			uint64_t start_ns, uint64_t end_ns, bool is_async)
{
	static const uint8_t kinds[] = {GST_CUPTI_COPY_HTOD, GST_CUPTI_COPY_DTOH,
					GST_CUPTI_COPY_DTOD, GST_CUPTI_COPY_HTOH};
	uint8_t host = is_pinned ? GST_CUPTI_MEMORY_PINNED : GST_CUPTI_MEMORY_PAGEABLE;
	struct gst_cupti_memcpy record = {
		.kind = GST_CUPTI_KIND_MEMCPY,
		.copyKind = kinds[copy],
		.srcKind = copy == FAKE_H2D || copy == FAKE_H2H ? host : GST_CUPTI_MEMORY_DEVICE,
		.dstKind = copy == FAKE_D2H || copy == FAKE_H2H ? host : GST_CUPTI_MEMORY_DEVICE,
		.flags = is_async ? GST_CUPTI_FLAG_MEMCPY_ASYNC : 0,
		.bytes = bytes,
		.start = start_ns,
		.end = end_ns,
		.deviceId = FAKE_DEVICE_ID,
		.contextId = FAKE_CONTEXT_ID,
		.streamId = cuda.stream_id[on],
		.correlationId = cuda_correlation(),
		.channelID = 12,
		.channelType = GST_CUPTI_CHANNEL_ASYNC_MEMCPY,
		.copyCount = 1,
	};

	if (fake_wants(GST_CUPTI_KIND_MEMCPY)) {
		fake_record(&record, &record.start, &record.end, end_ns);
	}
}

static uint64_t copy_time(uint64_t bytes)
{
	return 1000 + bytes / 1024 * COPY_NS_PER_KIB;
}

EXPORT int fake_memcpy_async(int stream, enum fake_copy copy, bool is_pinned, uint64_t bytes)
{
	static const char *const driver[] = {"cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2",
					     "cuMemcpyDtoDAsync_v2", "cuMemcpyAsync"};
	struct gst_cu_copy params = {
		.dst = 0x7f1000000000u,
		.src = 0x7f2000000000u,
		.bytes = bytes,
		.hStream = cuda_stream_handle(stream),
	};
	uint64_t start_ns, end_ns;
	struct call call;

	if (cuda_begin(&call, "cudaMemcpyAsync_v3020", NULL, driver[copy], &params, NULL)) {
		int on = cuda_device_stream(stream);
		int graph = cuda_capture_of(on);

		if (graph) {
			cuda_add_node(graph, "memcpy", copy_time(bytes));
		} else {
			end_ns = cuda_submit(on, 0, copy_time(bytes), &start_ns);
			copy_record(on, copy, is_pinned, bytes, start_ns, end_ns, true);
			/* As measured: a pageable copy to the device is staged up to 1 MiB; larger ones,
			 * and pageable copies the other way, wait for their stream. */
			if (copy == FAKE_H2H || (!is_pinned && copy == FAKE_D2H) ||
			    (!is_pinned && copy == FAKE_H2D && bytes > STAGED_MAX_BYTES)) {
				fake_sleep_until(end_ns);
			}
		}
	}
	return cuda_end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_memcpy(enum fake_copy copy, bool is_pinned, uint64_t bytes)
{
	static const char *const driver[] = {"cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2",
					     "cuMemcpyDtoD_v2", "cuMemcpy"};
	static const uint32_t kinds[] = {GST_CUDA_MEMCPY_H2D, GST_CUDA_MEMCPY_D2H,
					 GST_CUDA_MEMCPY_D2D, GST_CUDA_MEMCPY_H2H};
	struct gst_cu_copy params = {
		.dst = 0x7f1000000000u, .src = 0x7f2000000000u, .bytes = bytes};
	struct gst_cuda_copy outer = {
		.dst = params.dst, .src = params.src, .bytes = bytes, .copyKind = kinds[copy]};
	uint64_t start_ns, end_ns;
	struct call call;

	if (cuda_begin(&call, "cudaMemcpy_v3020", &outer, driver[copy], &params, NULL)) {
		int on = cuda_device_stream(FAKE_NULL);

		end_ns = cuda_submit(on, 0, copy_time(bytes), &start_ns);
		copy_record(on, copy, is_pinned, bytes, start_ns, end_ns, false);
		if (copy != FAKE_D2D) {
			fake_sleep_until(end_ns);
		}
	}
	return cuda_end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_memset_async(int stream, uint64_t bytes)
{
	struct gst_cu_memset params = {
		.dst = 0x7f1000000000u, .count = bytes, .hStream = cuda_stream_handle(stream)};
	uint64_t start_ns, end_ns;
	struct call call;

	if (cuda_begin(&call, "cudaMemsetAsync_v3020", NULL, "cuMemsetD8Async", &params, NULL)) {
		int on = cuda_device_stream(stream);
		int graph = cuda_capture_of(on);

		if (graph) {
			cuda_add_node(graph, "memset", copy_time(bytes));
		} else {
			struct gst_cupti_memset record = {
				.kind = GST_CUPTI_KIND_MEMSET,
				.bytes = bytes,
				.deviceId = FAKE_DEVICE_ID,
				.contextId = FAKE_CONTEXT_ID,
				.streamId = cuda.stream_id[on],
				.correlationId = cuda_correlation(),
				.flags = GST_CUPTI_FLAG_MEMSET_ASYNC,
				.memoryKind = GST_CUPTI_MEMORY_DEVICE,
			};

			end_ns = cuda_submit(on, 0, copy_time(bytes), &start_ns);
			record.start = start_ns;
			record.end = end_ns;
			if (fake_wants(GST_CUPTI_KIND_MEMSET)) {
				fake_record(&record, &record.start, &record.end, end_ns);
			}
		}
	}
	return cuda_end(&call, GST_CU_SUCCESS);
}

static void memory_record(uint32_t op, uint32_t memory, uint64_t address, uint64_t bytes, int on,
			  bool is_async)
{
	struct gst_cupti_memory record = {
		.kind = GST_CUPTI_KIND_MEMORY2,
		.memoryOperationType = op,
		.memoryKind = memory,
		.correlationId = cuda_correlation(),
		.address = address,
		.bytes = bytes,
		.timestamp = fake_now(),
		.deviceId = FAKE_DEVICE_ID,
		.contextId = FAKE_CONTEXT_ID,
		.streamId = is_async ? cuda.stream_id[on] : SYNC_NONE,
		.isAsync = is_async,
	};

	if (fake_wants(GST_CUPTI_KIND_MEMORY2)) {
		fake_record(&record, NULL, NULL, record.timestamp);
	}
}

static uint64_t new_address(uint64_t bytes)
{
	uint64_t address;

	pthread_mutex_lock(&cuda_lock);
	address = cuda.next_address;
	cuda.next_address += (bytes + 0x1ff) & ~UINT64_C(0x1ff);
	pthread_mutex_unlock(&cuda_lock);
	return address;
}

EXPORT uint64_t fake_malloc(uint64_t bytes)
{
	uint64_t address = 0;
	struct gst_cu_alloc params = {.ptr = &address, .bytes = bytes};
	struct call call;

	if (cuda_begin(&call, "cudaMalloc_v3020", &params, "cuMemAlloc_v2", &params, NULL)) {
		address = new_address(bytes);
		memory_record(GST_CUPTI_MEMORY_OP_ALLOCATION, GST_CUPTI_MEMORY_DEVICE, address,
			      bytes, 0, false);
	}
	cuda_end(&call, GST_CU_SUCCESS);
	return address;
}

EXPORT int fake_free(uint64_t address)
{
	struct gst_cu_free params = {.ptr = address};
	struct call call;

	if (cuda_begin(&call, "cudaFree_v3020", &params, "cuMemFree_v2", &params, NULL)) {
		fake_sleep_until(cuda_done(-1)); /* waits for every stream */
		memory_record(GST_CUPTI_MEMORY_OP_RELEASE, GST_CUPTI_MEMORY_DEVICE, address, 0, 0,
			      false);
	}
	return cuda_end(&call, GST_CU_SUCCESS);
}

EXPORT uint64_t fake_malloc_async(int stream, uint64_t bytes)
{
	uint64_t address = 0;
	struct gst_cu_alloc_async params = {
		.ptr = &address, .bytes = bytes, .hStream = cuda_stream_handle(stream)};
	struct call call;

	if (cuda_begin(&call, "cudaMallocAsync_v11020", NULL, "cuMemAllocAsync", &params, NULL)) {
		address = new_address(bytes);
		memory_record(GST_CUPTI_MEMORY_OP_ALLOCATION, GST_CUPTI_MEMORY_DEVICE, address,
			      bytes, cuda_device_stream(stream), true);
	}
	cuda_end(&call, GST_CU_SUCCESS);
	return address;
}

EXPORT int fake_free_async(int stream, uint64_t address)
{
	struct gst_cu_free_async params = {.ptr = address, .hStream = cuda_stream_handle(stream)};
	struct call call;

	if (cuda_begin(&call, "cudaFreeAsync_v11020", NULL, "cuMemFreeAsync", &params, NULL)) {
		memory_record(GST_CUPTI_MEMORY_OP_RELEASE, GST_CUPTI_MEMORY_DEVICE, address, 0,
			      cuda_device_stream(stream), true);
	}
	return cuda_end(&call, GST_CU_SUCCESS);
}

EXPORT uint64_t fake_host_alloc(uint64_t bytes)
{
	uint64_t address = 0;
	struct gst_cu_alloc_flags params = {.ptr = &address, .bytes = bytes};
	struct call call;

	if (cuda_begin(&call, "cudaHostAlloc_v3020", &params, "cuMemHostAlloc", &params, NULL)) {
		address = new_address(bytes);
		memory_record(GST_CUPTI_MEMORY_OP_ALLOCATION, GST_CUPTI_MEMORY_PINNED, address,
			      bytes, 0, false);
	}
	cuda_end(&call, GST_CU_SUCCESS);
	return address;
}

EXPORT int fake_host_free(uint64_t address)
{
	struct gst_cu_free params = {.ptr = address};
	struct call call;

	if (cuda_begin(&call, "cudaFreeHost_v3020", &params, "cuMemFreeHost", &params, NULL)) {
		fake_sleep_until(cuda_done(-1));
		memory_record(GST_CUPTI_MEMORY_OP_RELEASE, GST_CUPTI_MEMORY_PINNED, address, 0, 0,
			      false);
	}
	return cuda_end(&call, GST_CU_SUCCESS);
}

/* ---- calls about memory that leave no record of a device ------------------------------------- */

#define MEMORY_ADDRESS UINT64_C(0x7f3000000000)

EXPORT int fake_memory(const char *what, int stream)
{
	static const uint32_t on = 1;
	static const uint64_t threshold = UINT64_C(1) << 33;
	static void *const semaphores[2] = {(void *)(uintptr_t)0x777, (void *)(uintptr_t)0x778};
	static const uint64_t addresses[3] = {MEMORY_ADDRESS, MEMORY_ADDRESS + 64,
					      MEMORY_ADDRESS + 128};
	static const uint64_t sizes[3] = {16, 32, 64};
	static const struct gst_cu_copy_attributes attributes[2] = {{.srcAccessOrder = 1},
								    {.srcAccessOrder = 3}};
	static const uint64_t first_of_attribute[2] = {0, 2};
	void *on_stream = cuda_stream_handle(stream);
	const struct gst_cu_memop ops[3] = {
		{.operation = 4, .address = MEMORY_ADDRESS, .value = UINT64_C(1) << 40, .flags = 1},
		{.operation = 6, .short_flags = 1},
		{.operation = 2, .address = MEMORY_ADDRESS + 8, .value = UINT64_MAX - 5},
	};
	const struct gst_cu_memop_32 write = {on_stream, MEMORY_ADDRESS, 7, 1};
	const struct gst_cu_memop_64 wait = {on_stream, MEMORY_ADDRESS, 8, 2};
	const struct gst_cu_memop_batch batch = {
		.hStream = on_stream, .count = 3, .ops = (void *)(uintptr_t)ops};
	const struct gst_cu_semaphores signal = {semaphores, NULL, 2, 0, on_stream};
	const struct gst_cu_prefetch_v2 prefetch = {MEMORY_ADDRESS, 4096, {1, 3}, 0, 0, on_stream};
	const struct gst_cu_attach attach = {on_stream, MEMORY_ADDRESS, 8192, 4};
	const struct gst_cu_pointer_attribute pointer = {&on, GST_CU_POINTER_SYNC_MEMOPS, 0,
							 MEMORY_ADDRESS};
	const struct gst_cu_pool_attribute pool = {(void *)(uintptr_t)0x999, 4, 0, &threshold};
	const struct gst_cu_pool_of_device of_device = {2, 0, (void *)(uintptr_t)0x999};
	const struct gst_cu_limit limit = {2, 0, 1 << 20};
	const struct gst_cu_ctx peer = {(void *)(uintptr_t)0x888};
	const struct gst_cu_device_flags flags = {1, GST_CU_CTX_SYNC_MEMOPS};
	const struct gst_cu_copy_batch_v2 copy = {.dsts = addresses,
						  .srcs = addresses,
						  .sizes = sizes,
						  .count = 3,
						  .attrs = attributes,
						  .attrsIdxs = first_of_attribute,
						  .numAttrs = 2,
						  .hStream = on_stream};
	const struct {
		const char *what;
		const char *symbol;
		const void *params;
	} calls[] = {
		{"write-value", "cuStreamWriteValue32_v2", &write},
		{"wait-value", "cuStreamWaitValue64_v2", &wait},
		{"batch", "cuStreamBatchMemOp_v2", &batch},
		{"signal-semaphore", "cuSignalExternalSemaphoresAsync", &signal},
		{"prefetch", "cuMemPrefetchAsync_v2", &prefetch},
		{"attach", "cuStreamAttachMemAsync", &attach},
		{"sync-memops", "cuPointerSetAttribute", &pointer},
		{"pool-attribute", "cuMemPoolSetAttribute", &pool},
		{"device-pool", "cuDeviceSetMemPool", &of_device},
		{"limit", "cuCtxSetLimit", &limit},
		{"peer", "cuCtxEnablePeerAccess", &peer},
		{"context-flags", "cuDevicePrimaryCtxSetFlags_v2", &flags},
		{"batch-copy", "cuMemcpyBatchAsync_v2", &copy},
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct call call;

		if (strcmp(calls[i].what, what) == 0) {
			cuda_begin(&call, NULL, NULL, calls[i].symbol, calls[i].params, NULL);
			return cuda_end(&call, GST_CU_SUCCESS);
		}
	}
	return -1;
}
