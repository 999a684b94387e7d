/*
 * cmd_env.c - gstrace env: the variables that record sets, for places where record cannot stand.
 *
 * Role      : scripts, Slurm steps, containers, services.
 * Invariant : what is printed for a shell is quoted, so it can be given to eval whatever the paths are.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/cli/cli.h"
#include "analyzer/cli/locate.h"
#include "analyzer/cli/settings.h"

enum { OPT_FOR = 256, OPT_LIB };

enum { MAX_PAIRS = 24 };

struct pair {
	const char *name, *value;
};

static void quote(const char *value)
{
	putchar('\'');
	for (; *value; value++) {
		if (*value == '\'') {
			fputs("'\\''", stdout);
		} else {
			putchar(*value);
		}
	}
	putchar('\'');
}

static void print_shell(const struct pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		printf("export %s=", pairs[i].name);
		quote(pairs[i].value);
		putchar('\n');
	}
}

static int print_slurm(const struct pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strchr(pairs[i].value, ',')) {
			gst_cli_error("%s=%s: srun --export cannot pass a comma", pairs[i].name,
				      gst_cli_show(pairs[i].value));
			return GST_EXIT_USAGE;
		}
	}
	fputs("# In the batch script, before srun (srun passes its environment on unless --export says otherwise):\n",
	      stdout);
	print_shell(pairs, count);
	fputs("# or, for one step alone:\nsrun --export=ALL", stdout);
	for (size_t i = 0; i < count; i++) {
		printf(",%s=", pairs[i].name);
		quote(pairs[i].value);
	}
	fputs(" PROGRAM\n", stdout);
	return GST_EXIT_OK;
}

static void print_container(const struct pair *pairs, size_t count, const char *library)
{
	fputs("# Traces come out in the folder where this is started.\ndocker run --gpus all --shm-size=256m \\\n"
	      "  -v ",
	      stdout);
	quote(library);
	fputs(":/opt/gstrace/libgstrace.so:ro -v \"$PWD\":/traces \\\n"
	      "  -e CUDA_INJECTION64_PATH=/opt/gstrace/libgstrace.so \\\n"
	      "  -e NVTX_INJECTION64_PATH=/opt/gstrace/libgstrace.so \\\n",
	      stdout);
	for (size_t i = 0; i < count; i++) {
		if (strstr(pairs[i].name, "_INJECTION64_PATH")) {
			continue;
		}
		printf("  -e %s=", pairs[i].name);
		quote(pairs[i].value);
		fputs(" \\\n", stdout);
	}
	fputs("  IMAGE PROGRAM\n", stdout);
}

static int run_env(struct gst_opt *opt)
{
	static const char *const forms[] = {"shell", "slurm", "container", NULL};
	static struct gst_located located;
	struct pair pairs[MAX_PAIRS];
	const struct gst_setting *setting;
	const char *value, *library = NULL, *output = NULL;
	char path[2 * PATH_MAX];
	size_t count = 2; /* the two that name the library */
	int id, form = 0, operands, status = GST_EXIT_OK;

	while ((id = gst_opt_next(opt, &value)) != GST_OPT_END) {
		switch (id) {
		case GST_OPT_STOP:
			return opt->status;
		case OPT_FOR:
			form = gst_opt_choice(opt, "for", value, forms);
			if (form < 0) {
				return opt->status;
			}
			break;
		case OPT_LIB:
			library = value;
			break;
		case 'o':
			output = value;
			break;
		default:
			setting = gst_setting_of_option(id);
			value = gst_setting_value(opt, setting, value);
			if (!value) {
				return opt->status;
			}
			for (size_t i = 2; i < count; i++) {
				if (strcmp(pairs[i].name, setting->variable) == 0) {
					pairs[i--] = pairs[--count];
				}
			}
			pairs[count++] = (struct pair){setting->variable, value};
			break;
		}
	}
	if (gst_opt_operands(opt, &operands), operands > 0) {
		return gst_opt_wrong(
			opt,
			"takes no arguments: it prints variables, 'gstrace record' runs programs");
	}
	if (!gst_locate_library(library, &located)) {
		gst_cli_error("libgstrace.so: %s; name it with --lib", located.error);
		return GST_EXIT_UNREADABLE;
	}
	pairs[0] = (struct pair){"CUDA_INJECTION64_PATH", located.path};
	pairs[1] = (struct pair){"NVTX_INJECTION64_PATH", located.path};
	if (!output && form == 2) {
		output = "/traces/gstrace-%h-%p.gst";
	}
	if (output && output[0] != '/' && form != 2) {
		char cwd[PATH_MAX];

		if (!getcwd(cwd, sizeof(cwd))) {
			gst_cli_error("working directory: %s", strerror(errno));
			return GST_EXIT_UNREADABLE;
		}
		snprintf(path, sizeof(path), "%s/%s", cwd, output);
		output = path;
	}
	if (output) {
		pairs[count++] = (struct pair){"GSTRACE_OUTPUT", output};
	}
	if (form == 0) {
		print_shell(pairs, count);
	} else if (form == 1) {
		status = print_slurm(pairs, count);
	} else {
		print_container(pairs, count, located.path);
	}
	return gst_cli_finish(status);
}

static const struct gst_option options[] = {
	{OPT_FOR, "for", "shell|slurm|container",
	 "what to print: lines for eval or a script (default),\nsrun, docker or podman"},
	{'o', "output", "FILE", "where the traces go, as for 'gstrace record'"},
	GST_SETTING_OPTIONS(GST_SETTING_OPTION_ROW){OPT_LIB, "lib", "FILE",
						    "use this libgstrace.so"},
	{0},
};

const struct gst_command gst_cmd_env = {
	.name = "env",
	.summary = "print the variables that record sets, for scripts, Slurm, containers",
	.operands = "",
	.description =
		"Programs that are started with these variables are recorded; nothing else is needed.",
	.options = options,
	.examples = "eval \"$(gstrace env)\"; ./app\n"
		    "gstrace env --for=slurm -o '/scratch/traces/%h-%p.gst'\n"
		    "gstrace env --for=container --private",
	.usage_status = GST_EXIT_USAGE,
	.run = run_env,
};
