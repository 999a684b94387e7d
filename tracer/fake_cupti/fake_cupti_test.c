/*
 * fake_cupti_test.c - the fake behaves as measured on the real thing, in what tests lean on.
 *
 * The fake is one per process, so the cases share one subscription and run in order.
 */
#include "tracer/fake_cupti/fake_cupti.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/cupti_abi.h"
#include "tracer/fake_cupti/fake_script.h"
#include "tracer/format/api.h"
#include "tracer/format/format.h"

gst_cupti_cuptiGetVersion_t cuptiGetVersion;
gst_cupti_cuptiSubscribe_t cuptiSubscribe;
gst_cupti_cuptiSubscribe_v2_t cuptiSubscribe_v2;
gst_cupti_cuptiEnableCallback_t cuptiEnableCallback;
gst_cupti_cuptiEnableDomain_t cuptiEnableDomain;
gst_cupti_cuptiActivityEnable_t cuptiActivityEnable;
gst_cupti_cuptiActivityRegisterCallbacks_t cuptiActivityRegisterCallbacks;
gst_cupti_cuptiActivityGetNextRecord_t cuptiActivityGetNextRecord;
gst_cupti_cuptiActivityGetNumDroppedRecords_t cuptiActivityGetNumDroppedRecords;
gst_cupti_cuptiActivityFlushAll_t cuptiActivityFlushAll;
gst_cupti_cuptiActivityEnableAllSyncRecords_t cuptiActivityEnableAllSyncRecords;

#define BUFFER_BYTES 4096
#define SEEN	     512

static gst_cupti_subscriber_handle subscriber;

struct seen_call {
	uint32_t domain;
	uint32_t cbid;
	uint32_t site;
	uint32_t correlation;
	int result;
	uint64_t stream; /* LAUNCH only */
	const char *symbol;
	int has_data;
};

static struct seen_call calls[SEEN];
static int call_count;

static union {
	uint32_t kind;
	uint8_t bytes[512];
} records[SEEN];
static int record_count;
static int buffer_count;

static void on_callback(void *user, uint32_t domain, uint32_t cbid, const void *data)
{
	struct seen_call *c = &calls[call_count];

	assert_ptr_equal(user, &subscriber);
	if (call_count == SEEN - 1) {
		return;
	}
	call_count++;
	memset(c, 0, sizeof(*c));
	c->domain = domain;
	c->cbid = cbid;
	c->has_data = data != NULL;
	if (domain == GST_CUPTI_DOMAIN_DRIVER || domain == GST_CUPTI_DOMAIN_RUNTIME) {
		const struct gst_cupti_callback_data *d = data;
		const struct gst_api *api = gst_api_find(GST_API_ID(domain, cbid));

		c->site = d->callbackSite;
		c->correlation = d->correlationId;
		c->symbol = d->symbolName;
		if (c->site == GST_CUPTI_API_EXIT) {
			c->result = *(int *)d->functionReturnValue;
		}
		if (api && api->layout == GST_PARAMS_LAUNCH) {
			const struct gst_cu_launch *p = d->functionParams;

			c->stream = (uint64_t)(uintptr_t)p->hStream;
		}
	}
}

static void on_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
	*buffer = calloc(1, BUFFER_BYTES);
	*size = BUFFER_BYTES;
	*max_records = 0;
}

static void on_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	struct gst_cupti_activity *record = NULL;
	uint8_t *last = NULL;

	(void)context;
	(void)stream;
	assert_int_equal(size, BUFFER_BYTES);
	assert_true(valid <= size);
	while (!cuptiActivityGetNextRecord(buffer, valid, &record)) {
		size_t rest = valid - (size_t)((uint8_t *)record - buffer);

		assert_true((uint8_t *)record > last);
		last = (uint8_t *)record;
		if (record_count < SEEN) {
			memcpy(&records[record_count++], record, rest < 512 ? rest : 512);
		}
		if (record->kind == GST_CUPTI_KIND_DEVICE) {
			char *name;

			memcpy(&name, (uint8_t *)record + offsetof(struct gst_cupti_device, name),
			       8);
			free(name);
		}
	}
	buffer_count++;
	free(buffer);
}

