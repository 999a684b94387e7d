#!/bin/sh
# The summary counts passes, failures and skips, and nothing is skipped unless allowed.
# usage: test_summary_test.sh test_summary.py
set -eu
summary=$1
dir=$TEST_TMPDIR
passed=0
failed=0

# result LABEL STATUS <LOG: one test in the event file.
result() {
	log=$dir/log-$(echo "$1" | tr -c 'a-z\n' _)
	cat >"$log"
	echo "{\"id\":{\"testResult\":{\"label\":\"$1\"}},\"testResult\":{\"status\":\"$2\",\"testActionOutput\":[{\"name\":\"test.log\",\"uri\":\"file://$log\"}]}}" >>"$dir/events"
}
begin() {
	: >"$dir/events"
}
# expect STATUS "LAST LINE" "A LINE" ARGUMENTS...
expect() {
	status=0
	python3 "$summary" $4 "stage=$dir/events" >"$dir/out" || status=$?
	if [ "$status" -ne "$1" ] || [ "$(tail -n 1 "$dir/out")" != "$2" ] || ! grep -qxF "$3" "$dir/out"; then
		echo "wanted status $1, \"$2\" and the line \"$3\"; got status $status and"
		cat "$dir/out"
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
}

begin
result //a:a PASSED <<'LOG'
[==========] Running 3 test(s).
[ RUN      ] one
[       OK ] one
[ RUN      ] two
[       OK ] two
LOG
result //a:b PASSED <<'LOG'
7 passed, 0 failed
LOG
result //a:c PASSED <<'LOG'
no count
LOG
expect 0 '10 passed, 0 failed, 0 skipped' '10 passed, 0 failed, 0 skipped' ''

result //a:d FAILED <<'LOG'
[       OK ] one
[  FAILED  ] two
[==========] 2 test(s) run.
[  FAILED  ] 1 test(s), listed below:
[  FAILED  ] two
LOG
expect 1 '11 passed, 1 failed, 0 skipped' 'failed: stage: //a:d: two' ''
result //a:e TIMEOUT <<'LOG'
[       OK ] one
LOG
expect 1 '12 passed, 2 failed, 0 skipped' 'failed: stage: //a:e: TIMEOUT' ''

begin
result //a:a PASSED <<'LOG'
no GPU
skip_status: exit status 77
LOG
expect 1 '0 passed, 1 failed, 0 skipped' 'failed: stage: //a:a: exit status 77: skipped, and nothing allows that' ''
begin
result //a:a PASSED <<'LOG'
[       OK ] one
[  SKIPPED ] two
LOG
expect 1 '1 passed, 1 failed, 0 skipped' 'failed: stage: //a:a: two: skipped, and nothing allows that' ''
# Of one program each skip is allowed that comes with its reason; of others none is.
for label in //tracer/test:confined_test //a:a; do
	begin
	result "$label" PASSED <<'LOG'
[       OK ] one
allowed skip: two: no second user here
[  SKIPPED ] two
[  SKIPPED ] 1 test(s), listed below:
[  SKIPPED ] two
LOG
	[ "$label" = //a:a ] || expect 0 '1 passed, 0 failed, 1 skipped' "skipped: $label: two: no second user here" ''
done
expect 1 '1 passed, 1 failed, 0 skipped' 'failed: stage: //a:a: two: skipped, and nothing allows that' ''
begin
result //tracer/test:confined_test PASSED <<'LOG'
[  SKIPPED ] two
LOG
expect 1 '0 passed, 1 failed, 0 skipped' 'failed: stage: //tracer/test:confined_test: two: skipped, and nothing allows that' ''

begin
result //a:a PASSED </dev/null
echo '{"id":{"targetCompleted":{"label":"//k:k"}},"aborted":{"reason":"SKIPPED"}}' >>"$dir/events"
expect 0 '1 passed, 0 failed, 1 skipped' 'skipped: //k:k: no CUDA toolkit here' --no-cuda
expect 1 '1 passed, 1 failed, 0 skipped' 'failed: stage: //k:k: left out by Bazel, though there is a CUDA toolkit' ''
expect 0 '2 passed, 0 failed, 2 skipped' 'skipped: //g:g: no-gpu' '--no-cuda --skip //g:g=no-gpu --step x=ok'
expect 1 '1 passed, 1 failed, 1 skipped' 'failed: x' '--no-cuda --step x=failed'
echo '{"id":{"targetCompleted":{"label":"//k:m"}},"completed":{}}' >>"$dir/events"
expect 1 '1 passed, 1 failed, 1 skipped' 'failed: stage: //k:m: not built' --no-cuda

begin
expect 1 '0 passed, 0 failed, 0 skipped' '0 passed, 0 failed, 0 skipped' ''
echo 'cut {' >>"$dir/events"
status=0
python3 "$summary" "stage=$dir/events" >"$dir/out" || status=$?
if [ "$status" -eq 1 ] && [ "$(tail -n 1 "$dir/out")" = '0 passed, 1 failed, 0 skipped' ]; then
	passed=$((passed + 1))
else
	cat "$dir/out"
	failed=$((failed + 1))
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
