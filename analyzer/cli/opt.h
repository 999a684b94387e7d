/*
 * opt.h - options and help of the commands: one table each, one look for all.
 */
#ifndef GSTRACE_ANALYZER_CLI_OPT_H
#define GSTRACE_ANALYZER_CLI_OPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct gst_option {
	int id;		  /* below 256: its letter as well; otherwise any number from 256 on */
	const char *name; /* long name; NULL ends a table */
	const char *arg;  /* what its argument is called in help; NULL = takes none */
	const char *help; /* lines separated by \n */
};

/* The id of a row that is no option but the heading of those that follow: its name. */
enum { GST_OPT_HEADING = 0 };

struct gst_opt;

struct gst_command {
	const char *name;
	const char *summary;	 /* one line, for the list of commands */
	const char *operands;	 /* after the options in the usage line */
	const char *description; /* what it does; \n between lines */
	const struct gst_option *options;
	const char *examples;  /* lines; \n between */
	int usage_status;      /* exit code for a wrong command line */
	bool stops_at_operand; /* options end at the first operand (record) */
	int (*run)(struct gst_opt *opt);
};

/* Parser state of one command line. */
struct gst_opt {
	const struct gst_command *command;
	int argc;
	char **argv;
	int status; /* what to return after GST_OPT_STOP */
	struct option *longs;
	char *shorts;
};

enum {
	GST_OPT_END = -1,  /* operands follow: gst_opt_operands() */
	GST_OPT_STOP = -2, /* help was printed or the line is wrong: return opt->status */
};

/** Parse @argv (argv[0] is the command's name) and run it. Returns its exit code. */
int gst_opt_run(const struct gst_command *command, int argc, char **argv);

/** Next option: its id (*value is its argument or NULL), GST_OPT_END or GST_OPT_STOP. */
int gst_opt_next(struct gst_opt *opt, const char **value);

/** After GST_OPT_END: *count operands. */
char **gst_opt_operands(const struct gst_opt *opt, int *count);

/** Complain about the command line ("gstrace CMD: message" and where help is); returns the status to return. */
int gst_opt_wrong(struct gst_opt *opt, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** The same for a message that a list follows: the caller prints that, then calls gst_opt_try_help(). */
void gst_opt_wrong_list(struct gst_opt *opt, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Where help is; returns the status to return. */
int gst_opt_try_help(const struct gst_opt *opt);

/** @value as a number of [low, high] into *out; a suffix K, M, G (1024 each) if @is_size. Otherwise complains, sets opt->status, false. */
bool gst_opt_number(struct gst_opt *opt, const char *name, const char *value, uint64_t low,
		    uint64_t high, bool is_size, uint64_t *out);

/** Index of @value in @choices (NULL ends them), or -1 after a complaint. */
int gst_opt_choice(struct gst_opt *opt, const char *name, const char *value,
		   const char *const *choices);

void gst_opt_help(const struct gst_command *command, FILE *to);

#endif
