/*
 * siglog_test.c - one line on stderr, no signal, no trace in errno or the signal mask.
 */
#include "tracer/siglog.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

/* Stderr is @fd while the line is written. */
static void log_to(int fd, const char *text, const char *more)
{
	int saved = dup(STDERR_FILENO);

	assert_true(saved >= 0);
	assert_true(dup2(fd, STDERR_FILENO) >= 0);
	errno = 17;
	gst_siglog(text, more, NULL);
	assert_int_equal(errno, 17);
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
}

static void test_line(void **state)
{
	char text[2048];
	char long_text[3000];
	ssize_t length;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	log_to(ends[1], "not recording: ", "a\nb\x1b[31m");
	length = read(ends[0], text, sizeof(text) - 1);
	assert_true(length > 0);
	text[length] = '\0';
	assert_string_equal(text, "gstrace: not recording: a?b?[31m\n");

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	log_to(ends[1], long_text, NULL);
	length = read(ends[0], text, sizeof(text) - 1);
	assert_true(length >= 1000 && length <= 1024);
	assert_int_equal(text[length - 1], '\n');
	close(ends[0]);
	close(ends[1]);
}

/* The default action of both signals would end this test. */
static void test_no_signal(void **state)
{
	struct rlimit before, none;
	sigset_t mask, pending;
	FILE *file = tmpfile();
	int ends[2];

	(void)state;
	assert_non_null(file);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	log_to(ends[1], "nobody reads", NULL);
	close(ends[1]);

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	log_to(fileno(file), "nothing fits", NULL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	fclose(file);

	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
	assert_int_equal(sigismember(&mask, SIGPIPE), 0);
	assert_int_equal(sigismember(&mask, SIGXFSZ), 0);
	assert_int_equal(sigpending(&pending), 0);
	assert_int_equal(sigismember(&pending, SIGPIPE), 0);
	assert_int_equal(sigismember(&pending, SIGXFSZ), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_no_signal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
