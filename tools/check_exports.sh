#!/bin/sh
# What libgstrace.so shows to the process that it is loaded into, and what it needs there.
# usage: check_exports.sh [LIBRARY]      (default: bazel-bin/tracer/libgstrace.so)
set -eu
[ $# -gt 0 ] || cd "$(dirname "$0")/.."
lib=${1:-bazel-bin/tracer/libgstrace.so}
[ -f "$lib" ] || { echo "check_exports: $lib does not exist: bazel build -c opt //tracer:libgstrace.so" >&2; exit 1; }
status=0

# The driver calls the first, an NVTX header the second. Anything else could take the place of
# a function of the traced program.
for symbol in $(nm -D --defined-only "$lib" | awk '{ print $NF }' | sed 's/@.*//'); do
	case $symbol in
	InitializeInjection | InitializeInjectionNvtx2) ;;
	*)
		echo "$lib: exports $symbol"
		status=1
		;;
	esac
done
for symbol in InitializeInjection InitializeInjectionNvtx2; do
	if ! nm -D --defined-only "$lib" | grep -q " T $symbol\(@.*\)\?\$"; then
		echo "$lib: does not export $symbol"
		status=1
	fi
done

for needed in $(readelf -d "$lib" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
	case $needed in
	libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0) ;;
	*)
		echo "$lib: needs $needed: a traced program has to have the C library only"
		status=1
		;;
	esac
done
if readelf -d "$lib" | grep -E '\((RPATH|RUNPATH|TEXTREL)\)'; then
	echo "$lib: must have no library path of its own and no text relocation"
	status=1
fi

# The newest version of the C library that a symbol asks for decides where the library loads.
newest=$(readelf -W --dyn-syms "$lib" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
limit=GLIBC_2.17
if [ "$(printf '%s\n%s\n' "$limit" "$newest" | sort -V | tail -n 1)" != "$limit" ]; then
	echo "$lib: asks for $newest, more than $limit:"
	readelf -W --dyn-syms "$lib" | grep "$newest"
	status=1
fi
[ "$status" -eq 0 ] && echo "check_exports: ok, $newest or later"
exit "$status"
