#!/bin/sh
# record_testdata.sh with programs made of shell: what it writes, what it says, when it fails.
# usage: record_testdata_test.sh PATH_OF_record_testdata.sh
set -eu
script=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
dir=$(mktemp -d "${TMPDIR:-/tmp}/record_test.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir bin py out

# program NAME COMMANDS: a workload.
program() {
	printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
	chmod +x "bin/$1"
}
program demo_bad 'echo "workload=demo_bad wall_us=300.5"'
program demo_good 'echo "workload=demo_good wall_us=100.0"'
program breaks 'exit 3'
program claims_it 'echo "witness=claims_it a_us=5.5 waits=$([ "${GSTRACE_PRIVATE:-}" = 1 ] && echo no || echo yes)"'
program skips 'echo "skipped: no usable GPU" >&2; exit 77'
# In a folder of its own, private, and without an injection of the caller's.
program looks '[ "$(ls -A | grep -c "^looks$")" = 1 ] && [ -z "${CUDA_INJECTION64_PATH:-}" ] || exit 4
	[ "${GSTRACE_PRIVATE:-}" != 1 ] || echo private'

cat >gstrace <<'F'
#!/bin/sh
case $1 in
record)
	[ "$2" = --lib ] && [ -f "$3" ] || exit 125
	shift 3
	options=
	while [ "$1" != -o ]; do options="$options$1 "; shift; done
	[ "$3" = -- ] || exit 125
	out=$2
	shift 3
	case $1 in env) [ "$*" = "env GSTRACE_FLUSH_MS=1 ./flush_it" ] || exit 125; shift 2 ;; esac
	"$@"; status=$?
	[ "$1" = ./breaks ] || { printf 'trace of '; echo "$options$1"; } >"$out"
	exit $status ;;
dump) echo 'process pid=1 cupti_version=130001 name=x' ;;
esac
F
chmod +x gstrace
: >lib.so

fails() {
	echo "record_testdata_test: $*" >&2
	cat log >&2
	exit 1
}

status=0
CUDA_INJECTION64_PATH=other sh "$script" --bin bin --python py --gstrace gstrace --lib lib.so --out out --commit abc \
	--runs 4 >log 2>&1 || status=$?
[ "$status" -eq 1 ] || fails "a failing workload gives status 1, not $status"
grep -q 'FAILED: breaks: exit status 3 without any tool' log || fails "the failing workload is named"
grep -q 'FAILED: breaks: no trace' log || fails "the missing trace is named"
grep -q 'skipped: skips' log || fails "the skipped workload is named"
grep -q '^private$' log || fails "recorded with GSTRACE_PRIVATE=1"
grep -q '4 recorded, 3 failed, 1 skipped' log || fails "the summary"
for name in claims_it demo_bad demo_good looks; do
	[ "$(cat out/$name.gst)" = "trace of ./$name" ] || fails "trace of $name"
	sum=$(sha256sum out/$name.gst | cut -d ' ' -f 1)
	grep -q "^$name	$sum	[0-9]*	abc	.*	130001	.*	gstrace record -o $name.gst -- ./$name	0\$" out/MANIFEST.tsv ||
		fails "row of $name"
done
[ "$(wc -l <out/MANIFEST.tsv)" -eq 5 ] || fails "a heading and four rows"
grep -q '^claims_it.a_us	5.5	5.5	' out/witness.tsv || fails "a claim of both runs"
grep -q '^claims_it.waits	yes	no	.*-..-..$' out/witness.tsv || fails "what each run saw"
[ "$(wc -l <out/witness.tsv)" -eq 3 ] || fails "a heading and two claims"
grep -q '^demo	4	300.5	300.5	300.5	100.0	100.0	100.0	200.5$' out/twins.tsv || fails "medians of the pair"
[ "$(wc -l <out/twins_runs.tsv)" -eq 5 ] || fails "a heading and four runs"
[ -z "$(find out -name '*.tmp')" ] || fails "nothing unfinished is left"

# What a program needs to be recorded with goes by its name.
for name in nodes_it wrap_it windows_it flush_it; do
	program $name 'exit 0'
done
sh "$script" --bin bin --gstrace gstrace --lib lib.so --out named --commit abc --runs 0 nodes_it wrap_it windows_it flush_it >log 2>&1 ||
	fails "recording by names"
cat named/*.gst | tr '\n' , >got
[ "$(cat got)" = "trace of ./flush_it,trace of --graphs=nodes ./nodes_it,trace of --start=paused ./windows_it,trace of --host-functions=wrap ./wrap_it," ] ||
	fails "options by name: $(cat got)"
grep -q '	gstrace record -o flush_it.gst -- env GSTRACE_FLUSH_MS=1 ./flush_it	0$' named/MANIFEST.tsv || fails "the row tells the variable"
grep -q '	gstrace record --start=paused -o windows_it.gst -- ./windows_it	0$' named/MANIFEST.tsv || fails "the row tells the option"
rm -f bin/nodes_it bin/wrap_it bin/windows_it bin/flush_it

# One workload again: the other rows stay, its own is replaced; its EXPECT lines are asked for.
mkdir sources
: >sources/looks.cu
printf '#!/bin/sh\n[ "$(basename "$1") $(basename "$2")" = "looks.cu looks.gst" ] || exit 9\nexit %s\n' '$(cat '"$dir"'/verdict)' >expect
chmod +x expect
echo 0 >verdict
sh "$script" --bin bin --gstrace gstrace --lib lib.so --out out --commit def --expect expect --sources sources looks \
	>log 2>&1 || fails "recording one again"
[ "$(wc -l <out/MANIFEST.tsv)" -eq 5 ] || fails "rows of other workloads stay"
[ "$(wc -l <out/witness.tsv)" -eq 3 ] || fails "claims of other workloads stay"
grep '^looks	' out/MANIFEST.tsv | grep -q '	def	' || fails "the row is replaced"
echo 1 >verdict
if sh "$script" --bin bin --gstrace gstrace --lib lib.so --out out --expect expect --sources sources looks >log 2>&1; then
	fails "EXPECT lines that do not hold give a failure"
fi

# Nothing but skipped ones is a skip; an unknown one is a failure; plain records nothing.
status=0
sh "$script" --bin bin --out plain --plain skips >log 2>&1 || status=$?
[ "$status" -eq 77 ] || fails "all skipped gives 77, not $status"
sh "$script" --bin bin --out plain --plain --runs 1 demo_bad demo_good >log 2>&1 || fails "plain"
[ ! -e plain/MANIFEST.tsv ] && [ -f plain/twins.tsv ] || fails "plain measures pairs only"
sh "$script" --bin bin --out plain --plain claims_it >log 2>&1 || fails "plain, of a witness"
grep -q '^claims_it.waits	yes	-	' plain/witness.tsv || fails "plain has no traced run"
status=0
sh "$script" --bin bin --out plain --plain nowhere >log 2>&1 || status=$?
[ "$status" -eq 1 ] || fails "an unknown workload gives 1, not $status"
status=0
sh "$script" --bin bin >log 2>&1 || status=$?
[ "$status" -eq 2 ] || fails "usage gives 2, not $status"
echo ok
