#!/bin/bash
# Installs what is missing and runs all tests. The last line is "N passed, N failed, N skipped";
# every skip stands above it with its reason. Allowed: tests tagged "gpu" without a GPU, what needs a
# CUDA toolkit without one, the check of the layout where Debian has no clang-format 14, and cases of
# confined_test that need a right this machine does not give. Any other skip is a failure.
#
# usage: test.sh [--quick] [--yes] [--no-install] [--fuzz-seconds N]
#   --quick        checks and gcc tests only: no sanitizers, no clang build, no fuzzing
#   --yes          install missing packages without asking
#   --no-install   do not look for missing packages
#   --fuzz-seconds each fuzz target's time (default 60)
set -u
cd "$(dirname "$0")/.." || exit 1

quick=0
yes=
install=1
fuzz_seconds=60
while [ $# -gt 0 ]; do
	case $1 in
	--quick) quick=1 ;;
	--yes) yes=--yes ;;
	--no-install) install=0 ;;
	--fuzz-seconds)
		fuzz_seconds=${2:?--fuzz-seconds needs a number}
		shift
		;;
	*)
		sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2
		exit 2
		;;
	esac
	shift
done

# shellcheck source=tools/install_deps.sh
. tools/install_deps.sh
if [ "$install" -eq 1 ]; then
	install_deps test "$yes" || exit 1
fi

work=$(mktemp -d) || exit 1
fuzz_pids=
cleanup() {
	# shellcheck disable=SC2086 # a list of pids
	[ -z "$fuzz_pids" ] || kill $fuzz_pids 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Results for test_summary.py.
results=()
times=

# stage NAME COMMAND...: one result, and the seconds.
stage() {
	local name=$1 start=$SECONDS status=ok
	shift
	echo "== $name"
	"$@" || status=failed
	results+=(--step "$name=$status")
	finish "$name" "$start" "$status"
}

finish() {
	echo "-- $1: $3, $((SECONDS - $2)) s"
	times+="$(printf '%6d s  %-6s %s' $((SECONDS - $2)) "$3" "$1")"$'\n'
}

quiet=(--noshow_progress --color=no --curses=no)

build() {
	bazel build "${quiet[@]}" --keep_going "$@"
}

# test_stage NAME FLAGS...: bazel test; its results come from the event file.
test_stage() {
	local name=$1 start=$SECONDS events status
	shift
	echo "== $name"
	events=$work/events-${#results[@]}
	bazel test "${quiet[@]}" --keep_going --test_summary=terse --run_under=//tools:skip_status \
		--build_event_json_file="$events" "$@"
	status=$?
	results+=("$name=$events")
	case $status in
	0) status=ok ;;
	# Tests failed; the event file has them.
	3) status=failed ;;
	4)
		# Nothing to test is not a success unless the caller looked first.
		status=empty
		results+=(--step "$name: no test was found=failed")
		;;
	*)
		results+=(--step "$name: bazel ended with status $status=failed")
		status=failed
		;;
	esac
	finish "$name" "$start" "$status"
}

query() {
	bazel query --noshow_progress --ui_event_filters=-info,-debug "$1" 2>/dev/null
}
tagged() {
	query "attr(tags, '[\\[ ]$1[,\\]]', //...)"
}

check_exports() {
	local bin
	bin=$(bazel info -c opt --config=werror bazel-bin 2>/dev/null) || return 1
	[ -e tracer/BUILD ] || { echo "check_exports: no tracer yet"; return 0; }
	tools/check_exports.sh "$bin/tracer/libgstrace.so"
}

check_docs() {
	local bin
	bin=$(bazel info -c opt --config=werror bazel-bin 2>/dev/null) || return 1
	tools/check_docs.sh --gstrace "$bin/analyzer/cli/gstrace"
}

