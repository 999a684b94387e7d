/*
 * graph_verify_test.c - verify contradicts wrong graphs.
 *
 * Role      : negative controls of the rules about nodes (G4, G5, G7, E6).
 * Method    : graph_verify_test FOLDER: text traces whose times fit their graphs, with one line added, taken away
 *             or made wrong; as they are no rule is contradicted, with a lie its rule is.
 * Invariant : a lie that finds no line to change fails.
 * Not here  : recorded traces (real_test.c).
 */
#include <stdio.h>

#include "analyzer/base/mem.h"
#include "analyzer/load/load.h"
#include "analyzer/model/model.h"
#include "analyzer/order/order.h"
#include "analyzer/timing/timing.h"

static const struct {
	const char *trace, *what, *from, *to;
	enum gst_rule rule;
} lies[] = {
	{"g4_graph_edges", "an edge between two nodes that ran side by side",
	 "graph_exec exec=0xa00", "graph_edge from=0x200000001 to=0x200000002 graph=2 corr=7\n",
	 GST_RULE_G4},
	{"g4_graph_edges", "an edge of the program's graph that came later is in the clone",
	 "graph_exec exec=0xa00",
	 "graph_edge from=0x200000003 to=0x200000005 graph=2 port=1 corr=7\n", GST_RULE_G4},
	{"g4_graph_edges", "CUDA's own node is the program's", "graph_exec exec=0xa00",
	 "graph_node node=0x100000007 graph=1 type=empty\n"
	 "graph_node node=0x200000007 original=0x100000007 graph=2 type=empty corr=7\n",
	 GST_RULE_G4},
	{"g5_edge_ports", "a programmatic port is the node's end", "graph_exec exec=0xa00",
	 "graph_edge from=0x200000002 to=0x200000003 graph=2 port=1 corr=7\n", GST_RULE_G4},
	{"g5_edge_ports", "a port that was not seen is the node's end", "graph_exec exec=0xa00",
	 "graph_edge from=0x200000006 to=0x200000007 graph=2 port=1 corr=7\n", GST_RULE_G4},
	{"g7_loop_body", "nodes of an iteration without an edge have one", "graph_exec exec=0xa00",
	 "graph_edge from=0x400000001 to=0x400000002 graph=4 port=1 corr=7\n", GST_RULE_G4},
	/* The two nodes that run side by side in each iteration are said to be one, which ran twice as often. */
	{"g7_loop_body", "two nodes are one",
	 "kernel corr=8 start_ns=3600 end_ns=3900 ctx=1 stream=13",
	 "kernel corr=8 start_ns=3020 end_ns=3900 ctx=1 stream=18 name=\"a\" graph=4 graph_node=0x400000000\n"
	 "kernel corr=8 start_ns=3630 end_ns=3900 ctx=1 stream=18 name=\"c\" graph=4 graph_node=0x400000002\n"
	 "kernel corr=8 start_ns=3640 end_ns=3900 ctx=1 stream=18 name=\"b\" graph=4 graph_node=0x400000001\n",
	 GST_RULE_G7},
	/* Work that ended when the node had let its successor go long ago. */
	{"e6_event_nodes", "the wait node means another record", "call_graph corr=11 enter_ns=1000",
	 "call_launch corr=30 enter_ns=960 api=cuLaunchKernel ctx=1 stream=0x200\n"
	 "call_exit corr=30 exit_ns=965\n"
	 "kernel corr=30 start_ns=3010 end_ns=3900 ctx=1 stream=14 name=\"long\"\n"
	 "call_event corr=31 enter_ns=970 api=cuEventRecord ctx=1 stream=0x200 event=0x900\n"
	 "call_exit corr=31 exit_ns=980\n",
	 GST_RULE_E6},
};

static char *read_file(const char *folder, const char *name, size_t *length)
{
	char path[4096];
	char *text = NULL;
	size_t room = 0;
	size_t got;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.gstext", folder, name);
	f = fopen(path, "rb");
	*length = 0;
	while (f) {
		text = realloc(text, room += 65536);
		if (!text)
			abort();
		got = fread(text + *length, 1, room - *length - 1, f);
		*length += got;
		if (!got)
			break;
	}
	if (f)
		(void)fclose(f);
	if (text)
		text[*length] = 0;
	return text;
}

/* False: the trace cannot be analyzed. */
static bool count(const char *text, size_t length, enum gst_rule rule, uint64_t *of_rule,
		  uint64_t *all)
{
	const struct gst_load_options options = GST_LOAD_OPTIONS_DEFAULT;
	struct gst_arena *arena = gst_arena_new(0);
	struct gst_loader *loader = NULL;
	const struct gst_model *m = NULL;
	const struct gst_timing *t;
	const struct gst_order *o;
	struct gst_verify v;
	struct gst_err err = {0};
	bool is_good = !gst_loader_open_memory(text, length, "text", &options, &loader, &err) &&
		       !gst_model_build(&loader, 1, arena, &m, &err) &&
		       !gst_order_build(m, arena, &o, &err) &&
		       !gst_timing_build(m, o, arena, &t, &err);

	if (is_good) {
		gst_timing_verify(t, arena, &v);
		*of_rule = v.rules[rule].contradictions;
		*all = v.contradictions;
	} else {
		fprintf(stderr, "%s\n", err.text);
	}
	gst_loader_close(loader);
	gst_model_free(m);
	gst_arena_free(arena);
	return is_good;
}

static int look_at(const char *folder, size_t i)
{
	size_t length, added = strlen(lies[i].to);
	char *text = read_file(folder, lies[i].trace, &length);
	char *at = text ? strstr(text, lies[i].from) : NULL;
	uint64_t plain = 1, of_rule = 0, all;
	int failed = 1;
	char *lied;

	if (!at) {
		fprintf(stderr, "%s: no line \"%s\"\n", lies[i].trace, lies[i].from);
		free(text);
		return 1;
	}
	lied = malloc(length + added + 1);
	if (!lied)
		abort();
	memcpy(lied, text, (size_t)(at - text));
	memcpy(lied + (at - text), lies[i].to, added);
	memcpy(lied + (at - text) + added, at, length - (size_t)(at - text) + 1);
	if (count(text, length, lies[i].rule, &of_rule, &plain) && plain == 0 &&
	    count(lied, length + added, lies[i].rule, &of_rule, &all))
		failed = of_rule == 0;
	printf("%s: %s: %s\n", lies[i].trace, lies[i].what,
	       plain	? "contradicted without the lie"
	       : failed ? "not contradicted"
			: "contradicted");
	free(lied);
	free(text);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = argc < 2;

	for (size_t i = 0; argc > 1 && i < sizeof(lies) / sizeof(lies[0]); i++)
		failed += look_at(argv[1], i);
	return failed != 0;
}
