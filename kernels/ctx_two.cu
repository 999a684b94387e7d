/*
 * ctx_two - two contexts of one device, each with a blocking stream and its NULL stream.
 *
 * A NULL stream waits for the blocking streams of its own context only: spin_one in the first context's
 * stream (3 ms) comes before spin_two in the first context's NULL stream, and has no order with the
 * second context's. (Contexts of a device may take turns on it: no overlap in time proves nothing.)
 *
 * EXPECT streams: 4
 * EXPECT ops kernel: 4
 * EXPECT edges: S3 >= 2
 * EXPECT ordered: spin_one#1 -> spin_two#1
 * EXPECT ordered: spin_one#2 -> spin_two#2
 * EXPECT unordered: spin_one#1 | spin_two#2
 * EXPECT unordered: spin_two#1 | spin_one#2
 * EXPECT none: pageable-copy
 * EXPECT none: synchronous-copy
 * EXPECT none: lost-records
 */
#include "kernels/driver.h"

struct side {
	CUcontext ctx;
	CUmodule module;
	CUfunction one, two;
	CUstream stream;
	CUdeviceptr counter;
};

int main(void)
{
	struct driver d = driver_open();
	struct side sides[2];
	CUdevice device;

	CHECK_DRIVER(d.device_get(&device, 0));
	for (struct side &s : sides) {
		CHECK_DRIVER(d.ctx_create(&s.ctx, 0, device));
		CHECK_DRIVER(d.module_load(&s.module, driver_ptx));
		CHECK_DRIVER(d.function_get(&s.one, s.module, "spin_one"));
		CHECK_DRIVER(d.function_get(&s.two, s.module, "spin_two"));
		CHECK_DRIVER(d.stream_create(&s.stream, CU_STREAM_DEFAULT));
		CHECK_DRIVER(d.alloc(&s.counter, sizeof(unsigned)));
	}

	double begin = driver_wall_us();
	for (struct side &s : sides) {
		CHECK_DRIVER(d.ctx_set(s.ctx));
		driver_spin(&d, s.one, s.counter, 3000, s.stream);
		driver_spin(&d, s.two, s.counter, 1000, NULL);
	}
	for (struct side &s : sides) {
		CHECK_DRIVER(d.ctx_set(s.ctx));
		CHECK_DRIVER(d.ctx_sync());
	}
	printf("workload=ctx_two wall_us=%.1f\n", driver_wall_us() - begin);

	for (struct side &s : sides) {
		CHECK_DRIVER(d.ctx_set(s.ctx));
		CHECK_DRIVER(d.release(s.counter));
		CHECK_DRIVER(d.stream_destroy(s.stream));
		CHECK_DRIVER(d.module_unload(s.module));
		CHECK_DRIVER(d.ctx_destroy(s.ctx));
	}
	return 0;
}
