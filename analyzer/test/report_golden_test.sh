#!/bin/sh
# The reports of traces against testdata/golden/report: what people and programs get to see.
#   NAME.txt      gstrace analyze --all
#   NAME.explain  gstrace analyze --explain 1, where there is a finding
#   NAME.json     gstrace analyze --format json, of traces in text form
# With GSTRACE_GOLDEN_OUT set to a folder they are written there instead (tools/golden.sh --update).
# usage: report_golden_test.sh GSTRACE GOLDEN_FOLDER TRACE...
set -u
gstrace=$1
golden=$2
shift 2
out=${GSTRACE_GOLDEN_OUT:-}
dir=$(mktemp -d "${TMPDIR:-/tmp}/report_golden.XXXXXX")
trap 'rm -rf "$dir"' EXIT
failed=0
count=0

# keep NAME: compares $dir/new with the golden, or writes it.
keep() {
	count=$((count + 1))
	echo "$1" >>"$dir/names"
	if [ -n "$out" ]; then
		cp "$dir/new" "$out/$1" || failed=1
	elif ! diff -u "$golden/$1" "$dir/new" >"$dir/diff" 2>&1; then
		echo "report_golden_test: $1 differs; if that is meant: tools/golden.sh --update, and read the diff" >&2
		head -40 "$dir/diff" >&2
		failed=1
	fi
}

for trace; do
	name=$(basename "$trace")
	name=${name%.*}
	"$gstrace" analyze --all "$trace" >"$dir/new" 2>&1 || echo "status $?" >>"$dir/new"
	keep "$name.txt"
	if grep -q '^FINDINGS' "$dir/new"; then
		"$gstrace" analyze --explain 1 "$trace" >"$dir/new" 2>&1 || echo "status $?" >>"$dir/new"
		keep "$name.explain"
	fi
	case $trace in
	*.gstext)
		# The version is not a matter of this.
		"$gstrace" analyze --format json "$trace" 2>&1 | sed 's/^\(  "gstrace_version": \).*/\1"X",/' >"$dir/new"
		keep "$name.json"
		;;
	esac
done
[ "$count" -gt 0 ] || failed=1
for file in "${out:-$golden}"/*; do
	grep -qxF "$(basename "$file")" "$dir/names" || {
		echo "report_golden_test: $file belongs to no trace any more: remove it" >&2
		failed=1
	}
done
[ "$failed" -eq 0 ] && echo "report_golden_test: $count ok"
exit "$failed"
