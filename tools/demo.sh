#!/bin/sh
# From nothing to a finding: installs what is missing, builds, explains a recorded trace and
# writes the report and a Perfetto file. Where there is a GPU and a CUDA toolkit it first records
# a program here and explains that instead.
#
# usage: demo.sh [--yes] [--no-install] [--output DIR]     (default: ./gstrace-demo)
set -eu
caller=$PWD
cd "$(dirname "$0")/.."

yes=
install=1
out=gstrace-demo
while [ $# -gt 0 ]; do
	case $1 in
	--yes) yes=--yes ;;
	--no-install) install=0 ;;
	--output)
		[ $# -ge 2 ] || {
			echo "demo.sh: --output needs a folder" >&2
			exit 2
		}
		out=$2
		shift
		;;
	*)
		echo "usage: demo.sh [--yes] [--no-install] [--output DIR]" >&2
		exit 2
		;;
	esac
	shift
done
case $out in /*) ;; *) out=$caller/$out ;; esac

if [ "$install" -eq 1 ]; then
	# shellcheck source=tools/install_deps.sh
	. tools/install_deps.sh
	install_deps build "$yes"
fi

echo "== build"
bazel build -c opt --noshow_progress --color=no //analyzer/cli:gstrace //tracer:libgstrace.so
bin=$(bazel info -c opt bazel-bin 2>/dev/null)
gstrace=$bin/analyzer/cli/gstrace
library=$bin/tracer/libgstrace.so
mkdir -p "$out"

trace=testdata/real/default_stream_bad.gst
what="a trace recorded on another machine ($trace)"

have_gpu=0
if [ -e /dev/nvidia0 ] || nvidia-smi -L >/dev/null 2>&1; then
	have_gpu=1
fi
if [ "$have_gpu" -eq 0 ]; then
	echo "== no GPU here: explaining $what"
elif ! bazel build -c opt --noshow_progress --color=no //kernels:default_stream_bad; then
	echo "== a GPU, but no CUDA toolkit to build kernels/ with: explaining $what"
else
	echo "== record kernels/default_stream_bad.cu on this machine's GPU"
	rm -f "$out/live.gst"
	if "$gstrace" record --lib "$library" -o "$out/live.gst" -- "$bin/kernels/default_stream_bad" &&
		[ -s "$out/live.gst" ]; then
		trace=$out/live.gst
		what="the program recorded just now ($trace)"
	else
		echo "demo.sh: recording did not work here (try: $gstrace doctor); explaining $what" >&2
	fi
fi

echo "== analyze $what"
"$gstrace" analyze "$trace" -o "$out/report.txt"
"$gstrace" export --perfetto "$trace" -o "$out/trace.pftrace"
bazel shutdown
cat "$out/report.txt"
cat <<END

== written
$out/report.txt       the report above
$out/trace.pftrace    the same as a timeline: open https://ui.perfetto.dev in a browser, choose
                      "Open trace file" and give it this file (it stays on your machine)
The program: bazel-bin/analyzer/cli/gstrace --help
END
