/*
 * activity_test.c - every record kind at every size that a supported CUPTI writes.
 *
 * Method: each record lies at the very end of a page that is followed by an unreadable one, with the
 * size its version has: a field that the version lacks cannot be read unnoticed.
 */
#include "tracer/activity_test_util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const struct {
	uint32_t version;
	uint32_t kernel, memcpy, overhead, sync, event, memory, context, graph, device;
} sizes[] = {
	{GST_CUPTI_V_11_8, 200, 88, 40, 40, 24, 120, 16, 48, 176},
	{GST_CUPTI_V_12_0, 208, 88, 40, 40, 24, 120, 16, 48, 176},
	{GST_CUPTI_V_12_3, 208, 88, 40, 40, 24, 120, 16, 56, 176},
	{GST_CUPTI_V_12_4, 208, 88, 56, 40, 24, 120, 24, 56, 176},
	{GST_CUPTI_V_12_8, 208, 96, 56, 56, 56, 128, 32, 56, 176},
	{GST_CUPTI_V_13_0_1, 216, 96, 56, 56, 56, 128, 32, 56, 184},
};
#define VERSIONS (sizeof(sizes) / sizeof(sizes[0]))

static void test_kernel(void **state)
{
	const struct gst_cupti_kernel k = {
		.kind = GST_CUPTI_KIND_CONCURRENT_KERNEL,
		.registersPerThread = 40,
		.start = 100,
		.end = 300,
		.deviceId = 1,
		.contextId = 2,
		.streamId = 13,
		.gridX = 70000,
		.gridY = 2,
		.gridZ = 3,
		.blockX = 256,
		.blockY = 4,
		.blockZ = 1,
		.staticSharedMemory = 64,
		.dynamicSharedMemory = 1024,
		.correlationId = 77,
		.name = "_Z3addPf",
		.launchType = GST_CUPTI_LAUNCH_COOPERATIVE,
		.graphNodeId = UINT64_C(0x200000001),
		.graphId = 2,
		.channelID = 5,
		.channelType = 1,
		.isDeviceLaunched = 1,
	};

	(void)state;
	for (size_t v = 0; v < VERSIONS; v++) {
		struct bench *b = bench_new(sizes[v].version);
		struct gst_rec_kernel r;

		assert_true(give(b, &k, sizes[v].kernel));
		assert_true(gst_test_find(b->w, GST_REC_KERNEL, 0, &r, sizeof(r)));
		assert_int_equal(r.head.corr, 77);
		assert_int_equal(r.start_ns, 100);
		assert_int_equal(r.end_ns, 300);
		assert_int_equal(r.device, 1);
		assert_int_equal(r.ctx, 2);
		assert_int_equal(r.stream, 13);
		assert_int_equal(r.grid_x, 70000);
		assert_int_equal(r.grid_z, 3);
		assert_int_equal(r.block_x, 256);
		assert_int_equal(r.registers, 40);
		assert_int_equal(r.shared_static, 64);
		assert_int_equal(r.shared_dynamic, 1024);
		assert_int_equal(r.channel, 5);
		assert_int_equal(r.launch_type, GST_LAUNCH_COOPERATIVE_SINGLE);
		assert_true(r.graph_node == UINT64_C(0x200000001));
		assert_int_equal(r.graph, 2);
		assert_int_equal(r.flags, 0);
		assert_true(gst_test_string_is(b->w, r.name, "_Z3addPf"));
		assert_true(b->pages.has_work);
		bench_free(b);
	}
}

