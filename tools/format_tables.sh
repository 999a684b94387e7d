#!/bin/bash
# The byte tables of docs/FORMAT.md: checks that they are what gen_format_tables prints, or puts them there.
#
#   tools/format_tables.sh [--update]      (the test passes generator and document as arguments)
set -euo pipefail

what=format_tables source=records.def
. "$(dirname "$0")/splice_table.sh"
take_update "$@"
shift $update
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
splice "$work/tables" "$document" \
	'<!-- Made by tools/format_tables.sh --update from tracer/format/records.def: change that, not this. -->'
