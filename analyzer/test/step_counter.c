/*
 * step_counter.c - what the compiler calls at each basic block.
 *
 * Role      : the count behind count_steps.c. Apart from it: this file must not be compiled so itself.
 * Invariant : none.
 * Not here  : which code is counted (BUILD).
 */
#include "analyzer/test/step_counter.h"

void __sanitizer_cov_trace_pc(void);

static uint64_t steps;

void __sanitizer_cov_trace_pc(void)
{
	steps++;
}

uint64_t gst_steps(void)
{
	return steps;
}
