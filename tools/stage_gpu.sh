#!/bin/sh
# Puts all that a GPU machine without Bazel needs into the git-ignored folder stage/:
#
#   tools/stage_gpu.sh [--plain] [--only 'NAME...'] [--gstrace FILE --lib FILE]
#
#   stage/bin/*            the workloads of kernels/ and kernels/ordering/ (static CUDA runtime)
#   stage/bench/           bench_calls, bench_rate and bench_step.py, for bench_overhead.sh and bench_flat.sh
#   stage/kernels/         their sources (EXPECT lines) and the PyTorch ones
#   stage/gstrace, stage/libgstrace.so, stage/lib/*    the tracer, and libraries that gstrace needs
#   stage/libcupti_recorder.so, stage/cupti_log_stat   for stage/record_cupti.sh
#   stage/record_testdata.sh, stage/gpu_session.sh, stage/COMMIT
#
# Then, on that machine: cd stage && OUT=some/folder ./gpu_session.sh
# and: cd stage && ./record_cupti.sh --bin bin --lib libgstrace.so --recorder libcupti_recorder.so --stat cupti_log_stat --out FOLDER
# --gstrace and --lib take programs built already instead of building them; --plain stages none. --only takes these
# workloads alone: all of them are near the limit of what may be carried there.
set -eu
cd "$(dirname "$0")/.."

plain=0 gstrace='' lib='' only=''
while [ $# -gt 0 ]; do
	case $1 in
	--plain) plain=1; shift ;;
	--only) only=$2; shift 2 ;;
	--gstrace) gstrace=$2; shift 2 ;;
	--lib) lib=$2; shift 2 ;;
	*) sed -n '2,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2; exit 2 ;;
	esac
done

targets="//kernels:all_workloads //kernels/ordering:all_witnesses //kernels/bench:bench_calls //kernels/bench:bench_rate"
[ "$plain" -eq 1 ] || [ -n "$gstrace" ] || targets="$targets //:gstrace"
[ "$plain" -eq 1 ] || [ -n "$lib" ] || targets="$targets //:libgstrace.so"
[ "$plain" -eq 1 ] || targets="$targets //tools:libbench_floor.so //tracer/fake_cupti:libcupti_recorder.so //tracer/fake_cupti:cupti_log_stat"
# shellcheck disable=SC2086 # words
bazel build -c opt ${BAZEL_JOBS:+--jobs="$BAZEL_JOBS"} $targets

# The built file called $1 (an alias does not say where it is).
built() {
	find -L bazel-bin -name "$1" -type f -not -path '*.runfiles/*' -not -path '*/external/*' | head -n 1 | grep . ||
		{ echo "stage_gpu: $1 was not built" >&2; return 1; }
}

rm -rf stage
mkdir -p stage/bin stage/kernels
for source in kernels/*.cu kernels/ordering/*.cu; do
	name=$(basename "$source" .cu)
	case " $only " in
	'  ' | *" $name "*) ;;
	*) continue ;;
	esac
	[ ! -e "stage/bin/$name" ] || { echo "stage_gpu: two programs are called $name" >&2; exit 1; }
	install -m 755 "bazel-bin/${source%.cu}" "stage/bin/$name"
	strip "stage/bin/$name"
done
cp -r kernels/*.cu kernels/*.h kernels/ordering kernels/pytorch kernels/apps stage/kernels/
rm -rf stage/kernels/*/__pycache__
mkdir stage/bench
install -m 755 bazel-bin/kernels/bench/bench_calls bazel-bin/kernels/bench/bench_rate stage/bench/
strip stage/bench/bench_calls stage/bench/bench_rate
install -m 644 kernels/bench/bench_step.py stage/bench/
if [ "$plain" -eq 0 ]; then
	[ -n "$gstrace" ] || gstrace=$(built gstrace)
	[ -n "$lib" ] || lib=$(built libgstrace.so)
	install -m 755 "$gstrace" stage/gstrace
	install -m 755 "$lib" stage/libgstrace.so
	install -m 755 bazel-bin/tools/libbench_floor.so stage/bench/
	install -m 755 bazel-bin/tracer/fake_cupti/libcupti_recorder.so bazel-bin/tracer/fake_cupti/cupti_log_stat stage/
	# The machine may lack gstrace's libraries; its own C library is used.
	mkdir stage/lib
	ldd stage/gstrace stage/cupti_log_stat | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
		grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' |
		sort -u | while IFS= read -r f; do cp -L "$f" stage/lib/; done
fi
install -m 755 tools/record_testdata.sh tools/gpu_session.sh tools/bench_overhead.sh tools/bench_flat.sh tools/record_cupti.sh stage/
install -m 644 tools/bench_speeds.awk stage/
commit=$(git rev-parse --short=12 HEAD)
if [ -n "$(git status --porcelain)" ]; then
	commit=$commit-modified
	echo "stage_gpu: the tree has uncommitted changes: traces made with it name no commit" >&2
fi
echo "$commit" >stage/COMMIT

kib=$(du -sk stage | cut -f 1)
echo "stage_gpu: stage/ has $(find stage -type f | wc -l) files, $((kib / 1024)) MiB, commit $commit"
if [ "$kib" -gt 63488 ]; then
	echo "stage_gpu: more than 62 MiB: name what is needed by --only" >&2
	exit 1
fi
