#!/bin/sh
# gstrace record, with programs made of shell in place of CUDA programs: exit codes, signals, what is
# set, what is said when no trace came.
# usage: cli_record_test.sh GSTRACE SHARED_LIBRARY
set -u
gstrace=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
library=$(readlink -f "$2")
dir=$(mktemp -d "${TMPDIR:-/tmp}/cli_record.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
unset CUDA_INJECTION64_PATH GSTRACE_OUTPUT GSTRACE_SESSION GSTRACE_LIB
TMPDIR=$dir/tmp
export TMPDIR
mkdir "$TMPDIR"
failed=0

# expect STATUS COMMAND...: runs it, keeps out and err.
expect() {
	want=$1
	shift
	"$@" >out 2>err
	got=$?
	[ "$got" -eq "$want" ] || fails "status $got, not $want: $*"
}
fails() {
	echo "cli_record_test: $*" >&2
	sed 's/^/  err: /' err >&2
	failed=1
}
says() { grep -qF -- "$1" err || fails "stderr says nothing of: $1"; }
rec() { "$gstrace" record --lib "$library" "$@"; }

# ---- status ----------------------------------------------------------------------------------------
expect 0 rec -- true
expect 1 rec -- false
expect 42 rec -- sh -c 'exit 42'
expect 143 rec -- sh -c 'kill -TERM $$'
says 'signal 15'
expect 137 rec -- sh -c 'kill -KILL $$'
expect 127 rec -- no-such-program-here
says 'not found'
expect 127 rec -- ./no-such-program-here
expect 126 rec -- ./tmp
says 'Permission denied'
echo data >plain
expect 126 rec -- ./plain
printf '#!/no/such/interpreter\n' >script
chmod +x script
expect 126 rec -- ./script
says 'interpreter'
expect 125 rec --no-such-option -- true
says '--no-such-option'
expect 125 rec
expect 125 rec --graphs=sometimes -- true
says 'launches|nodes'
expect 125 "$gstrace" record --lib /no/such/libgstrace.so -- true
says '/no/such/libgstrace.so'
expect 125 "$gstrace" record --lib plain -- true
says 'not an ELF file'
expect 125 rec -o no-such-folder/x.gst -- true
says 'no-such-folder'
expect 0 "$gstrace" record --help
grep -q '^Examples:' out || fails "--help has examples"

# ---- what the program gets ---------------------------------------------------------------------------
expect 0 rec --graphs=nodes --private -- sh -c 'echo "$CUDA_INJECTION64_PATH"; echo "$GSTRACE_OUTPUT"
	echo "$GSTRACE_GRAPHS $GSTRACE_PRIVATE"; ls -ld "$GSTRACE_SESSION" | cut -c1-10'
[ "$(sed -n 1p out)" = "$library" ] || fails "injection is $(sed -n 1p out), not $library"
[ "$(sed -n 2p out)" = "$PWD/gstrace-%p.gst" ] || fails "output is $(sed -n 2p out)"
[ "$(sed -n 3p out)" = "nodes 1" ] || fails "settings are $(sed -n 3p out)"
[ "$(sed -n 4p out)" = drwx------ ] || fails "session folder is $(sed -n 4p out)"
[ -z "$(ls -A "$TMPDIR")" ] || fails "the session folder was left behind"
expect 0 rec -o tmp -- sh -c 'echo "$GSTRACE_OUTPUT"'
[ "$(cat out)" = "$PWD/tmp/gstrace-%h-%p.gst" ] || fails "a folder gives $(cat out)"
mkdir 50%p
(cd 50%p && rec -o x.gst -- sh -c 'echo "$GSTRACE_OUTPUT"' >../out 2>../err)
[ "$(cat out)" = "$PWD/50%%p/x.gst" ] || fails "a % of the working directory is doubled: $(cat out)"
printf 'in\0put' >input
rec -- cat <input >out 2>err
cmp -s input out || fails "stdin and stdout are the program's"
expect 0 rec -- sh -c 'kill -QUIT $PPID; kill -INT $PPID; sleep 0.1; echo alive'
[ "$(cat out)" = alive ] || fails "INT and QUIT end record"

# Ignored signals stay ignored, others have their default: what a shell's trap would change is undone by exec.
expect 0 rec -- sh -c 'grep -E "^Sig(Ign|Blk)" /proc/self/status'
sh -c 'grep -E "^Sig(Ign|Blk)" /proc/self/status' >plain_signals
cmp -s out plain_signals || fails "the program's signal state differs: $(cat out)"

# ---- signals are passed on ------------------------------------------------------------------------------
for signal in TERM HUP USR1 USR2; do
	"$gstrace" record --lib "$library" -- sh -c "trap 'echo got; exit 7' $signal; : >ready; while :; do sleep 0.05; done" >out 2>err &
	pid=$!
	tries=0
	while [ ! -e ready ] && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
	kill -s $signal $pid
	wait $pid
	got=$?
	[ "$got" -eq 7 ] && [ "$(cat out)" = got ] || fails "SIG$signal is passed on (status $got)"
	rm -f ready
done

# ---- another injection ------------------------------------------------------------------------------------
CUDA_INJECTION64_PATH=/other/tool.so
export CUDA_INJECTION64_PATH
expect 125 rec -- true
says '/other/tool.so'
says '--force'
expect 0 rec --force -- sh -c 'echo "$CUDA_INJECTION64_PATH"'
[ "$(cat out)" = "$library" ] || fails "--force replaces it"
CUDA_INJECTION64_PATH=$library
expect 0 rec -- true
unset CUDA_INJECTION64_PATH

# ---- what came, what did not --------------------------------------------------------------------------------
expect 0 rec -- true
says 'CUDA was never initialized'
expect 3 rec -- sh -c 'echo "CUPTI not found: looked in /here, /there" >"$GSTRACE_SESSION/$$.why"; exit 3'
says 'could not record'
says 'looked in /here, /there'
expect 0 rec -- sh -c 'printf "bad\033[31m\n" >"$GSTRACE_SESSION/$$.why"'
says 'bad\x1b[31m'
# A recording inside a recording: its reasons, or that it said enough itself.
expect 0 rec -- "$gstrace" record --lib "$library" -- true
says 'true in a process that has the variables'
says 'ran gstrace record again (process '
[ "$(grep -c 'CUDA was never initialized' err)" -eq 1 ] || fails "the outer one does not say what it cannot know"
expect 3 rec -- "$gstrace" record --lib "$library" -- sh -c 'echo "CUPTI not found" >"$GSTRACE_SESSION/$$.why"; exit 3'
[ "$(grep -c 'CUPTI not found' err)" -eq 2 ] || fails "both say why"
[ -z "$(ls -A "$TMPDIR")" ] || fails "a session folder was left behind"
# A process that has something called libcuda.so mapped and lost its variables.
mkdir lib
cp -f "$library" lib/libcuda.so.1
expect 0 rec -- env -i LD_PRELOAD="$PWD/lib/libcuda.so.1" sleep 0.6
says 'were not inherited'
expect 0 rec -- env LD_PRELOAD="$PWD/lib/libcuda.so.1" sleep 0.6
says 'never initialized in it'
# Their folder is full of odd things: not a trace, not a number, a link, a pipe, a relative path.
expect 0 rec -- sh -c 'cd "$GSTRACE_SESSION"; echo /x >a.trace; mkfifo 1.trace; ln -s /etc/passwd 2.trace
	echo relative.gst >3.trace; mkdir 4.why'
says 'CUDA was never initialized'

[ "$failed" -eq 0 ] && echo "cli_record_test: ok"
exit "$failed"