/* What the short form can hold comes in it and means the same; anything else comes in the long one. */
static void test_kernel_forms(void **state)
{
	const struct gst_cupti_kernel plain = {
		.kind = GST_CUPTI_KIND_CONCURRENT_KERNEL,
		.registersPerThread = 255,
		.start = UINT64_C(1796000000000000000),
		.end = UINT64_C(1796000000000000000) + UINT32_MAX,
		.deviceId = 255,
		.contextId = 255,
		.streamId = 65535,
		.gridX = INT32_MAX,
		.gridY = 65535,
		.gridZ = 255,
		.blockX = 1024,
		.blockY = 1023,
		.blockZ = 64,
		.staticSharedMemory = 65535,
		.dynamicSharedMemory = 232448,
		.correlationId = 78,
		.name = "_Z3addPf",
		.channelID = 255,
		.channelType = 1,
		.graphNodeId = UINT64_C(0x200000001),
		.graphId = 2,
	};
	struct gst_cupti_kernel k[] = {plain, plain, plain, plain, plain, plain, plain, plain,
				       plain, plain, plain, plain, plain, plain, plain, plain};
	struct bench *b = bench_new(GST_CUPTI_V_13_0_1);
	struct gst_rec_kernel_short s;
	struct gst_rec_kernel r, again;
	uint32_t count = 0;

	(void)state;
	k[count++].end++;
	k[count++].end = plain.start - 1;
	k[count++].end = 0;
	k[count++].start = 0;
	k[count++].registersPerThread = 256;
	k[count++].deviceId = 256;
	k[count++].contextId = 256;
	k[count++].streamId = 65536;
	k[count++].gridY = 65536;
	k[count++].gridZ = 256;
	k[count++].staticSharedMemory = 65536;
	k[count++].channelID = 256;
	k[count++].channelType = 2;
	k[count++].launchType = GST_CUPTI_LAUNCH_COOPERATIVE;
	k[count++].graphId = 3;
	k[count++].graphNodeId = 0;
	assert_int_equal(count, sizeof(k) / sizeof(k[0]));
	for (uint32_t i = 0; i < count; i++) {
		assert_true(give(b, &k[i], GST_CUPTI_KERNEL_SIZE_10));
		assert_int_equal(gst_test_count(b->w, GST_REC_KERNEL), i + 1);
	}
	assert_int_equal(gst_test_count(b->w, GST_REC_KERNEL_SHORT), 0);
	assert_true(give(b, &plain, GST_CUPTI_KERNEL_SIZE_10));
	assert_int_equal(gst_test_count(b->w, GST_REC_KERNEL), count);
	assert_true(gst_test_find(b->w, GST_REC_KERNEL_SHORT, 0, &s, sizeof(s)));
	gst_kernel_lengthen(&r, &s);
	assert_int_equal(r.head.corr, 78);
	assert_true(r.start_ns == plain.start);
	assert_true(r.end_ns == plain.end);
	assert_int_equal(r.ctx, 255);
	assert_int_equal(r.stream, 65535);
	assert_int_equal(r.device, 255);
	assert_true(gst_test_string_is(b->w, r.name, "_Z3addPf"));
	assert_int_equal(r.grid_x, INT32_MAX);
	assert_int_equal(r.grid_y, 65535);
	assert_int_equal(r.grid_z, 255);
	assert_int_equal(r.block_x, 1024);
	assert_int_equal(r.block_y, 1023);
	assert_int_equal(r.block_z, 64);
	assert_int_equal(r.registers, 255);
	assert_int_equal(r.shared_static, 65535);
	assert_int_equal(r.shared_dynamic, 232448);
	assert_int_equal(r.channel, 255);
	assert_int_equal(r.channel_type, 1);
	assert_int_equal(r.launch_type, 0);
	assert_true(r.graph_node == UINT64_C(0x200000001));
	assert_int_equal(r.graph, 2);
	assert_int_equal(r.flags, 0);
	/* Nothing in it that was not in the long one. */
	assert_true(gst_kernel_shorten(&s, &r));
	gst_kernel_lengthen(&again, &s);
	assert_memory_equal(&r, &again, sizeof(r));
	/* One lost for want of room is a kernel that was lost. */
	gst_loss_add(&b->w->loss, GST_KIND_KERNEL_SHORT, GST_LOSS_NO_CHUNK, 2);
	assert_int_equal(gst_test_lost(b->w, GST_REC_KERNEL, GST_LOSS_NO_CHUNK), 2);
	bench_free(b);
}