# Two fuzzers at a time, each with a copy of its seeds and a folder for what it finds.
fuzz() {
	local targets label dir bin name log status=0 batch labels seconds=$1
	targets=$(tagged fuzz)
	[ -n "$targets" ] || { echo "no target is tagged fuzz"; return 1; }
	# shellcheck disable=SC2086 # a list of labels
	build --config=fuzz $targets || return 1
	dir=$(bazel info --config=fuzz bazel-bin 2>/dev/null) || return 1
	# shellcheck disable=SC2086
	set -- $targets
	while [ $# -gt 0 ]; do
		batch=()
		labels=()
		while [ $# -gt 0 ] && [ ${#batch[@]} -lt 2 ]; do
			label=${1#//}
			shift
			bin=$dir/${label/://}
			name=${label##*:}
			mkdir -p "$work/fuzz/$name/corpus" "$work/fuzz/$name/seeds" "$work/fuzz/$name/found"
			# Large traces are for tests: some targets ask of all pairs, and a mutation of them takes seconds.
			find -L "$bin.runfiles" -type f ! -name "$name" -size -96k -exec cp -n {} "$work/fuzz/$name/seeds" \;
			log=$work/fuzz/$name/log
			$no_aslr "$bin" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
				-print_final_stats=1 -artifact_prefix="$work/fuzz/$name/found/" \
				"$work/fuzz/$name/corpus" "$work/fuzz/$name/seeds" >"$log" 2>&1 </dev/null &
			batch+=($!)
			labels+=("$name")
			fuzz_pids="${batch[*]}"
		done
		for i in "${!batch[@]}"; do
			name=${labels[$i]}
			if wait "${batch[$i]}"; then
				echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$work/fuzz/$name/log") inputs"
			else
				tail -n 40 "$work/fuzz/$name/log"
				mkdir -p fuzz-found && cp "$work/fuzz/$name/found/"* fuzz-found/ 2>/dev/null
				echo "$name: failed; the input is kept in fuzz-found/"
				status=1
			fi
		done
		fuzz_pids=
	done
	return $status
}

# gcc 12's and clang 14's runtimes stop at start under the wider address randomization of new kernels.
no_aslr=
aslr=(--test_env=GST_NO_ASLR=0)
if [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 28)" -gt 28 ]; then
	if setarch "$(uname -m)" -R true 2>/dev/null; then
		no_aslr="setarch $(uname -m) -R"
		aslr=(--test_env=GST_NO_ASLR=1)
	else
		echo "test.sh: sanitizers may not start here: address randomization is wider than they know, and setarch -R is refused"
	fi
fi

if deps_later_debian && ! deps_have_format; then
	results+=(--skip "check format=no clang-format 14 in this Debian")
else
	stage "check format" tools/check_format.sh
fi
stage "check layers" tools/check_layers.sh
stage "check banned calls" tools/check_banned.sh
stage "check text" tools/check_text.sh
stage "checks find planted faults" tools/checks_test.sh

stage "gcc build, optimized, warnings are errors" build -c opt --config=werror //...
test_stage "gcc tests" -c opt --config=werror //...

have_cuda=0
# Bazel 7 writes the module before the name.
cat "$(bazel info output_base 2>/dev/null)"/external/*local_config_cuda/defs.bzl | grep -q '^HAVE_CUDA = True' && have_cuda=1
have_gpu=0
{ [ -e /dev/nvidia0 ] || nvidia-smi -L >/dev/null 2>&1; } && have_gpu=1
[ "$have_cuda" -eq 1 ] || results+=(--no-cuda)

gpu_tests=$(query "tests(//:gpu)")
if [ "$have_gpu" -eq 1 ] && [ "$have_cuda" -eq 1 ] && [ -n "$gpu_tests" ]; then
	test_stage "gpu tests" -c opt --config=werror --config=gpu //...
else
	for label in $gpu_tests; do
		if [ "$have_gpu" -eq 0 ]; then
			results+=(--skip "$label=no GPU here")
		else
			results+=(--skip "$label=no CUDA toolkit here")
		fi
	done
fi

stage "check headers" tools/check_headers.sh
stage "check exports" check_exports
stage "check docs" check_docs
stage "check tags" tools/check_tags.sh

if [ "$quick" -eq 0 ]; then
	test_stage "gcc ASan and UBSan tests" --config=memory "${aslr[@]}" --build_tests_only //...
	if [ -n "$(tagged threads)" ]; then
		test_stage "gcc TSan tests (tag threads)" --config=tsan "${aslr[@]}" --build_tests_only \
			--test_tag_filters=threads,-gpu //...
	fi
	stage "clang build, warnings are errors" build -c opt --config=clang --config=werror //...
	stage "fuzz, $fuzz_seconds s each" fuzz "$fuzz_seconds"
fi

# Last: it makes Bazel look for the toolkit anew.
stage "check a machine without a toolkit" tools/check_no_toolkit.sh

bazel shutdown
echo "== seconds"
printf '%s' "$times"
echo "$(printf '%6d s' "$SECONDS")         all"
echo "== summary"
python3 tools/test_summary.py "${results[@]}"
