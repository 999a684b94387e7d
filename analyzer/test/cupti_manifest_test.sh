#!/bin/sh
# The table beside the recordings of CUPTI says the truth: each has one row, with the checksums of it and of its
# trace, the versions, the GPU and the commit that stand in the trace, and what cupti_log_stat finds in the
# recording; and neither file tells who recorded it, or where.
# usage: cupti_manifest_test.sh GSTRACE STAT FOLDER
set -u
gstrace=$1
stat=$2
folder=$3
dir=$(mktemp -d "${TMPDIR:-/tmp}/cupti_manifest.XXXXXX")
trap 'rm -rf "$dir"' EXIT
failed=0
fails() {
	echo "cupti_manifest_test: $*" >&2
	failed=1
}
tab=$(printf '\t')
heading=$(head -n 1 "$folder/MANIFEST.tsv")
expected="recording sha256 trace_sha256 commit driver cupti gpu date library untraced traced attached calls device ids api"
[ "$(echo "$heading" | tr '\t' ' ')" = "$expected" ] || fails "MANIFEST.tsv has the columns: $heading"

# field KEY: the value of the first "KEY": value of the JSON report.
field() {
	sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$dir/json" | head -n 1
}
# says FACT VALUE: of $name
says() {
	[ "$(awk -F '\t' -v k="$1" '$1 == k { print $2 }' "$dir/stat")" = "$2" ] || fails "$name: $1 is not $2"
}
sum_of() {
	sha256sum "$1" | cut -d ' ' -f 1
}
# texts FILE: what can be read in it, one a line
texts() {
	LC_ALL=C tr -c '[:print:]' '\n' <"$1"
}

rows=0
tail -n +2 "$folder/MANIFEST.tsv" >"$dir/rows"
while IFS=$tab read -r name sum trace_sum commit driver cupti gpu date library untraced traced attached calls device ids api; do
	rows=$((rows + 1))
	recording=$folder/$name.cupti.gz
	trace=$folder/$name.gst
	[ -f "$recording" ] && [ -f "$trace" ] || {
		fails "$name has a row and no recording and trace"
		continue
	}
	[ "$(sum_of "$recording")" = "$sum" ] || fails "$name: another sha256"
	[ "$(sum_of "$trace")" = "$trace_sum" ] || fails "$name: another sha256 of the trace"
	[ "$untraced" = "$traced" ] || fails "$name: the program gave $traced, and $untraced untraced"
	case $date in 20[0-9][0-9]-[01][0-9]-[0-3][0-9]) ;; *) fails "$name: date $date" ;; esac
	file=$(basename "$library")
	case $name in *-"${file#libcupti.so.}") ;; *) fails "$name is of $file" ;; esac

	"$stat" "$recording" >"$dir/stat" || fails "$name: no statistics"
	says library "$file"
	says version "$cupti"
	says attached "$attached"
	says calls "$calls"
	says device "$device"
	says ids "$ids"
	says api "$api"

	"$gstrace" analyze --format json "$trace" >"$dir/json" || fails "$name cannot be analyzed"
	[ "$(field driver_release)" = "$driver" ] || fails "$name: driver $driver, not $(field driver_release)"
	[ "$(field cupti_version)" = "$cupti" ] || fails "$name: CUPTI $cupti, not $(field cupti_version)"
	[ "$(field writer_commit)" = "$commit" ] || fails "$name: commit $commit, not $(field writer_commit)"
	sed -n '/^  "devices": \[/,$p' "$dir/json" | grep -q "^ *\"name\": \"$gpu\"" || fails "$name: not on $gpu"

	"$gstrace" dump --text "$trace" >"$dir/text" || fails "$name cannot be dumped"
	grep -q '^trace .*options=[^ ]*private' "$dir/text" || fails "$name was not recorded with GSTRACE_PRIVATE"
	grep -qE '^process .*(host|exe|cmdline)=[1-9]' "$dir/text" && fails "$name tells host, program or command line"
	gzip -dc "$recording" >"$dir/log" || fails "$name cannot be unpacked"
	# But for the staging memory, by which the rest of a killed program's records is found.
	{
		texts "$dir/log"
		texts "$trace" | grep -v '^/dev/shm/gstrace-[0-9a-f]*\.staging$'
	} >"$dir/texts"
	grep -E '/(home|root|tmp|work|usr|opt|mnt|data|var|dev|etc|srv|proc)/|/[[:alnum:]_.-]{5,}|(HOME|USER|HOSTNAME|PATH)=' "$dir/texts" &&
		fails "$name has a path or a variable in it"
done <"$dir/rows"
for recording in "$folder"/*.cupti.gz; do
	[ "$(cut -f 1 "$dir/rows" | grep -cxF "$(basename "$recording" .cupti.gz)")" = 1 ] || fails "$recording has not one row"
done
[ "$rows" -gt 0 ] || fails "MANIFEST.tsv has no row"
# That what is looked for would be found.
printf 'x\000/home/somebody/bin\000' >"$dir/log"
texts "$dir/log" | grep -qE '/(home|root)/' || fails "a path is not found"
exit "$failed"
