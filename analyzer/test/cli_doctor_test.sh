#!/bin/sh
# gstrace doctor: what it says of libraries and variables of our own making, and its status.
# usage: cli_doctor_test.sh GSTRACE LIBRARY FAKE_CUPTI DRIVER CRASHING_DRIVER CUPTI_11_8
set -u
gstrace=$(readlink -f "$1")
library=$(readlink -f "$2")
fake=$(readlink -f "$3")
driver=$(readlink -f "$4")
crash=$(readlink -f "$5")
old=$(readlink -f "$6")
dir=$(mktemp -d "${TMPDIR:-/tmp}/cli_doctor.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH LD_PRELOAD CUDA_LAUNCH_BLOCKING GSTRACE_LIB GSTRACE_CUPTI CUDA_HOME
failed=0
fails() {
	echo "cli_doctor_test: $*" >&2
	sed 's/^/  /' out >&2
	failed=1
}
shows() { grep -q -- "$1" out || fails "it does not say: $1"; }
mkdir cuda
cp -f "$driver" cuda/libcuda.so.1
# A stand-in for the driver, found by the loader.
doctor() { LD_LIBRARY_PATH=$dir/cuda "$gstrace" doctor --lib "$library" "$@" >out 2>err; }

GSTRACE_CUPTI=$fake doctor
shows "^OK    library     $library (--lib)\$"
shows '^OK    driver      .*CUDA 13\.0, .*libcuda.so.1$'
shows "^OK    cupti       .*libfake_cupti.so: version 130001"
shows '^OK    injection'
grep -q cuInit out && fails "CUDA is initialized without being asked for"
GSTRACE_CUPTI=$fake doctor --init
shows '^OK    cuInit'

"$gstrace" doctor --lib /no/such/libgstrace.so >out 2>&1
[ $? -eq 1 ] || fails "a missing library gives status 1"
shows '^FAIL  library .*No such file'
GSTRACE_CUPTI=/no/such/libcupti.so doctor
[ $? -eq 1 ] || fails "a missing libcupti that was named gives status 1"
shows '^FAIL  cupti       /no/such/libcupti.so'
GSTRACE_CUPTI=$old doctor
shows '^WARN  cupti       .*: version 18 is of an older CUDA than the driver, 13: '
shows 'a libcupti.so of CUDA 12 or later'
GSTRACE_CUPTI=$library doctor
shows 'has no cuptiGetVersion'
CUDA_INJECTION64_PATH=/other/tool.so GSTRACE_CUPTI=$fake doctor
shows '^WARN  injection   CUDA_INJECTION64_PATH=/other/tool.so: '
CUDA_LAUNCH_BLOCKING=1 GSTRACE_CUPTI=$fake doctor
shows 'CUDA_LAUNCH_BLOCKING=1'
CUDA_LAUNCH_BLOCKING=0 GSTRACE_CUPTI=$fake doctor
grep -q CUDA_LAUNCH_BLOCKING out && fails "CUDA_LAUNCH_BLOCKING=0 does nothing"
# A driver that crashes when it is asked must not take doctor with it.
cp -f "$crash" cuda/libcuda.so.1
doctor
shows '^FAIL  driver      libcuda.so.1 crashes'
# Every line that is not OK says what to do.
awk '/^(WARN|FAIL)/ { if (open) bad = 1; open = 1; next } /^      .*->/ { open = 0 } END { exit bad }' out ||
	fails "a line without advice"

[ "$failed" -eq 0 ] && echo "cli_doctor_test: ok"
exit "$failed"