static void test_copies(void **state)
{
	const struct gst_cupti_memcpy m = {
		.kind = GST_CUPTI_KIND_MEMCPY,
		.copyKind = GST_CUPTI_COPY_HTOD,
		.srcKind = GST_CUPTI_MEMORY_PAGEABLE,
		.dstKind = GST_CUPTI_MEMORY_DEVICE,
		.flags = 1,
		.bytes = 4096,
		.start = 5,
		.end = 9,
		.contextId = 1,
		.streamId = 7,
		.correlationId = 8,
		.channelID = 3,
		.channelType = 2,
		.copyCount = 6,
	};
	const struct gst_cupti_memcpy_ptop p = {
		.kind = GST_CUPTI_KIND_MEMCPY2,
		.copyKind = GST_CUPTI_COPY_PTOP,
		.bytes = 512,
		.start = 1,
		.end = 2,
		.streamId = 7,
		.srcDeviceId = 1,
		.srcContextId = 2,
		.dstDeviceId = 3,
		.dstContextId = 4,
		.correlationId = 9,
	};
	const struct gst_cupti_memset s = {
		.kind = GST_CUPTI_KIND_MEMSET,
		.bytes = 64,
		.start = 3,
		.end = 4,
		.streamId = 7,
		.correlationId = 10,
		.flags = 1,
		.memoryKind = GST_CUPTI_MEMORY_DEVICE,
	};

	(void)state;
	for (size_t v = 0; v < VERSIONS; v++) {
		struct bench *b = bench_new(sizes[v].version);
		bool has_count = sizes[v].version >= GST_CUPTI_V_12_8;
		struct gst_rec_memcpy r;
		struct gst_rec_memset t;

		assert_true(give(b, &m, sizes[v].memcpy));
		assert_true(give(b, &p, GST_CUPTI_MEMCPY_PTOP_SIZE_4));
		assert_true(give(b, &s, GST_CUPTI_MEMSET_SIZE_4));
		assert_true(gst_test_find(b->w, GST_REC_MEMCPY, 0, &r, sizeof(r)));
		assert_int_equal(r.head.corr, 8);
		assert_int_equal(r.copy_kind, GST_COPY_HTOD);
		assert_int_equal(r.src_kind, GST_MEM_PAGEABLE);
		assert_int_equal(r.dst_kind, GST_MEM_DEVICE);
		assert_int_equal(r.is_async, 1);
		assert_int_equal(r.size, 4096);
		assert_int_equal(r.channel, 3);
		assert_int_equal(r.copy_count, has_count ? 6 : 0);
		assert_int_equal(r.is_peer, 0);
		assert_true(gst_test_find(b->w, GST_REC_MEMCPY, 1, &r, sizeof(r)));
		assert_int_equal(r.is_peer, 1);
		assert_int_equal(r.src_device, 1);
		assert_int_equal(r.src_ctx, 2);
		assert_int_equal(r.dst_device, 3);
		assert_int_equal(r.dst_ctx, 4);
		assert_true(gst_test_find(b->w, GST_REC_MEMSET, 0, &t, sizeof(t)));
		assert_int_equal(t.size, 64);
		assert_int_equal(t.memory_kind, GST_MEM_DEVICE);
		assert_int_equal(t.is_async, 1);
		bench_free(b);
	}
}

