#!/bin/sh
# What install.sh leaves runs from where it was put, and finds its library there.
# usage: install_test.sh INSTALL
set -eu
install=$PWD/$1
passed=0
failed=0
check() {
	if "$@"; then
		passed=$((passed + 1))
	else
		echo "failed: $*"
		failed=$((failed + 1))
	fi
}
fails_with() {
	want=$1
	shift
	status=0
	"$@" >/dev/null 2>&1 || status=$?
	[ "$status" -eq "$want" ]
}

check "$install" --prefix "$TEST_TMPDIR/one"
check test -x "$TEST_TMPDIR/one/bin/gstrace"
check test -f "$TEST_TMPDIR/one/lib/libgstrace.so"
check "$TEST_TMPDIR/one/bin/gstrace" --version

# A relative prefix means the caller's folder; DESTDIR goes before the prefix.
mkdir "$TEST_TMPDIR/caller"
BUILD_WORKING_DIRECTORY=$TEST_TMPDIR/caller check "$install" --prefix=two
check test -x "$TEST_TMPDIR/caller/two/bin/gstrace"
DESTDIR=$TEST_TMPDIR/stage check "$install" --prefix /usr
check test -x "$TEST_TMPDIR/stage/usr/bin/gstrace"

check fails_with 2 "$install" --prefix
check fails_with 2 "$install" --nonsense
: >"$TEST_TMPDIR/file"
check fails_with 1 "$install" --prefix "$TEST_TMPDIR/file"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
