/*
 * callbacks_test.c - what is recorded of a call: at enter, at exit, when nested, interrupted or full.
 */
#include "tracer/callbacks_test_util.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <cmocka.h>

static void *open_ipc_event(void *arg)
{
	uint64_t event = 0;
	const struct {
		void *out;
		char handle[64];
	} params = {.out = &event};
	struct bench *b = arg;

	enter(b, driver, "cuIpcOpenEventHandle", 5, &params);
	event = 0x1234500;
	leave(b, driver, "cuIpcOpenEventHandle", 5, &params, 0);
	return NULL;
}

static void test_event_of_another_process(void **state)
{
	struct bench *b = bench_new(4u << 20);
	struct gst_rec_call call;
	struct gst_rec_call_exit left;

	(void)state;
	in_thread(open_ipc_event, b);
	assert_true(gst_test_find(b->w, GST_REC_CALL, 0, &call, sizeof(call)));
	assert_true(gst_test_find(b->w, GST_REC_CALL_EXIT, 0, &left, sizeof(left)));
	assert_int_equal(left.value, 0x1234500);
	bench_free(b);
}

static void *make_launch(void *arg)
{
	const struct gst_cu_launch params = {.hStream = pointer(0x55)};
	struct bench *b = arg;

	errno = 17;
	enter(b, driver, "cuLaunchKernel", 9, &params);
	leave(b, driver, "cuLaunchKernel", 9, &params, 0);
	enter(b, driver, "cuLaunchKernel_ptsz", 10, &params);
	leave(b, driver, "cuLaunchKernel_ptsz", 10, &params, 719);
	/* The program's errno is its own. */
	b->errno_after = errno;
	return NULL;
}

static void test_launch(void **state)
{
	struct bench *b = bench_new(4u << 20);
	struct gst_rec_call_launch call;
	struct gst_rec_call_exit left;

	(void)state;
	in_thread(make_launch, b);
	assert_int_equal(b->errno_after, 17);
	assert_true(gst_test_find(b->w, GST_REC_CALL_LAUNCH, 0, &call, sizeof(call)));
	assert_int_equal(call.head.corr, 9);
	assert_int_equal(call.api, GST_API_ID(driver, cbid_of("cuLaunchKernel")));
	assert_int_equal(call.ctx, 1);
	assert_int_equal(call.stream, 0x55);
	assert_int_equal(call.flags, 0);
	assert_true(gst_test_string_is(b->w, call.name, "_Z1kv"));
	assert_true(gst_test_find(b->w, GST_REC_CALL_EXIT, 0, &left, sizeof(left)));
	assert_int_equal(left.head.corr, 9);
	/* Nothing but the time: the shortest form. */
	assert_int_equal(left.head.size8, 2);
	assert_true(left.exit_ns >= call.enter_ns && call.enter_ns > 0);
	assert_true(gst_test_find(b->w, GST_REC_CALL_LAUNCH, 1, &call, sizeof(call)));
	assert_int_equal(call.api, GST_API_ID(driver, cbid_of("cuLaunchKernel_ptsz")));
	assert_true(gst_test_find(b->w, GST_REC_CALL_EXIT, 1, &left, sizeof(left)));
	assert_int_equal(left.result, 719);
	bench_free(b);
}

struct launches {
	struct bench *b;
	bool is_new_each; /* another function each time: nothing is known of it from before */
	uint32_t plain;	  /* launches that took the short way */
};

static void launch(struct launches *l, uint32_t cbid, uint32_t corr, uintptr_t function,
		   uintptr_t stream, const char *name, int32_t result)
{
	const struct gst_cu_launch params = {
		.f = pointer(l->is_new_each ? (uintptr_t)corr << 8 : function),
		.hStream = pointer(stream)};
	struct gst_cupti_callback_data data = {
		.callbackSite = GST_CUPTI_API_ENTER,
		.functionParams = &params,
		.symbolName = name,
		.contextUid = 1 + corr % 2,
		.correlationId = corr,
	};
	const struct gst_thread_slot *slot;

	gst_callbacks_on_event(&l->b->callbacks, driver, cbid, &data);
	slot = gst_threads_current();
	l->plain += slot && slot->is_bare && slot->depth == 1 && slot->calls[0].corr == corr;
	data.callbackSite = GST_CUPTI_API_EXIT;
	data.functionReturnValue = &result;
	gst_callbacks_on_event(&l->b->callbacks, driver, cbid, &data);
}

/* All that can come between launches, and launches that are not plain, by a fixed row of random numbers. */
static void *make_many_launches(void *arg)
{
	static const char *const names[] = {"_Z1av", "_Z1bv", "_Z1cv", NULL};
	struct launches *l = arg;
	uint32_t random = 1;

	for (uint32_t corr = 1; corr < 6000; corr++) {
		uint32_t which;

		random = random * 1664525 + 1013904223;
		which = random >> 30;
		/* One that never returns is below all others from then on. */
		switch (corr == 5000 ? 5 : random >> 20 & 127) {
		case 0:
			launch(l, cbid_of("cuLaunchKernel"), corr, 0x1000, 0x51, names[which], 719);
			break;
		case 1:
			launch(l, cbid_of("cuLaunchKernel_ptsz"), corr, 0x1000, 0, names[which], 0);
			break;
		case 2:
			launch(l, cbid_of("cuLaunchKernel"), corr, 0x1000, GST_CU_STREAM_PER_THREAD,
			       names[which], 0);
			break;
		case 3: /* inside a recorded call of the runtime: not one of its own */
			enter(l->b, runtime, "cudaDeviceSynchronize_v3020", corr, NULL);
			launch(l, cbid_of("cuLaunchKernel"), corr, 0x1000, 0x51, names[which], 0);
			leave(l->b, runtime, "cudaDeviceSynchronize_v3020", corr, NULL, 0);
			break;
		case 4: /* inside one that is not: a host function's */
			enter(l->b, driver, "cuStreamSynchronize", corr, NULL);
			launch(l, cbid_of("cuLaunchKernel"), corr + 100000, 0x1000, 0x51,
			       names[which], 0);
			leave(l->b, driver, "cuStreamSynchronize", corr, NULL, 0);
			break;
		case 5:
			if (corr != 5000) {
				break;
			}
			enter(l->b, driver, "cuLaunchKernel", corr,
			      &(struct gst_cu_launch){.f = pointer(0x1000)});
			break;
		case 6:
			gst_windows_close(l->b->callbacks.windows, corr);
			launch(l, cbid_of("cuLaunchKernel"), corr, 0x1000, 0x51, names[which], 0);
			gst_windows_open(l->b->callbacks.windows, corr);
			break;
		case 7:
			enter(l->b, driver, "cuEventRecord", corr, NULL);
			leave(l->b, driver, "cuEventRecord", corr, NULL, 0);
			break;
		default:
			launch(l,
			       cbid_of(random >> 16 & 1 ? "cuLaunchKernel" : "cuLaunchKernel_ptsz"),
			       corr, 0x1000 + 0x10 * (uintptr_t)which, 0x50 + which, names[which],
			       0);
			break;
		}
	}
	return NULL;
}

