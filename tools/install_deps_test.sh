#!/bin/sh
# install_deps.sh on made-up machines: PATH holds only what a case puts there.
# usage: install_deps_test.sh install_deps.sh
set -eu
script=$PWD/$1
passed=0
failed=0
bin=$TEST_TMPDIR/bin
log=$TEST_TMPDIR/log

# machine TOOLS...: a new PATH with these of the system's programs.
machine() {
	rm -rf "$bin"
	mkdir "$bin"
	: >"$log"
	for tool in sh tr grep cat env "$@"; do
		ln -s "$(command -v "$tool")" "$bin/$tool"
	done
}
# program NAME <<BODY: a made-up program that also logs its call.
program() {
	{
		printf '#!/bin/sh\necho "%s $*" >>%s\n' "$1" "$log"
		cat
	} >"$bin/$1"
	chmod +x "$bin/$1"
}
user() {
	echo "echo $1" | program id
}
# expect STATUS WORDS ARGUMENTS...: runs it without a terminal; its output has the words.
expect() {
	want=$1
	words=$2
	shift 2
	status=0
	PATH=$bin CI="${ci:-}" "$bin/sh" "$script" "$@" >"$TEST_TMPDIR/out" 2>&1 </dev/null || status=$?
	if [ "$status" -ne "$want" ] || { [ -n "$words" ] && ! grep -qF -e "$words" "$TEST_TMPDIR/out"; }; then
		echo "wanted status $want and \"$words\"; got status $status and:"
		cat "$TEST_TMPDIR/out"
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
}
ran() {
	if grep -qxF -e "$1" "$log"; then
		passed=$((passed + 1))
	else
		echo "did not run \"$1\", but:"
		cat "$log"
		failed=$((failed + 1))
	fi
}
never_ran() {
	if grep -q -e "^$1 " "$log"; then
		echo "ran $1:"
		cat "$log"
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
}

machine
user 0
expect 1 'there is no apt-get here'
expect 1 'bazel-bootstrap'

machine
user 1000
program apt-get </dev/null
expect 1 'not root, and there is no sudo'
never_ran apt-get

# Somebody to ask is needed, or --yes, or CI.
machine
user 1000
program apt-get </dev/null
echo 'shift; exec "$@"' | program sudo
expect 1 'nobody to ask'
never_ran apt-get
expect 1 'To install (Debian packages): bazel-bootstrap'

machine
user 1000
program apt-get </dev/null
echo 'exit 1' | program sudo
expect 1 'sudo refused' --yes
never_ran apt-get

# The mkdir and the packages are made up: what is asked for is still missing afterwards, and it says so.
machine
user 1000
program true </dev/null
program mkdir </dev/null
program apt-get </dev/null
echo 'shift; exec "$@"' | program sudo
expect 1 'installed, and still not found' --yes
ran 'mkdir -p /usr/share/man/man1'
ran 'apt-get -q update'
grep -q '^apt-get -q -y --no-install-recommends install bazel-bootstrap gcc ' "$log" && passed=$((passed + 1)) || failed=$((failed + 1))
ci=true expect 1 'installed, and still not found'

machine
user 0
program mkdir </dev/null
echo 'exit 100' | program apt-get
expect 1 'no network?'

# Root is not asked, and needs no sudo; what apt-get brought is found.
machine
user 0
program mkdir </dev/null
{
	echo 'case "$*" in *install*)'
	for tool in bazel gcc protoc-c; do
		echo "ln -s sh $bin/$tool"
	done
	echo "printf '#!/bin/sh\\n' >$bin/pkg-config; chmod +x $bin/pkg-config ;; esac"
} | program apt-get
ln -s "$(command -v ln)" "$bin/ln"
ln -s "$(command -v chmod)" "$bin/chmod"
expect 0 'To install (Debian packages): bazel-bootstrap'
never_ran sudo
: >"$log"
expect 0 ''
never_ran apt-get
expect 2 'usage' --nonsense

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
