#!/bin/sh
# Records the workloads of kernels/ on a machine with a GPU, from built programs alone:
#
#   record_testdata.sh --bin DIR --gstrace FILE --lib FILE --out DIR [options] [workload...]
#
#   --bin DIR       the built workloads           --python DIR   PyTorch workloads (DIR/*.py)
#   --gstrace FILE  the gstrace program           --lib FILE     libgstrace.so
#   --out DIR       traces and tables go here; what is there of other workloads stays
#   --commit ID     commit gstrace was built from (default: the file COMMIT beside this script)
#   --runs N        interleaved runs of each bad/good pair (default 10; 0 = none)
#   --expect CMD --sources DIR   after each recording: CMD SOURCE TRACE, SOURCE being DIR/<workload>.cu,
#                   DIR/ordering/<workload>.cu, DIR/pytorch/<workload>.py or DIR/apps/<workload>.py; its exit status says whether
#                   the EXPECT lines hold
#   --plain         only run the programs and the pairs, record nothing
#
# Everything runs in a new empty folder with GSTRACE_PRIVATE=1, so that neither host, user nor path is
# in a trace. DIR gets <workload>.gst, MANIFEST.tsv (one row a trace) and twins.tsv (measured gains, no
# tool attached; every run is in twins_runs.tsv). What a witness of kernels/ordering claims is in
# witness.tsv: one row a claim, as seen without a tool and in the traced run ("-": no such run). A workload
# that fails is named and does not stop the others. Exit: 0 all went well, 1 something failed, 2 usage,
# 77 no usable GPU.
set -u

here=$(cd "$(dirname "$0")" && pwd)
bin='' python='' gstrace='' lib='' out='' commit='' expect='' sources=''
runs=10 plain=0
limit=60        # seconds for one run; a first import of PyTorch alone can take longer
python_limit=180
big=1048576     # bytes of a trace that is worth a word

die() {
	echo "record_testdata: $*" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	--plain) plain=1; shift; continue ;;
	-h | --help) sed -n '2,/^set -u/p' "$0" | sed '$d; s/^# \{0,1\}//'; exit 0 ;;
	--*) [ $# -ge 2 ] || die "$1 needs a value" ;;
	*) break ;;
	esac
	case $1 in
	--bin) bin=$2 ;;
	--python) python=$2 ;;
	--gstrace) gstrace=$2 ;;
	--lib) lib=$2 ;;
	--out) out=$2 ;;
	--commit) commit=$2 ;;
	--runs) runs=$2 ;;
	--expect) expect=$2 ;;
	--sources) sources=$2 ;;
	*) die "unknown option $1 (--help lists them)" ;;
	esac
	shift 2
done
{ [ -n "$bin" ] && [ -n "$out" ]; } || die "--bin and --out are needed (--help)"
case $runs in '' | *[!0-9]*) die "--runs needs a number" ;; esac

absolute() {
	[ -e "$1" ] || die "$1 does not exist"
	(cd "$(dirname "$1")" && printf '%s/%s\n' "$(pwd)" "$(basename "$1")")
}
mkdir -p "$out" || die "cannot make $out"
bin=$(absolute "$bin") || exit 2
out=$(absolute "$out") || exit 2
[ -z "$python" ] || python=$(absolute "$python") || exit 2
[ -z "$sources" ] || sources=$(absolute "$sources") || exit 2
[ -z "$expect" ] || [ -n "$sources" ] || die "--expect needs --sources"
[ -z "$expect" ] || expect=$(absolute "$expect") || exit 2
if [ "$plain" -eq 0 ]; then
	{ [ -n "$gstrace" ] && [ -n "$lib" ]; } || die "--gstrace and --lib are needed, or --plain"
	gstrace=$(absolute "$gstrace") || exit 2
	lib=$(absolute "$lib") || exit 2
fi
[ -n "$commit" ] || commit=$(cat "$here/COMMIT" 2>/dev/null) || commit=unknown

