#!/bin/bash
# What `gstrace analyze` costs a record, for each shape and size of generated trace, beside a yardstick:
# sha256sum of 40 bytes a record, in the same rounds, so that a slow or busy machine shows.
#
#   tools/bench_analyzer.sh [--shape S]... [--ops N[,N...]] [--threads N] [--rounds N] [--bin DIR]
#
# Shapes are those of tools/gen_trace.c; "all" = every one. DIR holds gstrace, gen_trace and bench_load;
# without it they are built optimised. Columns, best of the rounds: records; bytes of a call's or device
# record (mean); seconds by the wall clock, of the loader alone and of the whole; ns a record, wall and
# CPU of all threads; the whole in yardsticks; peak memory a record. Not a test: the numbers belong into
# docs/PERFORMANCE.md, with machine and date.
set -euo pipefail
cd "$(dirname "$0")/.."

shapes=() ops=1000000 threads=8 rounds=5 bin=
while [ $# -gt 0 ]; do
	[ $# -gt 1 ] || set -- usage
	case $1 in
	--shape) shapes+=("$2") ;;
	--ops | --threads | --rounds | --bin) printf -v "${1#--}" %s "$2" ;;
	*)
		sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
		exit 2
		;;
	esac
	shift 2
done
every=(mix independent legacy mesh single graphs short-streams)
[ ${#shapes[@]} -gt 0 ] || shapes=(mix)
[ "${shapes[*]}" != all ] || shapes=("${every[@]}")
declare -A streams=([mix]=32 [independent]=32 [legacy]=1000 [mesh]=100 [single]=1 [graphs]=32 [short-streams]=32)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "$bin" ]; then
	bazel build -c opt //:gstrace //tools:gen_trace //tools:bench_load >&2
	bin=$work/bin
	mkdir "$bin"
	cp bazel-bin/analyzer/cli/gstrace bazel-bin/tools/gen_trace bazel-bin/tools/bench_load "$bin"
fi

# measure COMMAND...: "wall cpu rss": seconds, seconds, bytes; its output thrown away.
cat >"$work/measure.py" <<'EOF'
import os, subprocess, sys, time
begin = time.monotonic()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(child.pid, 0)
wall = time.monotonic() - begin
if status:
    sys.exit(f"bench_analyzer: {' '.join(sys.argv[1:])}: status {status}")
print(f"{wall:.6f} {used.ru_utime + used.ru_stime:.6f} {used.ru_maxrss * 1024}")
EOF
measure() {
	python3 "$work/measure.py" "$@"
}
# best FILE COLUMN
best() {
	sort -g -k "$2,$2" "$1" | awk -v c="$2" 'NR == 1 { print $c }'
}

printf '%-13s %10s %6s %8s %8s %9s %9s %9s %9s\n' shape records bytes load_s all_s ns/record \
	cpu_ns/r sha256 mem_B/r
for shape in "${shapes[@]}"; do
	for n in ${ops//,/ }; do
		trace=$work/bench.gst
		"$bin/gen_trace" --shape "$shape" --ops "$n" --streams "${streams[$shape]}" \
			--threads "$threads" -o "$trace"
		line=$("$bin/bench_load" "$trace")
		records=$(sed -E 's/.*records=([0-9]+) .*/\1/' <<<"$line")
		mean=$(sed -E 's/.*mean_record=([0-9.]+) .*/\1/' <<<"$line")
		head -c $((records * 40)) /dev/urandom >"$work/yardstick"
		rm -f "$work"/*.times
		for ((i = 0; i < rounds; i++)); do
			measure sha256sum "$work/yardstick" >>"$work/sha256sum.times"
			"$bin/bench_load" "$trace" | sed -E 's/.*seconds=([0-9.]+).*/\1/' >>"$work/load.times"
			measure "$bin/gstrace" analyze "$trace" >>"$work/analyze.times"
		done
		awk -v shape="$shape" -v records="$records" -v mean="$mean" \
			-v y="$(best "$work/sha256sum.times" 1)" -v load="$(best "$work/load.times" 1)" \
			-v wall="$(best "$work/analyze.times" 1)" -v cpu="$(best "$work/analyze.times" 2)" \
			-v rss="$(best "$work/analyze.times" 3)" 'BEGIN {
			printf "%-13s %10d %6.1f %8.3f %8.3f %9.1f %9.1f %9.2f %9.1f\n", shape, records, mean,
				load, wall, wall / records * 1e9, cpu / records * 1e9, wall / y, rss / records }'
	done
done