static void test_sync_and_event(void **state)
{
	const struct gst_cupti_synchronization s = {
		.kind = GST_CUPTI_KIND_SYNCHRONIZATION,
		.type = GST_CUPTI_SYNC_STREAM_WAIT_EVENT,
		.start = 11,
		.end = 12,
		.correlationId = 5,
		.contextId = 1,
		.streamId = GST_CUPTI_SYNCHRONIZATION_INVALID_VALUE,
		.cudaEventId = 4,
		.cudaEventSyncId = 21,
		.returnValue = 600,
	};
	const struct gst_cupti_cuda_event e = {
		.kind = GST_CUPTI_KIND_CUDA_EVENT,
		.correlationId = 6,
		.contextId = 1,
		.streamId = 13,
		.eventId = 4,
		.deviceId = 2,
		.deviceTimestamp = 99,
		.cudaEventSyncId = 21,
	};

	(void)state;
	for (size_t v = 0; v < VERSIONS; v++) {
		struct bench *b = bench_new(sizes[v].version);
		bool has_id = sizes[v].version >= GST_CUPTI_V_12_8;
		struct gst_rec_sync r;
		struct gst_rec_event t;

		assert_true(give(b, &s, sizes[v].sync));
		assert_true(give(b, &e, sizes[v].event));
		assert_true(gst_test_find(b->w, GST_REC_SYNC, 0, &r, sizeof(r)));
		assert_int_equal(r.type, GST_SYNC_STREAM_WAIT);
		assert_int_equal(r.stream, GST_ID_NONE);
		assert_int_equal(r.event_id, 4);
		assert_int_equal(r.sync_id, has_id ? 21 : 0);
		assert_int_equal(r.result, has_id ? 600 : 0);
		assert_true(gst_test_find(b->w, GST_REC_EVENT, 0, &t, sizeof(t)));
		assert_int_equal(t.head.corr, 6);
		assert_int_equal(t.event_id, 4);
		assert_int_equal(t.device, has_id ? 2 : GST_ID_NONE);
		assert_int_equal(t.sync_id, has_id ? 21 : 0);
		assert_int_equal(t.time_ns, has_id ? 99 : 0);
		bench_free(b);
	}
}

static void test_definitions(void **state)
{
	const struct gst_cupti_stream s = {
		.kind = GST_CUPTI_KIND_STREAM,
		.contextId = 1,
		.streamId = 13,
		.priority = (uint32_t)-5,
		.flag = GST_CUPTI_STREAM_NON_BLOCKING | 0x10000u,
		.correlationId = 3,
	};
	const struct gst_cupti_context c = {
		.kind = GST_CUPTI_KIND_CONTEXT,
		.contextId = 1,
		.deviceId = 0,
		.nullStreamId = 7,
		.parentContextId = 4,
		.isGreenContext = 1,
	};
	const struct gst_cupti_device d = {
		.kind = GST_CUPTI_KIND_DEVICE,
		.id = 3,
		.globalMemorySize = UINT64_C(1) << 37,
		.numMemcpyEngines = 3,
		.numMultiprocessors = 132,
		.computeCapabilityMajor = 9,
		.uuid = {0x12, 0x34, 0, 0, 0, 0, 0, 1, 0xff},
		.name = "A device",
	};

	(void)state;
	for (size_t v = 0; v < VERSIONS; v++) {
		struct bench *b = bench_new(sizes[v].version);
		struct gst_rec_stream r;
		struct gst_rec_context t;
		struct gst_rec_device u;

		assert_true(give(b, &s, GST_CUPTI_STREAM_SIZE));
		assert_true(give(b, &c, sizes[v].context));
		assert_true(give(b, &d, sizes[v].device));
		assert_true(gst_test_find(b->w, GST_REC_STREAM, 0, &r, sizeof(r)));
		assert_int_equal(r.head.corr, 3);
		assert_int_equal(r.type, GST_STREAM_NONBLOCKING);
		assert_int_equal(r.priority, -5);
		assert_int_equal(r.stream, 13);
		assert_true(gst_test_find(b->w, GST_REC_CONTEXT, 0, &t, sizeof(t)));
		assert_int_equal(t.null_stream, 7);
		assert_int_equal(t.parent, sizes[v].version >= GST_CUPTI_V_12_4 ? 4 : 0);
		assert_true(gst_test_find(b->w, GST_REC_DEVICE, 0, &u, sizeof(u)));
		assert_int_equal(u.device, 3);
		assert_int_equal(u.copy_engines, 3);
		assert_int_equal(u.sm_count, 132);
		assert_int_equal(u.pageable_access, -1);
		assert_true(u.uuid_hi == UINT64_C(0x1234000000000001));
		assert_true(u.uuid_lo == UINT64_C(0xff00000000000000));
		assert_true(gst_test_string_is(b->w, u.name, "A device"));
		/* Definitions are in chunks of their own. */
		assert_null(b->pages.device);
		bench_free(b);
	}
}

