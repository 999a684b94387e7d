/*
 * devices_test.c - DEVICE records are completed once, by UUID, when the driver answers.
 */
#include "tracer/devices.h"
#include "tracer/format/encode.h"
#include "tracer/record_test_util.h"

static int not_ready; /* so many answers are "not initialized" */
static int asked;

static int get_count(int *count)
{
	asked++;
	if (not_ready) {
		not_ready--;
		return 3;
	}
	*count = 2;
	return 0;
}

static int get(int *device, int ordinal)
{
	*device = ordinal + 100;
	return 0;
}

static int get_uuid(uint8_t uuid[16], int device)
{
	memset(uuid, 0, 16);
	uuid[7] = (uint8_t)device;
	uuid[15] = 9;
	return 0;
}

static int get_attribute(int *value, int attribute, int device)
{
	if (attribute == 100) {
		return 1; /* a driver that does not know it */
	}
	*value = attribute * 10 + device - 100;
	return 0;
}

#define CALLS                                           \
	{                                               \
		get_count, get, get_uuid, get_attribute \
	}

static struct gst_rec_device make(uint32_t id, uint64_t uuid_hi)
{
	struct gst_rec_device rec = {
		.head = gst_record_head(GST_KIND_DEVICE, sizeof(rec), 0),
		.device = id,
		.uuid_hi = uuid_hi,
		.uuid_lo = 9,
		.pageable_access = -1,
		.host_page_tables = -1,
	};

	return rec;
}

static void test_complete(void **state)
{
	struct gst_test_world *w = gst_test_world_new(2u << 20);
	static struct gst_devices devices = {.calls = CALLS, .has_driver = true};
	/* CUPTI's id 0 is the driver's second; id 5 is hidden from the program. */
	const struct gst_rec_device second = make(0, 101), hidden = make(5, 77);
	struct gst_rec_device rec;

	(void)state;
	gst_devices_complete(&devices, &w->defs);
	assert_int_equal(asked, 0);
	gst_devices_add(&devices, &second);
	gst_devices_add(&devices, &hidden);
	not_ready = 1;
	gst_devices_complete(&devices, &w->defs);
	assert_int_equal(gst_test_count(w, GST_REC_DEVICE), 0);
	gst_devices_complete(&devices, &w->defs);
	gst_devices_complete(&devices, &w->defs);
	assert_int_equal(gst_test_count(w, GST_REC_DEVICE), 1);
	assert_true(gst_test_find(w, GST_REC_DEVICE, 0, &rec, sizeof(rec)));
	assert_int_equal(rec.device, 0);
	assert_int_equal(rec.pci_bus, 331);
	assert_int_equal(rec.pci_device, 341);
	assert_int_equal(rec.pci_domain, 501);
	assert_int_equal(rec.pageable_access, 881);
	assert_int_equal(rec.host_page_tables, -1);
	/* Nothing left to ask. */
	asked = 0;
	gst_devices_complete(&devices, &w->defs);
	assert_int_equal(asked, 0);
	gst_test_world_free(w);
}

static void test_bound(void **state)
{
	struct gst_test_world *w = gst_test_world_new(2u << 20);
	static struct gst_devices devices = {.calls = CALLS, .has_driver = true};

	(void)state;
	for (uint32_t i = 0; i < GST_DEVICES_MAX + 5; i++) {
		const struct gst_rec_device rec = make(i, 100);

		gst_devices_add(&devices, &rec);
	}
	gst_devices_complete(&devices, &w->defs);
	assert_int_equal(gst_test_count(w, GST_REC_DEVICE), GST_DEVICES_MAX);
	gst_test_world_free(w);
}

/* The fake CUDA of the other tests has none: nothing is asked, and no file is searched for it. */
static void test_without_a_driver(void **state)
{
	struct gst_test_world *w = gst_test_world_new(2u << 20);
	static struct gst_devices devices;
	const struct gst_rec_device rec = make(0, 101);

	(void)state;
	gst_devices_find_driver(&devices);
	assert_false(devices.has_driver);
	gst_devices_add(&devices, &rec);
	gst_devices_complete(&devices, &w->defs);
	assert_int_equal(gst_test_count(w, GST_REC_DEVICE), 0);
	assert_false(devices.slots[0].is_complete);
	gst_test_world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_without_a_driver),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
