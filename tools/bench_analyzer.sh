#!/bin/bash
# Records a second through the loader and through `gstrace analyze`, beside a yardstick: sha256sum of
# the same file, in the same rounds, so that a slow or busy machine shows. Medians of the rounds.
#
#   tools/bench_analyzer.sh [--ops N] [--streams N] [--threads N] [--rounds N] [--bin DIR]
#
# DIR holds gstrace, gen_trace and bench_load; without it they are built optimised. Not a test: the
# numbers belong into docs/PERFORMANCE.md, with machine and date.
set -euo pipefail
cd "$(dirname "$0")/.."

ops=1000000 streams=32 threads=8 rounds=5 bin=
while [ $# -gt 0 ]; do
	case $1 in
	--ops | --streams | --threads | --rounds | --bin)
		[ $# -gt 1 ] || { echo "bench_analyzer: $1 wants a value" >&2; exit 2; }
		printf -v "${1#--}" %s "$2"
		shift 2
		;;
	*)
		sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
		exit 2
		;;
	esac
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "$bin" ]; then
	bazel build -c opt //:gstrace //tools:gen_trace //tools:bench_load >&2
	bin=$work/bin
	mkdir "$bin"
	cp bazel-bin/analyzer/cli/gstrace bazel-bin/tools/gen_trace bazel-bin/tools/bench_load "$bin"
fi

trace=$work/bench.gst
"$bin/gen_trace" --ops "$ops" --streams "$streams" --threads "$threads" -o "$trace"
bytes=$(stat -c %s "$trace")

# seconds COMMAND...: wall time of the command, its output thrown away.
seconds() {
	local begin=$EPOCHREALTIME
	"$@" >/dev/null 2>"$work/stderr" || { cat "$work/stderr" >&2; return 1; }
	awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.6f\n", b - a }'
}
median() {
	sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

records=
for ((i = 0; i < rounds; i++)); do
	seconds sha256sum "$trace" >>"$work/yardstick"
	line=$("$bin/bench_load" "$trace")
	records=$(sed -E 's/.*records=([0-9]+).*/\1/' <<<"$line")
	sed -E 's/.*seconds=([0-9.]+).*/\1/' <<<"$line" >>"$work/load"
	if [ -x "$bin/gstrace" ]; then
		seconds "$bin/gstrace" analyze "$trace" >>"$work/analyze" ||
			{ echo "bench_analyzer: gstrace analyze failed" >&2; exit 1; }
	fi
done

echo "trace: $ops ops, $streams streams, $threads threads: $records records, $bytes bytes, $rounds rounds"
report() {
	[ -s "$work/$2" ] || return 0
	awk -v name="$1" -v t="$(median "$work/$2")" -v y="$(median "$work/yardstick")" \
		-v records="$records" -v bytes="$bytes" 'BEGIN {
		printf "%-10s %8.3f s %9.2f M records/s %9.1f MB/s %6.2f of sha256sum\n",
			name, t, records / t / 1e6, bytes / t / 1e6, t / y }'
}
report sha256sum yardstick
report load load
report analyze analyze
