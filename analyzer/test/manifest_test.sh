#!/bin/sh
# The tables beside the recorded traces say the truth: each trace has one row with its checksum and with the
# versions, the GPU and the commit that stand in the trace itself; none tells who recorded it; and what the bad
# program of a pair is said to lose is what mending it gained.
# usage: manifest_test.sh GSTRACE FOLDER_OF_REAL_TRACES
set -u
gstrace=$1
real=$2
dir=$(mktemp -d "${TMPDIR:-/tmp}/manifest.XXXXXX")
trap 'rm -rf "$dir"' EXIT
failed=0
fails() {
	echo "manifest_test: $*" >&2
	failed=1
}
tab=$(printf '\t')
heading=$(head -n 1 "$real/MANIFEST.tsv")
expected="workload sha256 size commit driver cupti gpu date command exit"
[ "$(echo "$heading" | tr '\t' ' ')" = "$expected" ] || fails "MANIFEST.tsv has the columns: $heading"

# field KEY: the value of the first "KEY": value of the JSON report.
field() {
	sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$dir/json" | head -n 1
}

rows=0
tail -n +2 "$real/MANIFEST.tsv" >"$dir/rows"
while IFS=$tab read -r name sum size commit driver cupti gpu date command status; do
	rows=$((rows + 1))
	trace=$real/$name.gst
	[ -f "$trace" ] || {
		fails "$name has a row and no trace"
		continue
	}
	[ "$(sha256sum "$trace" | cut -d ' ' -f 1)" = "$sum" ] || fails "$name: another sha256"
	[ "$(wc -c <"$trace" | tr -d ' ')" = "$size" ] || fails "$name: another size"
	[ "$status" = 0 ] || fails "$name: exit status $status"
	case $date in 20[0-9][0-9]-[01][0-9]-[0-3][0-9]) ;; *) fails "$name: date $date" ;; esac
	case $command in "gstrace record "*"$name"*) ;; *) fails "$name: command $command" ;; esac
	"$gstrace" analyze --format json "$trace" >"$dir/json" || fails "$name cannot be analyzed"
	[ "$(field driver_release)" = "$driver" ] || fails "$name: driver $driver, not $(field driver_release)"
	[ "$(field cupti_version)" = "$cupti" ] || fails "$name: CUPTI $cupti, not $(field cupti_version)"
	sed -n '/^  "devices": \[/,$p' "$dir/json" | grep -q "^ *\"name\": \"$gpu\"" || fails "$name: not on $gpu"
	recorded=$(field writer_commit)
	[ -n "$recorded" ] && [ "$(echo "$commit" | cut -c 1-12)" = "$(echo "$recorded" | cut -c 1-12)" ] ||
		fails "$name: commit $commit, not $recorded"
	"$gstrace" dump --text "$trace" >"$dir/text" || fails "$name cannot be dumped"
	grep -q '^trace .*options=[^ ]*private' "$dir/text" || fails "$name was not recorded with GSTRACE_PRIVATE"
	grep -qE '^process .*(host|exe|cmdline)=[1-9]' "$dir/text" && fails "$name tells host, program or command line"
	# But for that of the staging memory, by which the rest of a killed program's records is found.
	grep '^string ' "$dir/text" | grep -v 'text="/dev/shm/gstrace-[0-9a-f]*\.staging"' |
		grep -qE 'text="(/|[^"]*(/home/|/root/|/tmp/))' && fails "$name has a path in it"
done <"$dir/rows"
for trace in "$real"/*.gst; do
	[ "$(cut -f 1 "$dir/rows" | grep -cx "$(basename "$trace" .gst)")" = 1 ] || fails "$trace has not one row"
done
[ "$rows" -gt 0 ] || fails "MANIFEST.tsv has no row"

pairs=0
tail -n +2 "$real/twins.tsv" >"$dir/twins"
while IFS=$tab read -r pair runs bad _ _ good _ _ gain; do
	trace=$real/${pair}_bad.gst
	[ -f "$trace" ] || continue
	pairs=$((pairs + 1))
	[ "$runs" -ge 10 ] || fails "$pair: $runs runs"
	awk "BEGIN { d = $bad - $good - $gain; exit !(d < 1 && d > -1) }" || fails "$pair: gain $gain is not $bad - $good"
	"$gstrace" analyze --format json "$trace" >"$dir/json"
	cost=$(field cost_ns)
	# A bound alone: it must hold.
	if [ "$cost" = null ]; then
		cost=$(field cost_high_ns)
		awk "BEGIN { exit !(${cost:-0} / 1000 >= $gain) }" ||
			fails "$pair: could save at most ${cost:-nothing} ns, mending it gained $gain us"
		continue
	fi
	case $pair in
	# Its copies get faster too, which is no part of the cost.
	pageable_copy) low=0 ;;
	*) low=0.9 ;;
	esac
	awk "BEGIN { c = ${cost:-0} / 1000; exit !(c > 0 && c >= $low * $gain && c <= 1.1 * $gain) }" ||
		fails "$pair: could save ${cost:-nothing} ns, mending it gained $gain us"
done <"$dir/twins"
[ "$pairs" -ge 4 ] || fails "$pairs pairs with a trace in twins.tsv"
exit "$failed"
