#!/bin/sh
# Everything there is to do on a GPU machine, from inside the folder that tools/stage_gpu.sh made:
#
#   cd stage && OUT=folder ./gpu_session.sh [workload...]
#
# Runs and records the workloads, measures the pairs, analyzes each trace there, and leaves in $OUT
# session.log and recorded.tar.gz (folder recorded/: the traces, MANIFEST.tsv, twins.tsv, and an analysis
# of each trace). Exit status: record_testdata.sh's, or 1 if an analysis failed.
set -u
: "${OUT:?the folder that gets the results must be named: OUT=folder ./gpu_session.sh}"
mkdir -p "$OUT" || exit 2
OUT=$(cd "$OUT" && pwd)
cd "$(dirname "$0")" || exit 2
stage=$(pwd)
max=15728640 # bytes of the packed results

results=$(mktemp -d "${TMPDIR:-/tmp}/session.XXXXXX") || exit 2
trap 'rm -rf "$results"' EXIT

session() {
	status=0
	date -u
	echo "commit $(cat COMMIT)"
	nvidia-smi --query-gpu=name,driver_version,memory.total,pci.bus_id --format=csv
	if [ -x gstrace ]; then
		# Only where it does not start by itself: what is set here reaches traced programs, too.
		if ! ./gstrace --version; then
			export LD_LIBRARY_PATH="$stage/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
			./gstrace --version || return 1
		fi
		./gstrace doctor
		./record_testdata.sh --bin bin --python kernels/pytorch --gstrace gstrace --lib libgstrace.so \
			--out "$results/recorded" "$@" || status=$?
		mkdir -p "$results/recorded/analysis"
		for trace in "$results"/recorded/*.gst; do
			[ -f "$trace" ] || continue
			name=$(basename "$trace" .gst)
			echo "== gstrace analyze $name.gst"
			timeout 60 ./gstrace analyze "$trace" >"$results/recorded/analysis/$name.txt" || {
				echo "gpu_session: FAILED: analysis of $name.gst" >&2
				status=1
			}
			head -n 40 "$results/recorded/analysis/$name.txt"
		done
	else
		./record_testdata.sh --plain --bin bin --python kernels/pytorch --out "$results/recorded" "$@" || status=$?
	fi
	return "$status"
}

# A pipe into tee would lose the status.
session "$@" >"$OUT/session.log" 2>&1
status=$?
cat "$OUT/session.log"

mkdir -p "$results/recorded"
tar -C "$results" -czf "$OUT/recorded.tar.gz" recorded
size=$(wc -c <"$OUT/recorded.tar.gz" | tr -d ' ')
if [ "$size" -gt "$max" ]; then
	echo "gpu_session: $size bytes are too many: traces above 1 MiB are left out" | tee -a "$OUT/session.log"
	find "$results/recorded" -name '*.gst' -size +1024k | tee -a "$OUT/session.log" | xargs rm -f
	tar -C "$results" -czf "$OUT/recorded.tar.gz" recorded
fi
echo "gpu_session: status $status; $OUT/recorded.tar.gz, $OUT/session.log" | tee -a "$OUT/session.log"
exit "$status"
