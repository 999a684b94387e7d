#!/bin/sh
# analyze, export, dump, verify as a user or a script meets them: exit codes, outputs that appear whole,
# closed pipes, hostile names, damaged files.
# usage: cli_analyze_test.sh GSTRACE FOLDER_OF_REAL_TRACES
set -u
gstrace=$(readlink -f "$1")
real=$(readlink -f "$2")
dir=$(mktemp -d "${TMPDIR:-/tmp}/cli_analyze.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0
fails() {
	echo "cli_analyze_test: $*" >&2
	head -20 err | sed 's/^/  err: /' >&2
	failed=1
}
# expect STATUS ARGUMENTS: gstrace with them.
expect() {
	want=$1
	shift
	"$gstrace" "$@" >out 2>err
	got=$?
	[ "$got" -eq "$want" ] || fails "status $got, not $want: gstrace $*"
}
says() { grep -qF -- "$1" err || fails "stderr says nothing of: $1"; }
shows() { grep -q -- "$1" out || fails "stdout shows nothing of: $1"; }

cp "$real/default_stream_bad.gst" bad.gst
cp "$real/default_stream_good.gst" good.gst
chmod u+w ./*.gst

# ---- usage: 2 -----------------------------------------------------------------------------------------
expect 2
expect 2 no-such-command
says no-such-command
expect 2 analyze
expect 2 analyze --no-such-option bad.gst
says --no-such-option
expect 2 analyze --format=xml bad.gst
says 'text, json'
expect 2 analyze --explain=0 bad.gst
expect 2 analyze --explain=one bad.gst
expect 2 analyze --explain=99 bad.gst
says '--explain=99'
expect 2 analyze --format=json --explain=1 bad.gst
expect 2 analyze --only=no-such-finding bad.gst
says default-stream-serialization
tail -1 err | grep -q '^Try ' || fails "the way to help stands in the middle of a list"
expect 2 path --from first --to last bad.gst
says 'could be any of'
expect 2 path --to stream:99 bad.gst
says 'no operation fits; the trace has 123, by stream:'
says '  stream 13: 41'
tail -1 err | grep -q '^Try ' || fails "the way to help stands in the middle of a list"
expect 2 analyze --fail-on=severe bad.gst
expect 2 analyze --memory-limit=much bad.gst
expect 2 analyze --from=yesterday bad.gst
expect 2 export bad.gst -o x
says --perfetto
expect 2 export --perfetto --sqlite bad.gst -o x
expect 2 export --perfetto bad.gst
says '-o'
expect 2 dump --text --raw bad.gst
expect 2 dump bad.gst good.gst
expect 2 verify
expect 2 path bad.gst
says '--from and --to'
expect 2 path --from 0 --to 1
expect 2 path --from 0 bad.gst
expect 2 path --from=first --to=last#1 bad.gst
says 'any of 41 operations'
says 'op:3 '
expect 2 path --from=first#42 --to=0 bad.gst
says 'there are only 41'
expect 2 path --from=0 --to=no-such-kernel bad.gst
says 'no operation fits'
expect 2 path --from=123 --to=0 bad.gst
expect 2 path --from=0 --to=1 --format=xml bad.gst
expect 2 critical
expect 2 critical --pid=1 bad.gst
says 'no process with pid 1'
expect 2 critical --top=some bad.gst
expect 2 critical --format=xml bad.gst
expect 2 doctor something
for command in record analyze path critical export dump verify doctor env; do
	expect 0 "$command" --help
	shows '^Usage: gstrace'
	shows '^Examples:'
	expect 0 help "$command"
done
expect 0 --version
shows '^gstrace [0-9.]* (commit '
shows 'format 1.0'

# ---- an output never replaces what is read: 2; a device has no end: 3 ------------------------------------
ln -s bad.gst link.gst
before=$(cksum <bad.gst)
for command in 'analyze -o link.gst' 'analyze --format=json -o bad.gst' 'dump -o bad.gst' 'dump --raw -o ./bad.gst' \
	'dump --model -o bad.gst' 'dump --order -o bad.gst' 'verify -o bad.gst' 'path --from=0 --to=1 -o bad.gst' 'critical -o bad.gst' 'export --perfetto -o link.gst' \
	'export --sqlite -o bad.gst'; do
	# shellcheck disable=SC2086
	expect 2 $command good.gst bad.gst 2>/dev/null
	expect 2 $command bad.gst
	says 'would replace the trace'
	[ "$(cksum <bad.gst)" = "$before" ] || fails "the trace is not what it was: $command"
done
"$gstrace" dump bad.gst 2>err >>bad.gst && fails "a trace was appended to itself"
[ "$(cksum <bad.gst)" = "$before" ] || fails "the trace is not what it was: >>"
expect 3 analyze --memory-limit=64M /dev/zero
says 'is a device'

expect 2 analyze bad.gst good.gst ./link.gst
says 'link.gst is given twice'
cp bad.gst copy.gst
expect 3 analyze bad.gst good.gst copy.gst
says 'copy.gst holds the trace of bad.gst once more'

# ---- a file that gets too long, and Ctrl-C: nothing half stays ------------------------------------------
mkdir limited
for command in 'dump' 'export --perfetto --plain' 'export --sqlite'; do
	# shellcheck disable=SC2086
	(ulimit -f 1 && exec "$gstrace" $command -o limited/x bad.gst) 2>/dev/null
	got=$?
	[ "$got" -eq 3 ] || fails "status $got, not 3: $command beyond ulimit -f"
	[ -z "$(ls limited)" ] || fails "$(ls limited) is left: $command"
done
"$gstrace" dump bad.gst | awk '{ print } /^call_exit/ { for (i = 0; i < 200; i++) print "nvtx time_ns=" i " what=mark name=\"x\"" }' >long.gstext
for signal in TERM XCPU USR1 ALRM PIPE; do
	"$gstrace" dump -o limited/x long.gstext 2>err &
	pid=$!
	while kill -0 "$pid" 2>/dev/null && [ -z "$(ls limited)" ]; do :; done
	kill -$signal "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	got=$?
	[ "$got" -eq 0 ] || [ "$(ls limited)" = '' ] || fails "status $got, and $(ls limited) is left: $signal"
	rm -f limited/x
done
rm -rf limited long.gstext

# ---- findings: 0 and 1 ---------------------------------------------------------------------------------
expect 0 analyze bad.gst
shows 'default-stream-serialization'
shows 'S3, legacy default stream'
expect 1 analyze --fail-on=high bad.gst
expect 0 analyze --fail-on=low good.gst
expect 0 analyze --skip=default-stream-serialization --fail-on=high bad.gst
expect 0 analyze --only=pageable-copy,synchronous-copy bad.gst
grep -q default-stream-serialization out && fails "--only shows others"
cp "$real/ctx_wait.gst" small.gst
# What could save less than is worth a line: counted, and shown by --all, which is no failure.
expect 0 analyze --fail-on=info small.gst
shows 'smaller not shown: --all shows them'
small=$(sed -n 's/.*(\([0-9]*\) smaller not shown.*/\1/p' out)
expect 0 analyze --fail-on=info --all small.gst
shows 'could be saved'
grep -q 'not shown' out && fails "--all leaves findings out"
[ "$(grep -c '^[0-9]*\. INFO' out)" = "$small" ] || fails "--all does not show $small small findings"
expect 0 analyze --format=json small.gst
shows "\"hidden_findings\": $small"
expect 0 analyze --format=json --all small.gst
shows '"hidden_findings": 0'
expect 0 analyze --explain=1 bad.gst
shows 'documented'
expect 0 analyze bad.gst good.gst
shows 'of pid'
expect 0 verify bad.gst
shows 'no contradiction'

# ---- path: 0 and 1 -----------------------------------------------------------------------------------------
for first in 3 op:3 first#2 'stream:13#2' 'stream:stream 13#2' corr:135 'first@108.7ms' 'stream:13:firs#2' '_Z5firstj#2'; do
	expect 0 path --from "$first" --to middle#2 bad.gst
	shows 'op 3: first in stream 13'
	shows 'S3: legacy default stream, 1.79 us later'
	shows 'submitted by cuLaunchKernel'
done
expect 1 path --from middle#2 --to first#2 bad.gst
shows 'the other way round'
expect 0 path --from '#1' --to '#last' bad.gst
expect 1 path --from first#last --to last#last good.gst
shows 'no CUDA order seen'
expect 1 path --format=json --from first#last --to last#last good.gst
shows '"order": "none"'
expect 0 path --to last#2 bad.gst
shows 'last  end of middle (op 4, default stream): S3, legacy default stream'
shows '2.99 ms  enter of cuLaunchKernel: U1'
expect 3 path --from 0 --to 1 no-such-file.gst
expect 0 path --from 0 --to 4 -o answer.json --format json bad.gst
grep -q '"order": "forward"' answer.json || fails "-o has no answer"

# As many pairs as are taken, inside of a launch, where a search for each takes minutes.
awk 'BEGIN {
	print "gstext 1.0\nchunk defs process=1\nsegment flags=unbroken time_ns=1\ncontext ctx=1 null_stream=7"
	print "stream ctx=1 stream=8 handle=0x100 type=blocking\ngraph graph=2 handle=0xa00 corr=1\ngraph_exec exec=0xa00 graph=1 id=2 corr=1"
	for (i = 0; i < 2000; i++) printf "graph_node node=0x2%08x graph=2 type=kernel corr=1\n", i
	for (i = 1; i < 2000; i++) printf "graph_edge from=0x2%08x to=0x2%08x graph=2 port=1 corr=1\n", i - 1, i
	print "chunk events process=1 thread=1\ncall_graph corr=1 enter_ns=10 api=cuGraphInstantiateWithFlags ctx=1 graph=0xb00"
	print "call_exit corr=1 exit_ns=90 value=0xa00\ncall_graph corr=2 enter_ns=100 api=cuGraphLaunch ctx=1 stream=0x100 exec=0xa00"
	print "call_exit corr=2 exit_ns=200\nchunk events process=1"
	for (i = 0; i < 2000; i++)
		printf "kernel corr=2 start_ns=%d end_ns=%d ctx=1 stream=8 name=\"k\" graph=2 graph_node=0x2%08x\n", 300 + 50 * i, 340 + 50 * i, i
	print "chunk defs process=1\nend time_ns=200000"
}' >nodes.gstext
timeout 20 "$gstrace" path --pairs --from k --to k nodes.gstext >out 2>err
got=$?
[ "$got" -eq 1 ] || fails "status $got, not 1: path --pairs of 2000 nodes"
shows '1,999,000 .*the first comes before the second'

