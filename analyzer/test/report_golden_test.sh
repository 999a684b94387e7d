#!/bin/sh
# The reports of traces against testdata/golden/report: what people and programs get to see.
#   NAME.txt      gstrace analyze --all
#   NAME.explain  gstrace analyze --explain 1, where there is a finding without --all
#   NAME.json     gstrace analyze --format json, of traces in text form
# With GSTRACE_GOLDEN_OUT set to a folder they are written there instead (tools/golden.sh --update).
# usage: report_golden_test.sh GSTRACE GOLDEN_FOLDER TRACE...
set -u
gstrace=$1
golden=$2
shift 2
test=report_golden_test
. analyzer/test/golden_keep.sh

for trace; do
	name=$(basename "$trace")
	name=${name%.*}
	"$gstrace" analyze --all "$trace" >"$dir/new" 2>&1 || echo "status $?" >>"$dir/new"
	keep "$name.txt"
	if "$gstrace" analyze "$trace" 2>/dev/null | grep -q '^FINDINGS'; then
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
finish trace