static void test_the_rest(void **state)
{
	const struct gst_cupti_graph_trace g = {
		.kind = GST_CUPTI_KIND_GRAPH_TRACE,
		.correlationId = 4,
		.start = 1,
		.end = 2,
		.graphId = 8,
		.contextId = 1,
		.streamId = 15,
	};
	const struct gst_cupti_memory m = {
		.kind = GST_CUPTI_KIND_MEMORY2,
		.memoryOperationType = GST_CUPTI_MEMORY_OP_ALLOCATION,
		.memoryKind = GST_CUPTI_MEMORY_DEVICE,
		.correlationId = 5,
		.address = 0x7f00,
		.bytes = 100,
		.timestamp = 50,
		.streamId = 13,
		.isAsync = 1,
		.poolType = GST_CUPTI_MEMORY_POOL_LOCAL,
		.poolAddress = 0x99,
	};
	struct gst_cupti_overhead o = {
		.kind = GST_CUPTI_KIND_OVERHEAD,
		.overheadKind = GST_CUPTI_OVERHEAD_COMMAND_BUFFER_FULL,
		.objectKind = GST_CUPTI_OBJECT_THREAD,
		.start = 1,
		.end = 2,
		.correlationId = 6,
	};

	(void)state;
	o.objectId.pt.threadId = 1234;
	for (size_t v = 0; v < VERSIONS; v++) {
		struct bench *b = bench_new(sizes[v].version);
		bool has_data = sizes[v].version >= GST_CUPTI_V_12_4;
		struct gst_rec_graph_run r;
		struct gst_rec_memory t;
		struct gst_rec_overhead u;

		/* Ours to free: a leak or a wrong free shows under ASan. */
		o.overheadData = has_data ? malloc(12) : NULL;
		assert_true(give(b, &g, sizes[v].graph));
		assert_true(give(b, &m, sizes[v].memory));
		assert_true(give(b, &o, sizes[v].overhead));
		assert_true(gst_test_find(b->w, GST_REC_GRAPH_RUN, 0, &r, sizeof(r)));
		assert_int_equal(r.graph, 8);
		assert_int_equal(r.stream, 15);
		assert_true(gst_test_find(b->w, GST_REC_MEMORY, 0, &t, sizeof(t)));
		assert_int_equal(t.address, 0x7f00);
		assert_int_equal(t.op, GST_MEMORY_ALLOC);
		assert_int_equal(t.is_async, 1);
		assert_int_equal(t.pool, 0x99);
		assert_true(gst_test_find(b->w, GST_REC_OVERHEAD, 0, &u, sizeof(u)));
		assert_int_equal(u.type, GST_OVERHEAD_COMMAND_BUFFER_FULL);
		assert_int_equal(u.thread, 1234);
		assert_int_equal(u.head.corr, has_data ? 6 : 0);
		bench_free(b);
	}
}