static void clear(void)
{
	cuptiActivityFlushAll(0);
	call_count = 0;
	record_count = 0;
}

static int first_record(uint32_t kind)
{
	for (int i = 0; i < record_count; i++) {
		if (records[i].kind == kind) {
			return i;
		}
	}
	return -1;
}

static void a_holder_is_named(void **state)
{
	char holder[GST_CUPTI_OLD_SUBSCRIBER_NAME_MIN] = "";
	struct gst_cupti_subscriber_params params = {
		.structSize = sizeof(params),
		.oldSubscriberName = holder,
		.oldSubscriberSize = sizeof(holder),
	};

	(void)state;
	fake_set_holder("CUPTI for another tool");
	assert_int_equal(cuptiSubscribe(&subscriber, on_callback, &subscriber), 39);
	assert_int_equal(cuptiSubscribe_v2(&subscriber, on_callback, &subscriber, &params), 39);
	assert_string_equal(holder, "CUPTI for another tool");
	fake_set_holder(NULL);
	assert_int_equal(cuptiSubscribe_v2(&subscriber, on_callback, &subscriber, &params), 0);
	assert_int_equal(cuptiSubscribe(&subscriber, on_callback, &subscriber), 39);
}

static void enabling_can_fail(void **state)
{
	(void)state;
	assert_int_equal(cuptiActivityEnable(0), GST_CUPTI_ERROR_INVALID_KIND);
	assert_int_equal(cuptiActivityEnable(200), GST_CUPTI_ERROR_INVALID_KIND);
	fake_fail_enable(GST_CUPTI_KIND_MEMSET, 35);
	assert_int_equal(cuptiActivityEnable(GST_CUPTI_KIND_MEMSET), 35);
	fake_fail_enable(GST_CUPTI_KIND_MEMSET, 0);
	fake_fail_callback(GST_CUPTI_DOMAIN_RUNTIME, 5, 1);
	assert_int_equal(cuptiEnableCallback(1, subscriber, GST_CUPTI_DOMAIN_RUNTIME, 5), 1);
	assert_int_equal(cuptiEnableCallback(1, subscriber, GST_CUPTI_DOMAIN_RUNTIME, 6), 0);
	fake_fail_callback(GST_CUPTI_DOMAIN_RUNTIME, 0, 0);
	fake_set_version(GST_CUPTI_V_12_8);
	assert_int_equal(cuptiActivityEnable(GST_CUPTI_KIND_CUDA_EVENT),
			 GST_CUPTI_ERROR_INVALID_KIND);
	fake_set_version(GST_CUPTI_VERSION_KNOWN);
	assert_int_equal(cuptiActivityEnable(GST_CUPTI_KIND_CUDA_EVENT), 0);
}

static void start_tells_of_the_context(void **state)
{
	(void)state;
	assert_int_equal(cuptiActivityRegisterCallbacks(on_requested, on_completed), 0);
	assert_int_equal(cuptiActivityEnable(GST_CUPTI_KIND_CONCURRENT_KERNEL), 0);
	assert_int_equal(cuptiActivityEnable(GST_CUPTI_KIND_MEMCPY), 0);
	assert_int_equal(cuptiActivityEnable(GST_CUPTI_KIND_SYNCHRONIZATION), 0);
	assert_int_equal(cuptiActivityEnable(GST_CUPTI_KIND_DEVICE), 0);
	assert_int_equal(cuptiActivityEnable(GST_CUPTI_KIND_CONTEXT), 0);
	assert_int_equal(cuptiActivityEnable(GST_CUPTI_KIND_STREAM), 0);
	assert_int_equal(cuptiEnableDomain(1, subscriber, GST_CUPTI_DOMAIN_RESOURCE), 0);
	assert_int_equal(cuptiEnableDomain(1, subscriber, GST_CUPTI_DOMAIN_DRIVER), 0);
	assert_int_equal(cuptiEnableDomain(1, subscriber, GST_CUPTI_DOMAIN_RUNTIME), 0);
	fake_init();
	assert_int_equal(calls[0].domain, GST_CUPTI_DOMAIN_RESOURCE);
	assert_int_equal(calls[0].cbid, GST_CUPTI_RESOURCE_CU_INIT_FINISHED);
	assert_false(calls[0].has_data);
	assert_int_equal(calls[1].cbid, GST_CUPTI_RESOURCE_CONTEXT_CREATED);
	assert_true(calls[1].has_data);
	assert_int_equal(cuptiActivityFlushAll(0), 0);
	assert_true(first_record(GST_CUPTI_KIND_DEVICE) >= 0);
	assert_true(first_record(GST_CUPTI_KIND_CONTEXT) >= 0);
	assert_true(first_record(GST_CUPTI_KIND_STREAM) >= 0);
}