/* The short way of a plain launch leaves the records that the long one does. */
static void test_plain_launches(void **state)
{
	struct launches l[2] = {{.is_new_each = false}, {.is_new_each = true}};
	struct gst_rec_call_launch a, b;
	struct gst_rec_call_exit x, y;
	uint32_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct gst_windows *windows = calloc(1, sizeof(*windows));

		assert_non_null(windows);
		gst_windows_init(windows, false);
		l[i].b = bench_new(16u << 20);
		l[i].b->callbacks.windows = windows;
		in_thread(make_many_launches, &l[i]);
	}
	assert_true(l[0].plain > 2500);
	assert_int_equal(l[1].plain, 0);
	for (i = 0; gst_test_find(l[0].b->w, GST_REC_CALL_LAUNCH, i, &a, sizeof(a)); i += 31) {
		assert_true(gst_test_find(l[1].b->w, GST_REC_CALL_LAUNCH, i, &b, sizeof(b)));
		assert_true(a.enter_ns && b.enter_ns);
		a.enter_ns = b.enter_ns = 0;
		assert_memory_equal(&a, &b, sizeof(a));
	}
	assert_true(i > 5000);
	for (i = 0; gst_test_find(l[0].b->w, GST_REC_CALL_EXIT, i, &x, sizeof(x)); i += 31) {
		assert_true(gst_test_find(l[1].b->w, GST_REC_CALL_EXIT, i, &y, sizeof(y)));
		assert_true(x.exit_ns && y.exit_ns);
		x.exit_ns = y.exit_ns = 0;
		assert_memory_equal(&x, &y, sizeof(x));
	}
	for (i = 0; i < 2; i++) {
		struct gst_rec_loss lost;
		uint32_t cursor = 0;

		assert_int_equal(gst_test_count(l[i].b->w, GST_REC_CALL_LAUNCH),
				 gst_test_count(l[!i].b->w, GST_REC_CALL_LAUNCH));
		assert_int_equal(gst_test_count(l[i].b->w, GST_REC_CALL_EXIT),
				 gst_test_count(l[!i].b->w, GST_REC_CALL_EXIT));
		assert_int_equal(gst_test_count(l[i].b->w, GST_REC_NOTE), 1);
		assert_false(gst_loss_take(&l[i].b->w->loss, &cursor, &lost));
	}
	for (i = 0; i < 2; i++) {
		free(l[i].b->callbacks.windows);
		bench_free(l[i].b);
	}
}

/* The same handle, and the same address of the name, for another kernel, once the first was unloaded. */
static void *reload_kernels(void *arg)
{
	static const char *const unloads[] = {"cuModuleUnload", "cuLibraryUnload",
					      "cuCtxDestroy_v2", "cuDevicePrimaryCtxRelease_v2",
					      "cuDevicePrimaryCtxReset_v2"};
	struct launches *l = arg;
	uint32_t corr = 1;
	char name[] = "_Z1av";

	for (size_t i = 0; i < sizeof(unloads) / sizeof(unloads[0]); i++) {
		launch(l, cbid_of("cuLaunchKernel"), corr++, 0x1000, 0x51, name, 0);
		launch(l, cbid_of("cuLaunchKernel"), corr++, 0x1000, 0x51, name, 0);
		enter(l->b, driver, unloads[i], corr, NULL);
		leave(l->b, driver, unloads[i], corr++, NULL, 0);
		name[3]++;
	}
	launch(l, cbid_of("cuLaunchKernel"), corr++, 0x1000, 0x51, name, 0);
	return NULL;
}

static void test_names_of_what_is_loaded(void **state)
{
	struct launches l = {.b = bench_new(4u << 20)};
	struct gst_rec_call_launch call;
	char name[] = "_Z1av";

	(void)state;
	in_thread(reload_kernels, &l);
	assert_int_equal(l.plain, 5);
	for (uint32_t i = 0; i < 11; i++) {
		assert_true(gst_test_find(l.b->w, GST_REC_CALL_LAUNCH, i, &call, sizeof(call)));
		assert_true(gst_test_string_is(l.b->w, call.name, name));
		name[3] = (char)(name[3] + (int)(i % 2));
	}
	bench_free(l.b);
}

static void *make_launch_ex(void *arg)
{
	const struct gst_cu_launch_attribute attrs[] = {
		{.id = GST_CU_LAUNCH_ATTR_PROGRAMMATIC_STREAM_SERIALIZATION, .value.i32 = 1},
		{.id = GST_CU_LAUNCH_ATTR_COOPERATIVE, .value.i32 = 0},
		{.id = GST_CU_LAUNCH_ATTR_LAUNCH_COMPLETION_EVENT,
		 .value.event.event = (void *)(uintptr_t)0xe1},
	};
	struct gst_cu_launch_config config = {
		.hStream = pointer(0x66), .attrs = attrs, .numAttrs = 3};
	const struct gst_cu_launch_ex params = {.config = &config};
	const struct gst_cu_launch_ex none = {.config = NULL};
	const struct gst_cu_launch_attribute both[] = {
		{.id = GST_CU_LAUNCH_ATTR_LAUNCH_COMPLETION_EVENT,
		 .value.event.event = (void *)(uintptr_t)0xe1},
		{.id = GST_CU_LAUNCH_ATTR_PROGRAMMATIC_EVENT,
		 .value.event.event = (void *)(uintptr_t)0xe2},
	};
	struct gst_cu_launch_params multi[1] = {{.hStream = pointer(0x77)}};
	const struct gst_cu_launch_multi multi_params = {
		.list = multi, .numDevices = 1, .flags = GST_CU_MULTI_DEVICE_NO_POST_SYNC};
	const struct gst_cu_ctx_event ctx_event = {.context = pointer(0xc1),
						   .event = pointer(0xe3)};
	struct bench *b = arg;

	enter(b, driver, "cuLaunchKernelEx", 1, &params);
	leave(b, driver, "cuLaunchKernelEx", 1, &params, 0);
	/* What a careless program passes: the driver refuses it, we must not die of it. */
	enter(b, driver, "cuLaunchKernelEx", 2, &none);
	leave(b, driver, "cuLaunchKernelEx", 2, &none, 1);
	enter(b, driver, "cuLaunchKernelEx", 3, NULL);
	leave(b, driver, "cuLaunchKernelEx", 3, NULL, 1);
	config.attrs = NULL;
	enter(b, driver, "cuLaunchKernelEx", 4, &params);
	leave(b, driver, "cuLaunchKernelEx", 4, &params, 0);
	/* Both events, in whatever order they are asked for. */
	config.attrs = both;
	config.numAttrs = 2;
	enter(b, driver, "cuLaunchKernelEx", 5, &params);
	leave(b, driver, "cuLaunchKernelEx", 5, &params, 0);
	enter(b, driver, "cuLaunchCooperativeKernelMultiDevice", 6, &multi_params);
	leave(b, driver, "cuLaunchCooperativeKernelMultiDevice", 6, &multi_params, 0);
	enter(b, driver, "cuCtxRecordEvent", 7, &ctx_event);
	leave(b, driver, "cuCtxRecordEvent", 7, &ctx_event, 0);
	enter(b, driver, "cuGreenCtxWaitEvent", 8, &ctx_event);
	return NULL;
}

