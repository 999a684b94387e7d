/*
 * witness_driver.h - driver calls beside the runtime, found at run time.
 *
 * Role      : contexts, memory operations and other calls that the runtime does not have.
 * Method    : DRIVER_CALL(name) looks the symbol up that cuda.h maps the name to; a driver that lacks it
 *             ends the program with 77, for then there is nothing to witness.
 * Not here  : the calls that every driver has (kernels/driver.h).
 */
#ifndef GSTRACE_KERNELS_ORDERING_WITNESS_DRIVER_H
#define GSTRACE_KERNELS_ORDERING_WITNESS_DRIVER_H

#include "kernels/driver.h"
#include "kernels/ordering/witness.h"

#define DRIVER_TEXT_OF(symbol) #symbol
#define DRIVER_TEXT(symbol)    DRIVER_TEXT_OF(symbol)
#define DRIVER_CALL(symbol)    driver_look_up<decltype(&symbol)>(DRIVER_TEXT(symbol))

/** The driver's function of that name. */
template <class Function> static inline Function driver_look_up(const char *symbol)
{
	void *found = dlsym(dlopen("libcuda.so.1", RTLD_NOW), symbol);
	if (found == NULL) {
		fprintf(stderr, "skipped: this driver has no %s\n", symbol);
		exit(EXIT_SKIPPED);
	}
	return (Function)found;
}

#endif
