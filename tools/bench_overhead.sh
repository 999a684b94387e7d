#!/bin/bash
# What recording costs a program on a GPU, beside other tools, in interleaved rounds.
#
#   tools/bench_overhead.sh [--bin DIR] --lib libgstrace.so --out DIR [--rounds N] [--limit SECONDS] [--nsys FILE]
#                           [--floor libbench_floor.so] [--cpus LIST] [--pytorch DIR [--pytorch-rounds N]] [--only REGEX]
#
# DIR of --bin holds bench_calls (kernels/bench), that of --pytorch bench_step.py; at least one of them. Each round runs
# every configuration once (--only: those whose names match), in turn; no round begins after --limit seconds. --cpus keeps
# all of them on the same processors (taskset), because on some machines it matters more where a run lands than how it is
# recorded. Leaves runs.tsv (every figure), summary.tsv: the medians of the cost added to the run without a tool of the
# same round, and their ratios to nsys', and of calls speeds.tsv, the same for each of the two speeds in which runs may land
# (bench_speeds.awk, which also takes the runs.tsv of several calls). Not a test: the numbers belong into docs/PERFORMANCE.md, with machine and date.
set -u
here=$(cd "$(dirname "$0")" && pwd)
bin='' lib='' out='' rounds=10 limit=86400 nsys='' pytorch='' pytorch_rounds='' floor='' cpus='' only=.
while [ $# -gt 1 ]; do
	case $1 in
	--bin) bin=$2 ;;
	--lib) lib=$(realpath "$2") ;;
	--out) out=$2 ;;
	--rounds) rounds=$2 ;;
	--nsys) nsys=$2 ;;
	--pytorch) pytorch=$(realpath "$2") ;;
	--pytorch-rounds) pytorch_rounds=$2 ;;
	--floor) floor=$(realpath "$2") ;;
	--cpus) cpus=$2 ;;
	--limit) limit=$2 ;;
	--only) only=$2 ;;
	*) break ;;
	esac
	shift 2
done
if [ $# -gt 0 ] || [ -z "$bin$pytorch" ] || [ -z "$lib" ] || [ -z "$out" ]; then
	sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
	exit 2
fi
[ -z "$bin" ] || bin=$(realpath "$bin")
mkdir -p "$out" || exit 2
out=$(cd "$out" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
runs=$out/runs.tsv
: >"$runs"

# one ROUND CONFIGURATION COMMAND...: its figures, a line each, into runs.tsv
one() {
	local round=$1 name=$2 line
	shift 2
	[[ $name =~ $only ]] || return
	[ -z "$cpus" ] || set -- taskset -c "$cpus" "$@"
	line=$(timeout 120 "$@" 2>"$name.err" | grep '^bench ') || {
		echo "bench_overhead: $name gave no figure in round $round: $(tail -n 1 "$name.err")" >&2
		return
	}
	tr ' ' '\n' <<<"${line#bench }" | while IFS='=' read -r key value; do
		printf '%s\t%s\t%s\t%s\n' "$round" "$name" "$key" "$value"
	done >>"$runs"
	rm -f ./*.gst ./*.nsys-rep ./*.qdstrm ./*.sqlite
}
nsys_options=(--trace=cuda --sample=none --cpuctxsw=none --force-overwrite=true -o nsys_run)

for round in $(seq "$rounds"); do
	[ "$SECONDS" -lt "$limit" ] || break
	if [ -n "$bin" ]; then
		one "$round" none "$bin/bench_calls" 2
		one "$round" gstrace env CUDA_INJECTION64_PATH="$lib" "$bin/bench_calls" 2
		one "$round" gstrace-order env CUDA_INJECTION64_PATH="$lib" GSTRACE_MODE=order "$bin/bench_calls" 2
		one "$round" gstrace-nodes env CUDA_INJECTION64_PATH="$lib" GSTRACE_GRAPHS=nodes "$bin/bench_calls" 2
	fi
	if [ -n "$bin" ] && [ -n "$floor" ]; then
		for what in kernels driver calls all; do
			one "$round" "floor-$what" env CUDA_INJECTION64_PATH="$floor" GSTRACE_FLOOR=$what "$bin/bench_calls" 2
		done
	fi
	if [ -n "$bin" ] && [ -n "$nsys" ]; then
		one "$round" nsys-graph "$nsys" profile "${nsys_options[@]}" --cuda-graph-trace=graph --cuda-event-trace=false "$bin/bench_calls" 2
		one "$round" nsys-events "$nsys" profile "${nsys_options[@]}" --cuda-graph-trace=graph --cuda-event-trace=true "$bin/bench_calls" 2
		one "$round" nsys-nodes "$nsys" profile "${nsys_options[@]}" --cuda-graph-trace=node --cuda-event-trace=false "$bin/bench_calls" 2
	fi
	if [ -n "$pytorch" ] && [ "$round" -le "${pytorch_rounds:-$rounds}" ]; then
		one "$round" none python3 "$pytorch/bench_step.py"
		one "$round" gstrace env CUDA_INJECTION64_PATH="$lib" python3 "$pytorch/bench_step.py"
		one "$round" gstrace-order env CUDA_INJECTION64_PATH="$lib" GSTRACE_MODE=order python3 "$pytorch/bench_step.py"
		[ -z "$floor" ] ||
			one "$round" floor-all env CUDA_INJECTION64_PATH="$floor" GSTRACE_FLOOR=all python3 "$pytorch/bench_step.py"
		one "$round" torch-profiler python3 "$pytorch/bench_step.py" profiler
		[ -z "$nsys" ] ||
			one "$round" nsys-graph "$nsys" profile "${nsys_options[@]}" --cuda-graph-trace=graph --cuda-event-trace=false python3 "$pytorch/bench_step.py"
	fi
done

awk -F '\t' '
function lowest(list, n, values, i, least) {
	n = split(list, values, " ")
	least = values[1]
	for (i = 2; i <= n; i++)
		if (values[i] + 0 < least + 0) least = values[i]
	return least
}
function median(list, n, values, i, j, t) {
	n = split(list, values, " ")
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && values[j - 1] + 0 > values[j] + 0; j--) { t = values[j]; values[j] = values[j - 1]; values[j - 1] = t }
	return n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
}
{ value[$1, $2, $3] = $4; rounds[$1]; names[$2]; keys[$3]; all[$2, $3] = all[$2, $3] " " $4 }
END {
	print "figure\tconfiguration\tmedian\tadded\tof nsys-graph\tlowest added\tof nsys-graph"
	for (k in keys) for (c in names) for (r in rounds)
		if ((r, c, k) in value && (r, "none", k) in value)
			added[c, k] = added[c, k] " " value[r, c, k] - value[r, "none", k]
	for (k in keys) {
		yard = (("nsys-graph", k) in added) ? median(added["nsys-graph", k]) : 0
		low = yard > 0 ? lowest(added["nsys-graph", k]) : 0
		for (c in names) if ((c, k) in all)
			printf "%s\t%s\t%.3f\t%.3f\t%s\t%.3f\t%s\n", k, c, median(all[c, k]), median(added[c, k]), (yard > 0 ? sprintf("%.2f", median(added[c, k]) / yard) : "-"), \
				lowest(added[c, k]), (low > 0 ? sprintf("%.2f", lowest(added[c, k]) / low) : "-")
	}
}' "$runs" | { IFS= read -r head; echo "$head"; sort; } | tee "$out/summary.tsv"
[ -z "$bin" ] || awk -f "$here/bench_speeds.awk" "$runs" >"$out/speeds.tsv"
