#!/bin/sh
# What gstrace answers to single questions, against testdata/golden/question:
#   path-NAME.txt, .json          gstrace path, of the cases below
#   released-NAME.txt, .json      gstrace path --to alone
#   without-NAME.txt, .json       gstrace path --to --without
#   pairs-NAME.txt, .json         gstrace path --pairs
#   critical-NAME.txt, .json      gstrace critical
#   verify-NAME.txt               gstrace verify
# With GSTRACE_GOLDEN_OUT set to a folder they are written there instead (tools/golden.sh --update).
# usage: question_golden_test.sh GSTRACE GOLDEN_FOLDER FOLDER_OF_TESTDATA
set -u
gstrace=$1
golden=$2
data=$3
test=question_golden_test
. analyzer/test/golden_keep.sh

# ask NAME ARGUMENTS: the answer and, if it is not 0, the status. The version is not a matter of this.
ask() {
	name=$1
	shift
	"$gstrace" "$@" >"$dir/answer" 2>&1
	status=$?
	sed 's/^\(  "gstrace_version": \).*/\1"X",/' "$dir/answer" >"$dir/new"
	[ "$status" -eq 0 ] || echo "status $status" >>"$dir/new"
	keep "$name"
}

# path NAME TRACE FROM TO
path() {
	ask "path-$1.txt" path --from "$3" --to "$4" "$data/$2"
	ask "path-$1.json" path --format json --from "$3" --to "$4" "$data/$2"
}

path legacy real/default_stream_bad.gst 'first#1' 'last#1'
path legacy_reverse real/default_stream_bad.gst 'op:2' 'op:0'
path independent real/default_stream_good.gst 'first#last' 'last#last'
path event traces/e1_wait.gstext 0 3
path host real/device_sync_bad.gst 'stream:13#1' 'stream:14#last'
path programmatic traces/s2_programmatic.gstext 0 2
path possible traces/h7_may_block.gstext 'op:0' '#last'
path ambiguous traces/u1_ambiguous.gstext '#2' '#3'
path unknown_stream traces/s4_unknown_stream.gstext 'op:0' 'op:1'
path unknown_record traces/u3_latest_record_unknown.gstext '#1' '#last'
path lost traces/x_lost_calls.gstext '#1' '#last'
path cycle traces/x_cycle.gstext '#1' '#2'
path order_mode traces/x_mode_order.gstext '#1' '#last'
path graph traces/g4_graph_edges.gstext "a#1" "e#1"
path ranges traces/n1_nvtx.gstext gemm relu
path same real/graph_launch.gst 'graph launch#1' 'graph launch#1'

# released NAME TRACE TO
released() {
	ask "released-$1.txt" path --to "$3" "$data/$2"
	ask "released-$1.json" path --format json --to "$3" "$data/$2"
}

released legacy real/default_stream_bad.gst 'last#2'
released event traces/e1_wait.gstext consumer
released host_func traces/f1_host_func.gstext after
released no_call traces/x_no_call.gstext '#last'
released order_mode traces/x_mode_order.gstext '#last'

# without NAME TRACE TO OPTIONS: the same, and when it could have begun
without() {
	case=$1 trace=$2 to=$3
	shift 3
	ask "without-$case.txt" path --to "$to" "$@" "$data/$trace"
	ask "without-$case.json" path --format json --to "$to" "$@" "$data/$trace"
}

without legacy real/default_stream_bad.gst 'last#2' --without S3 --without '#1' --without '#2' --without E1
without order_mode traces/x_mode_order.gstext '#last' --without S1
without many real/default_stream_bad.gst 'last#2' --without '#4'

# pairs NAME TRACE FROM TO
pairs() {
	ask "pairs-$1.txt" path --pairs --from "$3" --to "$4" "$data/$2"
	ask "pairs-$1.json" path --pairs --format json --from "$3" --to "$4" "$data/$2"
}

pairs legacy real/default_stream_bad.gst first last
pairs independent real/default_stream_good.gst first last
pairs few traces/e1_wait.gstext '#1' '#last'
pairs possible traces/m2_peer_copy.gstext 'stream:' 'stream:'
pairs possible_many real/wait_value.gst 'stream:' 'stream:'
pairs lost traces/x_lost_calls.gstext stream: stream:
pairs none real/graph_launch.gst nothing-of-this-name '#1'

# critical NAME TRACE
critical() {
	ask "critical-$1.txt" critical --top 5 "$data/$2"
	ask "critical-$1.json" critical --format json --all "$data/$2"
}

critical legacy real/default_stream_bad.gst
critical events real/cross_stream_events.gst
critical two_threads real/per_thread_default.gst
critical host_func real/host_func.gst
critical poll real/event_poll.gst
critical graph real/graph_launch.gst
critical copies real/pageable_copy_bad.gst
for trace in n1_nvtx g4_graph_edges g7_loop_body x_hang x_windows x_lost_calls x_mode_order x_no_call x_cycle x_clock_step s2_programmatic h4_synchronous_copies; do
	critical "$trace" "traces/$trace.gstext"
done

# verify NAME TRACE
verify() {
	ask "verify-$1.txt" verify "$data/$2"
}

verify legacy real/default_stream_bad.gst
verify graph real/graph_launch.gst
ask verify-two_processes.txt verify "$data/real/default_stream_bad.gst" "$data/real/graph_launch.gst"
for trace in x_cycle x_clock_step x_mode_order x_hang s2_programmatic u1_ambiguous; do
	verify "$trace" "traces/$trace.gstext"
done
# The wait came back before what it waited for was over, by more than the launch before allows the clock.
sed 's/\(corr=2 .*start_ns=\)[0-9]*/\11250/; s/exit_ns=9500/exit_ns=1550/' "$data/traces/s10_green_context.gstext" >"$dir/clock.gstext"
ask verify-clock.txt verify "$dir/clock.gstext"

finish question
