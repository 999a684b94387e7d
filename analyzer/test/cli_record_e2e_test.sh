#!/bin/sh
# gstrace record with the real libgstrace.so and a fake CUDA: what is listed, kill -9, child processes,
# why nothing came.
# usage: cli_record_e2e_test.sh GSTRACE LIBGSTRACE FAKE_CUPTI FAKE_APP
set -u
gstrace=$(readlink -f "$1")
library=$(readlink -f "$2")
FAKE_CUPTI=$(readlink -f "$3")
app=$(readlink -f "$4")
export FAKE_CUPTI
# The fake gives strings away that nobody frees: leaks of programs under test are not the matter here.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
dir=$(mktemp -d "${TMPDIR:-/tmp}/cli_e2e.XXXXXX")
# A folder of our own: other tests leave theirs in /dev/shm.
staging=$(mktemp -d /dev/shm/gst-cli-e2e.XXXXXX 2>/dev/null) || staging=$dir
trap 'rm -rf "$dir" "$staging"' EXIT
cd "$dir" || exit 1
unset CUDA_INJECTION64_PATH GSTRACE_OUTPUT GSTRACE_SESSION GSTRACE_LIB GSTRACE_PRIVATE
failed=0
fails() {
	echo "cli_record_e2e_test: $*" >&2
	sed 's/^/  err: /' err >&2
	failed=1
}
says() { grep -q -- "$1" err || fails "stderr says nothing of: $1"; }
# expect STATUS ARGUMENTS: record with them.
expect() {
	want=$1
	shift
	"$gstrace" record --lib "$library" --cupti="$FAKE_CUPTI" --staging-dir="$staging" "$@" >out 2>err
	got=$?
	[ "$got" -eq "$want" ] || fails "status $got, not $want: $*"
}
left() { find "$staging" -name 'gstrace-*.staging' | wc -l; }

# The library's own table: the same names, defaults and values to choose from as record's.
GSTRACE_HELP=1 GSTRACE_OUTPUT=help.gst GSTRACE_CUPTI=$FAKE_CUPTI CUDA_INJECTION64_PATH=$library "$app" -c 'stream s' >out 2>err
grep -c '^gstrace:     *GSTRACE_' err | grep -qx 19 || fails "GSTRACE_HELP=1 does not print 19 settings"
"$gstrace" record --help >help
sed -n 's/^gstrace:  *\(GSTRACE_[A-Z_]*\) (\([^)]*\)).*/\1 \2/p' err >table
while read -r name default; do
	case $name in GSTRACE_SESSION | GSTRACE_DISABLE | GSTRACE_HELP) continue ;; esac
	option=$(printf '%s' "${name#GSTRACE_}" | tr 'A-Z_' 'a-z-')
	# From its line to the next option's; the first choice is the default.
	text=$(awk -v "o=--$option" '/^ +(-., )?--/ { on = index($0 " ", o "=") || index($0 " ", o " ") } /^[A-Z]/ { on = 0 } on' help | tr '\n' ' ')
	case $text in
	'') fails "record --help has no --$option" ;;
	*"(default: $default)"* | *"--$option=$default|"* | *", $default|"*) ;;
	*default:*gstrace-* | *"--$option "*) ;; # a name with its parts; a switch
	*"--$option="*"(default: "*) fails "--$option: another default than $default: $text" ;;
	*) [ -z "$default" ] || [ "$default" = 0 ] || case $text in *"|$default"*) ;; *) fails "--$option does not tell its default $default: $text" ;; esac ;;
	esac
done <table

expect 0 -o a.gst -- "$app" -c 'stream s; launch s k 1ms; sync s; print done'
[ "$(cat out)" = "done" ] || fails "stdout is the program's"
says '^gstrace: 1 trace$'
says '  a.gst  (pid [0-9]*: [0-9,]* records, [0-9.]* KiB)$'
says '^next: gstrace analyze a.gst$'

# Nothing is overwritten.
expect 0 -o a.gst -- "$app" -c 'launch 0 k 1ms'
says '  a.gst.1  '

# Two processes, two traces; their numbers differ.
expect 9 -o 'p-%p.gst' -- sh -c "\"$app\" -c 'launch 0 a 1ms'; \"$app\" -c 'launch 0 b 1ms'; exit 9"
says '^gstrace: 2 traces$'

