#!/bin/sh
# Every check must be seen to fail: plants one fault at a time in a copy of the tree and expects
# the check to name it. A check that passes over its fault fails here.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

ok() {
	passed=$((passed + 1))
}
not_ok() {
	failed=$((failed + 1))
	echo "checks_test: $1"
	sed 's/^/    /' "$work/out" | head -n 20
}

# expect CHECK WORDS...: the check fails and its output has the words. "CHECK FILE": of that file.
expect() {
	check=${1%% *}
	files=${1#"$check"}
	shift
	# shellcheck disable=SC2086 # none or one
	if (cd "$work/tree" && "tools/check_$check.sh" $files) >"$work/out" 2>&1; then
		not_ok "check_$check passed over: $*"
	elif ! grep -q -e "$*" "$work/out"; then
		not_ok "check_$check failed without saying: $*"
	else
		ok
	fi
	(cd "$work/tree" && git clean -qfdx && git checkout -q . && mkdir -p docs)
}

# The copy: what is in the tree now, committed or not.
mkdir "$work/tree"
git ls-files -co --exclude-standard | while IFS= read -r f; do
	if [ -e "$f" ]; then echo "$f"; fi
done | tar -T - -c | tar -C "$work/tree" -x
cd "$work/tree"
git init -q .
git add -A
git -c user.name=checks -c user.email=checks@localhost commit -q --no-verify -m copy

put() {
	mkdir -p "$(dirname "$1")"
	cat >"$1"
}

# layers
put tracer/planted.c <<'C'
#include "analyzer/base/status.h"
C
expect layers 'tracer must not include base'
put analyzer/load/planted.c <<'C'
#include "tracer/chunk.h"
C
expect layers 'load must not include tracer'
put tracer/format/planted.c <<'C'
#include "tracer/pool.h"
C
expect layers 'format must not include tracer'
put analyzer/order/planted.c <<'C'
#include "analyzer/timing/timing.h"
C
expect layers 'order must not include timing'
put analyzer/load/planted.c <<'C'
#include "planted.h"
C
expect layers 'from the root of the tree'
put analyzer/load/planted.c <<'C'
#include "analyzer/base/../load/load.h"
C
expect layers 'from the root of the tree'
put analyzer/model/planted.c <<'C'
#include "analyzer/load/planted_internal.h"
C
expect layers 'is private to analyzer/load'
put analyzer/check/planted.c <<'C'
#include "analyzer/check/does_not_exist.h"
C
expect layers 'is not in the tree'
put analyzer/model/planted.c <<'C'
#include <time.h>
C
expect layers 'model is pure'
put tracer/planted.c <<'C'
#include <cupti.h>
C
expect layers 'belongs to kernels/'
put analyzer/load/planted.c </dev/null
put tracer/planted.c </dev/null
expect layers 'two files are named planted.c'
put somewhere/planted.c <<'C'
int x;
C
expect layers 'in no layer'

# headers
put tracer/planted.h <<'C'
struct gst_planted {
	uint32_t x;
};
C
expect 'headers tracer/planted.h' 'planted.h: does not compile alone with gcc'
put tracer/planted.h <<'C'
struct gst_planted {
	uint32_t x;
};
C
expect 'headers tracer/planted.h' 'planted.h: does not compile alone with clang'

# format; a later Debian has no clang-format 14, and tools/test.sh skips the check
# shellcheck source=tools/install_deps.sh
. "$root/tools/install_deps.sh"
if deps_have_format || ! deps_later_debian; then
put tracer/planted.c <<'C'
int  planted;
C
expect format 'planted.c:1:4: error'
put kernels/planted.cu <<'C'
  int planted;
C
expect format 'planted.cu:1:1: error'
fi

# banned
put analyzer/base/planted.c <<'C'
/* strcpy( is fine in a comment */
void f(char *a, const char *b)
{
	strcpy(a, b);
}
C
expect banned 'planted.c:4: has no bound: strcpy'
put tracer/planted_test.c <<'C'
int f(const char *b)
{
	return atoi (b);
}
C
expect banned 'planted_test.c:3: cannot report an error'
put analyzer/check/planted.c <<'C'
void f(void)
{
	printf("x");
}
C
expect banned 'planted.c:3: only cli prints or exits'
put analyzer/order/planted.c <<'C'
void f(void)
{
	x = getenv("X");
}
C
expect banned 'planted.c:3: this stage is pure'
put analyzer/timing/planted.c <<'C'
void f(void)
{
	x = (long)fopen("x", "r");
}
C
expect banned 'planted.c:3: this stage is pure, no I/O'
put tracer/planted.c <<'C'
void f(void)
{
	abort();
}
C
expect banned 'planted.c:3: never ends or starts a process'
put tracer/planted.c <<'C'
void f(void)
{
	sigaction(1, 0, 0);
}
C
expect banned 'planted.c:3: signals belong'
put tracer/callbacks.c <<'C'
void *f(void)
{
	return malloc(1);
}
C
expect banned 'callbacks.c:3: no allocation'

# text; the words are put together here so that this file passes the check itself
h=http
put docs/planted.md <<T
$h://example.org/x
T
expect text 'a link to a host'
put docs/planted.md <<T
the host deb.example.$(echo org)
T
expect text 'package registry'
put docs/planted.md <<T
see /$(echo root)/x.c
T
expect text "somebody's machine"
mkdir -p testdata/real
printf 'GSTCHUNK\0\0%s\0' "/$(echo home)/somebody/app" >testdata/real/planted.gst
expect text "somebody's machine"
put docs/planted.md <<T
at 10$(echo .1.2.3)
T
expect text "somebody's network"
put docs/planted.md <<T
TO$(echo DO): this
T
expect text 'an open task'
printf 'x \n' >docs/planted.md
expect text 'white space at the end'
printf 'x\r\n' >docs/planted.md
expect text 'carriage returns'
printf 'x' >docs/planted.md
expect text 'no newline at the end'
printf '%s ours\n' '<<<<<<''<' >docs/planted.md
expect text 'merge conflict'
printf 'x\n' >'docs/a planted.md'
expect text 'file names have'

# docs
put docs/planted.md <<'M'
[a page](nowhere.md), [a part](README.md#nowhere)
M
expect docs 'no such file: nowhere.md'
put docs/planted.md <<'M'
# A heading
[a part](#another-heading)
M
expect docs 'no such heading: #another-heading'
# In two pieces: this file is in the sources as well.
name=gst_no_such
printf '`%s' "$name" >docs/planted.md
printf '_planted` is called.\n' >>docs/planted.md
expect docs "no such name in the sources: ${name}_planted"
put docs/planted.md <<'M'
`tools/planted.sh` does it.
M
expect docs 'no such file: tools/planted.sh'
put docs/planted.md <<'M'
Set GSTRACE_PLANTED=1.
M
expect docs 'no such setting: GSTRACE_PLANTED'

# docs, with a program: one that knows one command and one option
docs_program() {
	put tools/planted_program.sh <<'C'
#!/bin/sh
case "$*" in
--help) printf 'Commands:\n  known      does it\n\nExamples:\n' ;;
'known --help') printf '      --option=X  of it\n' ;;
*) echo "it said: $*" ;;
esac
C
	chmod +x tools/planted_program.sh
}
docs='docs --gstrace tools/planted_program.sh docs/planted.md'
docs_program
put docs/planted.md <<'M'
`gstrace planted x.gst`
M
expect "$docs" 'gstrace has no command planted'
docs_program
put docs/planted.md <<'M'
`gstrace known --planted x.gst`
M
expect "$docs" 'gstrace known has no option --planted'
docs_program
put docs/planted.md <<'M'
Say `--planted`.
M
expect "$docs" 'no command has an option --planted'
docs_program
put docs/planted.md <<'M'
```
$ gstrace known x
it said: known y
```
M
expect "$docs" 'gstrace known x prints something else'
docs_program
put docs/planted.md <<'M'
`gstrace known --option=1`, [here](planted.md):
```
$ gstrace known x
it said: known x
$ gstrace known a b | grep -E 'no such line'
```
M
if (tools/check_docs.sh --gstrace tools/planted_program.sh docs/planted.md) >"$work/out" 2>&1; then
	ok
