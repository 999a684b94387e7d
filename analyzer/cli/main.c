/*
 * main.c - gstrace: picks the command.
 *
 * Role      : list of commands, --help, --version, messages, the end of stdout.
 * Invariant : no locale is set, so output is the same everywhere; every failed write of stdout is noticed.
 * Not here  : options (opt.c), commands (cmd_*.c).
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/cli/cli.h"
#include "tracer/format/version.h"
#include "analyzer/export/escape.h"
#include "tracer/format/format.h"

static const struct gst_command *const commands[] = {
	&gst_cmd_record, &gst_cmd_analyze, &gst_cmd_path,   &gst_cmd_critical, &gst_cmd_export,
	&gst_cmd_dump,	 &gst_cmd_verify,  &gst_cmd_doctor, &gst_cmd_env,
};

const struct gst_command *const *gst_cli_commands(uint32_t *count)
{
	*count = sizeof(commands) / sizeof(commands[0]);
	return commands;
}

void gst_cli_error(const char *format, ...)
{
	va_list args;

	fputs("gstrace: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

const char *gst_cli_show(const char *path)
{
	static char bufs[4][4096];
	static unsigned next;
	char *buf = bufs[next++ % 4];

	gst_escape(GST_ESCAPE_TEXT, path, strlen(path), buf, sizeof(bufs[0]));
	return buf;
}

int gst_cli_finish(int status)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout)) {
		return status;
	}
	if (errno == EPIPE) {
		return GST_EXIT_PIPE;
	}
	gst_cli_error("standard output: %s", strerror(errno ? errno : EIO));
	return GST_EXIT_UNREADABLE;
}

static void show_help(FILE *to)
{
	fputs("gstrace - shows what a CUDA program serializes, what that costs, and why\n\n"
	      "Usage: gstrace COMMAND [OPTION]... [ARGUMENT]...\n"
	      "       gstrace --version\n\n"
	      "Commands:\n",
	      to);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	}
	fputs("\n'gstrace COMMAND --help' tells all of a command, with examples.\n\n"
	      "Examples:\n"
	      "  gstrace record -- ./app --its-options\n"
	      "  gstrace analyze gstrace-host-4711.gst\n"
	      "  gstrace export --perfetto -o app.pftrace gstrace-host-4711.gst\n"
	      "  gstrace doctor\n",
	      to);
}

static int show_version(void)
{
	printf("gstrace %s (commit %s)\n", GST_VERSION, GST_COMMIT);
	printf("reads   .gst and .gstext of format %d.0 to %d.%d\n", GST_FORMAT_MAJOR,
	       GST_FORMAT_MAJOR, GST_FORMAT_MINOR);
	printf("writes  .gst (record), .gstext (dump), text and JSON (analyze), Perfetto and SQLite (export)\n");
	return gst_cli_finish(GST_EXIT_OK);
}

static const struct gst_command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(name, commands[i]->name) == 0) {
			return commands[i];
		}
	}
	gst_cli_error("unknown command %s; 'gstrace --help' lists them", gst_cli_show(name));
	return NULL;
}

int main(int argc, char **argv)
{
	const struct gst_command *command;

	if (argc < 2) {
		show_help(stderr);
		return GST_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 ||
	    strcmp(argv[1], "version") == 0) {
		return show_version();
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		if (argc == 2) {
			show_help(stdout);
			return gst_cli_finish(GST_EXIT_OK);
		}
		command = find_command(argv[2]);
		if (!command) {
			return GST_EXIT_USAGE;
		}
		gst_opt_help(command, stdout);
		return gst_cli_finish(GST_EXIT_OK);
	}
	command = find_command(argv[1]);
	if (!command) {
		return GST_EXIT_USAGE;
	}
	if (command != &gst_cmd_record) {
		/* When the reader of our output leaves, we leave: also if whoever started us ignores the signal. */
		signal(SIGPIPE, SIG_DFL);
	}
	return gst_opt_run(command, argc - 1, argv + 1);
}
