#!/bin/sh
# A recording of what passed between libgstrace and a CUPTI, played without that CUPTI, gives the trace that was
# recorded live: times and ids of the run aside. Recordings made here with the fake CUPTI; those of real ones
# are in testdata/cupti.
# usage: cupti_replay_test.sh GSTRACE LIBGSTRACE FAKE_CUPTI FAKE_CUPTI_11_8 FAKE_APP RECORDER PLAYER STAT AWK
#                             RECORD_CUPTI RECORDS FOLDER
# FOLDER: recordings of real programs
set -u
gstrace=$(readlink -f "$1")
library=$(readlink -f "$2")
fake=$(readlink -f "$3")
fake_11_8=$(readlink -f "$4")
app=$(readlink -f "$5")
recorder=$(readlink -f "$6")
player=$(readlink -f "$7")
stat=$(readlink -f "$8")
awk=$(readlink -f "$9")
shift 9
record_cupti=$(readlink -f "$1")
records=$(readlink -f "$2")
real=$(readlink -f "$3") || real=$3
# The fake gives strings away that nobody frees: leaks of programs under test are not the matter here.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
dir=$(mktemp -d "${TMPDIR:-/tmp}/cupti_replay.XXXXXX")
staging=$(mktemp -d /dev/shm/gst-replay.XXXXXX 2>/dev/null) || staging=$dir
trap 'rm -rf "$dir" "$staging"' EXIT
cd "$dir" || exit 1
unset NVTX_INJECTION64_PATH GSTRACE_SESSION GSTRACE_LIB GSTRACE_PRIVATE GSTRACE_MODE
export GSTRACE_STAGING_DIR="$staging" CUDA_INJECTION64_PATH="$library"
failed=0
fails() {
	echo "cupti_replay_test: $*" >&2
	failed=1
}

# record NAME SCRIPT [FAKE]: NAME.log and NAME.gst, under the recorder
record() {
	env FAKE_CUPTI="${3:-$fake}" GSTRACE_CUPTI="$recorder" GSTRACE_RECORDER_CUPTI="${3:-$fake}" GSTRACE_RECORDER_LOG="$dir/$1.log" \
		GSTRACE_OUTPUT="./$1.gst" timeout 30 "$app" -c "$2" >out 2>err
	status=$?
	[ ! -s err ] || [ "$status" -eq 137 ] || fails "$1: $(cat err)"
}
# play NAME LOG: NAME.played.gst
play() {
	rm -f "./$1.played.gst"
	env FAKE_CUPTI="$player" GSTRACE_CUPTI="$player" GSTRACE_OUTPUT="./$1.played.gst" timeout 30 "$app" -c "$2" >out 2>err ||
		fails "$1: the player ended with $?: $(cat err)"
}
normal() { # TRACE: as text, on stdout
	"$gstrace" dump "$1" >text || fails "$1 cannot be read"
	awk -f "$awk" "$records" text
}
same() { # NAME
	normal "./$1.gst" >"$1.live"
	normal "./$1.played.gst" >"$1.played"
	[ -s "$1.live" ] || fails "$1: nothing was recorded"
	diff "$1.live" "$1.played" >"$1.diff" || {
		fails "$1: the replay differs from what was recorded (<)"
		head -n 20 "$1.diff" >&2
	}
}
says() { # NAME FACT VALUE
	"$stat" "$1.log" >"$1.stat" || fails "$1: no statistics"
	awk -F '\t' -v k="$2" '$1 == k { print $2 }' "$1.stat" | grep -q "^$3" ||
		fails "$1: $2 is not $3: $(awk -F '\t' -v k="$2" '$1 == k' "$1.stat")"
}

everything='stream s nonblocking -2; stream t; event e; memcpy h2d pageable 64KiB s; memcpy d2h pinned 1KiB s; memcpy h2d pageable 4KiB;
	memset 4096 s; record e s; wait t e; query e; sync e; query s; sync s; hostfunc s 10us; launch-ex s k 1us; malloc m 1MiB;
	malloc a 64KiB s; free a s; free m; hostalloc h 4KiB; hostfree h; memory batch s; memory batch-copy s; memory prefetch s;
	memory pool-attribute s; memory sync-memops s; memory signal-semaphore s; memory device-pool s;
	capture s; launch s captured 5us; launch s second 5us; hostfunc s 1us; endcapture s g; instantiate g x; graphlaunch x s;
	thread { record e t; wait s e; launch 0 other 3us; sync t }; thread { repeat 20 { launch s third 3us } }; join; repeat 100 { launch t k 0; launch 0 k2 0 };
	fail 700; query s; default-stream per-thread; launch 0 p 1us; thread { launch 0 p2 1us }; join; devsync; destroy e; destroy s; reset'

# Each version's records have their own sizes. Event numbers are asked for at the start, or once two threads use events.
for version in 18 20 22 24 26 27 130000 130001; do
	under=$fake
	[ "$version" -ne 18 ] || under=$fake_11_8
	export GSTRACE_EVENT_IDS=always
	[ "$version" -ne 130001 ] || unset GSTRACE_EVENT_IDS
	record "all-$version" "fault version $version; $everything; print done; exit 5" "$under"
	[ "$status" -eq 5 ] && [ "$(cat out)" = "done" ] || fails "all-$version: the program gave $status, $(cat out)"
	play "all-$version" "$dir/all-$version.log"
	same "all-$version"
	says "all-$version" version "$version$"
	says "all-$version" attached 'yes$'
	says "all-$version" calls 'yes$'
	says "all-$version" ids 'match$'
