#!/bin/bash
# gen_trace: equal arguments give equal bytes; what comes out is complete and has what was asked for.
set -euo pipefail
gen=$1 load=$2 gstrace=$3
work=$(mktemp -d "${TEST_TMPDIR:-/tmp}/gen.XXXXXX")
trap 'rm -rf "$work"' EXIT

fail() {
	echo "FAIL: $1"
	exit 1
}

"$gen" --ops 5000 --streams 5 --threads 3 --seed 7 -o "$work/a.gst"
"$gen" --ops 5000 --streams 5 --threads 3 --seed 7 -o "$work/b.gst"
cmp "$work/a.gst" "$work/b.gst" || fail "same arguments, other bytes"
"$gen" --ops 5000 --streams 5 --threads 3 --seed 8 -o "$work/b.gst"
cmp -s "$work/a.gst" "$work/b.gst" && fail "another seed, the same bytes"

out=$("$load" "$work/a.gst")
case $out in
*" complete=1 "*) ;;
*) fail "not complete: $out" ;;
esac
records=$(sed -E 's/.*records=([0-9]+).*/\1/' <<<"$out")
# A call, its exit and a device record each; definitions and the creation of objects besides.
[ "$records" -ge 15000 ] && [ "$records" -le 16000 ] || fail "$records records of 5000 ops"

# The work in the legacy default stream is found, by rules that its times do not contradict.
"$gstrace" analyze --only default-stream-serialization --fail-on medium "$work/a.gst" >"$work/report" && fail "nothing found"
grep -q 'could be saved' "$work/report" || fail "no cost: $(cat "$work/report")"
"$gstrace" verify "$work/a.gst" >"$work/report" || fail "rules and times disagree: $(cat "$work/report")"

"$gen" --ops 0 --streams 1 --threads 1 -o "$work/c.gst"
"$load" "$work/c.gst" | grep -q " complete=1 " || fail "a trace without ops is not complete"
"$gen" --ops 1000 --streams 2 --threads 20 -o - >"$work/d.gst"
"$load" "$work/d.gst" | grep -q " complete=1 " || fail "more threads than streams"
# Every shape: complete, as many records as its ops say, and by the rules.
shapes=0
while read -r shape ops least most; do
	"$gen" --shape "$shape" --ops "$ops" --streams 20 --threads 3 -o "$work/s.gst"
	out=$("$load" "$work/s.gst")
	records=$(sed -E 's/.*records=([0-9]+).*/\1/' <<<"$out")
	[[ $out == *" complete=1 "* && $records -ge $least && $records -le $most ]] || fail "$shape: $out"
	"$gstrace" verify "$work/s.gst" >"$work/report" || fail "$shape: $(cat "$work/report")"
	shapes=$((shapes + 1))
done <<EOF
independent 4000 11000 11400
legacy 4000 11200 11600
mesh 3000 9000 9700
single 4000 11000 11400
graphs 4000 8400 8900
short-streams 4000 11000 11400
EOF
[ "$shapes" = 6 ] || fail "$shapes shapes"
if "$gen" --shape x -o "$work/e.gst" 2>/dev/null; then
	fail "took --shape x"
fi
if "$gen" --ops x -o "$work/e.gst" 2>/dev/null; then
	fail "took --ops x"
fi
[ ! -e "$work/e.gst" ] || fail "left a file behind"
echo "gen_trace_test: ok"