# One line of facts about the machine.
smi=$(nvidia-smi --query-gpu=driver_version,name --format=csv,noheader 2>/dev/null | head -n 1)
driver=${smi%%,*}
gpu=${smi#*, }
[ -n "$smi" ] || driver=unknown gpu=unknown
today=$(date -u +%Y-%m-%d)

if [ $# -eq 0 ]; then
	# shellcheck disable=SC2046 # names without blanks
	set -- $(cd "$bin" && for f in *; do [ -f "$f" ] && [ -x "$f" ] && echo "$f"; done)
	# shellcheck disable=SC2046
	[ -z "$python" ] || set -- "$@" $(cd "$python" && for f in *.py; do [ -f "$f" ] && echo "${f%.py}"; done)
fi

# An injection of the caller's must not reach the untraced runs.
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/run.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
cd "$work" || exit 2

failures=0
skips=0
recorded=0
fail() {
	echo "record_testdata: FAILED: $*" >&2
	failures=$((failures + 1))
}

# The command of workload $1 into $command (words without blanks), its time limit into $seconds.
fetch() {
	if [ -f "$bin/$1" ] && [ -x "$bin/$1" ]; then
		cp "$bin/$1" . && command=./$1 seconds=$limit
	elif [ -n "$python" ] && [ -f "$python/$1.py" ]; then
		cp "$python/$1.py" . && command="python3 ./$1.py" seconds=$python_limit
	else
		return 1
	fi
}

# Put row $2 (tab-separated, its first field is the key) into table $1, whose heading is $3.
put_row() {
	key=$(printf '%s' "$2" | cut -f 1)
	{
		printf '%s\n' "$3"
		{
			[ ! -f "$1" ] || tail -n +2 "$1" | awk -F '\t' -v k="$key" '$1 != k'
			printf '%s\n' "$2"
		} | LC_ALL=C sort
	} >"$1.tmp" && mv "$1.tmp" "$1"
}

# The lines of file $1 "witness=NAME CLAIM=VALUE ..." as rows "NAME.CLAIM VALUE", in $2.
claims() {
	awk '/^witness=/ {
		name = substr($1, 9)
		for (i = 2; i <= NF; i++) {
			at = index($i, "=")
			if (at > 1) print name "." substr($i, 1, at - 1) "\t" substr($i, at + 1)
		}
	}' "$1" >"$2"
}

# Rows of witness.tsv from the claims of the last run without a tool (plain.claims) and the traced one.
put_claims() {
	awk -F '\t' -v OFS='\t' -v end="$driver	$gpu	$today" '
		FILENAME == "plain.claims" { plain[$1] = $2 }
		FILENAME == "traced.claims" { traced[$1] = $2 }
		!($1 in seen) { seen[$1]; names[++n] = $1 }
		END {
			for (i = 1; i <= n; i++) {
				k = names[i]
				print k, k in plain ? plain[k] : "-", k in traced ? traced[k] : "-", end
			}
		}' plain.claims traced.claims >rows
	while IFS= read -r row; do
		put_row "$out/witness.tsv" "$row" "$(printf 'claim\tuntraced\ttraced\tdriver\tgpu\tdate')"
	done <rows
}

record() {
	name=$1
	case $name in
	nodes_*) options='--graphs=nodes ' ;;
	wrap_*) options='--host-functions=wrap ' ;;
	windows_*) options='--start=paused ' ;;
	*) options='' ;;
	esac
	# By a variable what has no option.
	case $name in
	flush_*) command="env GSTRACE_FLUSH_MS=1 $command" ;;
	esac
	rm -f "$name.gst"
	# shellcheck disable=SC2086 # words
	GSTRACE_PRIVATE=1 timeout -k 10 "$seconds" "$gstrace" record --lib "$lib" $options-o "$work/$name.gst" -- $command >stdout
	status=$?
	cat stdout
	claims stdout traced.claims
	# async_error and the like are expected to exit with 0, too: they check that the error came.
	[ "$status" -eq 0 ] || fail "$name: exit status $status under gstrace record"
	if [ ! -s "$name.gst" ]; then
		fail "$name: no trace"
		return
	fi
	size=$(wc -c <"$name.gst" | tr -d ' ')
	[ "$size" -le "$big" ] || echo "record_testdata: $name.gst has $size bytes, more than 1 MiB" >&2
	cupti=$("$gstrace" dump "$name.gst" --text 2>/dev/null | sed -n 's/.*cupti_version=\([0-9][0-9]*\).*/\1/p' | head -n 1)
	sum=$(sha256sum "$name.gst" | cut -d ' ' -f 1)
	mv "$name.gst" "$out/$name.gst.tmp" && mv "$out/$name.gst.tmp" "$out/$name.gst"
	row=$(printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s' "$name" "$sum" "$size" "$commit" "$driver" \
		"${cupti:-unknown}" "$gpu" "$today" "gstrace record $options-o $name.gst -- $command" "$status")
	put_row "$out/MANIFEST.tsv" "$row" \
		"$(printf 'workload\tsha256\tsize\tcommit\tdriver\tcupti\tgpu\tdate\tcommand\texit')"
	recorded=$((recorded + 1))
	[ -n "$expect" ] || return 0
	source=$sources/$name.cu
	[ -f "$source" ] || source=$sources/ordering/$name.cu
	[ -f "$source" ] || source=$sources/pytorch/$name.py
	[ -f "$source" ] || source=$sources/apps/$name.py
	"$expect" "$source" "$out/$name.gst" || fail "$name: EXPECT lines of $source do not hold"
}

