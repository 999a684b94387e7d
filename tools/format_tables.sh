#!/bin/bash
# The byte tables of docs/FORMAT.md: checks that they are what gen_format_tables prints, or puts them there.
#
#   tools/format_tables.sh [--update]      (the test passes generator and document as arguments)
set -euo pipefail

begin='<!-- Made by tools/format_tables.sh --update from tracer/format/records.def: change that, not this. -->'
end='<!-- End of what is made. -->'

update=0
if [ "${1:-}" = --update ]; then
	update=1
	shift
fi
if [ $# -eq 2 ]; then
	generator=$1 document=$2
else
	cd "$(dirname "$0")/.."
	bazel build //tools:gen_format_tables >&2
	generator=bazel-bin/tools/gen_format_tables document=docs/FORMAT.md
fi

work=$(mktemp -d "${TEST_TMPDIR:-/tmp}/format_tables.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$generator" >"$work/tables"
[ -s "$work/tables" ] || { echo "FAIL: no tables from $generator"; exit 1; }
[ "$(grep -cxF -e "$begin" -e "$end" "$document")" = 2 ] ||
	{ echo "FAIL: $document lacks the lines around the tables"; exit 1; }
awk -v begin="$begin" -v end="$end" -v tables="$work/tables" '
	$0 == end { inside = 0 }
	!inside { print }
	$0 == begin {
		inside = 1
		print ""
		while ((getline line < tables) > 0)
			print line
		print ""
	}' "$document" >"$work/new"

if cmp -s "$work/new" "$document"; then
	echo "format_tables: ok"
elif [ $update = 1 ]; then
	cat "$work/new" >"$document"
	echo "format_tables: wrote $document"
else
	diff "$document" "$work/new" | head -20 || true
	echo "FAIL: the tables in $document are not those of records.def: run tools/format_tables.sh --update"
	exit 1
fi
