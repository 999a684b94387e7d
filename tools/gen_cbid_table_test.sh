#!/bin/sh
# gen_cbid_table_test.sh SCRIPT CUDA: --check accepts the checked-in table and names a changed line.
set -eu
script=$1
cuda=$2
format=tracer/format
work=${TEST_TMPDIR:-$(mktemp -d)}/table
mkdir -p "$work"

python3 "$script" --cuda "$cuda" --check -o "$format"
cp "$format/api.def" "$format/api_order.def" "$work"
chmod u+w "$work"/*
sed -i 's/cuLaunchKernel, LAUNCH,/cuLaunchKernel, COPY,/' "$work/api.def"
if python3 "$script" --cuda "$cuda" --check -o "$work" 2>"$work/err"; then
	echo "a changed table was accepted" >&2
	exit 1
fi
grep -q 'api.def' "$work/err"
# made from another toolkit: what it has must be right, what it lacks is no fault
sed -e '1s/CUPTI [0-9]*/CUPTI 1/' -e '/cuGraphUpload/d' "$format/api.def" >"$work/api.def"
python3 "$script" --cuda "$cuda" --check -o "$work"
sed -i 's/, 307, cuLaunchKernel,/, 306, cuLaunchKernel,/' "$work/api.def"
if python3 "$script" --cuda "$cuda" --check -o "$work" 2>"$work/err"; then
	echo "a wrong number was accepted" >&2
	exit 1
fi
grep -q 'cuLaunchKernel' "$work/err"
