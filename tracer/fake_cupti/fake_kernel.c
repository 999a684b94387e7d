/*
 * fake_kernel.c - kernels and host functions of the fake CUDA.
 *
 * Role      : the calls of fake_cupti.h that are about these.
 * Method    : fake_cuda.c has what a call is made of.
 * Invariant : the lock is never held in a callback or while waiting.
 * Not here  : what CUPTI does with callbacks and records.
 */
#include "tracer/fake_cupti/fake_cuda.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- kernels, host functions ---------------------------------------------------------------- */

/* Kernel names must live as long as the library: one copy of each. */
const char *cuda_keep(const char *name)
{
	static const char *kept[256];
	const char *found = NULL;

	pthread_mutex_lock(&cuda_lock);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]) && !found; i++) {
		if (!kept[i]) {
			kept[i] = strdup(name);
		}
		if (kept[i] && strcmp(kept[i], name) == 0) {
			found = kept[i];
		}
	}
	pthread_mutex_unlock(&cuda_lock);
	return found ? found : "too_many_names";
}

/* As with lazy loading: inside the first launch. */
static void load_module(void)
{
	static const char cubin[16];
	struct gst_cupti_module_data data = {
		.moduleId = 1, .cubinSize = sizeof(cubin), .pCubin = cubin};
	struct gst_cupti_resource_data resource = {.context = FAKE_CONTEXT,
						   .resourceDescriptor = &data};
	bool is_first;

	pthread_mutex_lock(&cuda_lock);
	is_first = !cuda.is_module_loaded;
	cuda.is_module_loaded = true;
	pthread_mutex_unlock(&cuda_lock);
	if (is_first) {
		fake_callback(GST_CUPTI_DOMAIN_RESOURCE, GST_CUPTI_RESOURCE_MODULE_LOADED,
			      &resource);
	}
}

EXPORT void fake_module_unload(void)
{
	struct gst_cu_module params = {.module = (void *)(uintptr_t)0x30d1};
	struct gst_cupti_module_data data = {.moduleId = 1};
	struct gst_cupti_resource_data resource = {.context = FAKE_CONTEXT,
						   .resourceDescriptor = &data};
	struct call call;
	bool was_loaded;

	if (cuda_begin(&call, NULL, NULL, "cuModuleUnload", &params, NULL)) {
		pthread_mutex_lock(&cuda_lock);
		was_loaded = cuda.is_module_loaded;
		cuda.is_module_loaded = false;
		pthread_mutex_unlock(&cuda_lock);
		if (was_loaded) {
			fake_callback(GST_CUPTI_DOMAIN_RESOURCE,
				      GST_CUPTI_RESOURCE_MODULE_UNLOAD_STARTING, &resource);
		}
	}
	cuda_end(&call, GST_CU_SUCCESS);
}

static void run_kernel(int on, const char *kernel, uint64_t duration_ns)
{
	uint64_t start_ns, end_ns;
	int graph = cuda_capture_of(on);

	load_module();
	if (graph) {
		cuda_add_node(graph, kernel, duration_ns);
		return;
	}
	end_ns = cuda_submit(on, 0, duration_ns, &start_ns);
	cuda_kernel_record(on, kernel, start_ns, end_ns, 0, 0);
}

EXPORT int fake_launch(int stream, const char *kernel, uint64_t duration_ns)
{
	struct gst_cu_launch params = {
		.f = (void *)(uintptr_t)0x555560000000u,
		.gridDimX = 1,
		.gridDimY = 1,
		.gridDimZ = 1,
		.blockDimX = 32,
		.blockDimY = 1,
		.blockDimZ = 1,
		.hStream = cuda_stream_handle(stream),
	};
	struct call call;

	kernel = cuda_keep(kernel);
	if (cuda_begin(&call, "cudaLaunchKernel_v7000", NULL, "cuLaunchKernel", &params, kernel)) {
		run_kernel(cuda_device_stream(stream), kernel, duration_ns);
	}
	return cuda_end(&call, GST_CU_SUCCESS);
}

EXPORT int fake_launch_ex(int stream, const char *kernel, uint64_t duration_ns)
{
	struct gst_cu_launch_attribute attribute = {
		.id = GST_CU_LAUNCH_ATTR_PROGRAMMATIC_STREAM_SERIALIZATION,
		.value = {.i32 = 1},
	};
	struct gst_cu_launch_config config = {
		.gridDimX = 1,
		.gridDimY = 1,
		.gridDimZ = 1,
		.blockDimX = 32,
		.blockDimY = 1,
		.blockDimZ = 1,
		.hStream = cuda_stream_handle(stream),
		.attrs = &attribute,
		.numAttrs = 1,
	};
	struct gst_cu_launch_ex params = {.config = &config,
					  .f = (void *)(uintptr_t)0x555560000000u};
	struct call call;

	kernel = cuda_keep(kernel);
	if (cuda_begin(&call, "cudaLaunchKernelExC_v11060", NULL, "cuLaunchKernelEx", &params,
		       kernel)) {
		run_kernel(cuda_device_stream(stream), kernel, duration_ns);
	}
	return cuda_end(&call, GST_CU_SUCCESS);
}

