#!/bin/sh
# What the analyzer says of traces from programs that hung, died, lost their output or had a wrong clock.
# usage: cli_survive_test.sh GSTRACE LIBGSTRACE FAKE_CUPTI FAKE_APP [FAULT_SHIM]
set -u
gstrace=$(readlink -f "$1")
GSTRACE_CUPTI=$(readlink -f "$3")
library=$(readlink -f "$2")
FAKE_CUPTI=$GSTRACE_CUPTI
app=$(readlink -f "$4")
# Without it under a sanitizer.
shim=${5:+$(readlink -f "$5")}
dir=$(mktemp -d "${TMPDIR:-/tmp}/cli_survive.XXXXXX")
GSTRACE_STAGING_DIR=$(mktemp -d /dev/shm/gst-survive.XXXXXX 2>/dev/null) || GSTRACE_STAGING_DIR=$dir
trap 'rm -rf "$dir" "$GSTRACE_STAGING_DIR"' EXIT
cd "$dir" || exit 1
unset GSTRACE_SESSION GSTRACE_LIB GSTRACE_PRIVATE LD_PRELOAD
export FAKE_CUPTI GSTRACE_CUPTI GSTRACE_STAGING_DIR
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0:handle_segv=0:handle_abort=0"
export TSAN_OPTIONS="${TSAN_OPTIONS:+$TSAN_OPTIONS:}handle_segv=0:handle_abort=0"
failed=0
fails() {
	echo "cli_survive_test: $*" >&2
	[ ! -s report ] || sed 's/^/  report: /' report | head -40 >&2
	failed=1
}
# record TRACE SCRIPT: with what is in the environment.
record() {
	GSTRACE_OUTPUT=$1 CUDA_INJECTION64_PATH=$library "$app" -c "$2" >out 2>err
}
# analyze TRACE: report, on one line with single blanks, so that line breaks do not matter.
analyze() {
	"$gstrace" analyze "$@" >lines 2>err || fails "analyze $* gives status $?: $(cat err)"
	tr -s ' \n' '  ' <lines >report
}
says() { grep -q -- "$1" report || fails "the report does not say: $1"; }

# A program that hangs, and is killed: who waits for what, by which rule, and what that is behind.
(
	export GSTRACE_OUTPUT=hung.gst CUDA_INJECTION64_PATH="$library"
	exec "$app" -c 'stream a; stream b; event e; launch a stuck 1000s; record e a; launch b other 1us; wait b e;
		launch b after 1us; thread { sync e }; thread { sync b }; thread { memcpy h2d pageable 4KiB }; devsync'
) >out 2>err &
pid=$!
n=0
while [ $n -lt 200 ]; do
	n=$((n + 1))
	sleep 0.1
	# all four calls are under way
	[ -s hung.gst ] && "$gstrace" analyze hung.gst 2>/dev/null | grep -q '4 calls never returned' && break
done
kill -9 $pid
wait $pid 2>/dev/null
analyze hung.gst
says 'INCOMPLETE'
says '4 calls never returned'
says 'cudaDeviceSynchronize, thread [0-9]*, entered at [0-9.]* [mu]*s, .* before the trace ends waits for '
says 'cudaEventSynchronize, thread [0-9]*, .* waits for event record in stream 13: [a-z ]* (H1, synchronize call) behind stuck in stream 13: [a-z ]* (S1)'
says 'cudaStreamSynchronize, thread [0-9]*, .* waits for after in stream 14: not seen to run (H1, synchronize call) behind stuck in stream 13: [a-z ]* (S1, E1)'
says 'cudaMemcpy, thread [0-9]*, .* (H4, synchronous copy) behind stuck in stream 13'

# Each way to die: the trace is read, and says that it is not whole and which call was under way.
for end in abort '_exit 3' segv 'exec /bin/true' kill; do
	rm -f died.gst*
	record died.gst "stream s; launch s k 1us; devsync; inside $end; sync s"
	analyze died.gst
	says 'INCOMPLETE'
	says 'CALLS THAT NEVER RETURNED cudaStreamSynchronize'
done

