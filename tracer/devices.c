/*
 * devices.c - complete DEVICE records by asking the driver.
 *
 * Role      : the flusher calls it after each flush until every device is complete.
 * Method    : devices are matched by UUID, because CUPTI's ids and the driver's ordinals may differ.
 * Invariant : only attribute queries: no context is made, no stream touched, no capture disturbed.
 * Not here  : the record that CUPTI gives (activity.c).
 */
#include "tracer/devices.h"
#include "tracer/old_glibc.h"

#include <dlfcn.h>
#include <string.h>

/* CUdevice_attribute */
#define ATTRIBUTE_PCI_BUS	   33
#define ATTRIBUTE_PCI_DEVICE	   34
#define ATTRIBUTE_PCI_DOMAIN	   50
#define ATTRIBUTE_PAGEABLE_ACCESS  88
#define ATTRIBUTE_HOST_PAGE_TABLES 100

void gst_devices_add(struct gst_devices *d, const struct gst_rec_device *rec)
{
	uint32_t index = atomic_load(&d->count);

	do {
		if (index >= GST_DEVICES_MAX) {
			return;
		}
	} while (!atomic_compare_exchange_weak(&d->count, &index, index + 1));
	d->slots[index].rec = *rec;
	atomic_store_explicit(&d->slots[index].is_ready, 1, memory_order_release);
}

void gst_devices_find_driver(struct gst_devices *d)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	struct gst_device_calls *calls = &d->calls;

	if (!driver) {
		return;
	}
	*(void **)&calls->get_count = dlsym(driver, "cuDeviceGetCount");
	*(void **)&calls->get = dlsym(driver, "cuDeviceGet");
	*(void **)&calls->get_uuid = dlsym(driver, "cuDeviceGetUuid_v2");
	if (!calls->get_uuid) {
		*(void **)&calls->get_uuid = dlsym(driver, "cuDeviceGetUuid");
	}
	*(void **)&calls->get_attribute = dlsym(driver, "cuDeviceGetAttribute");
	/* Kept open: the program may close it before the flusher has asked. */
	d->has_driver = calls->get_count && calls->get && calls->get_uuid && calls->get_attribute;
}

/* 1 found, 0 there is none such, -1 the driver does not answer (yet). */
static int find_device(const struct gst_device_calls *calls, const struct gst_rec_device *rec,
		       int *device)
{
	uint8_t uuid[16];
	int count;

	if (calls->get_count(&count)) {
		return -1;
	}
	for (int i = 0; i < count; i++) {
		if (calls->get(device, i) || calls->get_uuid(uuid, *device)) {
			return -1;
		}
		if (gst_devices_uuid_half(uuid) == rec->uuid_hi &&
		    gst_devices_uuid_half(uuid + 8) == rec->uuid_lo) {
			return 1;
		}
	}
	return 0;
}

static int attribute(const struct gst_device_calls *calls, int device, int which, int fallback)
{
	int value;

	return calls->get_attribute(&value, which, device) ? fallback : value;
}

void gst_devices_complete(struct gst_devices *d, struct gst_lane *defs)
{
	const struct gst_device_calls *calls = &d->calls;
	uint32_t count = atomic_load(&d->count);

	for (uint32_t i = 0; d->has_driver && i < count; i++) {
		struct gst_rec_device rec;
		int device, result;

		if (d->slots[i].is_complete ||
		    !atomic_load_explicit(&d->slots[i].is_ready, memory_order_acquire)) {
			continue;
		}
		rec = d->slots[i].rec;
		result = find_device(calls, &rec, &device);
		if (result < 0) {
			return;
		}
		d->slots[i].is_complete = true;
		if (!result) {
			continue; /* hidden by CUDA_VISIBLE_DEVICES */
		}
		rec.pci_domain = (uint32_t)attribute(calls, device, ATTRIBUTE_PCI_DOMAIN, 0);
		rec.pci_bus = (uint32_t)attribute(calls, device, ATTRIBUTE_PCI_BUS, 0);
		rec.pci_device = (uint32_t)attribute(calls, device, ATTRIBUTE_PCI_DEVICE, 0);
		rec.pageable_access = attribute(calls, device, ATTRIBUTE_PAGEABLE_ACCESS, -1);
		rec.host_page_tables = attribute(calls, device, ATTRIBUTE_HOST_PAGE_TABLES, -1);
		d->slots[i].full = rec;
		atomic_store(&d->slots[i].is_full, 1);
		(void)gst_lane_put_one(defs, &rec, sizeof(rec)); /* a loss is counted there */
	}
}
