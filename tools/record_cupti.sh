#!/bin/sh
# Records what passes between libgstrace and each libcupti of a GPU machine, for replay without a GPU:
#
#   record_cupti.sh --bin DIR --lib FILE --recorder FILE --out DIR [options] [workload...]
#
#   --bin DIR        the built workloads                --lib FILE       libgstrace.so
#   --recorder FILE  libcupti_recorder.so               --out DIR        results go here
#   --stat FILE      cupti_log_stat: makes the table    --cupti FILE     this libcupti too (may be repeated)
#   --only           those of --cupti and no other
#
# Every libcupti that is found is tried: the toolkit's, those beside Nsight Compute and Systems, and --cupti. For
# each that has another version and each workload, DIR gets <workload>-<version>.gst as it was recorded, and beside it
# <workload>-<version>.cupti.gz, which replays it; attach.tsv has a row for each: what the program's exit status was
# (beside that without a tool), whether the subscription was taken, callbacks and device records came and their correlation
# ids match; <workload>-<version>.stat has the details. Where no callback of a call came, the program runs once more with the
# DRIVER and RUNTIME kinds of records (<workload>-<version>-api), to see whether those tell of calls. Exit: 0 something was recorded, 1 nothing, 2 usage, 77 no GPU.
set -u

here=$(cd "$(dirname "$0")" && pwd)
bin='' lib='' recorder='' out='' stat='' more='' only=0
limit=60 # seconds for a run

die() {
	echo "record_cupti: $*" >&2
	exit 2
}
absolute() {
	[ -e "$1" ] || die "$1 does not exist"
	(cd "$(dirname "$1")" && printf '%s/%s\n' "$(pwd)" "$(basename "$1")")
}
while [ $# -gt 0 ]; do
	case $1 in
	--only) only=1; shift; continue ;;
	-h | --help) sed -n '2,/^set -u/p' "$0" | sed '$d; s/^# \{0,1\}//'; exit 0 ;;
	--*) [ $# -ge 2 ] || die "$1 needs a value" ;;
	*) break ;;
	esac
	case $1 in
	--bin) bin=$(absolute "$2") || exit 2 ;;
	--lib) lib=$(absolute "$2") || exit 2 ;;
	--recorder) recorder=$(absolute "$2") || exit 2 ;;
	--stat) stat=$(absolute "$2") || exit 2 ;;
	--cupti) more="$more $(absolute "$2")" || exit 2 ;;
	--out) mkdir -p "$2" && out=$(absolute "$2") || exit 2 ;;
	*) die "unknown option $1 (--help lists them)" ;;
	esac
	shift 2
done
{ [ -n "$bin" ] && [ -n "$lib" ] && [ -n "$recorder" ] && [ -n "$out" ]; } ||
	die "--bin, --lib, --recorder and --out are needed (--help)"
# Few records each, and together every kind of call: recordings are kept small.
[ $# -gt 0 ] || set -- default_stream_bad cross_stream_events events_rerecord graph_launch pool_reuse priorities pageable_copy_bad \
	per_thread_default host_func stream_destroy driver_api copy_batch nodes_build

# What this machine says of the statistics program's libraries (zlib) decides whether ours are needed.
run_stat() {
	"$stat" "$@" 2>/dev/null || LD_LIBRARY_PATH="$here/lib" "$stat" "$@"
}

work=$(mktemp -d "${TMPDIR:-/tmp}/cupti.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
cd "$work" || exit 2
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH GSTRACE_SESSION GSTRACE_OUTPUT

# The version by the name, which has it for all that are about: 13.0, 12.9, 11.8, 2025.3.1 ...
version_of() {
	basename "$1" | sed 's/^libcupti\.so\.//'
}

# Each library once, whatever links there are to it; the newest name first.
: >seen
[ "$only" -eq 1 ] || more="$more /usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.[0-9]* /usr/local/cuda*/targets/*/lib/libcupti.so.[0-9]*
	/opt/nvidia/nsight-compute/*/host/*/libcupti.so.[0-9]* /opt/nvidia/nsight-systems/*/*/libcupti.so.[0-9]*
	/usr/local/cuda*/nsight-compute*/host/*/libcupti.so.[0-9]* /usr/local/cuda*/nsight-systems*/*/libcupti.so.[0-9]*"
for file in $more; do
	[ -f "$file" ] || continue
	sum=$(sha256sum "$file" | cut -d ' ' -f 1)
	grep -q "^$sum" seen && continue
	version=$(version_of "$(readlink -f "$file")")
	# Two builds of one version.
	while cut -d ' ' -f 2 seen | grep -qxF "$version"; do
		version=${version}b
	done
	echo "$sum $version $(readlink -f "$file")" >>seen
done
[ -s seen ] || die "no libcupti found: name one with --cupti"

status_of() { # COMMAND...: its exit status into $status
	timeout -k 5 "$limit" "$@" >stdout 2>stderr
	status=$?
}

printf 'cupti\tworkload\tuntraced\ttraced\ttrace\tattached\tcalls\tdevice\tids\tapi\tversion\tlibrary\n' >"$out/attach.tsv"
recorded=0

# record WORKLOAD VERSION FILE SUFFIX KINDS: one run, one row; $calls says whether callbacks came, - if it is not known
record() {
	name=$1-$2$4
	rm -f "./$name.gst" log
	case $1 in
	nodes_*) graphs=nodes ;;
	*) graphs=launches ;;
	esac
	status_of env CUDA_INJECTION64_PATH="$lib" GSTRACE_CUPTI="$recorder" GSTRACE_RECORDER_CUPTI="$3" GSTRACE_RECORDER_KINDS="$5" \
		GSTRACE_RECORDER_LOG="$work/log" GSTRACE_PRIVATE=1 GSTRACE_GRAPHS="$graphs" GSTRACE_OUTPUT="./$name.gst" "./$1"
	cp stderr "$out/$name.err"
	[ -s "$out/$name.err" ] || rm -f "$out/$name.err"
	trace=none
	if [ -s "./$name.gst" ]; then
		trace=$(wc -c <"./$name.gst" | tr -d ' ')
		cp "./$name.gst" "$out/"
	fi
	facts="-	-	-	-	-	-"
	calls=-
	if [ -s log ]; then
		gzip -9 -c log >"$out/$name.cupti.gz"
		recorded=$((recorded + 1))
		if [ -n "$stat" ]; then
			run_stat log >"$out/$name.stat"
			facts=$(awk -F '\t' '{ f[$1] = $2 }
				END { print f["attached"] "\t" f["calls"] "\t" f["device"] "\t" f["ids"] "\t" f["api"] "\t" f["version"] }' "$out/$name.stat")
			# Of one that was refused nothing is to be expected.
			[ "$(printf '%s' "$facts" | cut -f 1)" != yes ] || calls=$(printf '%s' "$facts" | cut -f 2)
		fi
	fi
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$2$4" "$1" "$untraced" "$status" "$trace" "$facts" "$3" >>"$out/attach.tsv"
}

for workload in "$@"; do
	[ -x "$bin/$workload" ] || { echo "record_cupti: no workload $workload" >&2; continue; }
	cp "$bin/$workload" .
	status_of "./$workload"
	untraced=$status
	[ "$untraced" -ne 77 ] || { echo "record_cupti: no usable GPU: $(tail -n 1 stderr)" >&2; exit 77; }
	while read -r _ version file; do
		record "$workload" "$version" "$file" '' ''
		[ "$calls" != none ] || record "$workload" "$version" "$file" -api 4,5
	done <seen
	rm -f "./$workload"
done
cat "$out/attach.tsv"
[ "$recorded" -gt 0 ]