static void a_runtime_call_nests_a_driver_call(void **state)
{
	int stream;

	(void)state;
	stream = fake_stream_create(false, -1);
	assert_true(stream > 0);
	/* The first launch of all loads the module inside. */
	assert_int_equal(fake_launch(stream, "kernel", 1000), 0);
	clear();
	assert_int_equal(fake_launch(stream, "kernel", 1000), 0);
	assert_int_equal(call_count, 4);
	assert_int_equal(calls[0].domain, GST_CUPTI_DOMAIN_RUNTIME);
	assert_int_equal(calls[0].site, GST_CUPTI_API_ENTER);
	assert_int_equal(calls[1].domain, GST_CUPTI_DOMAIN_DRIVER);
	assert_int_equal(calls[1].cbid, 307);
	assert_true(calls[1].stream > 2);
	assert_string_equal(calls[1].symbol, "kernel");
	assert_int_equal(calls[2].cbid, 307);
	assert_int_equal(calls[2].site, GST_CUPTI_API_EXIT);
	assert_int_equal(calls[3].domain, GST_CUPTI_DOMAIN_RUNTIME);
	for (int i = 1; i < 4; i++) {
		assert_int_equal(calls[i].correlation, calls[0].correlation);
	}
	call_count = 0;
	fake_fail_next(719);
	assert_int_equal(fake_launch(stream, "kernel", 1000), 719);
	assert_int_equal(calls[2].result, 719);
	assert_int_equal(calls[3].result, 719);
}

static void stream_0_may_be_the_threads_own(void **state)
{
	(void)state;
	clear();
	fake_runtime(false);
	fake_per_thread(true);
	fake_launch(FAKE_NULL, "kernel", 0);
	fake_memcpy(FAKE_H2D, false, 64);
	fake_per_thread(false);
	fake_memcpy(FAKE_H2D, false, 64);
	fake_runtime(true);
	assert_int_equal(call_count, 6);
	assert_int_equal(calls[0].cbid, 442); /* cuLaunchKernel_ptsz */
	assert_int_equal(calls[0].stream, 0);
	assert_int_equal(calls[2].cbid, 397); /* cuMemcpyHtoD_v2_ptds */
	assert_int_equal(calls[4].cbid, 276); /* cuMemcpyHtoD_v2 */
	call_count = 0;
	fake_per_thread(true);
	fake_memcpy_async(FAKE_NULL, FAKE_H2D, true, 64);
	fake_per_thread(false);
	assert_string_equal(gst_api_find(GST_API_ID(2, calls[0].cbid))->symbol,
			    "cudaMemcpyAsync_ptsz_v7000");
}

static void records_come_when_the_work_has_ended(void **state)
{
	struct gst_cupti_kernel *k;
	uint32_t correlation;
	int stream;

	(void)state;
	stream = fake_stream_create(false, 0);
	clear();
	fake_launch(stream, "long", 30000000);
	correlation = calls[0].correlation;
	cuptiActivityFlushAll(0);
	assert_int_equal(first_record(GST_CUPTI_KIND_CONCURRENT_KERNEL), -1);
	assert_int_equal(fake_stream_query(stream), GST_CU_ERROR_NOT_READY);
	fake_stream_sync(stream);
	assert_int_equal(fake_stream_query(stream), 0);
	cuptiActivityFlushAll(0);
	assert_true(first_record(GST_CUPTI_KIND_CONCURRENT_KERNEL) >= 0);
	k = (void *)&records[first_record(GST_CUPTI_KIND_CONCURRENT_KERNEL)];
	assert_int_equal(k->end - k->start, 30000000);
	assert_int_equal(k->correlationId, correlation);
	assert_string_equal(k->name, "long");
	/* the query that was not ready left no record */
	assert_true(first_record(GST_CUPTI_KIND_SYNCHRONIZATION) >= 0);
}