static void test_launch_attributes(void **state)
{
	struct bench *b = bench_new(4u << 20);
	struct gst_rec_call_launch call;
	struct gst_rec_call_event event;

	(void)state;
	in_thread(make_launch_ex, b);
	assert_true(gst_test_find(b->w, GST_REC_CALL_LAUNCH, 0, &call, sizeof(call)));
	assert_int_equal(call.flags,
			 GST_LAUNCH_FLAG_PROGRAMMATIC | GST_LAUNCH_FLAG_COMPLETION_EVENT);
	assert_int_equal(call.event, 0xe1);
	assert_int_equal(call.stream, 0x66);
	assert_int_equal(call.event2, 0);
	assert_int_equal(gst_test_count(b->w, GST_REC_CALL_LAUNCH), 6);
	assert_true(gst_test_find(b->w, GST_REC_CALL_LAUNCH, 4, &call, sizeof(call)));
	assert_int_equal(call.flags,
			 GST_LAUNCH_FLAG_PROGRAMMATIC_EVENT | GST_LAUNCH_FLAG_COMPLETION_EVENT);
	assert_int_equal(call.event, 0xe2);
	assert_int_equal(call.event2, 0xe1);
	assert_true(gst_test_find(b->w, GST_REC_CALL_LAUNCH, 5, &call, sizeof(call)));
	assert_int_equal(call.stream, 0x77);
	assert_int_equal(call.flags, GST_LAUNCH_FLAG_MULTI_DEVICE | GST_LAUNCH_FLAG_COOPERATIVE |
					     GST_LAUNCH_FLAG_NO_POST_SYNC);
	/* An event of a context says of which. */
	for (unsigned i = 0; i < 2; i++) {
		assert_true(gst_test_find(b->w, GST_REC_CALL_EVENT, i, &event, sizeof(event)));
		assert_int_equal(event.event, 0xe3);
		assert_int_equal(event.context, 0xc1);
		assert_int_equal(event.event2, 0);
	}
	/* The last never returned. */
	assert_int_equal(gst_test_count(b->w, GST_REC_CALL_EXIT), 7);
	bench_free(b);
}

/* What a later window says of an event is its last record: both that a launch makes count. */
static void test_both_events_of_a_launch_are_followed(void **state)
{
	struct bench *b = bench_new(4u << 20);
	struct gst_objects *objects = calloc(1, sizeof(*objects));

	(void)state;
	assert_non_null(objects);
	gst_objects_init(objects);
	b->callbacks.objects = objects;
	in_thread(make_launch_ex, b);
	for (uint64_t event = 0xe1; event <= 0xe2; event++) {
		const struct gst_object *object = gst_objects_find(&objects->events, event);

		assert_non_null(object);
		assert_int_equal((uint32_t)atomic_load(&object->last), 5);
	}
	bench_free(b);
	free(objects);
}

static void *make_values(void *arg)
{
	void *stream = NULL;
	uint64_t address = 0;
	const struct gst_cu_stream_create create = {.stream = &stream, .flags = 1, .priority = -3};
	const struct gst_cu_alloc alloc = {.ptr = &address, .bytes = 4096};
	struct bench *b = arg;

	enter(b, driver, "cuStreamCreateWithPriority", 1, &create);
	stream = pointer(0x7abc);
	leave(b, driver, "cuStreamCreateWithPriority", 1, &create, 0);
	enter(b, driver, "cuMemAlloc_v2", 2, &alloc);
	address = 0x1234; /* not to be believed: the call failed */
	leave(b, driver, "cuMemAlloc_v2", 2, &alloc, 2);
	return NULL;
}

static void test_values_given(void **state)
{
	struct bench *b = bench_new(4u << 20);
	struct gst_rec_call_stream create;
	struct gst_rec_call_memory alloc;
	struct gst_rec_call_exit left;

	(void)state;
	in_thread(make_values, b);
	assert_true(gst_test_find(b->w, GST_REC_CALL_STREAM, 0, &create, sizeof(create)));
	assert_int_equal(create.flags, 1);
	assert_int_equal(create.priority, -3);
	assert_int_equal(create.stream, 0);
	assert_true(gst_test_find(b->w, GST_REC_CALL_EXIT, 0, &left, sizeof(left)));
	assert_int_equal(left.value, 0x7abc);
	assert_true(gst_test_find(b->w, GST_REC_CALL_MEMORY, 0, &alloc, sizeof(alloc)));
	assert_int_equal(alloc.size, 4096);
	assert_true(gst_test_find(b->w, GST_REC_CALL_EXIT, 1, &left, sizeof(left)));
	assert_int_equal(left.value, 0);
	assert_int_equal(left.result, 2);
	bench_free(b);
}

static void *make_mapped(void *arg)
{
	uint64_t handle = 0x5a;
	const struct gst_cu_mem_create create = {.handle = &handle, .bytes = 1 << 21};
	const struct gst_cu_mem_range range = {.ptr = 0x7f0000000000, .bytes = 1 << 21};
	const struct gst_cu_free release = {.ptr = 0x5a};
	struct bench *b = arg;

	enter(b, driver, "cuMemCreate", 1, &create);
	leave(b, driver, "cuMemCreate", 1, &create, 0);
	enter(b, driver, "cuMemMap", 2, &range);
	leave(b, driver, "cuMemMap", 2, &range, 0);
	enter(b, driver, "cuMemUnmap", 3, &range);
	leave(b, driver, "cuMemUnmap", 3, &range, 0);
	enter(b, driver, "cuMemRelease", 4, &release);
	leave(b, driver, "cuMemRelease", 4, &release, 0);
	return NULL;
}

/* Memory that is made, mapped and given back apart. */
static void test_mapped_memory(void **state)
{
	static const struct {
		uint64_t object, size, gives;
	} wanted[] = {{0, 1 << 21, 0x5a},
		      {0x7f0000000000, 1 << 21, 0},
		      {0x7f0000000000, 1 << 21, 0},
		      {0x5a, 0, 0}};
	struct bench *b = bench_new(4u << 20);
	struct gst_rec_call call;
	struct gst_rec_call_exit left;

	(void)state;
	in_thread(make_mapped, b);
	for (uint32_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_true(gst_test_find(b->w, GST_REC_CALL, i, &call, sizeof(call)));
		assert_true(gst_test_find(b->w, GST_REC_CALL_EXIT, i, &left, sizeof(left)));
		assert_int_equal(call.object, wanted[i].object);
		assert_int_equal(call.value, wanted[i].size);
		assert_int_equal(left.value, wanted[i].gives);
	}
	bench_free(b);
}

