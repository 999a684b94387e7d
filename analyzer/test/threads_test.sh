#!/bin/sh
# The number of threads changes nothing: report, JSON and the check of each edge, byte for byte. Under TSan
# (tag threads) it is also the test that no two threads touch the same memory.
# usage: threads_test.sh GSTRACE GEN_TRACE TRACE...
set -u
gstrace=$1
gen_trace=$2
shift 2
dir=$(mktemp -d "${TMPDIR:-/tmp}/threads_test.XXXXXX")
trap 'rm -rf "$dir"' EXIT
failed=0
count=0

# all THREADS TRACE: all that is said of the trace, and with what status.
all() {
	for command in "analyze --all" "analyze --format json" verify "critical --all" "path --from #1 --to #last" "dump --order"; do
		# The options are words of their own.
		# shellcheck disable=SC2086
		"$gstrace" $command --threads "$1" "$2" 2>&1
		echo "$command: status $?"
	done
}

"$gen_trace" --ops 20000 --streams 32 --threads 8 -o "$dir/mixed.gst" || failed=1
"$gen_trace" --ops 3000 --streams 3 --threads 1 --seed 7 -o "$dir/one.gst" || failed=1
for trace in "$dir/mixed.gst" "$dir/one.gst" "$@"; do
	all 1 "$trace" >"$dir/one"
	grep -q 'analyze --all: status 0' "$dir/one" || {
		echo "threads_test: $trace: nothing to compare" >&2
		head -5 "$dir/one" >&2
		failed=1
	}
	for threads in 2 3 8; do
		all "$threads" "$trace" >"$dir/more"
		cmp "$dir/one" "$dir/more" >&2 || {
			echo "threads_test: $trace: $threads threads say something else than one" >&2
			failed=1
		}
		count=$((count + 1))
	done
done
for wrong in 0 9 x; do
	"$gstrace" analyze --threads "$wrong" "$dir/one.gst" >"$dir/more" 2>&1
	[ $? -eq 2 ] || {
		echo "threads_test: --threads $wrong was taken" >&2
		failed=1
	}
done
# The limit holds in every thread, and one message says so.
# The process ends while the other threads are at work: to TSan these are leaked.
TSAN_OPTIONS=${TSAN_OPTIONS:-}:report_thread_leaks=0
export TSAN_OPTIONS
ended=0
for limit in 1M 2M 4M 6M 8M 10M 12M 14M 16M 18M; do
	"$gstrace" analyze --threads 8 --memory-limit "$limit" "$dir/mixed.gst" >"$dir/more" 2>&1
	status=$?
	messages=$(grep -c 'memory-limit' "$dir/more")
	case "$status $messages" in
	"4 1") ended=$((ended + 1)) ;;
	"0 0") ;;
	*)
		echo "threads_test: --memory-limit $limit: status $status, $messages messages" >&2
		failed=1
		;;
	esac
done
[ "$ended" -gt 0 ] || failed=1
echo "threads_test: $count comparisons"
[ "$failed" -eq 0 ]
