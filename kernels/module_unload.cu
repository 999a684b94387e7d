/*
 * module_unload - a module that is loaded, used and unloaded, twice, by the driver API.
 *
 * The trace has a definition of each load, made by the call that loads it, and again removed by the call that unloads it:
 * `gstrace dump` shows two lines `module` with change=removed. Handles may come again: kernels keep their names.
 *
 * EXPECT ops kernel: 4
 * EXPECT none: lost-records
 */
#include "kernels/driver.h"

#define ROUNDS 2

int main(void)
{
	struct driver d = driver_open();
	CUdevice device;
	CUcontext ctx;
	CUstream stream;
	CUdeviceptr counter;
	unsigned *result;

	CHECK_DRIVER(d.device_get(&device, 0));
	CHECK_DRIVER(d.ctx_create(&ctx, 0, device));
	CHECK_DRIVER(d.stream_create(&stream, CU_STREAM_NON_BLOCKING));
	CHECK_DRIVER(d.alloc(&counter, sizeof(*result)));
	CHECK_DRIVER(d.host_alloc((void **)&result, sizeof(*result)));
	double begin = driver_wall_us();
	CHECK_DRIVER(d.set_async(counter, 0, 1, stream));
	for (int i = 0; i < ROUNDS; i++) {
		CUmodule module;
		CUfunction one, two;

		CHECK_DRIVER(d.module_load(&module, driver_ptx));
		CHECK_DRIVER(d.function_get(&one, module, "spin_one"));
		CHECK_DRIVER(d.function_get(&two, module, "spin_two"));
		driver_spin(&d, one, counter, 100, stream);
		driver_spin(&d, two, counter, 100, stream);
		CHECK_DRIVER(d.stream_sync(stream));
		CHECK_DRIVER(d.module_unload(module));
	}
	CHECK_DRIVER(d.to_host_async(result, counter, sizeof(*result), stream));
	CHECK_DRIVER(d.stream_sync(stream));
	printf("workload=module_unload wall_us=%.1f\n", driver_wall_us() - begin);
	if (*result != 2 * ROUNDS) {
		fprintf(stderr, "wrong result: %u where %u was expected\n", *result, 2 * ROUNDS);
		return 1;
	}
	CHECK_DRIVER(d.host_free(result));
	CHECK_DRIVER(d.release(counter));
	CHECK_DRIVER(d.stream_destroy(stream));
	CHECK_DRIVER(d.ctx_destroy(ctx));
	return 0;
}