done
says all-18 kind-10 '[0-9]* records of 200 bytes$'
says all-20 kind-10 '[0-9]* records of 208 bytes$'
says all-130001 kind-10 '[0-9]* records of 216 bytes$'
says all-18 missing-functions '[1-9]'
says all-24 kind-36-refused '21$'

# Packed, and from there on played again and again.
gzip -9 <all-27.log >packed.gz
cp all-27.gst packed.gst
play packed "$dir/packed.gz"
same packed
size=$(wc -c <packed.gz)
[ "$size" -lt 100000 ] || fails "a recording has $size bytes"

# Faults of CUPTI are part of the recording.
record dropped 'stream s; launch s a 1us; fault drop 7; launch s b 1us; fault unknown 77; devsync; fault zero-times 1; launch s c 1us; devsync'
play dropped "$dir/dropped.log"
same dropped
grep -q '^loss ' dropped.live || fails "nothing was lost"
record kept 'stream s; launch s a 1us; devsync; fault keep-buffers; launch s b 1us; devsync'
play kept "$dir/kept.log"
same kept
grep -q '^loss .*reason=ended-early' kept.live || fails "no buffer stayed inside"
record silent 'fault silence 1; fault silence 2; stream s; launch s a 1us; devsync'
play silent "$dir/silent.log"
same silent
says silent calls 'none$'
says silent device 'yes$'
record refused 'fault callback 1 0 27; fault enable 49 35; stream s; launch s a 1us; devsync'
play refused "$dir/refused.log"
same refused
says refused kind-49-refused '35$'

# A killed program leaves a recording that can be played as far as it goes.
record killed 'stream s; launch s a 1us; launch s b 1us; inside kill; sync s'
[ "$status" -eq 137 ] || fails "the program was not killed: $status"
play killed "$dir/killed.log"
"$gstrace" dump ./killed.played.gst | grep -q '^call_stream .*api=cudaStreamSynchronize' || fails "the call it was killed in is not played"

# That the comparison sees something: other scripts give other traces.
record one 'stream s; launch s a 1us; devsync'
play one "$dir/dropped.log"
normal ./one.gst >one.live
normal ./one.played.gst >one.played
diff one.live one.played >/dev/null && fails "two programs look the same"

# What is no recording is refused.
env FAKE_CUPTI="$player" GSTRACE_CUPTI="$player" timeout 30 "$app" -c "$dir/one.gst" >out 2>err && fails "a trace was played"
grep -q 'not a recording' err || fails "it is not said what is wrong: $(cat err)"

# The script for GPU machines: a table of what each libcupti did, and recordings that can be played.
mkdir bin
cat >bin/work <<END
#!/bin/sh
FAKE_CUPTI=$fake exec $app -c 'stream s; launch s a 1us; devsync; exit 4'
END
sed 's/-c .stream/-c '"'fault version 14; stream/" bin/work >bin/refused
chmod +x bin/work bin/refused
: >libcupti.so.12.0 # cannot be loaded
"$record_cupti" --bin bin --lib "$library" --recorder "$recorder" --stat "$stat" --out recorded --only --cupti "$fake" --cupti libcupti.so.12.0 \
	work >out 2>err || fails "record_cupti.sh gave $?: $(cat err)"
row() {
	awk -F '\t' -v v="$1" '$1 == v { print $2, $3, $4, $6, $7, $8, $9 }' recorded/attach.tsv
}
[ "$(row "$(basename "$fake")")" = "work 4 4 yes yes yes match" ] || fails "attach.tsv says of the fake: $(cat recorded/attach.tsv)"
[ "$(row 12.0)" = "work 4 4 - - - -" ] || fails "attach.tsv says of what is no library: $(cat recorded/attach.tsv)"
# One that is too old is not asked for anything, and the program is as it is untraced.
"$record_cupti" --bin bin --lib "$library" --recorder "$recorder" --stat "$stat" --out refused --only --cupti "$fake" refused >out 2>err ||
	fails "record_cupti.sh of an old one gave $?: $(cat err)"
[ "$(tail -n +2 refused/attach.tsv | cut -f 1-10 | tr '\t' ' ')" = "$(basename "$fake") refused 4 4 none no none none none none" ] ||
	fails "attach.tsv says of an old one: $(cat refused/attach.tsv)"
cp "recorded/work-$(basename "$fake").gst" ./work.gst
play work "$dir/recorded/work-$(basename "$fake").cupti.gz"
same work

# Of real programs. NAME.diff beside a recording: what this libgstrace writes otherwise than the one that recorded.
for file in "$real"/*.cupti.gz; do
	[ -f "$file" ] || fails "no recordings in $real"
	name=$(basename "$file" .cupti.gz)
	cp "${file%.cupti.gz}.gst" "./$name.gst"
	# As record_cupti.sh has it.
	case $name in
	nodes_*) export GSTRACE_GRAPHS=nodes ;;
	*) unset GSTRACE_GRAPHS ;;
	esac
	play "$name" "$file"
	normal "./$name.gst" >"$name.live"
	normal "./$name.played.gst" >"$name.played"
	: >expected
	[ ! -f "${file%.cupti.gz}.diff" ] || cp "${file%.cupti.gz}.diff" expected
	diff "$name.live" "$name.played" >"$name.diff"
	cmp -s expected "$name.diff" && continue
	fails "$name: the replay is not what it was; $name.diff would be:"
	head -n 40 "$name.diff" >&2
done
exit "$failed"
