#!/bin/sh
# Each header compiles alone, as C11, with every compiler there is: whoever includes it needs
# nothing before it. kernels/ is CUDA and is compiled by nvcc only.
# usage: check_headers.sh [HEADER...]      (default: all)
# Generated headers must have been built (bazel build //...): they are taken from bazel-bin.
set -eu
cd "$(dirname "$0")/.."

compilers=
for cc in gcc clang; do
	if command -v "$cc" >/dev/null 2>&1; then
		compilers="$compilers $cc"
	else
		echo "check_headers: $cc is not installed"
		exit 1
	fi
done

status=0
count=0
[ $# -gt 0 ] || set -- $(git ls-files -co --exclude-standard -- '*.h' | grep -v '^kernels/')
for header in "$@"; do
	count=$((count + 1))
	for cc in $compilers; do
		if ! printf '#include "%s"\nextern int gst_not_empty;\n' "$header" |
			"$cc" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -I. -I bazel-bin -x c -; then
			echo "$header: does not compile alone with $cc"
			status=1
		fi
	done
done
[ "$status" -eq 0 ] && echo "check_headers: ok, $count headers with$compilers"
exit "$status"