else
	not_ok "check_docs failed on a good document"
fi
git clean -qfdx

# exports: libraries of our own making
library() {
	gcc -shared -fPIC -o "$work/lib.so" -x c "$@"
}
expect_library() {
	if "$root/tools/check_exports.sh" "$work/lib.so" >"$work/out" 2>&1; then
		not_ok "check_exports passed over: $*"
	elif ! grep -q -e "$*" "$work/out"; then
		not_ok "check_exports failed without saying: $*"
	else
		ok
	fi
}
echo 'int InitializeInjection(void) { return 0; } int gst_leak(void) { return 0; }' | library -
expect_library 'exports gst_leak'
echo 'static int x(void) { return 0; } int gst_y(void) { return x(); }' | library -fvisibility=hidden -
expect_library 'does not export InitializeInjection$'
echo 'int InitializeInjection(void) { return 0; }' | library -
expect_library 'does not export InitializeInjectionNvtx2$'
echo 'int InitializeInjection(void) { return 0; }' | library - -Wl,--no-as-needed -x none -lgcc_s
expect_library 'needs libgcc_s'
echo 'int InitializeInjection(void) { return 0; }' | library - -Wl,-rpath,/nowhere
expect_library 'no library path'
echo 'extern int planted(char *);
int InitializeInjection(void) { char a[8]; return (int)planted(a); }
__asm__(".symver planted,arc4random@GLIBC_2.36");' | library -w -
expect_library 'asks for GLIBC_2.36'
echo 'int InitializeInjection(void) { return 0; } int InitializeInjectionNvtx2(void) { return 0; }' | library -
if "$root/tools/check_exports.sh" "$work/lib.so" >"$work/out" 2>&1; then
	ok
else
	not_ok "check_exports failed on a good library"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
