/*
 * fake_inject.h - what the driver does with CUDA_INJECTION64_PATH.
 */
#ifndef GSTRACE_TRACER_FAKE_CUPTI_FAKE_INJECT_H
#define GSTRACE_TRACER_FAKE_CUPTI_FAKE_INJECT_H

/**
 * Load the library that the variable names, for good, and call its InitializeInjection().
 *
 * Without the variable, nothing. A library that cannot be loaded gives a line on stderr that begins with @who, and the program
 * goes on, as the driver does. Threads: one, at the first CUDA call.
 */
void fake_inject(const char *who);

#endif
