#!/bin/sh
# Functions that code here does not call, and where a stage must not reach out of its data.
set -eu
cd "$(dirname "$0")/.."

code=$(mktemp)
trap 'rm -f "$code"' EXIT
git ls-files -co --exclude-standard -- '*.c' '*.h' '*.def' '*.cu' '*.cuh' | grep -v '/banned\.h$' |
	xargs -r awk -f tools/strip_c.awk >"$code"
status=0

# ban WHERE NOT_WHERE FUNCTIONS WHY: calls of FUNCTIONS (a|b) in files whose name matches WHERE.
ban() {
	hits=$(grep -E "^($1)" "$code" | grep -vE "^[^:]*($2)[^:]*:" |
		grep -E "^[^:]*:[0-9]+:(.*[^A-Za-z0-9_.>])?($3)[ \t]*\(") || return 0
	printf '%s\n' "$hits" | while IFS= read -r hit; do
		echo "${hit%%:*}:$(printf '%s' "$hit" | cut -d: -f2): $4: $(printf '%s' "$hit" | cut -d: -f3- | sed 's/^[ \t]*//')"
	done
	status=1
}

none='^$'
tests='_test\.c|_test_util\.[ch]|/test/|/fake_cupti/'

ban '' "$none" 'strcpy|strcat|stpcpy|sprintf|vsprintf|gets|strtok|strtok_r' 'has no bound'
ban '' "$none" 'atoi|atol|atoll|atof' 'cannot report an error, use strtol and its like'
ban '' "$none" 'gmtime|localtime|asctime|ctime|strerror_l|tmpnam|tempnam|mktemp' 'shares state or races'
ban '' "$none" 'alloca|__builtin_alloca' 'can overrun the stack'
# setlocale would make output depend on who runs it.
ban '(tracer|analyzer)/' "$tests" 'setlocale|newlocale|uselocale' 'output does not depend on the locale'

# Only cli prints or exits; base holds the assertion and the log.
ban 'analyzer/' "$tests|^analyzer/cli/|^analyzer/base/" 'printf|vprintf|puts|putchar|perror|exit|_exit|_Exit|abort|quick_exit' 'only cli prints or exits'
ban 'analyzer/base/' "$tests" 'printf|vprintf|puts|putchar|perror|exit|quick_exit' 'only cli prints or exits'

# The same bytes in, the same bytes out: no file, clock or environment.
ban 'analyzer/(model|order|timing|check)/' "$tests" \
	'fopen|fdopen|open|openat|creat|fread|fwrite|fputs|fprintf|vfprintf|read|write|pread|pwrite|mmap|socket' 'this stage is pure, no I/O'
ban 'analyzer/(model|order|timing|check)/' "$tests" \
	'getenv|secure_getenv|setenv|clock_gettime|gettimeofday|time|clock|rand|srand|random|getpid' 'this stage is pure'

# A guest in somebody's process.
ban 'tracer/' "$tests" '_exit|_Exit|abort|quick_exit|system|popen|raise|kill' 'never ends or starts a process'
# own_thread.c does what the C library would when the program's last thread has ended.
ban 'tracer/' "$tests|^tracer/own_thread\.c" 'exit' 'never ends or starts a process'
ban 'tracer/' "$tests" 'printf|vprintf|fprintf|puts|putchar|perror|fopen|fwrite|fputs' 'stdio belongs to the traced program'
ban 'tracer/' "$tests" 'signal|sigaction|alarm|setitimer' 'signals belong to the traced program'
ban 'tracer/' "$tests|^tracer/own_thread\.c" 'sigaltstack' 'signals belong to the traced program'
ban 'tracer/(call_params|callbacks|chunk|intern|kernel_names|objects|resources|snapshot|thread_slot|window)\.c' "$none" 'malloc|calloc|realloc|free|strdup|pthread_mutex_lock|open|write|fallocate|mmap' \
	'no allocation, lock or I/O in a callback'
ban 'tracer/format/' "$tests" 'malloc|calloc|realloc|free|strdup|open|read|write|mmap' 'format/ has no memory and no I/O'

[ "$status" -eq 0 ] && echo "check_banned: ok"
exit "$status"