/* At the end of what can be read: the driver refuses the counts, so it does not read what they promise. */
static void *make_refused_counts(void *arg)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *room =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct gst_cu_memop_batch ops = {.hStream = pointer(1), .count = 100000};
	struct gst_cu_copy_batch copies = {.count = 1, .numAttrs = 200, .hStream = pointer(1)};
	uint64_t one = 1;
	struct bench *b = arg;

	assert_true(room != MAP_FAILED);
	assert_int_equal(mprotect(room + page, page, PROT_NONE), 0);
	ops.ops = room + page - sizeof(struct gst_cu_memop);
	copies.dsts = copies.srcs = copies.sizes = &one;
	copies.attrs = (const void *)(room + page - sizeof(*copies.attrs));
	enter(b, driver, "cuStreamBatchMemOp", 1, &ops);
	leave(b, driver, "cuStreamBatchMemOp", 1, &ops, 1);
	enter(b, driver, "cuMemcpyBatchAsync", 2, &copies);
	leave(b, driver, "cuMemcpyBatchAsync", 2, &copies, 1);
	munmap(room, 2 * page);
	return NULL;
}

static void test_refused_counts_are_not_read(void **state)
{
	struct bench *b = bench_new(4u << 20);
	struct gst_rec_call call;
	struct gst_rec_call_copy copy;

	(void)state;
	in_thread(make_refused_counts, b);
	assert_true(gst_test_find(b->w, GST_REC_CALL, 0, &call, sizeof(call)));
	assert_int_equal(call.count, 100000);
	assert_int_equal(gst_test_count(b->w, GST_REC_MEMOP), 0);
	assert_true(gst_test_find(b->w, GST_REC_CALL_COPY, 0, &copy, sizeof(copy)));
	assert_int_equal(copy.access, 0);
	bench_free(b);
}

static void *make_copies(void *arg)
{
	const struct gst_cu_copy copy = {.dst = 1, .src = 2, .bytes = 3, .hStream = pointer(4)};
	const struct gst_cuda_copy rt = {
		.dst = 5, .src = 6, .bytes = 7, .copyKind = GST_CUDA_MEMCPY_D2H};
	const struct gst_cu_copy_2d plane = {
		.srcMemoryType = GST_CU_MEMORYTYPE_HOST,
		.srcHost = (const void *)(uintptr_t)0x10,
		.dstMemoryType = GST_CU_MEMORYTYPE_ARRAY,
		.dstArray = (void *)(uintptr_t)0x20,
		.WidthInBytes = 8,
		.Height = 9,
	};
	const struct gst_cu_copy_2d_call plane_call = {.copy = &plane};
	const struct gst_cu_memset set = {.dst = 0x40, .count = 5, .hStream = pointer(0x50)};
	const struct gst_cu_memset_2d set_2d = {.dst = 0x60, .width = 2, .height = 3};
	struct bench *b = arg;

	enter(b, driver, "cuMemcpyHtoDAsync_v2", 1, &copy);
	leave(b, driver, "cuMemcpyHtoDAsync_v2", 1, &copy, 0);
	enter(b, driver, "cuMemcpyHtoD_v2", 2, &copy);
	leave(b, driver, "cuMemcpyHtoD_v2", 2, &copy, 0);
	enter(b, runtime, "cudaMemcpy_v3020", 3, &rt);
	leave(b, runtime, "cudaMemcpy_v3020", 3, &rt, 0);
	enter(b, driver, "cuMemcpy2D_v2", 4, &plane_call);
	leave(b, driver, "cuMemcpy2D_v2", 4, &plane_call, 0);
	enter(b, driver, "cuMemsetD32Async", 5, &set);
	leave(b, driver, "cuMemsetD32Async", 5, &set, 0);
	enter(b, driver, "cuMemsetD2D16_v2", 6, &set_2d);
	leave(b, driver, "cuMemsetD2D16_v2", 6, &set_2d, 0);
	return NULL;
}

static void test_copies(void **state)
{
	struct bench *b = bench_new(4u << 20);
	struct gst_rec_call_copy copy;
	struct gst_rec_call_memset set;

	(void)state;
	in_thread(make_copies, b);
	assert_true(gst_test_find(b->w, GST_REC_CALL_COPY, 0, &copy, sizeof(copy)));
	assert_int_equal(copy.dst, 1);
	assert_int_equal(copy.src, 2);
	assert_int_equal(copy.size, 3);
	assert_int_equal(copy.stream, 4);
	assert_int_equal(copy.direction, GST_COPY_HTOD);
	/* The synchronous form has no stream to read. */
	assert_true(gst_test_find(b->w, GST_REC_CALL_COPY, 1, &copy, sizeof(copy)));
	assert_int_equal(copy.stream, 0);
	assert_true(gst_test_find(b->w, GST_REC_CALL_COPY, 2, &copy, sizeof(copy)));
	assert_int_equal(copy.api >> 16, runtime);
	assert_int_equal(copy.direction, GST_COPY_DTOH);
	assert_int_equal(copy.size, 7);
	assert_true(gst_test_find(b->w, GST_REC_CALL_COPY, 3, &copy, sizeof(copy)));
	assert_int_equal(copy.direction, GST_COPY_HTOA);
	assert_int_equal(copy.dst, 0x20);
	assert_int_equal(copy.src, 0x10);
	assert_int_equal(copy.size, 72);
	assert_true(gst_test_find(b->w, GST_REC_CALL_MEMSET, 0, &set, sizeof(set)));
	assert_int_equal(set.size, 20);
	assert_int_equal(set.stream, 0x50);
	assert_true(gst_test_find(b->w, GST_REC_CALL_MEMSET, 1, &set, sizeof(set)));
	assert_int_equal(set.size, 12);
	assert_int_equal(set.stream, 0);
	bench_free(b);
}

static void *make_nested(void *arg)
{
	const struct gst_cuda_copy rt = {.bytes = 7};
	const struct gst_cu_copy copy = {.bytes = 7};
	const struct gst_cu_launch launch = {.hStream = pointer(1)};
	struct bench *b = arg;

	/* A recorded runtime call and what it does: one record. */
	enter(b, runtime, "cudaMemcpy_v3020", 1, &rt);
	enter(b, driver, "cuMemcpyHtoD_v2", 1, &copy);
	leave(b, driver, "cuMemcpyHtoD_v2", 1, &copy, 0);
	leave(b, runtime, "cudaMemcpy_v3020", 1, &rt, 0);
	/* A call that never returned (an exception flew past) does not swallow the next ones. */
	enter(b, driver, "cuMemcpyHtoD_v2", 2, &copy);
	for (uint32_t corr = 3; corr < 13; corr++) {
		enter(b, driver, "cuLaunchKernel", corr, &launch);
		leave(b, driver, "cuLaunchKernel", corr, &launch, 0);
	}
	/* Ten such. */
	for (uint32_t corr = 20; corr < 30; corr++) {
		enter(b, driver, "cuMemcpyHtoD_v2", corr, &copy);
	}
	leave(b, driver, "cuMemcpyHtoD_v2", 29, &copy, 0);
	/* An exit without an enter is none of ours. */
	leave(b, driver, "cuLaunchKernel", 99, &launch, 0);
	return NULL;
}

static void test_nesting(void **state)
{
	struct bench *b = bench_new(4u << 20);

	(void)state;
	in_thread(make_nested, b);
	assert_int_equal(gst_test_count(b->w, GST_REC_CALL_COPY), 1 + 1 + 10);
	assert_int_equal(gst_test_count(b->w, GST_REC_CALL_LAUNCH), 10);
	assert_int_equal(gst_test_count(b->w, GST_REC_CALL_EXIT), 1 + 10 + 1);
	bench_free(b);
}