# Killed inside a call: what the calls committed is saved, and nothing stays in /dev/shm.
expect 137 -o killed.gst -- "$app" -c 'stream s; launch s k 5ms; launch s k2 50ms; inside kill; sync s'
says 'ended by signal 9'
says 'killed.gst  (pid [0-9]*: .* of them saved after the program was killed, incomplete)$'
[ "$(left)" -eq 0 ] || fails "$(left) staging files are left"
if "$gstrace" dump --help >/dev/null 2>&1; then
	"$gstrace" dump --text killed.gst >text 2>err || fails "the trace is read"
	grep -q '^call_stream .*api=cu[a-z]*StreamSynchronize' text || fails "the call that never returned is in the trace"
fi

# A name with a newline and a backslash is one name.
odd=$(printf 'odd\nname\\n.gst')
expect 0 -o "$odd" -- "$app" -c 'launch 0 k 1ms'
[ -f "$odd" ] || fails "the trace has the name that was asked for"
says '^gstrace: 1 trace$'
says '  odd.*name.*gst  (pid [0-9]*: [0-9,]* records, [0-9.]* KiB)$'

# A recording inside a recording: both say what was recorded.
expect 0 -o outer.gst -- "$gstrace" record --lib "$library" --cupti="$FAKE_CUPTI" -o inner.gst -- "$app" -c 'launch 0 k 1ms'
[ "$(grep -c '^gstrace: 1 trace$' err)" -eq 2 ] || fails "both list it"
[ "$(grep -c '  inner.gst  (pid' err)" -eq 2 ] || fails "both name it"
[ ! -e outer.gst ] || fails "there is no second trace"

# Calls alone: nothing in the report reads as a time of the device.
expect 0 --mode=order -o order.gst -- "$app" -c 'stream s; launch s k 1ms; launch 0 m 1ms; memcpy d2h pageable 1MiB; devsync'
"$gstrace" analyze --all order.gst >out 2>err || fails "it is analyzed"
grep -q ' on the host: 3 operations submitted, when they ran is not recorded, ' out || fails "the report says that there are no device times: $(cat out)"
grep -q 'stream 13 .* 1    not known        -$' out || fails "a stream's busy time is not known: $(cat out)"
grep -Eq 'first kernel|operations on devices| 0 ns|0\.0 %' out && fails "something reads as a device time: $(cat out)"
"$gstrace" analyze --format=json order.gst | grep -q '"busy_ns": 0' && fails "JSON gives a busy time"

# NVTX: ranges of the program name what is found; without it the trace says so.
expect 0 -o nvtx.gst -- "$app" -c 'stream s; nvtx name-stream compute s; nvtx push step; nvtx push forward; launch s gemm 400ms; nvtx pop
	nvtx start io r; sync s; nvtx end r; nvtx pop; nvtx mark over'
"$gstrace" analyze nvtx.gst >out 2>err
grep -q '^NVTX       3 ranges, 1 mark, 1 name' out || fails "the report counts NVTX: $(cat out)"
"$gstrace" critical --all nvtx.gst >out 2>err
grep -q 'kernel  *gemm in stream 13 (compute), in range forward$' out || fails "critical names the range: $(cat out)"
grep -q 'cudaStreamSynchronize returned .*, in range step$' out || fails "critical names the range of the wait: $(cat out)"
"$gstrace" path --to gemm nvtx.gst | grep -q 'in NVTX range forward$' || fails "path names the range"
NVTX_INJECTION64_PATH=/no/such/tool.so "$gstrace" record --lib "$library" --cupti="$FAKE_CUPTI" --staging-dir="$staging" -o none.gst -- \
	"$app" -c 'nvtx push step; launch 0 k 1ms' >out 2>err
"$gstrace" analyze none.gst >out 2>err
grep -q 'NVTX_INJECTION64_PATH names another tool' out || fails "the report says that NVTX is missing: $(cat out)"
grep -q '^NVTX' out && fails "NVTX is counted that is not there"

expect 0 -q -o q.gst -- "$app" -c 'launch 0 k 1ms'
[ ! -s err ] || fails "-q says nothing"

# Why nothing came.
expect 0 -o n.gst --cupti=/no/such/libcupti.so -- "$app" -c 'launch 0 k 1ms'
says 'could not record'
says '/no/such/libcupti.so'
expect 0 -o n.gst -- "$app" -c 'fault held other-tool; launch 0 k 1ms'
says other-tool
[ ! -e n.gst ] || fails "no empty trace is left"

[ "$failed" -eq 0 ] && echo "cli_record_e2e_test: ok"
exit "$failed"
