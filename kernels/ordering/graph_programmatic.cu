/*
 * graph_programmatic - programmatic edges of a graph.
 *
 * An edge from a kernel's programmatic port holds its target up until the source's blocks have triggered
 * (here: at once), one from its launch-order port until they have begun; neither until its end (G5). An
 * edge without such a port does.
 *
 * EXPECT ops graph: 1
 * EXPECT none: lost-records
 */
#include "kernels/ordering/witness.h"

__global__ void source(struct span *span, unsigned us)
{
	cudaTriggerProgrammaticLaunchCompletion();
	spin_span(span, us);
}

SPIN_KERNEL(target)

static void add_edge(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to,
		     unsigned char port)
{
	cudaGraphEdgeData data = {};

	data.from_port = port;
	data.type = port == cudaGraphKernelNodePortDefault ? cudaGraphDependencyTypeDefault
							   : cudaGraphDependencyTypeProgrammatic;
	CHECK(cudaGraphAddDependencies(graph, &from, &to, &data, 1));
}

int main(void)
{
	static const unsigned char ports[] = {cudaGraphKernelNodePortDefault,
					      cudaGraphKernelNodePortProgrammatic,
					      cudaGraphKernelNodePortLaunchCompletion};
	struct span *from[3], *to[3];
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	witness_start("graph_programmatic");
	load_kernels(source, target);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaGraphCreate(&graph, 0));
	for (int i = 0; i < 3; i++) {
		from[i] = new_span();
		to[i] = new_span();
		cudaGraphNode_t a = add_spin(graph, NULL, 0, source, from[i], 5000);
		cudaGraphNode_t b = add_spin(graph, NULL, 0, target, to[i], 500);
		add_edge(graph, a, b, ports[i]);
	}
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaDeviceSynchronize());

	must("default_port_waits_for_end", is_after(to[0], from[0]));
	must("programmatic_port_begins_after_begin", is_begun_after(to[1], from[1]));
	saw("programmatic_port_overlaps", overlaps(to[1], from[1]));
	saw("launch_order_port_begins_after_begin", is_begun_after(to[2], from[2]));
	saw("launch_order_port_overlaps", overlaps(to[2], from[2]));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	return witness_end();
}
