/*
 * nvtx_abi.h - own declarations of what NVTX 3 hands to a tool: facts of its injection interface alone.
 *
 * A program's NVTX code looks, at its first call, for the library that NVTX_INJECTION64_PATH names and calls its
 * InitializeInjectionNvtx2 with a function that gives tables. A table of callbacks has one place for each
 * NVTX function; a tool stores functions of the same signature there. abi_test.c holds this against the headers.
 */
#ifndef GSTRACE_TRACER_NVTX_ABI_H
#define GSTRACE_TRACER_NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

typedef void (*gst_nvtx_function)(void);
typedef const void *(*gst_nvtx_get_table_fn)(uint32_t table_id);

#define GST_NVTX_TABLE_CALLBACKS 1u

struct gst_nvtx_callbacks {
	size_t struct_size;
	/* *@table becomes an array of @size places, by callback id; an entry may be NULL. */
	int (*get_module)(uint32_t module, gst_nvtx_function ***table, unsigned int *size);
};

enum gst_nvtx_module {
	GST_NVTX_MODULE_CORE = 1,
	GST_NVTX_MODULE_CUDA = 2,
	GST_NVTX_MODULE_CUDART = 4,
	GST_NVTX_MODULE_CORE2 = 5,
};

enum gst_nvtx_core {
	GST_NVTX_MARK_EX = 1,
	GST_NVTX_MARK_A = 2,
	GST_NVTX_MARK_W = 3,
	GST_NVTX_START_EX = 4,
	GST_NVTX_START_A = 5,
	GST_NVTX_START_W = 6,
	GST_NVTX_END = 7,
	GST_NVTX_PUSH_EX = 8,
	GST_NVTX_PUSH_A = 9,
	GST_NVTX_PUSH_W = 10,
	GST_NVTX_POP = 11,
	GST_NVTX_NAME_CATEGORY_A = 12,
	GST_NVTX_NAME_CATEGORY_W = 13,
	GST_NVTX_NAME_THREAD_A = 14,
	GST_NVTX_NAME_THREAD_W = 15,
	GST_NVTX_CORE_SIZE = 16,
};

enum gst_nvtx_core2 {
	GST_NVTX_DOMAIN_MARK = 1,
	GST_NVTX_DOMAIN_START = 2,
	GST_NVTX_DOMAIN_END = 3,
	GST_NVTX_DOMAIN_PUSH = 4,
	GST_NVTX_DOMAIN_POP = 5,
	GST_NVTX_RESOURCE_CREATE = 6,
	GST_NVTX_RESOURCE_DESTROY = 7,
	GST_NVTX_DOMAIN_CATEGORY_A = 8,
	GST_NVTX_DOMAIN_CATEGORY_W = 9,
	GST_NVTX_REGISTER_A = 10,
	GST_NVTX_REGISTER_W = 11,
	GST_NVTX_DOMAIN_CREATE_A = 12,
	GST_NVTX_DOMAIN_CREATE_W = 13,
	GST_NVTX_DOMAIN_DESTROY = 14,
	GST_NVTX_CORE2_SIZE = 16,
};

enum gst_nvtx_cuda {
	GST_NVTX_CU_DEVICE_A = 1,
	GST_NVTX_CU_DEVICE_W = 2,
	GST_NVTX_CU_CONTEXT_A = 3,
	GST_NVTX_CU_CONTEXT_W = 4,
	GST_NVTX_CU_STREAM_A = 5,
	GST_NVTX_CU_STREAM_W = 6,
	GST_NVTX_CU_EVENT_A = 7,
	GST_NVTX_CU_EVENT_W = 8,
};

enum gst_nvtx_cudart {
	GST_NVTX_CUDA_DEVICE_A = 1,
	GST_NVTX_CUDA_DEVICE_W = 2,
	GST_NVTX_CUDA_STREAM_A = 3,
	GST_NVTX_CUDA_STREAM_W = 4,
	GST_NVTX_CUDA_EVENT_A = 5,
	GST_NVTX_CUDA_EVENT_W = 6,
};

enum gst_nvtx_message {
	GST_NVTX_MESSAGE_ASCII = 1,
	GST_NVTX_MESSAGE_UNICODE = 2,
	GST_NVTX_MESSAGE_REGISTERED = 3,
};

union gst_nvtx_text {
	const char *ascii;
	const wchar_t *unicode;
	const void *registered; /* what a tool gave when the string was registered */
};

struct gst_nvtx_attributes {
	uint16_t version;
	uint16_t size; /* as the program was compiled */
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type;
	int32_t reserved;
	uint64_t payload;
	int32_t message_type;
	int32_t pad;
	union gst_nvtx_text message;
};

/* identifier_type: class << 16 | index */
#define GST_NVTX_RESOURCE_CU_DEVICE   0x40001
#define GST_NVTX_RESOURCE_CU_CONTEXT  0x40002
#define GST_NVTX_RESOURCE_CU_STREAM   0x40003
#define GST_NVTX_RESOURCE_CU_EVENT    0x40004
#define GST_NVTX_RESOURCE_CUDA_DEVICE 0x50000
#define GST_NVTX_RESOURCE_CUDA_STREAM 0x50001
#define GST_NVTX_RESOURCE_CUDA_EVENT  0x50002

struct gst_nvtx_resource {
	uint16_t version;
	uint16_t size;
	int32_t identifier_type;
	uint64_t identifier;
	int32_t message_type;
	int32_t pad;
	union gst_nvtx_text message;
};

#define GST_NVTX_NO_PUSH_POP_TRACKING (-2)

#endif