static void *make_ignored(void *arg)
{
	const struct gst_cu_launch launch = {.hStream = pointer(1)};
	const struct gst_cupti_state_data fatal = {.result = 999, .message = "broken"};
	struct bench *b = arg;

	/* Domains and ids that are not ours, and no data at all. */
	gst_callbacks_on_event(&b->callbacks, GST_CUPTI_DOMAIN_RESOURCE, 5, NULL);
	gst_callbacks_on_event(&b->callbacks, driver, 307, NULL);
	gst_callbacks_on_event(&b->callbacks, driver, UINT32_MAX, &launch);
	gst_callbacks_on_event(&b->callbacks, 0, 307, &launch);
	/* A hot runtime call: its driver call is the one that is recorded. */
	enter(b, runtime, "cudaLaunchKernel_v7000", 1, NULL);
	/* CUPTI gives up: said once. */
	gst_callbacks_on_event(&b->callbacks, GST_CUPTI_DOMAIN_STATE, GST_CUPTI_STATE_FATAL_ERROR,
			       &fatal);
	gst_callbacks_on_event(&b->callbacks, GST_CUPTI_DOMAIN_STATE, GST_CUPTI_STATE_FATAL_ERROR,
			       &fatal);
	gst_callbacks_on_event(&b->callbacks, GST_CUPTI_DOMAIN_STATE, GST_CUPTI_STATE_WARNING,
			       NULL);
	/* Off: nothing. */
	atomic_store(&b->w->state.is_on, 0);
	enter(b, driver, "cuLaunchKernel", 5, &launch);
	return NULL;
}

static void test_ignored(void **state)
{
	struct bench *b = bench_new(4u << 20);
	struct gst_rec_note note;

	(void)state;
	in_thread(make_ignored, b);
	assert_int_equal(gst_test_count(b->w, GST_REC_CALL_LAUNCH), 0);
	assert_int_equal(gst_test_count(b->w, GST_REC_THREAD), 0);
	assert_int_equal(gst_test_count(b->w, GST_REC_NOTE), 1);
	assert_true(gst_test_find(b->w, GST_REC_NOTE, 0, &note, sizeof(note)));
	assert_int_equal(note.code, GST_NOTE_CUPTI_FATAL);
	assert_int_equal(note.detail, 999);
	assert_true(gst_test_string_is(b->w, note.text, "broken"));
	assert_int_equal(b->callbacks.is_cupti_dead, 1);
	bench_free(b);
}

static void *make_interrupted(void *arg)
{
	const struct gst_cu_launch launch = {.hStream = pointer(1)};
	struct bench *b = arg;
	struct gst_thread_slot *slot = gst_threads_self(&b->w->threads);

	/* As in a signal handler that interrupts our callback and makes a CUDA call. */
	slot->busy_at = UINTPTR_MAX;
	enter(b, driver, "cuLaunchKernel", 1, &launch);
	slot->busy_at = 0;
	enter(b, driver, "cuLaunchKernel", 2, &launch);
	return NULL;
}

static void test_reentry_is_counted(void **state)
{
	struct bench *b = bench_new(4u << 20);

	(void)state;
	in_thread(make_interrupted, b);
	assert_int_equal(gst_test_count(b->w, GST_REC_CALL_LAUNCH), 1);
	assert_int_equal(gst_test_lost(b->w, 0, GST_LOSS_BUSY), 1);
	bench_free(b);
}

/* As after a jump out of a callback that was called from further up than any later one. */
static void *make_left_from_above(void *arg)
{
	struct launches *l = arg;

	launch(l, cbid_of("cuLaunchKernel"), 1, 0x1000, 0x51, "_Z1av", 0);
	/* Some interruptions that end, between which records are made, are not that. */
	for (uint32_t i = 0; i < 2 * GST_BUSY_MISSED; i++) {
		gst_threads_current()->busy_at = UINTPTR_MAX;
		launch(l, cbid_of("cuLaunchKernel"), 10, 0x1000, 0x51, "_Z1av", 0);
		gst_threads_current()->busy_at = 0;
		launch(l, cbid_of("cuLaunchKernel"), 11, 0x1000, 0x51, "_Z1av", 0);
	}
	gst_threads_current()->busy_at = UINTPTR_MAX;
	for (uint32_t corr = 100; corr < 200; corr++) {
		launch(l, cbid_of("cuLaunchKernel"), corr, 0x1000, 0x51, "_Z1av", 0);
	}
	return NULL;
}

static void test_a_callback_left_from_above_costs_few(void **state)
{
	struct launches l = {.b = bench_new(4u << 20)};

	(void)state;
	in_thread(make_left_from_above, &l);
	/* Two callbacks a launch; the one that is seen last as missed is recorded, if it is an enter. */
	assert_int_equal(gst_test_count(l.b->w, GST_REC_CALL_LAUNCH),
			 1 + 2 * GST_BUSY_MISSED + 100 - GST_BUSY_MISSED / 2);
	assert_int_equal(gst_test_lost(l.b->w, 0, GST_LOSS_BUSY),
			 2 * 2 * GST_BUSY_MISSED + GST_BUSY_MISSED);
	bench_free(l.b);
}

static sigjmp_buf back;