for name in "$@"; do
	echo "== $name"
	if ! fetch "$name"; then
		fail "$name: no such workload in $bin${python:+ or $python}"
		continue
	fi
	# shellcheck disable=SC2086
	timeout -k 10 "$seconds" $command >stdout
	status=$?
	cat stdout
	claims stdout plain.claims
	: >traced.claims
	if [ "$status" -eq 77 ]; then
		echo "record_testdata: skipped: $name" >&2
		skips=$((skips + 1))
		continue
	fi
	[ "$status" -eq 0 ] || fail "$name: exit status $status without any tool"
	[ "$plain" -eq 1 ] || record "$name"
	put_claims
done

# Wall time that workload $1 reports, in microseconds.
measure() {
	timeout -k 10 "$limit" "./$1" | sed -n 's/^workload=[a-z0-9_]* wall_us=\([0-9.]*\).*/\1/p'
}

# Median, least and greatest of the numbers in column $2 of file $1, tab-separated.
spread() {
	cut -f "$2" "$1" | sort -n | awk '{ v[NR] = $1 }
		END { printf "%.1f\t%.1f\t%.1f", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[1], v[NR] }'
}

for name in "$@"; do
	pair=${name%_bad}
	if [ "$pair" = "$name" ] || [ "$runs" -eq 0 ] || [ ! -x "./${pair}_bad" ]; then
		continue
	fi
	fetch "${pair}_good" || continue
	: >runs
	i=1
	while [ "$i" -le "$runs" ]; do
		bad=$(measure "${pair}_bad")
		good=$(measure "${pair}_good")
		{ [ -n "$bad" ] && [ -n "$good" ]; } || break
		printf '%s.%02d\t%s\t%s\n' "$pair" "$i" "$bad" "$good" >>runs
		i=$((i + 1))
	done
	if [ "$i" -le "$runs" ]; then
		[ "$skips" -gt 0 ] || fail "$pair: run $i of the pair gave no time"
		continue
	fi
	while IFS= read -r row; do
		put_row "$out/twins_runs.tsv" "$row" "$(printf 'pair.run\tbad_us\tgood_us')"
	done <runs
	# "median least greatest" of each, and the difference of the medians
	row=$(printf '%s\t%s\t%s\t%s' "$pair" "$runs" "$(spread runs 2)" "$(spread runs 3)" |
		awk -F '\t' -v OFS='\t' '{ print $0, sprintf("%.1f", $3 - $6) }')
	put_row "$out/twins.tsv" "$row" \
		"$(printf 'pair\truns\tbad_us\tbad_min_us\tbad_max_us\tgood_us\tgood_min_us\tgood_max_us\tgain_us')"
	printf '%s\n' "$row"
done

echo "record_testdata: $recorded recorded, $failures failed, $skips skipped, in $out"
[ "$failures" -eq 0 ] || exit 1
[ "$skips" -lt $# ] || exit 77
exit 0
