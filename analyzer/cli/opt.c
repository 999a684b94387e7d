/*
 * opt.c - getopt_long behind tables, and help made from the same tables.
 *
 * Role      : each command declares its options once; parsing, help and complaints follow from that.
 * Method    : getopt's arrays are built for one run; --help and -h are every command's.
 * Invariant : a wrong command line gives one line that names the option, and the way to the help.
 * Not here  : what options mean (cmd_*.c).
 */
#include "analyzer/cli/opt.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/cli/cli.h"

enum { HELP_COLUMN = 28, OPT_HELP = 0x7fff };

static void help_lines(FILE *to, const char *text, int indent, int column)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		fprintf(to, "%*s%.*s\n", column < indent ? indent - column : 0, "", (int)n, text);
		text += n + (text[n] == '\n');
		column = 0;
	}
}

static void help_option(FILE *to, const struct gst_option *o)
{
	int column;

	if (o->id < 256) {
		column = fprintf(to, "  -%c, --%s", o->id, o->name);
	} else {
		column = fprintf(to, "      --%s", o->name);
	}
	if (o->arg) {
		column += fprintf(to, "=%s", o->arg);
	}
	if (column >= HELP_COLUMN - 1) {
		fputc('\n', to);
		column = 0;
	}
	help_lines(to, o->help, HELP_COLUMN, column);
}

void gst_opt_help(const struct gst_command *command, FILE *to)
{
	static const struct gst_option help = {'h', "help", NULL, "show this text"};

	fprintf(to, "gstrace %s - %s\n\nUsage: gstrace %s [OPTION]...%s%s\n", command->name,
		command->summary, command->name, command->operands[0] ? " " : "",
		command->operands);
	if (command->description) {
		fputc('\n', to);
		help_lines(to, command->description, 0, 0);
	}
	if (!command->options[0].name || command->options[0].id != GST_OPT_HEADING) {
		fputs("\nOptions:\n", to);
	}
	for (const struct gst_option *o = command->options; o->name; o++) {
		if (o->id == GST_OPT_HEADING) {
			fprintf(to, "\n%s:\n", o->name);
		} else {
			help_option(to, o);
		}
	}
	help_option(to, &help);
	fputs("\nExamples:\n", to);
	help_lines(to, command->examples, 2, 0);
}

static void complain(struct gst_opt *opt, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

static void complain(struct gst_opt *opt, const char *format, va_list args)
{
	fprintf(stderr, "gstrace %s: ", opt->command->name);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	opt->status = opt->command->usage_status;
}

int gst_opt_wrong(struct gst_opt *opt, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(opt, format, args);
	va_end(args);
	return gst_opt_try_help(opt);
}

void gst_opt_wrong_list(struct gst_opt *opt, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(opt, format, args);
	va_end(args);
}

int gst_opt_try_help(const struct gst_opt *opt)
{
	fprintf(stderr, "Try 'gstrace %s --help'.\n", opt->command->name);
	return opt->status;
}

int gst_opt_run(const struct gst_command *command, int argc, char **argv)
{
	struct gst_opt opt = {.command = command, .argc = argc, .argv = argv};
	size_t count = 0, rows = 0, s = 0;
	int status;

	for (; command->options[rows].name; rows++) {
		count += command->options[rows].id != GST_OPT_HEADING;
	}
	opt.longs = calloc(count + 2, sizeof(*opt.longs));
	opt.shorts = calloc(2 * count + 4, 1);
	if (!opt.longs || !opt.shorts) {
		free(opt.longs);
		free(opt.shorts);
		gst_cli_error("out of memory");
		/* Two enumerations: record keeps its own, beside the program's. */
		return command->usage_status == GST_RECORD_FAILED ? (int)GST_RECORD_FAILED
								  : (int)GST_EXIT_LIMIT;
	}
	if (command->stops_at_operand) {
		opt.shorts[s++] = '+';
	}
	opt.shorts[s++] = ':'; /* tell a missing argument from an unknown option */
	opt.shorts[s++] = 'h';
	for (size_t i = 0, at = 0; i < rows; i++) {
		const struct gst_option *o = &command->options[i];

		if (o->id == GST_OPT_HEADING) {
			continue;
		}
		opt.longs[at++] =
			(struct option){.name = o->name,
					.has_arg = o->arg ? required_argument : no_argument,
					.val = o->id};
		if (o->id < 256) {
			opt.shorts[s++] = (char)o->id;
			if (o->arg) {
				opt.shorts[s++] = ':';
			}
		}
	}
	opt.longs[count] = (struct option){.name = "help", .val = OPT_HELP};
	opterr = 0;
	status = command->run(&opt);
	free(opt.longs);
	free(opt.shorts);
	return status;
}

int gst_opt_next(struct gst_opt *opt, const char **value)
{
	int at = optind;
	int id = getopt_long(opt->argc, opt->argv, opt->shorts, opt->longs, NULL);
	const char *word = at < opt->argc ? gst_cli_show(opt->argv[at]) : "";

	*value = optarg;
	switch (id) {
	case -1:
		return GST_OPT_END;
	case 'h':
	case OPT_HELP:
		gst_opt_help(opt->command, stdout);
		opt->status = gst_cli_finish(GST_EXIT_OK);
		return GST_OPT_STOP;
	case ':':
		gst_opt_wrong(opt, "%s needs an argument", word);
		return GST_OPT_STOP;
	case '?':
		/* A letter in a group ("-xy") is not the whole word. */
		if (optopt > 0 && optopt < 256 && strncmp(word, "--", 2) != 0) {
			char letter = (char)optopt;

			gst_opt_wrong(opt, "unknown option -%s", gst_cli_show((char[]){letter, 0}));
		} else if (optopt != 0) {
			gst_opt_wrong(opt, "%s takes no argument", word);
		} else {
			gst_opt_wrong(opt, "unknown or ambiguous option %s", word);
		}
		return GST_OPT_STOP;
	default:
		return id;
	}
}

char **gst_opt_operands(const struct gst_opt *opt, int *count)
{
	*count = opt->argc - optind;
	return opt->argv + optind;
}

bool gst_opt_number(struct gst_opt *opt, const char *name, const char *value, uint64_t low,
		    uint64_t high, bool is_size, uint64_t *out)
{
	unsigned long long n;
	unsigned shift = 0;
	char *end;

	errno = 0;
	n = strtoull(value, &end, 10);
	if (is_size && *end) {
		const char *letters = "KMG";
		const char *at = strchr(letters, *end & ~0x20);

		if (at) {
			shift = 10 * (unsigned)(at - letters + 1);
			end++;
		}
	}
	if (value[0] < '0' || value[0] > '9' || *end || errno || n > UINT64_MAX >> shift ||
	    n << shift < low || n << shift > high) {
		gst_opt_wrong(opt, "--%s=%s is not a number from %llu to %llu%s", name,
			      gst_cli_show(value), (unsigned long long)low,
			      (unsigned long long)high, is_size ? " (K, M, G may follow)" : "");
		return false;
	}
	*out = n << shift;
	return true;
}

int gst_opt_choice(struct gst_opt *opt, const char *name, const char *value,
		   const char *const *choices)
{
	char list[256];
	size_t used = 0;

	list[0] = '\0';
	for (int i = 0; choices[i]; i++) {
		int n;

		if (strcmp(value, choices[i]) == 0) {
			return i;
		}
		n = snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", choices[i]);
		if (n > 0 && (size_t)n < sizeof(list) - used) {
			used += (size_t)n;
		}
	}
	gst_opt_wrong(opt, "--%s=%s is not one of: %s", name, gst_cli_show(value), list);
	return -1;
}
