#!/bin/sh
# bench_speeds_test.sh BENCH_SPEEDS_AWK: runs of two speeds are told apart, and each is compared with its own kind.
set -eu
awk=$(realpath "$1")
cd "${TEST_TMPDIR:-$(mktemp -d)}"

# Two fast and two slow runs of each; a tool's cost is 1 and 10 us in the fast speed, 2 and 20 in the slow one.
for round in 1 2 3 4; do
	[ "$round" -le 2 ] && speed=1 || speed=2
	printf '%s\tnone\tlaunch_us\t%s\n%s\tnone\tgraph_us\t2\n' "$round" "$((3 * speed)).0$round" "$round"
	for tool in nsys-graph:2 gstrace:1 floor-all:1 floor-driver:1; do
		times=${tool#*:}
		printf '%s\t%s\tlaunch_us\t%s\n' "$round" "${tool%:*}" "$((3 * speed + speed * times)).0$round"
		printf '%s\t%s\tgraph_us\t%s\n' "$round" "${tool%:*}" "$((2 + 10 * speed * times)).0$round"
	done
done >runs.tsv
awk -f "$awk" runs.tsv >speeds.tsv
cat speeds.tsv

expect() {
	grep -qxF "$(printf "$1")" speeds.tsv || { echo "FAILED: no line $1"; exit 1; }
}
expect 'fast\tlaunch_us\tgstrace\t2\t4.015\t1.000\t0.50\t1.00\t1.00'
expect 'slow\tlaunch_us\tgstrace\t2\t8.035\t2.000\t0.50\t1.00\t1.00'
expect 'slow\tgraph_us\tnsys-graph\t2\t42.035\t40.035\t1.00\t2.00\t2.00'

# Too few runs to tell: nothing is claimed.
head -n 9 runs.tsv | awk -f "$awk" >few.tsv
[ "$(wc -l <few.tsv)" -eq 1 ] || { echo "FAILED: speeds told from two runs"; exit 1; }