# The output is cut to nothing by somebody, or removed, while the program runs.
rm -f "$GSTRACE_STAGING_DIR"/gstrace-*.staging
running='repeat 150 { launch 0 k 1us; sleep 5ms }; print done; exit 9'
export GSTRACE_WRITE_MS=5 GSTRACE_FLUSH_MS=20
# wait_for TRACE: until calls are in it.
wait_for() {
	n=0
	while [ $n -lt 200 ] && ! [ "$(wc -c 2>/dev/null <"$1")" -gt 3000 ] 2>/dev/null; do
		n=$((n + 1))
		sleep 0.05
	done
}
record cut.gst "$running" &
wait_for cut.gst
: >cut.gst
wait $!
[ $? -eq 9 ] && [ "$(cat out)" = "done" ] || fails "a program whose trace was cut ends otherwise"
if "$gstrace" analyze cut.gst >report 2>err; then
	says 'INCOMPLETE'
else
	[ -s err ] || fails "a cut trace is refused without a word"
fi
mkdir folder
record folder/gone.gst "$running" &
wait_for folder/gone.gst
rm -rf folder
wait $!
[ $? -eq 9 ] && [ "$(cat out)" = "done" ] || fails "a program whose trace was removed ends otherwise"
[ ! -s err ] || fails "it says: $(cat err)"
[ ! -e folder ] || fails "a folder that was removed is there again"
find "$GSTRACE_STAGING_DIR" -name 'gstrace-*.staging' | grep -q . &&
	fails "staging files are left by programs that ended in order"

# A CUPTI that does not come back: since when, and for how long it was waited for.
# Threads that hang are there at the end: no leak to TSan, which would change the status.
export TSAN_OPTIONS="${TSAN_OPTIONS:+$TSAN_OPTIONS:}report_thread_leaks=0"
for hang in hang-flush hang-enable; do
	GSTRACE_HANG_MS=50 GSTRACE_FLUSH_MS=20 GSTRACE_EXIT_MS=300 record hangs.gst "stream s; event e; record e s; launch s k 1us; \
		fault $hang; thread { record e s }; sleep 300ms; exit 7"
	[ $? -eq 7 ] || fails "$hang: another status"
	analyze hangs.gst
	says 'lost: an unknown number of records, from [0-9.]* [mu]*s on: '
	says "CUPTI does not return .* ([0-9]* milliseconds waited)\\|flush of CUPTI does not return: .* ([0-9]* milliseconds waited)"
	rm -f hangs.gst
done

# A clock that steps or is slewed: each kernel ran after its launch began and before the wait for it ended.
if [ -n "$shim" ]; then
	for clock in step:150:-2000 step:150:2000 slew:500 slew:-500; do
		rm -f clock.gst
		FAULT_CLOCK=$clock LD_PRELOAD=$shim record clock.gst \
			'stream a; repeat 40 { launch a k 200us; devsync; sleep 5ms }' || fails "$clock: status $?"
		"$gstrace" dump --model clock.gst >model 2>err || fails "$clock: no model"
		awk -v clock="$clock" '
			function value(name, i) {
				for (i = 2; i <= NF; i++) if (index($i, name "=") == 1) return substr($i, length(name) + 2)
				return ""
			}
			$1 == "call" && $4 == "cuLaunchKernel" { enter[$2] = value("enter") + 0 }
			$1 == "call" && $4 ~ /^cudaDeviceSynchronize/ { left[$2] = value("exit") + 0 }
			$1 == "op" && value("begin") != "" {
				call = value("call") + 0; kernels++
				# around a step times are uncertain by the time between two anchors, and the report says so
				slack = clock ~ /^step/ ? 1e8 : 1e6
				if (value("begin") + slack < enter[call] || value("end") + 0 > left[call + 1] + slack) {
					print clock ": a kernel of call " call " ran from " value("begin") " to " value("end") ", the call began at " enter[call] " and the wait ended at " left[call + 1]
					bad++
				}
			}
			END { if (kernels < 38 || bad) { print clock ": " kernels + 0 " kernels, " bad + 0 " at impossible times"; exit 1 } }
		' model >&2 || fails "$clock: the clock is not made up for"
		case $clock in
		step*)
			analyze clock.gst
			says 'step of the wall clock: times around it are uncertain'
			;;
		esac
	done
fi

[ "$failed" -eq 0 ] && echo "cli_survive_test: ok"
exit "$failed"