/* Of 13.1, with a hole before the times or without; what is neither is not believed. */
static void test_host_functions(void **state)
{
	uint64_t start = gst_clock_real_ns(), end = start + 5000;
	struct gst_cupti_graph_host_node n = {
		.kind = GST_CUPTI_KIND_GRAPH_HOST_NODE,
		.streamId = 13,
		.contextId = 1,
		.correlationId = 8,
		.graphId = 2,
		.graphNodeId = UINT64_C(0x200000003),
		.threadId = 99,
		.start = start,
		.end = end,
	};
	struct gst_rec_host_run r;

	(void)state;
	assert_int_equal(sizeof(n), GST_CUPTI_GRAPH_HOST_NODE_SIZE);
	assert_int_equal(sizeof(struct gst_cupti_host_launch), GST_CUPTI_HOST_LAUNCH_SIZE);
	for (size_t hole = 0; hole < 2; hole++) {
		struct bench *b = bench_new(GST_CUPTI_V_13_1);
		struct gst_cupti_host_launch h = {
			.kind = GST_CUPTI_KIND_HOST_LAUNCH,
			.streamId = 14,
			.contextId = 1,
			.correlationId = 7,
			.threadId = 98,
		};

		memcpy(&h.times[hole], &start, sizeof(start));
		memcpy(&h.times[hole + 2], &end, sizeof(end));
		assert_true(give(b, &h, sizeof(h)));
		assert_true(give(b, &n, sizeof(n)));
		assert_true(gst_test_find(b->w, GST_REC_HOST_RUN, 0, &r, sizeof(r)));
		assert_true(r.start_ns == start && r.end_ns == end);
		assert_true(r.tid == 98 && r.stream == 14 && r.head.corr == 7 && !r.graph_node);
		assert_true(gst_test_find(b->w, GST_REC_HOST_RUN, 1, &r, sizeof(r)));
		assert_true(r.start_ns == start && r.end_ns == end);
		assert_true(r.tid == 99 && r.graph_node == n.graphNodeId);
		memset(h.times, 0x5a, sizeof(h.times));
		assert_true(give(b, &h, sizeof(h)));
		assert_int_equal(gst_test_count(b->w, GST_REC_HOST_RUN), 2);
		assert_int_equal(gst_test_lost(b->w, GST_REC_HOST_RUN, GST_LOSS_SELF_CHECK), 1);
		bench_free(b);
	}
}

static void test_forced_and_unknown(void **state)
{
	struct gst_cupti_kernel k = {
		.kind = GST_CUPTI_KIND_CONCURRENT_KERNEL, .start = 5, .correlationId = 1};
	const struct gst_cupti_activity unknown = {.kind = 777};
	struct bench *b = bench_new(GST_CUPTI_V_13_0_1);
	struct gst_rec_kernel r;

	(void)state;
	assert_true(give(b, &k, GST_CUPTI_KERNEL_SIZE_10));
	atomic_store(&b->activity.is_forced, 1);
	assert_true(give(b, &k, GST_CUPTI_KERNEL_SIZE_10));
	k.end = 9;
	assert_true(give(b, &k, GST_CUPTI_KERNEL_SIZE_10));
	assert_true(gst_test_find(b->w, GST_REC_KERNEL, 0, &r, sizeof(r)));
	assert_int_equal(r.flags, 0);
	assert_true(gst_test_find(b->w, GST_REC_KERNEL, 1, &r, sizeof(r)));
	assert_int_equal(r.flags, GST_DEVICE_FLAG_FORCED);
	assert_true(gst_test_find(b->w, GST_REC_KERNEL, 2, &r, sizeof(r)));
	assert_int_equal(r.flags, 0);
	assert_true(give(b, &unknown, sizeof(unknown)));
	assert_int_equal(gst_test_lost(b->w, 0, GST_LOSS_UNKNOWN_ACTIVITY), 1);
	bench_free(b);
}

/* On a CUPTI newer than we know, absurd records turn device records off, once and for all. */
static void test_self_check(void **state)
{
	uint64_t now = gst_clock_real_ns();
	struct gst_cupti_kernel k = {
		.kind = GST_CUPTI_KIND_CONCURRENT_KERNEL,
		.start = now,
		.end = now + 5,
		.contextId = 1,
		.streamId = 13,
		.gridX = 1,
		.gridY = 1,
		.gridZ = 1,
		.blockX = 32,
		.blockY = 1,
		.blockZ = 1,
		.correlationId = 1,
	};
	struct bench *b = bench_new(140000);
	struct gst_rec_note note;

	(void)state;
	assert_true(give(b, &k, GST_CUPTI_KERNEL_SIZE_10));
	k.end = now - 5;
	assert_false(give(b, &k, GST_CUPTI_KERNEL_SIZE_10));
	assert_int_equal(atomic_load(&b->activity.is_off), 1);
	assert_true(gst_test_find(b->w, GST_REC_NOTE, 0, &note, sizeof(note)));
	assert_int_equal(note.code, GST_NOTE_ACTIVITY_OFF);
	assert_int_equal(gst_test_lost(b->w, 0, GST_LOSS_SELF_CHECK), 1);
	assert_int_equal(gst_test_count(b->w, GST_REC_KERNEL), 1);
	gst_activity_disable(&b->activity);
	assert_true(disabled_count > 5);
	disabled_count = 0;
	gst_activity_disable(&b->activity);
	assert_int_equal(disabled_count, 0);
	bench_free(b);

	/* The versions we know are believed. */
	b = bench_new(GST_CUPTI_V_13_0_1);
	assert_true(give(b, &k, GST_CUPTI_KERNEL_SIZE_10));
	bench_free(b);
}

