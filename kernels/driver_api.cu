/*
 * driver_api - a program of the driver API alone, its kernel loaded from PTX text.
 *
 * spin_one (2 ms) in a blocking stream, spin_two in the NULL stream, which waits for it, then across an
 * event a copy back in a non-blocking stream.
 *
 * EXPECT streams: 3
 * EXPECT ops kernel: 2
 * EXPECT ops memset: 1
 * EXPECT ops memcpy: 1
 * EXPECT ops record: 1
 * EXPECT ops wait: 1
 * EXPECT edges: S3 >= 1
 * EXPECT edges: E1 >= 1
 * EXPECT ordered: memset#1 -> spin_one#1
 * EXPECT ordered: spin_one#1 -> spin_two#1
 * EXPECT ordered: spin_two#1 -> memcpy#1
 * EXPECT none: pageable-copy
 * EXPECT none: host-sync-stall
 * EXPECT none: lost-records
 */
#include "kernels/driver.h"

int main(void)
{
	struct driver d = driver_open();
	CUdevice device;
	CUcontext ctx;
	CUmodule module;
	CUfunction one, two;
	CUstream blocking, nonblocking;
	CUevent event;
	CUdeviceptr counter;
	unsigned *result;

	CHECK_DRIVER(d.device_get(&device, 0));
	CHECK_DRIVER(d.ctx_create(&ctx, 0, device));
	CHECK_DRIVER(d.module_load(&module, driver_ptx));
	CHECK_DRIVER(d.function_get(&one, module, "spin_one"));
	CHECK_DRIVER(d.function_get(&two, module, "spin_two"));
	CHECK_DRIVER(d.stream_create(&blocking, CU_STREAM_DEFAULT));
	CHECK_DRIVER(d.stream_create(&nonblocking, CU_STREAM_NON_BLOCKING));
	CHECK_DRIVER(d.event_create(&event, CU_EVENT_DISABLE_TIMING));
	CHECK_DRIVER(d.alloc(&counter, sizeof(*result)));
	CHECK_DRIVER(d.host_alloc((void **)&result, sizeof(*result)));

	double begin = driver_wall_us();
	CHECK_DRIVER(d.set_async(counter, 40, 1, blocking));
	driver_spin(&d, one, counter, 2000, blocking);
	driver_spin(&d, two, counter, 1000, NULL);
	CHECK_DRIVER(d.event_record(event, NULL));
	CHECK_DRIVER(d.stream_wait(nonblocking, event, 0));
	CHECK_DRIVER(d.to_host_async(result, counter, sizeof(*result), nonblocking));
	CHECK_DRIVER(d.stream_sync(nonblocking));
	printf("workload=driver_api wall_us=%.1f\n", driver_wall_us() - begin);

	if (*result != 42) {
		fprintf(stderr, "wrong result: %u where 42 was expected\n", *result);
		return 1;
	}
	CHECK_DRIVER(d.host_free(result));
	CHECK_DRIVER(d.release(counter));
	CHECK_DRIVER(d.event_destroy(event));
	CHECK_DRIVER(d.stream_destroy(nonblocking));
	CHECK_DRIVER(d.stream_destroy(blocking));
	CHECK_DRIVER(d.module_unload(module));
	CHECK_DRIVER(d.ctx_destroy(ctx));
	return 0;
}
