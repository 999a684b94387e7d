/*
 * kernel_names.h - names of kernels by handle, for graph nodes that are added with one.
 *
 * A launch comes with its kernel's name, a call that adds a node to a graph with a handle alone. The name was
 * passed when the handle was asked for. It is kept here, bounded, and becomes a string of the trace only if a
 * node is made of it: programs ask for thousands of kernels that they never use.
 */
#ifndef GSTRACE_TRACER_KERNEL_NAMES_H
#define GSTRACE_TRACER_KERNEL_NAMES_H

#include <stdatomic.h>
#include <stdint.h>

#define GST_KERNEL_NAMES       8192u /* handles; a power of two */
#define GST_KERNEL_NAMES_BYTES (1u << 20)

struct gst_kernel_names {
	_Atomic uint32_t used; /* bytes of text */
	struct {
		_Atomic uint64_t handle; /* 0 = empty */
		_Atomic uint32_t at;	 /* of the text, + 1; 0 = not known */
	} list[GST_KERNEL_NAMES];
	char text[GST_KERNEL_NAMES_BYTES]; /* zero-terminated; what was written stays */
};

/** @handle is the kernel @name. What does not fit is not kept. Threads: any; no lock. */
void gst_kernel_names_add(struct gst_kernel_names *names, uint64_t handle, const char *name);

/** @handle is the same kernel as @kernel, whose name may not be known. */
void gst_kernel_names_alias(struct gst_kernel_names *names, uint64_t handle, uint64_t kernel);

/** The name of @handle; NULL if it is not known. */
const char *gst_kernel_names_find(const struct gst_kernel_names *names, uint64_t handle);

/**
 * A module is being unloaded: its handles may come again for other kernels, so none is known any more.
 *
 * Cost: one store for each place of the table. Threads: any.
 */
void gst_kernel_names_forget(struct gst_kernel_names *names);

#endif