static void a_forced_flush_hands_back_what_still_runs(void **state)
{
	struct gst_cupti_kernel *k;
	int stream;

	(void)state;
	stream = fake_stream_create(false, 0);
	clear();
	fake_launch(stream, "running", 50000000);
	cuptiActivityFlushAll(GST_CUPTI_FLUSH_FORCED);
	assert_true(first_record(GST_CUPTI_KIND_CONCURRENT_KERNEL) >= 0);
	k = (void *)&records[first_record(GST_CUPTI_KIND_CONCURRENT_KERNEL)];
	assert_int_equal(k->end, 0);
	fake_stream_sync(stream);
}

static void events_carry_their_number(void **state)
{
	struct gst_cupti_cuda_event *event;
	struct gst_cupti_synchronization *sync;
	int a, b, e;

	(void)state;
	a = fake_stream_create(false, 0);
	b = fake_stream_create(false, 0);
	e = fake_event_create();
	clear();
	fake_event_record(e, a);
	fake_stream_wait(b, e);
	fake_device_sync();
	cuptiActivityFlushAll(0);
	event = (void *)&records[first_record(GST_CUPTI_KIND_CUDA_EVENT)];
	sync = (void *)&records[first_record(GST_CUPTI_KIND_SYNCHRONIZATION)];
	assert_true(event->cudaEventSyncId > 0);
	assert_int_equal(sync->type, GST_CUPTI_SYNC_STREAM_WAIT_EVENT);
	assert_int_equal(sync->cudaEventSyncId, event->cudaEventSyncId);
	assert_int_equal(sync->cudaEventId, event->eventId);
}

static void a_captured_launch_leaves_no_record(void **state)
{
	struct gst_cupti_kernel *k;
	int stream, graph, exec;

	(void)state;
	stream = fake_stream_create(false, 0);
	clear();
	fake_capture_begin(stream);
	fake_launch(stream, "captured", 1000);
	graph = fake_capture_end(stream);
	exec = fake_graph_instantiate(graph);
	fake_device_sync();
	cuptiActivityFlushAll(0);
	assert_int_equal(first_record(GST_CUPTI_KIND_CONCURRENT_KERNEL), -1);
	fake_graph_launch(exec, stream);
	fake_device_sync();
	cuptiActivityFlushAll(0);
	k = (void *)&records[first_record(GST_CUPTI_KIND_CONCURRENT_KERNEL)];
	assert_string_equal(k->name, "captured");
	assert_true(k->graphId > 0);
	assert_int_equal(k->graphNodeId >> 32, k->graphId);
}

static void times_can_be_bad(void **state)
{
	struct gst_cupti_kernel *k;
	size_t dropped = 0;

	(void)state;
	clear();
	fake_zero_times(1);
	fake_launch(FAKE_NULL, "zero", 1000);
	fake_reverse_times(1);
	fake_launch(FAKE_NULL, "reversed", 1000);
	fake_device_sync();
	cuptiActivityFlushAll(0);
	k = (void *)&records[first_record(GST_CUPTI_KIND_CONCURRENT_KERNEL)];
	assert_int_equal(k->start, 0);
	assert_int_equal(k->end, 0);
	records[first_record(GST_CUPTI_KIND_CONCURRENT_KERNEL)].kind = 0;
	k = (void *)&records[first_record(GST_CUPTI_KIND_CONCURRENT_KERNEL)];
	assert_true(k->start > k->end);
	fake_drop_records(5);
	cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped);
	assert_int_equal(dropped, 5);
}