static void test_buffers(void **state)
{
	const struct gst_activity_options options = {0};
	const struct gst_cupti_stream s = {
		.kind = GST_CUPTI_KIND_STREAM, .contextId = 1, .streamId = 13};
	struct bench *b = bench_new(GST_CUPTI_V_11_8);
	uint8_t *buffers[GST_ACTIVITY_BUFFERS + 3];
	size_t size[GST_ACTIVITY_BUFFERS + 3];
	size_t most;

	(void)state;
	(void)gst_activity_enable(&b->activity, &options);
	/* There is always one, all different, all zero. */
	for (uint32_t i = 0; i < GST_ACTIVITY_BUFFERS + 3; i++) {
		gst_activity_on_requested(&buffers[i], &size[i], &most);
		assert_non_null(buffers[i]);
		assert_int_equal(most, 0);
		assert_int_equal((uintptr_t)buffers[i] % 8, 0);
		assert_int_equal(buffers[i][0] | buffers[i][size[i] - 1], 0);
		for (uint32_t j = 0; j < i; j++) {
			assert_ptr_not_equal(buffers[i], buffers[j]);
		}
	}
	assert_int_equal(size[0], GST_ACTIVITY_BUFFER_BYTES);
	assert_int_equal(size[GST_ACTIVITY_BUFFERS], GST_ACTIVITY_SPARE_BYTES);
	assert_int_equal(gst_activity_undelivered(&b->activity), 0);

	memcpy(buffers[2], &s, sizeof(s));
	memcpy(buffers[2] + sizeof(s), &s, sizeof(s));
	assert_int_equal(gst_activity_undelivered(&b->activity), 1);
	dropped_now = 4;
	gst_activity_on_completed(NULL, 0, buffers[2], size[2], 2 * sizeof(s));
	dropped_now = 0;
	assert_int_equal(gst_test_count(b->w, GST_REC_STREAM), 2);
	assert_int_equal(gst_test_lost(b->w, 0, GST_LOSS_CUPTI_DROPPED), 4);
	assert_int_equal(gst_activity_undelivered(&b->activity), 0);
	/* It is the one given out next, and zero again. */
	gst_activity_on_requested(&buffers[2], &size[2], &most);
	assert_int_equal(buffers[2][0], 0);

	/* Off: buffers still go in and out. */
	atomic_store(&b->w->state.is_on, 0);
	memcpy(buffers[2], &s, sizeof(s));
	for (uint32_t i = 0; i < GST_ACTIVITY_BUFFERS + 3; i++) {
		gst_activity_on_completed(NULL, 0, buffers[i], size[i], i == 2 ? sizeof(s) : 0);
	}
	assert_int_equal(gst_test_count(b->w, GST_REC_STREAM), 2);
	assert_int_equal(atomic_load(&b->activity.spares), 0);
	bench_free(b);
}