static void jump_back(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

/* As CUPTI does after a jump out of a call: all that follow have its id. */
static void *make_left_with_its_id(void *arg)
{
	struct launches *l = arg;

	enter(l->b, driver, "cuStreamSynchronize", 7, NULL);
	for (uint32_t i = 0; i < 100; i++) {
		launch(l, cbid_of("cuLaunchKernel"), 7, 0x1000, 0x51, "_Z1av", 0);
	}
	/* A call of the runtime with one of the driver inside: one call. */
	enter(l->b, runtime, "cudaDeviceSynchronize_v3020", 7, NULL);
	enter(l->b, driver, "cuCtxSynchronize", 7, NULL);
	leave(l->b, driver, "cuCtxSynchronize", 7, NULL, 0);
	leave(l->b, runtime, "cudaDeviceSynchronize_v3020", 7, NULL, 0);
	return NULL;
}

/* The same of a call of the runtime, which might have made others of the driver, but no launches. */
static void *make_left_runtime_with_its_id(void *arg)
{
	struct launches *l = arg;

	enter(l->b, runtime, "cudaDeviceSynchronize_v3020", 8, NULL);
	for (uint32_t i = 0; i < 100; i++) {
		enter(l->b, driver, "cuCtxSynchronize", 8, NULL);
		leave(l->b, driver, "cuCtxSynchronize", 8, NULL, 0);
	}
	for (uint32_t i = 0; i < 100; i++) {
		launch(l, cbid_of("cuLaunchKernel"), 8, 0x1000, 0x51, "_Z1av", 0);
	}
	return NULL;
}

static void test_calls_with_the_id_of_one_that_was_left(void **state)
{
	struct launches l = {.b = bench_new(4u << 20)};
	const uint32_t missed = GST_CALLS_INSIDE;
	struct gst_rec_note note;

	(void)state;
	in_thread(make_left_with_its_id, &l);
	assert_int_equal(gst_test_count(l.b->w, GST_REC_CALL_LAUNCH), 100 - missed);
	assert_true(l.plain >= 100 - missed - 3);
	assert_int_equal(gst_test_count(l.b->w, GST_REC_CALL_EXIT), 100 - missed + 1);
	assert_int_equal(gst_test_lost(l.b->w, 0, GST_LOSS_UNKNOWN), missed);
	in_thread(make_left_runtime_with_its_id, &l);
	assert_int_equal(gst_test_count(l.b->w, GST_REC_CALL_LAUNCH), 2 * (100 - missed));
	assert_int_equal(gst_test_count(l.b->w, GST_REC_CALL_EXIT), 2 * (100 - missed) + 1);
	assert_int_equal(gst_test_lost(l.b->w, 0, GST_LOSS_UNKNOWN), missed);
	/* Said once. */
	assert_int_equal(gst_test_count(l.b->w, GST_REC_NOTE), 1);
	assert_true(gst_test_find(l.b->w, GST_REC_NOTE, 0, &note, sizeof(note)));
	assert_int_equal(note.detail, 7);
	bench_free(l.b);
}

/* As often as the C library goes round; TSan's own state of the thread is gone in the last of them. */
#if defined(__SANITIZE_THREAD__)
#define END_ROUNDS 2u
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define END_ROUNDS 2u
#endif
#endif
#ifndef END_ROUNDS
#define END_ROUNDS 4u
#endif

static pthread_key_t late;

struct ending {
	struct launches l;
	uint32_t rounds;
};

static void call_late(void *arg)
{
	struct ending *e = arg;

	for (uint32_t i = 0; i < 3; i++) {
		launch(&e->l, cbid_of("cuLaunchKernel"), 10 * ++e->rounds, 0x1000, 0x51, "_Z1av",
		       0);
	}
	if (e->rounds < 3 * END_ROUNDS) {
		pthread_setspecific(late, e);
	}
}

static void *make_and_end(void *arg)
{
	struct ending *e = arg;

	e->rounds = 0;
	launch(&e->l, cbid_of("cuLaunchKernel"), 5, 0x1000, 0x51, "_Z1av", 0);
	assert_int_equal(pthread_setspecific(late, e), 0);
	return NULL;
}

/* Calls in a destructor that runs after ours, in each of the four rounds there are: no slot stays with such a thread. */
static void test_calls_after_the_end(void **state)
{
	struct ending e = {.l = {.b = bench_new(4u << 20)}};
	struct gst_rec_thread thread;

	(void)state;
	/* Made after ours: called after it. */
	assert_int_equal(pthread_key_create(&late, call_late), 0);
	for (uint32_t i = 0; i < 20; i++) {
		in_thread(make_and_end, &e);
		assert_int_equal(e.rounds, 3 * END_ROUNDS);
	}
	assert_int_equal(pthread_key_delete(late), 0);
	assert_int_equal(atomic_load(&e.l.b->w->threads.used), 1);
	assert_int_equal(gst_test_count(e.l.b->w, GST_REC_CALL_LAUNCH), 20 * (1 + 3 * END_ROUNDS));
	assert_int_equal(gst_test_count(e.l.b->w, GST_REC_CALL_EXIT), 20 * (1 + 3 * END_ROUNDS));
	/* Each thread keeps its index, and is told once. */
	assert_int_equal(gst_test_count(e.l.b->w, GST_REC_THREAD), 20);
	assert_true(gst_test_find(e.l.b->w, GST_REC_THREAD, 19, &thread, sizeof(thread)));
	assert_int_equal(thread.thread, 20);
	bench_free(e.l.b);
}

/* A call is left by a jump; others follow, of which one interrupts another that then returns all the same. */
static void *make_left(void *arg)
{
	struct launches *l = arg;

	launch(l, cbid_of("cuLaunchKernel"), 1, 0x1000, 0x51, "_Z1av", 0);
	enter(l->b, driver, "cuStreamSynchronize", 2, NULL);
	for (uint32_t corr = 3; corr < 100; corr++) {
		launch(l, cbid_of("cuLaunchKernel"), corr, 0x1000, 0x51, "_Z1av", 0);
	}
	/* As seen by a handler that goes on for long: its call is inside, and so is what it calls itself. */
	enter(l->b, driver, "cuStreamSynchronize", 100, NULL);
	for (uint32_t corr = 101; corr < 200; corr++) {
		launch(l, cbid_of("cuLaunchKernel"), corr, 0x1000, 0x51, "_Z1av", 0);
	}
	enter(l->b, driver, "cuMemFree_v2", 100, NULL);
	leave(l->b, driver, "cuMemFree_v2", 100, NULL, 0);
	leave(l->b, driver, "cuStreamSynchronize", 100, NULL, 0);
	leave(l->b, driver, "cuStreamSynchronize", 100, NULL, 0); /* not a second time */
	return NULL;
}

static void test_a_call_that_was_left_slows_nothing(void **state)
{
	struct launches l = {.b = bench_new(4u << 20)};
	struct gst_rec_call_exit left;
	uint32_t count = 0, of_hundred = 0;

	(void)state;
	in_thread(make_left, &l);
	assert_int_equal(gst_test_count(l.b->w, GST_REC_CALL_LAUNCH), 197 - 1 + 1);
	/* All but the first of a kernel, those until a call counts as left, and those that found their page full. */
	assert_in_range(l.plain, 197 - 1 - 2 * (GST_CALLS_INSIDE + 1) - 3,
			197 - 1 - 2 * (GST_CALLS_INSIDE + 1));
	for (; gst_test_find(l.b->w, GST_REC_CALL_EXIT, count, &left, sizeof(left)); count++) {
		of_hundred += left.head.corr == 100;
		assert_int_not_equal(left.head.corr, 2);
	}
	assert_int_equal(of_hundred, 1);
	assert_int_equal(count, 198);
	bench_free(l.b);
}

/* A handler that interrupts our callback and jumps out of it: parameters that cannot be read raise a signal there. */
static void *make_abandoned(void *arg)
{
	const struct gst_cu_launch launch = {.hStream = pointer(1)};
	struct sigaction action = {.sa_handler = jump_back}, before;
	struct bench *b = arg;
	void *unreadable = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(unreadable != MAP_FAILED);
	enter(b, driver, "cuLaunchKernel", 1, &launch);
	leave(b, driver, "cuLaunchKernel", 1, &launch, 0);
	assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
	if (!sigsetjmp(back, 1)) {
		enter(b, driver, "cuLaunchKernel", 2, unreadable);
		fail();
	}
	assert_true(gst_threads_current()->busy_at != 0);
	sigaction(SIGSEGV, &before, NULL);
	munmap(unreadable, 4096);
	/* Half a record, as if the interruption had come later. */
	memset(gst_threads_current()->page->body + gst_threads_current()->page->position + 8, 0xEE,
	       200);
	for (uint32_t corr = 3; corr < 6; corr++) {
		enter(b, driver, "cuLaunchKernel", corr, &launch);
		leave(b, driver, "cuLaunchKernel", corr, &launch, 0);
	}
	return NULL;
}

static void test_an_abandoned_callback_costs_one_record(void **state)
{
	struct bench *b = bench_new(4u << 20);
	struct gst_objects *objects = calloc(1, sizeof(*objects));

	(void)state;
	assert_non_null(objects);
	gst_objects_init(objects);
	b->callbacks.objects = objects;
	in_thread(make_abandoned, b);
	/* It may have been one that used an object. */
	assert_int_equal(atomic_load(&objects->is_use_missed), 1);
	free(objects);
	assert_int_equal(gst_test_count(b->w, GST_REC_CALL_LAUNCH), 4);
	assert_int_equal(gst_test_count(b->w, GST_REC_CALL_EXIT), 4);
	assert_int_equal(gst_test_lost(b->w, 0, GST_LOSS_BUSY), 1);
	bench_free(b);
}

static void signal_self(void *arg, uint32_t now)
{
	(void)arg;
	(void)now;
	raise(SIGUSR1);
}

/* A handler that wants to jump out of a window's opening: it does so when the window is open. */
static void *make_abandoned_window(void *arg)
{
	struct sigaction action = {.sa_handler = jump_back}, before;
	struct bench *b = arg;

	assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
	if (!sigsetjmp(back, 1)) {
		enter(b, driver, "cuProfilerStart", 1, NULL);
		fail();
	}
	sigaction(SIGUSR1, &before, NULL);
	assert_true(gst_windows_is_open(gst_windows_now(b->callbacks.windows)));
	enter(b, driver, "cuProfilerStop", 2, NULL);
	leave(b, driver, "cuProfilerStop", 2, NULL, 0);
	assert_false(gst_windows_is_open(gst_windows_now(b->callbacks.windows)));
	return NULL;
}

static void test_an_abandoned_window_can_be_closed(void **state)
{
	struct bench *b = bench_new(4u << 20);
	struct gst_windows *windows = calloc(1, sizeof(*windows));

	(void)state;
	assert_non_null(windows);
	gst_windows_init(windows, true);
	windows->on_open = signal_self;
	b->callbacks.windows = windows;
	in_thread(make_abandoned_window, b);
	bench_free(b);
	free(windows);
}

static void *make_many(void *arg)
{
	const struct gst_cu_launch launch = {.hStream = pointer(1)};
	struct bench *b = arg;

	for (uint32_t corr = 1; corr <= 30000; corr++) {
		enter(b, driver, "cuLaunchKernel", corr, &launch);
		leave(b, driver, "cuLaunchKernel", corr, &launch, 0);
	}
	return NULL;
}

/* Nobody empties the pages: what does not fit is counted, by kind, and the program goes on. */
static void test_full(void **state)
{
	struct bench *b = bench_new(GST_POOL_BYTES_MIN);
	uint32_t calls = 0, exits = 0;
	struct gst_rec_loss rec;
	uint64_t lost_calls = 0, lost_exits = 0;
	uint32_t cursor = 0;

	(void)state;
	in_thread(make_many, b);
	while (gst_loss_take(&b->w->loss, &cursor, &rec)) {
		assert_int_equal(rec.reason, GST_LOSS_NO_CHUNK);
		lost_calls += rec.kind == GST_REC_CALL_LAUNCH ? rec.count : 0;
		lost_exits += rec.kind == GST_REC_CALL_EXIT ? rec.count : 0;
	}
	for (uint32_t i = 1; i < b->w->pool.page_count; i++) {
		struct gst_page *page = &b->w->pool.pages[i];
		uint32_t at = 0, size;

		for (; page->room - at >= 8; at += size) {
			struct gst_rec_head head;

			memcpy(&head, page->body + at, sizeof(head));
			size = (uint32_t)head.size8 * 8;
			if (!size) {
				break;
			}
			calls += head.kind == GST_KIND_CALL_LAUNCH;
			exits += head.kind == GST_KIND_CALL_EXIT;
		}
	}
	assert_int_equal(calls + lost_calls, 30000);
	assert_true(calls > 0 && lost_calls > 0);
	/* The exit of a lost call is lost with it. */
	assert_int_equal(exits + lost_exits, calls);
	bench_free(b);
}

static void *record_when_full(void *arg)
{
	const struct gst_cu_event_record record = {.event = pointer(9), .hStream = pointer(1)};
	struct bench *b = arg;

	(void)make_many(b);
	enter(b, driver, "cuEventRecord", 40000, &record);
	leave(b, driver, "cuEventRecord", 40000, &record, 0);
	return NULL;
}

static void *record_without_slot(void *arg)
{
	const struct gst_cu_event_record record = {.event = pointer(10), .hStream = pointer(1)};
	const struct gst_cu_launch launch = {.hStream = pointer(1)};
	struct bench *b = arg;

	atomic_store(&b->w->threads.used, GST_THREADS_MAX);
	enter(b, driver, "cuLaunchKernel", 50000, &launch);
	assert_int_equal(atomic_load(&b->callbacks.objects->is_use_missed), 0);
	enter(b, driver, "cuEventRecord", 50001, &record);
	assert_int_equal(atomic_load(&b->callbacks.objects->is_use_missed), 1);
	return NULL;
}

/* A lost record is lost, but a later window must not say that the event has none. */
static void test_lost_calls_are_followed(void **state)
{
	struct bench *b = bench_new(GST_POOL_BYTES_MIN);
	struct gst_objects *objects = calloc(1, sizeof(*objects));
	const struct gst_object *object;

	(void)state;
	assert_non_null(objects);
	gst_objects_init(objects);
	b->callbacks.objects = objects;
	in_thread(record_when_full, b);
	object = gst_objects_find(&objects->events, 9);
	assert_non_null(object);
	assert_int_equal((uint32_t)atomic_load(&object->last), 40000);
	assert_int_equal(gst_test_count(b->w, GST_REC_CALL_EVENT), 0);
	assert_int_equal(gst_test_count(b->w, GST_REC_EVENT_STATE), 0);
	/* No slot of an ended thread either. */
	atomic_store(&b->w->threads.free, UINT32_MAX);
	in_thread(record_without_slot, b);
	bench_free(b);
	free(objects);
}

/* ---- enabling ---- */

static uint32_t enabled_count;
static int enable_result;

static int enable(uint32_t on, gst_cupti_subscriber_handle subscriber, uint32_t domain,
		  uint32_t cbid)
{
	(void)subscriber;
	assert_int_equal(on, 1);
	if (domain == GST_CUPTI_DOMAIN_STATE) {
		assert_int_equal(cbid, GST_CUPTI_STATE_FATAL_ERROR);
	} else if (domain == GST_CUPTI_DOMAIN_RESOURCE) {
		/* It comes inside every launch. */
		assert_int_not_equal(cbid, GST_CUPTI_RESOURCE_MODULE_PROFILED);
	} else {
		assert_true(domain == driver || domain == runtime);
		enabled_count++;
	}
	return enable_result;
}

static void test_enable(void **state)
{
	const struct gst_cupti cupti = {
		.version = GST_CUPTI_V_13_0_1,
		.cuptiEnableCallback = enable,
	};
	struct bench *b = bench_new(4u << 20);
	struct gst_rec_note note;
	uint32_t recorded = 0, of_driver = 0;

	(void)state;
	for (size_t i = 0; i < gst_api_count(); i++) {
		if (gst_api_is_recorded(gst_api_at(i))) {
			recorded++;
			of_driver += gst_api_at(i)->api >> 16 == driver ? 1 : 0;
		}
	}
	enable_result = 0;
	enabled_count = 0;
	assert_int_equal(gst_callbacks_enable(&b->callbacks, &cupti, true), recorded);
	/* and those that give handles of kernels */
	assert_int_equal(enabled_count, recorded + 3);
	assert_int_equal(gst_test_count(b->w, GST_REC_NOTE), 0);
	assert_true(of_driver && of_driver < recorded);
	assert_int_equal(gst_callbacks_enable(&b->callbacks, &cupti, false), of_driver);
	assert_int_equal(gst_test_count(b->w, GST_REC_NOTE), 0);
	enable_result = GST_CUPTI_ERROR_INVALID_PARAMETER;
	assert_int_equal(gst_callbacks_enable(&b->callbacks, &cupti, true), 0);
	assert_true(gst_test_find(b->w, GST_REC_NOTE, 0, &note, sizeof(note)));
	assert_int_equal(note.code, GST_NOTE_CALLBACK_OFF);
	bench_free(b);
}

static uint32_t peers_enabled, ids_enabled;

static int enable_kind(uint32_t kind)
{
	if (kind == GST_CUPTI_KIND_MEMCPY2) {
		peers_enabled++;
	} else {
		assert_true(kind == GST_CUPTI_KIND_SYNCHRONIZATION ||
			    kind == GST_CUPTI_KIND_CUDA_EVENT);
		ids_enabled++;
	}
	return 0;
}

static void *make_contexts(void *arg)
{
	const struct gst_cupti_resource_data made = {.context = pointer(0x1000)};
	struct bench *b = arg;

	gst_callbacks_on_event(&b->callbacks, GST_CUPTI_DOMAIN_RESOURCE,
			       GST_CUPTI_RESOURCE_CONTEXT_CREATED, &made);
	assert_int_equal(peers_enabled, 0);
	for (int i = 0; i < 2; i++) {
		gst_callbacks_on_event(&b->callbacks, GST_CUPTI_DOMAIN_RESOURCE,
				       GST_CUPTI_RESOURCE_CONTEXT_CREATED, &made);
		assert_int_equal(peers_enabled, 1);
	}
	return NULL;
}

static void *make_peer_copy(void *arg)
{
	const struct gst_cu_copy_peer copy = {.bytes = 4096};
	const struct gst_cu_launch launch = {.hStream = pointer(1)};
	struct bench *b = arg;

	enter(b, driver, "cuLaunchKernel", 1, &launch);
	leave(b, driver, "cuLaunchKernel", 1, &launch, 0);
	assert_int_equal(peers_enabled, 0);
	enter(b, driver, "cuMemcpyPeerAsync", 2, &copy);
	assert_int_equal(peers_enabled, 1);
	leave(b, driver, "cuMemcpyPeerAsync", 2, &copy, 0);
	return NULL;
}

static void *use_events(void *arg)
{
	const struct gst_cu_event_record record = {.event = pointer(9), .hStream = pointer(1)};
	const struct gst_cu_stream_wait wait = {.hStream = pointer(2), .event = pointer(9)};
	struct bench *b = arg;

	enter(b, driver, "cuEventRecord", 11, &record);
	leave(b, driver, "cuEventRecord", 11, &record, 0);
	enter(b, driver, "cuStreamWaitEvent", 12, &wait);
	leave(b, driver, "cuStreamWaitEvent", 12, &wait, 0);
	return NULL;
}

/* In a graph it will be recorded by launches: no call says so. */
static void *use_graph_event(void *arg)
{
	const struct gst_cu_event_record plain = {.event = pointer(9), .hStream = pointer(1)};
	const struct gst_cu_event_record external = {
		.event = pointer(9), .hStream = pointer(1), .flags = GST_CU_EVENT_RECORD_EXTERNAL};
	struct bench *b = arg;

	enter(b, driver, "cuEventRecordWithFlags", 11, &plain);
	leave(b, driver, "cuEventRecordWithFlags", 11, &plain, 0);
	assert_int_equal(ids_enabled, 0);
	enter(b, driver, "cuEventRecordWithFlags", 12, &external);
	assert_int_equal(ids_enabled, 2);
	leave(b, driver, "cuEventRecordWithFlags", 12, &external, 0);
	return NULL;
}

static struct gst_activity *late_activity(struct bench *b, const struct gst_cupti *cupti)
{
	struct gst_activity *activity = calloc(1, sizeof(*activity));

	assert_non_null(activity);
	activity->cupti = cupti;
	activity->state = &b->w->state;
	atomic_store(&activity->is_ready, 1);
	b->callbacks.cupti = cupti;
	b->callbacks.activity = activity;
	peers_enabled = ids_enabled = 0;
	return activity;
}

/* Kinds that cost much are asked for when they are needed, and not before. */
static void test_late_kinds(void **state)
{
	static void *(*const ways[])(void *) = {make_contexts, make_peer_copy};
	const struct gst_cupti cupti = {.cuptiActivityEnable = enable_kind};

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct bench *b = bench_new(4u << 20);
		struct gst_activity *activity = late_activity(b, &cupti);

		in_thread(ways[i], b);
		assert_int_equal(ids_enabled, 0);
		bench_free(b);
		free(activity);
	}

	struct bench *b = bench_new(4u << 20);
	struct gst_activity *activity = late_activity(b, &cupti);

	in_thread(use_graph_event, b);
	assert_int_equal(ids_enabled, 2);
	bench_free(b);
	free(activity);

	b = bench_new(4u << 20);
	activity = late_activity(b, &cupti);
	/* Its thread lives on: a thread after another one's end may have its place. */
	use_events(b);
	use_events(b);
	assert_int_equal(ids_enabled, 0);
	in_thread(use_events, b);
	assert_int_equal(ids_enabled, 2);
	in_thread(use_events, b);
	assert_int_equal(ids_enabled, 2);
	bench_free(b);
	free(activity);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_of_another_process),
		cmocka_unit_test(test_launch),
		cmocka_unit_test(test_plain_launches),
		cmocka_unit_test(test_names_of_what_is_loaded),
		cmocka_unit_test(test_launch_attributes),
		cmocka_unit_test(test_both_events_of_a_launch_are_followed),
		cmocka_unit_test(test_values_given),
		cmocka_unit_test(test_mapped_memory),
		cmocka_unit_test(test_refused_counts_are_not_read),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_ignored),
		cmocka_unit_test(test_reentry_is_counted),
		cmocka_unit_test(test_a_call_that_was_left_slows_nothing),
		cmocka_unit_test(test_calls_with_the_id_of_one_that_was_left),
		cmocka_unit_test(test_a_callback_left_from_above_costs_few),
		cmocka_unit_test(test_calls_after_the_end),
		cmocka_unit_test(test_an_abandoned_callback_costs_one_record),
		cmocka_unit_test(test_an_abandoned_window_can_be_closed),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_lost_calls_are_followed),
		cmocka_unit_test(test_enable),
		cmocka_unit_test(test_late_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