static void other_versions_have_other_sizes(void **state)
{
	static const uint32_t versions[] = {18, 19, 20, 22, 24, 26, 28, 130000, 130001};

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		clear();
		fake_set_version(versions[i]);
		fake_grow_records(i == 3 ? 24 : 0);
		fake_launch(FAKE_NULL, "kernel", 100);
		fake_memcpy(FAKE_H2D, false, 64);
		fake_unknown_record(222);
		fake_device_sync();
		cuptiActivityFlushAll(0);
		assert_true(first_record(GST_CUPTI_KIND_CONCURRENT_KERNEL) >= 0);
		assert_true(first_record(GST_CUPTI_KIND_MEMCPY) >= 0);
		assert_true(first_record(222) >= 0);
	}
	fake_grow_records(0);
}

static int inside_depth;

static void note_depth(void *argument)
{
	(void)argument;
	inside_depth = call_count;
}

static void an_action_runs_inside_a_call(void **state)
{
	(void)state;
	clear();
	fake_inside(note_depth, NULL);
	fake_launch(FAKE_NULL, "kernel", 0);
	assert_int_equal(inside_depth, 2); /* both enters, no exit */
	assert_int_equal(call_count, 4);
}

static void full_buffers_come_back_and_can_be_kept(void **state)
{
	int before;

	(void)state;
	clear();
	before = buffer_count;
	for (int i = 0; i < 60; i++) {
		fake_launch(FAKE_NULL, "kernel", 0);
	}
	fake_device_sync();
	fake_launch(FAKE_NULL, "kernel", 0);
	assert_true(buffer_count > before); /* no flush was needed */
	cuptiActivityFlushAll(0);
	fake_keep_buffers();
	before = buffer_count;
	fake_launch(FAKE_NULL, "kernel", 0);
	fake_device_sync();
	cuptiActivityFlushAll(0);
	assert_int_equal(buffer_count, before);
}

static void scripts_are_checked_before_they_run(void **state)
{
	(void)state;
	clear();
	assert_int_equal(fake_run_script("launch 0 k 1us; lunch 0 k 1us"), 2);
	assert_int_equal(fake_run_script("launch 0 k"), 2);
	assert_int_equal(fake_run_script("repeat 2 { devsync"), 2);
	assert_int_equal(fake_run_script("}"), 2);
	assert_int_equal(call_count, 0);
	assert_int_equal(
		fake_run_script("# two\nrepeat 2 { launch 0 k 1us }\nthread { devsync }; join"), 0);
	assert_int_equal(call_count, 3 * 4);
}

static void a_finalized_cupti_is_gone(void **state)
{
	(void)state;
	assert_int_equal(cuptiEnableDomain(1, subscriber, GST_CUPTI_DOMAIN_STATE), 0);
	clear();
	fake_finalize();
	assert_int_equal(call_count, 1);
	assert_int_equal(calls[0].domain, GST_CUPTI_DOMAIN_STATE);
	assert_int_equal(calls[0].cbid, GST_CUPTI_STATE_FATAL_ERROR);
	fake_launch(FAKE_NULL, "kernel", 0);
	assert_int_equal(call_count, 1);
	assert_int_equal(cuptiActivityFlushAll(0), GST_CUPTI_ERROR_NOT_INITIALIZED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_holder_is_named),
		cmocka_unit_test(enabling_can_fail),
		cmocka_unit_test(start_tells_of_the_context),
		cmocka_unit_test(a_runtime_call_nests_a_driver_call),
		cmocka_unit_test(stream_0_may_be_the_threads_own),
		cmocka_unit_test(records_come_when_the_work_has_ended),
		cmocka_unit_test(a_forced_flush_hands_back_what_still_runs),
		cmocka_unit_test(events_carry_their_number),
		cmocka_unit_test(a_captured_launch_leaves_no_record),
		cmocka_unit_test(times_can_be_bad),
		cmocka_unit_test(other_versions_have_other_sizes),
		cmocka_unit_test(an_action_runs_inside_a_call),
		cmocka_unit_test(full_buffers_come_back_and_can_be_kept),
		cmocka_unit_test(scripts_are_checked_before_they_run),
		cmocka_unit_test(a_finalized_cupti_is_gone),
	};

	return cmocka_run_group_tests_name("fake_cupti", tests, NULL, NULL);
}
