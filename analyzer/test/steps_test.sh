#!/bin/bash
# What a record costs does not grow with the trace: steps are counted (count_steps.c), no clock is read.
set -euo pipefail
gen_trace=$1 count_steps=$2
work=$(mktemp -d "${TEST_TMPDIR:-/tmp}/steps.XXXXXX")
trap 'rm -rf "$work"' EXIT

# shape, operations, times as many, streams a thousand operations (0 = 32, whatever the size)
shapes=0
while read -r shape ops times streams; do
	for n in "$ops" $((ops * times)); do
		"$gen_trace" --shape "$shape" --ops "$n" --threads 4 \
			--streams $((streams ? n * streams / 1000 : 32)) -o "$work/x.gst"
		"$count_steps" "$work/x.gst"
	done >"$work/counts"
	# A sort looks at more bytes of larger times, and checks replay more findings: some per cent, not times.
	awk -v shape="$shape" '
		NR == 1 { split($0, small) }
		NR == 2 {
			split("load and model,order,timing,check", stage, ",")
			split("1.1 1.2 1.3 1.6", most, " ")
			for (i = 1; i <= 4; i++) {
				a = small[i + 1] / small[1]
				b = $(i + 1) / $1
				if (a <= 0.1 && b <= 0.1 || b > a * most[i] + 5) {
					printf "FAIL: %s: %s takes %.1f steps a record of %d records, %.1f of %d\n",
						shape, stage[i], a, small[1], b, $1
					failed = 1
				}
			}
		}
		END { exit failed || NR != 2 }' "$work/counts" || {
		cat "$work/counts"
		exit 1
	}
	shapes=$((shapes + 1))
done <<EOF
mix 4000 8 0
independent 8000 8 0
legacy 8000 8 25
mesh 8000 8 10
single 8000 8 0
graphs 32000 4 0
short-streams 8000 8 0
EOF
[ "$shapes" = 7 ] || { echo "FAIL: $shapes shapes"; exit 1; }
echo "steps_test: ok"
