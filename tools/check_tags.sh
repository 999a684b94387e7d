#!/bin/sh
# Tests that the runner could miss: one that reaches code that starts a thread is tagged
# "threads" (TSan runs those), none is "manual", and //:full or //:gpu holds each of them.
set -eu
cd "$(dirname "$0")/.."
status=0

query() {
	bazel query --noshow_progress --ui_event_filters=-info,-debug "$1"
}
complain() {
	[ -z "$1" ] && return 0
	printf '%s\n' "$1"
	echo "check_tags: $2"
	status=1
}
tagged() {
	printf 'attr(tags, "[\\[ ]%s[,\\]]", //...)' "$1"
}

starters=$(git ls-files -co --exclude-standard -- '*.c' |
	xargs -r awk -f tools/strip_c.awk |
	sed -nE 's/^([^:]*):[0-9]+:(.*[^A-Za-z0-9_])?(pthread_create|thrd_create)[ 	]*\(.*/\1/p' | sort -u)
if [ -n "$starters" ]; then
	complain "$(query "kind('_test rule', rdeps(//..., set($(echo "$starters" | tr '\n' ' ')))) except $(tagged threads) except $(tagged no-threads) except $(tagged gpu)")" \
		"reaches code that starts a thread and has no tag \"threads\" (or \"no-threads\", if it never runs that code)"
fi
complain "$(query "kind('_test rule', $(tagged manual))")" "a manual test is a skip that nobody sees"
complain "$(query "kind('_test rule', //...) except tests(//:full) except tests(//:gpu)")" \
	"is in neither //:full nor //:gpu: list its package's \":tests\" in the BUILD file at the top"

[ "$status" -eq 0 ] && echo "check_tags: ok"
exit "$status"