/* From 13.1 on. Times stand behind a hole. */
static void host_record(int on, uint64_t start_ns, uint64_t end_ns)
{
	struct gst_cupti_host_launch record = {
		.kind = GST_CUPTI_KIND_HOST_LAUNCH,
		.streamId = cuda.stream_id[on],
		.contextId = FAKE_CONTEXT_ID,
		.deviceId = FAKE_DEVICE_ID,
		.correlationId = cuda_correlation(),
		.processId = (uint32_t)getpid(),
		.threadId = FAKE_HOST_THREAD,
	};

	memcpy(&record.times[1], &start_ns, sizeof(start_ns));
	memcpy(&record.times[3], &end_ns, sizeof(end_ns));
	if (fake_wants(GST_CUPTI_KIND_HOST_LAUNCH)) {
		fake_record(&record, NULL, NULL, end_ns);
	}
}

void cuda_host_node_record(int on, uint64_t start_ns, uint64_t end_ns, uint32_t graph,
			   uint64_t node)
{
	struct gst_cupti_graph_host_node record = {
		.kind = GST_CUPTI_KIND_GRAPH_HOST_NODE,
		.streamId = cuda.stream_id[on],
		.contextId = FAKE_CONTEXT_ID,
		.deviceId = FAKE_DEVICE_ID,
		.correlationId = cuda_correlation(),
		.graphId = graph,
		.graphNodeId = node,
		.processId = (uint32_t)getpid(),
		.threadId = FAKE_HOST_THREAD,
		.start = start_ns,
		.end = end_ns,
	};

	if (fake_wants(GST_CUPTI_KIND_GRAPH_HOST_NODE)) {
		fake_record(&record, &record.start, &record.end, end_ns);
	}
}

static void host_function(void *argument)
{
	(void)argument;
}

/* The function takes its time in the stream; nobody runs it. */
EXPORT int fake_host_func(int stream, uint64_t duration_ns)
{
	struct gst_cu_host_func params = {.hStream = cuda_stream_handle(stream),
					  .fn = host_function};
	uint64_t start_ns;
	struct call call;

	if (cuda_begin(&call, "cudaLaunchHostFunc_v10000", NULL, "cuLaunchHostFunc", &params,
		       NULL)) {
		int on = cuda_device_stream(stream);
		int graph = cuda_capture_of(on);

		if (graph) {
			cuda_add_node(graph, NULL, duration_ns);
		} else {
			uint64_t end_ns = cuda_submit(on, 0, duration_ns, &start_ns);

			host_record(on, start_ns, end_ns);
		}
	}
	return cuda_end(&call, GST_CU_SUCCESS);
}

static _Atomic int host_runs;

static void count_run(void *argument)
{
	const uint64_t *duration_ns = argument;

	fake_sleep_until(fake_now() + *duration_ns);
	host_runs++;
}

static void *run_host_function(void *argument)
{
	const struct gst_cu_host_func *params = argument;

	params->fn(params->userData);
	return NULL;
}

EXPORT int fake_host_run(int stream, uint64_t duration_ns)
{
	struct gst_cu_host_func params = {
		.hStream = cuda_stream_handle(stream), .fn = count_run, .userData = &duration_ns};
	struct gst_cu_host_func taken;
	uint64_t start_ns;
	struct call call;
	pthread_t thread;
	bool is_started = false;
	int result;

	if (cuda_begin(&call, "cudaLaunchHostFunc_v10000", NULL, "cuLaunchHostFunc", &params,
		       NULL)) {
		int on = cuda_device_stream(stream);
		int graph = cuda_capture_of(on);

		taken = params;
		if (graph) {
			if (params.fn != count_run || params.userData != &duration_ns) {
				abort();
			}
			cuda_add_node(graph, NULL, duration_ns);
		} else {
			cuda_submit(on, 0, duration_ns, &start_ns);
			is_started = !pthread_create(&thread, NULL, run_host_function, &taken);
		}
	}
	result = cuda_end(&call, GST_CU_SUCCESS);
	if (is_started) {
		pthread_join(thread, NULL);
	}
	return result;
}

EXPORT int fake_host_runs(void)
{
	return host_runs;
}