# ---- critical ------------------------------------------------------------------------------------------------
expect 0 critical bad.gst
shows '81.1 ms .*work in stream 14 waited for middle in default stream (S3'
shows 'cudaDeviceSynchronize waited for last in stream 14 (H1'
expect 0 critical --all --format=json -o path.json bad.gst
grep -q '"segments_total": 185' path.json || fails "-o has no answer"
expect 0 critical bad.gst good.gst
shows 'what other processes did is not on its path'
pid=$("$gstrace" analyze bad.gst | sed -n 's/^Program.*(pid \([0-9]*\).*/\1/p')
expect 0 critical --pid="$pid" bad.gst good.gst
shows "(pid $pid)"
expect 0 critical --from 150ms --to 200ms bad.gst
shows 'only records around'
expect 3 critical no-such-file.gst

# ---- unreadable: 3 ---------------------------------------------------------------------------------------
expect 3 analyze no-such-file.gst
says no-such-file.gst
expect 3 analyze .
: >empty.gst
expect 3 analyze empty.gst
says empty.gst
expect 3 analyze /dev/null
expect 3 analyze "$gstrace"
printf 'hello\n' >hello.gst
expect 3 dump hello.gst
{ printf 'GSTCHUNK\002\000\000\000\200\000\000\000'; head -c 112 /dev/zero; } >major2.gst
expect 3 analyze major2.gst
says '2.0'
says '1.0'
name=$(printf 'e\033[31mvil.gst')
expect 3 analyze "$name"
says 'e\x1b[31mvil.gst'

