#!/bin/bash
# Whether recording stays as large as it is: memory, staging, file and our threads' time, sampled while a program runs.
#
#   tools/bench_flat.sh --lib libgstrace.so [--seconds N] [--rate OPS] [--every S] [--out FILE] [--keep] -- PROGRAM...
#   tools/bench_flat.sh --fake DIR [--seconds N] [--rate OPS] [--every S] [--out FILE] [--keep]
#
# In PROGRAM, {seconds} and {rate} stand for the two numbers: on a GPU it is kernels/bench/bench_rate. --fake makes launches
# of the stand-in for CUDA instead; DIR has libgstrace.so, fake_app and libfake_cupti.so (bazel-bin/tracer is searched too).
# FILE gets the samples: seconds, KiB of VmRSS, of staging and of the trace, ms of processor time of the writer and of the
# flusher. Printed is what they come to, the slopes over the second half of the run. Not a test: the numbers belong into
# docs/PERFORMANCE.md, with machine and date. The trace goes to the working folder and is removed unless --keep is given.
set -u
lib='' fake='' seconds=60 rate=100000 every=1 out='' keep=''
while [ $# -gt 0 ]; do
	case $1 in
	--lib) lib=$(realpath "$2") && shift ;;
	--fake) fake=$(realpath "$2") && shift ;;
	--seconds) seconds=$2 && shift ;;
	--rate) rate=$2 && shift ;;
	--every) every=$2 && shift ;;
	--out) out=$2 && shift ;;
	--keep) keep=1 ;;
	--)
		shift
		break
		;;
	*) set -- && break ;;
	esac
	shift
done
if [ -n "$fake" ]; then
	[ -f "$fake/fake_cupti/fake_app" ] && parts=$fake/fake_cupti || parts=$fake
	lib=$fake/libgstrace.so
	export FAKE_CUPTI=$parts/libfake_cupti.so GSTRACE_CUPTI=$parts/libfake_cupti.so
	# Beats of a millisecond.
	set -- "$parts/fake_app" -c "stream s; repeat $((seconds * 1000)) { pace 1ms; repeat $((rate / 1000)) { launch s k 0 } }; devsync"
fi
if [ -z "$lib" ] || [ ! -f "$lib" ] || [ $# -eq 0 ]; then
	sed -n '2,14s/^# \{0,1\}//p' "$0" >&2
	exit 2
fi
program=()
for word in "$@"; do
	word=${word//\{seconds\}/$seconds}
	program+=("${word//\{rate\}/$rate}")
done
staging=$(mktemp -d /dev/shm/gstrace-flat.XXXXXX) || exit 2
[ -n "$out" ] || out=$staging/samples
trace=$PWD/bench_flat.$$.gst
trap 'rm -rf "$staging"; [ -n "$keep" ] || rm -f "$trace"' EXIT

# Milliseconds of processor time of the thread of process $1 that is called $2.
tick_ms=$((1000 / $(getconf CLK_TCK)))
thread_ms() {
	local task comm stat
	for task in /proc/"$1"/task/*; do
		read -r comm 2>/dev/null <"$task/comm" || continue
		[ "$comm" = "$2" ] || continue
		read -r stat 2>/dev/null <"$task/stat" || continue
		# shellcheck disable=SC2086
		set -- ${stat##*) }
		echo $(((${12} + ${13}) * tick_ms))
		return
	done
	echo 0
}
kib() { stat -c '%s' "$@" 2>/dev/null | awk '{ n += $1 } END { print int(n / 1024) }'; }

CUDA_INJECTION64_PATH=$lib GSTRACE_OUTPUT=$trace GSTRACE_STAGING_DIR=$staging "${program[@]}" &
pid=$!
begin=$(date +%s%N)
: >"$out"
while sleep "$every" && rss=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [ -n "$rss" ]; do
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$((($(date +%s%N) - begin) / 1000000))" "$rss" \
		"$(du -sk "$staging"/*.staging 2>/dev/null | awk '{ n += $1 } END { print n + 0 }')" "$(kib "$trace")" \
		"$(thread_ms "$pid" gstrace-writer)" "$(thread_ms "$pid" gstrace-flush)" >>"$out"
done
wait "$pid"
status=$?
[ "$status" -eq 0 ] || echo "bench_flat: the program's status was $status" >&2
took=$((($(date +%s%N) - begin) / 1000000))
awk -F'\t' -v took="$took" -v rate="$rate" -v seconds="$seconds" '
{
	t[NR] = $1 / 1000
	for (i = 2; i <= 6; i++) {
		v[i, NR] = $i
		if ($i > max[i]) max[i] = $i
	}
}
# Least squares over the second half.
function slope(i,   n, x, y, xy, xx, k) {
	for (k = int(NR / 2) + 1; k <= NR; k++) {
		n++; x += t[k]; y += v[i, k]; xy += t[k] * v[i, k]; xx += t[k] * t[k]
	}
	return n > 1 && n * xx > x * x ? (n * xy - x * y) / (n * xx - x * x) : 0
}
END {
	if (NR < 4) { print "bench_flat: too short a run"; exit 1 }
	printf "asked for %d operations/s for %d s; it took %.1f s, so %d operations/s\n", rate, seconds, took / 1000, rate * seconds * 1000 / took
	printf "memory (VmRSS)    %d KiB at most, %d KiB after a tenth of the run, slope %+.1f KiB/s\n", max[2], v[2, int(NR / 10) + 1], slope(2)
	printf "staging           %d KiB at most, slope %+.1f KiB/s\n", max[3], slope(3)
	printf "file              %.1f MiB, %.2f MiB/s\n", max[4] / 1024, slope(4) / 1024
	printf "writer thread     %.2f %% of a core (slope), %d ms in all\n", slope(5) / 10, max[5]
	printf "flusher thread    %.2f %% of a core (slope), %d ms in all\n", slope(6) / 10, max[6]
}' "$out" || status=1
ls -l "$trace" | awk '{ printf "trace at the end  %.1f MiB\n", $5 / 1048576 }'
exit "$status"
