#!/bin/bash
# The table of docs/ORDERING.md of what the hardware showed: checks that it is what testdata/real/witness.tsv
# says (tools/record_testdata.sh writes that), or puts it there.
#
#   tools/witness_table.sh [--update] [WITNESS.tsv DOCUMENT]
set -euo pipefail

what=witness_table source=witness.tsv
. "$(dirname "$0")/splice_table.sh"
take_update "$@"
shift $update
if [ $# -eq 2 ]; then
	claims=$1 document=$2
else
	cd "$(dirname "$0")/.."
	claims=testdata/real/witness.tsv document=docs/ORDERING.md
fi

work=$(mktemp -d "${TEST_TMPDIR:-/tmp}/witness_table.XXXXXX")
trap 'rm -rf "$work"' EXIT

# One table for each day, driver and GPU.
tab=$(printf '\t')
{
	head -n 1 "$claims"
	tail -n +2 "$claims" | LC_ALL=C sort -s -t "$tab" -k 6,6 -k 4,5
} >"$work/claims"
# A row a witness; times (a number in both runs) stay in the file.
awk -F'\t' '
	function list(text, name) { return text == "" ? name : text ", " name }
	NR == 1 {
		if ($0 != "claim\tuntraced\ttraced\tdriver\tgpu\tdate")
			exit 1
		next
	}
	NF != 6 { exit 1 }
	$2 !~ /^(yes|no|-)$/ && $3 !~ /^(yes|no|-)$/ { next }
	{
		where = $5 ", driver " $4 ", " $6
		dot = index($1, ".")
		witness = substr($1, 1, dot - 1)
		claim = "`" substr($1, dot + 1) "`"
		if (where != last) {
			if (last != "")
				flush()
			printf "%s%s:\n\n| witness | yes | no | another answer when traced |\n|---|---|---|---|\n", last == "" ? "" : "\n", where
			last = where
			old = ""
		}
		if (witness != old && old != "")
			flush()
		old = witness
		if ($2 == "yes")
			yes = list(yes, claim)
		else if ($2 == "no")
			no = list(no, claim)
		if ($3 != $2)
			other = list(other, claim " (" $2 ", traced: " $3 ")")
	}
	function flush() {
		printf "| %s | %s | %s | %s |\n", old, yes, no, other
		yes = no = other = ""
	}
	END { if (old != "") flush() }' "$work/claims" >"$work/table" ||
	{ echo "FAIL: $claims is not a table of claims"; exit 1; }
splice "$work/table" "$document" \
	'<!-- Made by tools/witness_table.sh --update from testdata/real/witness.tsv: change that, not this. -->'