# ---- limits: 4 ---------------------------------------------------------------------------------------------
echo before >kept
expect 4 analyze --memory-limit=64K -o kept bad.gst
says memory-limit
[ "$(cat kept)" = before ] || fails "an output is touched when memory ends"

# What docs/FORMAT.md promises suffices for every command: 64 MiB and eight times the file.
for trace in "$real"/*.gst; do
	limit=$((67108864 + 8 * $(stat -c %s "$trace")))
	expect 0 analyze --memory-limit=$limit "$trace"
	expect 0 analyze --format=json --memory-limit=$limit "$trace"
	expect 0 export --perfetto --memory-limit=$limit -o limited "$trace"
	expect 0 export --sqlite --memory-limit=$limit -o limited "$trace"
	expect 0 dump --order --memory-limit=$limit "$trace"
	"$gstrace" path --from '#1' --to '#last' --memory-limit=$limit "$trace" >out 2>err
	[ $? -le 1 ] || fails "path: $trace"
	expect 0 critical --all --memory-limit=$limit "$trace"
done
rm -f limited

# ---- incomplete: 5 -------------------------------------------------------------------------------------------
expect 0 analyze --strict good.gst
size=$(wc -c <good.gst)
head -c $((size - 200)) good.gst >cut.gst
expect 0 analyze cut.gst
shows INCOMPLETE
expect 5 analyze --strict cut.gst
expect 0 analyze --format=json cut.gst
shows '"complete": false'

# ---- outputs -------------------------------------------------------------------------------------------------
expect 0 analyze -o report.txt bad.gst
[ ! -s out ] && grep -q default-stream report.txt || fails "-o writes to the file alone"
expect 3 analyze -o no-such-folder/x bad.gst
says no-such-folder
expect 3 analyze -o kept cut-off.gst
[ "$(cat kept)" = before ] || fails "an output is touched on failure"
[ -z "$(find . -name 'kept?*' -o -name 'report.txt?*')" ] || fails "temporary files are left"
if [ -w /dev/full ]; then
	"$gstrace" analyze bad.gst >/dev/full 2>err
	[ $? -eq 3 ] || fails "a full disk is not noticed"
	"$gstrace" analyze --help >/dev/full 2>err
	[ $? -eq 3 ] || fails "a full disk is not noticed by --help"
fi
expect 0 export --sqlite -o x.db bad.gst
[ "$(head -c 15 x.db)" = 'SQLite format 3' ] || fails "no database"
expect 3 export --sqlite -o /dev/null bad.gst
expect 0 export --sqlite -o 'file:y.db?mode=memory&x=%41' bad.gst
cmp -s x.db 'file:y.db?mode=memory&x=%41' || fails "a name is taken for an URI"
expect 0 export --perfetto -o x.pftrace bad.gst
[ -s x.pftrace ] || fails "no Perfetto trace"
says ui.perfetto.dev

# ---- a reader that leaves: quiet, and the status of SIGPIPE ------------------------------------------------------
set -- "$real"/*.gst
for setting in '' "trap '' PIPE;"; do
	{
		sh -c "$setting"' "$@"; exec sh -c "exit $?"' sh "$gstrace" analyze --format=json "$@" 2>err
		echo $? >status
	} | head -c 1 >/dev/null
	[ "$(cat status)" -eq 141 ] || fails "a closed pipe gives status $(cat status)"
	[ ! -s err ] || fails "a closed pipe is not worth a message"
done

# ---- the same output everywhere ------------------------------------------------------------------------------------
for format in text json; do
	LC_ALL=C "$gstrace" analyze --format=$format bad.gst >here
	(unset LC_ALL && LANG=de_DE.UTF-8 TZ=Asia/Tokyo COLUMNS=40 "$gstrace" analyze --format=$format bad.gst) >there
	cmp -s here there || fails "$format depends on the environment"
done

# ---- dumps -----------------------------------------------------------------------------------------------------------
expect 0 dump --text -o bad.gstext bad.gst
expect 0 dump --text -o again.gstext bad.gstext
cmp -s bad.gstext again.gstext || fails "text does not read back as it was"
"$gstrace" analyze bad.gst >from_gst
"$gstrace" analyze bad.gstext >from_text
cmp -s from_gst from_text || fails "the text form is analyzed differently"
expect 0 dump --raw bad.gst
shows '^chunk sequence=1 '
shows '^total chunks='
expect 0 dump --model bad.gst
[ -s out ] || fails "--model is empty"
expect 0 dump --order bad.gst
shows S3

# ---- a window ----------------------------------------------------------------------------------------------------------
expect 0 analyze --from=0s --to=50ms bad.gst
shows 'only records around the begin to 50.000000 ms were read'
expect 0 analyze --from=100ms --to=250ms bad.gst
shows 'only records around 100.000000 ms to 250.000000 ms were read'
grep -q 'recording was paused' out && fails "what was not read is not what was not recorded"
expect 2 analyze --from=200ms --to=100ms bad.gst
says 'later than --to'
expect 2 analyze --to=100ms --from=200ms bad.gst

# ---- hostile names -------------------------------------------------------------------------------------------------------
# The kernels' names become an escape sequence, quotes, a backslash, bad UTF-8 and a direction override.
sed -e 's/text="_Z6middle[^"]*"/text="m\\x1b[2J\\x22q\\x22\\x5c\\xff\\xc3\\x28\\xe2\\x80\\xaex"/' bad.gstext >evil.gstext
cmp -s evil.gstext bad.gstext && fails "the kernel middle has another name now: mend this test"
expect 0 analyze --all evil.gstext
shows 'm\\x1b\[2J"q"\\\\\\xff\\xc3(\\xe2\\x80\\xaex'
LC_ALL=C tr -d '\n' <out | LC_ALL=C grep -q '[[:cntrl:]]' && fails "text has control bytes"
expect 0 analyze --explain=1 evil.gstext
LC_ALL=C tr -d '\n' <out | LC_ALL=C grep -q '[[:cntrl:]]' && fails "--explain has control bytes"
expect 0 analyze --format=json evil.gstext
LC_ALL=C tr -d '\n' <out | LC_ALL=C grep -q '[[:cntrl:]]' && fails "JSON has control bytes"
if command -v python3 >/dev/null; then
	python3 -c '
import json, sys
d = json.loads(open("out", "rb").read().decode("utf-8"))
f = d["findings"][0]
assert f["id"] == "default-stream-serialization", f["id"]
assert any(chr(27) in o["name"] for o in f["evidence"]["ops"]), "the name is there"
assert f["evidence"]["path"][0]["rule"] == "S3"
assert d["schema_version"] == 1 and d["trace"]["complete"] is True
' 2>err || fails "JSON is not what docs/JSON.md says"
fi

# ---- a clock that passes 2^63 inside of the window (the sanitizers watch) ----------------------------------------------------
cat >far.gstext <<'END'
gstext 1.0
chunk defs process=1
segment flags=unbroken time_ns=9223372036854765808
context ctx=1 device=0 null_stream=7
chunk events process=1 thread=1
call_launch corr=1 enter_ns=9223372036854765808 api=cuLaunchKernel ctx=1 name="early"
call_exit corr=1 exit_ns=9223372036854766808
call_launch corr=2 enter_ns=9223372036855765808 api=cuLaunchKernel ctx=1 name="late"
call_exit corr=2 exit_ns=9223372036855766808
chunk defs process=1
end time_ns=9223372036856765808
END
expect 0 analyze --from=1us --to=2ms far.gstext
shows 'only records around 0.001000 ms to 2.000000 ms were read'

# ---- flipped bits: an error or complete: false ------------------------------------------------------------------------------
at=0
while [ "$at" -lt "$size" ]; do
	{ head -c "$at" good.gst; printf '\125'; tail -c +$((at + 2)) good.gst; } >flipped.gst
	if ! cmp -s flipped.gst good.gst; then
		"$gstrace" analyze --format=json flipped.gst >out 2>err
		got=$?
		[ "$got" -eq 3 ] || { [ "$got" -eq 0 ] && grep -q '"complete": false' out; } ||
			fails "byte $at flipped: status $got, and the trace is called complete"
		for command in 'path --from #1 --to #last' 'critical --all'; do
			# shellcheck disable=SC2086
			"$gstrace" $command flipped.gst >out 2>err
			got=$?
			[ "$got" -le 3 ] || fails "byte $at flipped: status $got: $command"
		done
	fi
	at=$((at + 397))
done

[ "$failed" -eq 0 ] && echo "cli_analyze_test: ok"
exit "$failed"
