# For the tests of goldens that are scripts; they run where analyzer/test/golden_keep.sh is to be found. Wants $test,
# its name, and $golden, the folder of what is expected. With GSTRACE_GOLDEN_OUT set to a folder, files are written there instead
# (tools/golden.sh --update). Gives $dir, a folder that is removed at the end, and $failed.
out=${GSTRACE_GOLDEN_OUT:-}
dir=$(mktemp -d "${TMPDIR:-/tmp}/$test.XXXXXX")
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
		echo "$test: $1 differs; if that is meant: tools/golden.sh --update, and read the diff" >&2
		head -40 "$dir/diff" >&2
		failed=1
	fi
}

# finish WHAT: ends the test; a golden that was not kept belongs to no WHAT any more.
finish() {
	[ "$count" -gt 0 ] || failed=1
	for file in "${out:-$golden}"/*; do
		grep -qxF "$(basename "$file")" "$dir/names" || {
			echo "$test: $file belongs to no $1 any more: remove it" >&2
			failed=1
		}
	done
	[ "$failed" -eq 0 ] && echo "$test: $count ok"
	exit "$failed"
}
