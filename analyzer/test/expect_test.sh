#!/bin/sh
# expect_test.sh EXPECT TESTDATA KERNELS: the EXPECT lines of every text trace, and of the source of every
# recorded trace, hold; those of a source without a recorded trace are understood at least.
set -u
expect=$1 testdata=$2 kernels=$3
status=0 seen=0

hold() {
	seen=$((seen + 1))
	"$expect" "$1" "$2" || {
		echo "FAILED: $2 against $1 (exit status $?)"
		status=1
	}
}

for trace in "$testdata"/traces/*.gstext; do
	grep -q '^# EXPECT' "$trace" && hold "$trace" "$trace"
done
[ "$seen" -gt 0 ] || {
	echo "no text trace with EXPECT lines in $testdata/traces"
	exit 1
}
for trace in "$testdata"/real/*.gst; do
	[ -e "$trace" ] || continue
	name=$(basename "$trace" .gst)
	if [ -e "$kernels/$name.cu" ]; then
		hold "$kernels/$name.cu" "$trace"
	elif [ -e "$kernels/ordering/$name.cu" ]; then
		hold "$kernels/ordering/$name.cu" "$trace"
	elif [ -e "$kernels/pytorch/$name.py" ]; then
		hold "$kernels/pytorch/$name.py" "$trace"
	elif [ -e "$kernels/apps/$name.py" ]; then
		hold "$kernels/apps/$name.py" "$trace"
	else
		echo "no source for $trace"
		status=1
	fi
done
echo "$seen traces"
any=$(find "$testdata/traces" -name '*.gstext' | LC_ALL=C sort | head -n 1)
for source in "$kernels"/*.cu "$kernels"/ordering/*.cu "$kernels"/pytorch/*.py "$kernels"/apps/*.py; do
	name=$(basename "${source%.*}")
	[ ! -e "$testdata/real/$name.gst" ] || continue
	"$expect" "$source" "$any" >/dev/null
	[ $? -le 1 ] || status=1
done
exit "$status"
