#!/bin/sh
# Runs a test for tools/test.sh (bazel test --run_under=//tools:skip_status): exit status 77
# means skipped, which Bazel does not know. The line printed here is what test_summary.py reads.
# GST_NO_ASLR=1: without address randomization, which some sanitizer runtimes do not survive.
if [ "${GST_NO_ASLR:-}" = 1 ]; then
	setarch "$(uname -m)" -R "$@"
else
	"$@"
fi
status=$?
if [ "$status" -eq 77 ]; then
	echo "skip_status: exit status 77"
	exit 0
fi
exit "$status"
