/*
 * kernel_names.c - a table of kernel handles.
 *
 * Role      : callbacks.c fills it when a program asks for a handle, and asks when one becomes a graph node.
 * Method    : open addressing with a short search; texts one behind the other, never moved or overwritten.
 * Invariant : a name is that of the handle or it is not known: a place that changes hands says so in between.
 * Not here  : names of launches, which CUPTI gives.
 */
#include "tracer/kernel_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define PROBES	       16u
#define NAME_BYTES_MAX 4096u /* longer ones are not kept: no half of a name */

static uint32_t place_of(uint64_t handle)
{
	return (uint32_t)((handle * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & (GST_KERNEL_NAMES - 1);
}

static uint32_t find(const struct gst_kernel_names *names, uint64_t handle)
{
	uint32_t at = place_of(handle);

	for (uint32_t i = 0; handle && i < PROBES; i++, at = (at + 1) & (GST_KERNEL_NAMES - 1)) {
		uint64_t found =
			atomic_load_explicit(&names->list[at].handle, memory_order_relaxed);

		if (found == handle) {
			return atomic_load_explicit(&names->list[at].at, memory_order_acquire);
		}
		if (!found) {
			break;
		}
	}
	return 0;
}

static void put(struct gst_kernel_names *names, uint64_t handle, uint32_t text)
{
	uint32_t at = place_of(handle);

	for (uint32_t i = 0; handle && i < PROBES; i++, at = (at + 1) & (GST_KERNEL_NAMES - 1)) {
		uint64_t found = 0;

		if (atomic_compare_exchange_strong(&names->list[at].handle, &found, handle) ||
		    found == handle) {
			atomic_store_explicit(&names->list[at].at, text, memory_order_release);
			return;
		}
	}
}

void gst_kernel_names_add(struct gst_kernel_names *names, uint64_t handle, const char *name)
{
	size_t length = name ? strnlen(name, NAME_BYTES_MAX) : 0;
	uint32_t old = find(names, handle);
	uint32_t at;

	if (!length || length == NAME_BYTES_MAX) {
		put(names, handle, 0);
		return;
	}
	/* The same again, mostly. */
	if (old && strcmp(names->text + old - 1, name) == 0) {
		return;
	}
	at = atomic_load(&names->used);
	do {
		if (length + 1 > GST_KERNEL_NAMES_BYTES - at) {
			put(names, handle, 0);
			return;
		}
	} while (!atomic_compare_exchange_weak(&names->used, &at, at + (uint32_t)length + 1));
	memcpy(names->text + at, name, length);
	put(names, handle, at + 1);
}

void gst_kernel_names_alias(struct gst_kernel_names *names, uint64_t handle, uint64_t kernel)
{
	put(names, handle, find(names, kernel));
}

const char *gst_kernel_names_find(const struct gst_kernel_names *names, uint64_t handle)
{
	uint32_t at = find(names, handle);

	return at ? names->text + at - 1 : NULL;
}

void gst_kernel_names_forget(struct gst_kernel_names *names)
{
	/* Handles keep their places: a search must not end before them. */
	for (uint32_t i = 0; i < GST_KERNEL_NAMES; i++) {
		atomic_store_explicit(&names->list[i].at, 0, memory_order_relaxed);
	}
}