/* What is taken for long enough is: no byte more is read. */
static void test_least_sizes(void **state)
{
	static const uint8_t nothing[GST_CUPTI_KERNEL_SIZE_10];
	uint8_t record[GST_CUPTI_KERNEL_SIZE_10];
	uint32_t kinds = 0;

	(void)state;
	for (size_t v = 0; v < VERSIONS; v++) {
		struct bench *b = bench_new(sizes[v].version);

		for (uint32_t kind = 1; kind < GST_CUPTI_KIND_COUNT_READ; kind++) {
			uint32_t bytes = b->activity.read_sizes[kind];

			if (!bytes) {
				continue;
			}
			kinds++;
			memcpy(record, nothing, sizeof(record));
			memcpy(record, &kind, sizeof(kind));
			assert_true(give(b, record, bytes));
			/* Nothing that this version is known to write is refused. */
			assert_true(kind != GST_CUPTI_KIND_CONCURRENT_KERNEL ||
				    bytes <= sizes[v].kernel);
			assert_true(kind != GST_CUPTI_KIND_MEMCPY || bytes <= sizes[v].memcpy);
			assert_true(kind != GST_CUPTI_KIND_OVERHEAD || bytes <= sizes[v].overhead);
			assert_true(kind != GST_CUPTI_KIND_SYNCHRONIZATION ||
				    bytes <= sizes[v].sync);
			assert_true(kind != GST_CUPTI_KIND_CUDA_EVENT || bytes <= sizes[v].event);
			assert_true(kind != GST_CUPTI_KIND_MEMORY2 || bytes <= sizes[v].memory);
			assert_true(kind != GST_CUPTI_KIND_CONTEXT || bytes <= sizes[v].context);
			assert_true(kind != GST_CUPTI_KIND_GRAPH_TRACE || bytes <= sizes[v].graph);
			assert_true(kind != GST_CUPTI_KIND_DEVICE || bytes <= sizes[v].device);
		}
		bench_free(b);
	}
	assert_int_equal(kinds, VERSIONS * 15);
}

/* A version whose records are not what we know of it: refused by name, never read across. */
static void test_short_records(void **state)
{
	static const struct {
		uint32_t version, kind, record;
	} cases[] = {
		{GST_CUPTI_V_13_0_1, GST_CUPTI_KIND_CONCURRENT_KERNEL, GST_REC_KERNEL},
		{GST_CUPTI_V_13_1, GST_CUPTI_KIND_GRAPH_HOST_NODE, GST_REC_HOST_RUN},
		{GST_CUPTI_V_13_1, GST_CUPTI_KIND_HOST_LAUNCH, GST_REC_HOST_RUN},
	};
	const struct gst_activity_options options = {0};
	const struct gst_cupti_stream s = {
		.kind = GST_CUPTI_KIND_STREAM, .contextId = 1, .streamId = 13};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct bench *b = bench_new(cases[c].version);
		struct gst_rec_note note;
		uint8_t *buffer;
		size_t size, most;

		(void)gst_activity_enable(&b->activity, &options);
		for (int i = 0; i < 2; i++) {
			gst_activity_on_requested(&buffer, &size, &most);
			memcpy(buffer, &s, sizeof(s));
			memcpy(buffer + sizeof(s), &s, sizeof(s));
			memcpy(buffer + 2 * sizeof(s), &s, sizeof(s));
			/* get_next() knows records of 24 bytes alone: this one has no more. */
			*(uint32_t *)(void *)(buffer + sizeof(s)) = cases[c].kind;
			gst_activity_on_completed(NULL, 0, buffer, size, 3 * sizeof(s));
		}
		assert_int_equal(gst_test_count(b->w, GST_REC_STREAM), 4);
		assert_int_equal(gst_test_count(b->w, cases[c].record), 0);
		assert_int_equal(gst_test_lost(b->w, 0, GST_LOSS_SELF_CHECK), 2);
		assert_int_equal(gst_test_count(b->w, GST_REC_NOTE), 1);
		assert_true(gst_test_find(b->w, GST_REC_NOTE, 0, &note, sizeof(note)));
		assert_int_equal(note.detail, sizeof(s));
		bench_free(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel),	       cmocka_unit_test(test_kernel_forms),
		cmocka_unit_test(test_copies),	       cmocka_unit_test(test_sync_and_event),
		cmocka_unit_test(test_definitions),    cmocka_unit_test(test_the_rest),
		cmocka_unit_test(test_host_functions), cmocka_unit_test(test_forced_and_unknown),
		cmocka_unit_test(test_self_check),     cmocka_unit_test(test_buffers),
		cmocka_unit_test(test_least_sizes),    cmocka_unit_test(test_short_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
