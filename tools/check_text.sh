#!/bin/sh
# The text of the tree speaks of the project alone, and is clean: known hosts in links, no path
# or address of somebody's machine (in a committed trace neither), one form of open task,
# no stray white space, plain file names.
set -eu
cd "$(dirname "$0")/.."
status=0

# Hosts that a link may name: documentation that a reader needs.
hosts='docs\.nvidia\.com|developer\.nvidia\.com|ui\.perfetto\.dev|perfetto\.dev|www\.sqlite\.org|sqlite\.org|docs\.pytorch\.org|pytorch\.org|docs\.kernel\.org|man7\.org|bazel\.build|cmocka\.org|slurm\.schedmd\.com|semver\.org|keepachangelog\.com'

# report WHY: what grep found, if anything.
report() {
	hits=$(cat)
	[ -z "$hits" ] && return 0
	printf '%s\n' "$hits" | cut -c1-200
	echo "check_text: $1"
	status=1
}
files=$(mktemp)
text=$(mktemp)
found=$(mktemp)
trap 'rm -f "$files" "$text" "$found"' EXIT
git ls-files -co --exclude-standard >"$files"
while IFS= read -r f; do
	[ -f "$f" ] && [ ! -L "$f" ] || continue
	# Empty files and binary ones have no text.
	if [ -s "$f" ] && LC_ALL=C grep -qI . "$f"; then echo "$f"; fi
done <"$files" >"$text"

# search OPTIONS PATTERN <FILE LIST
search() {
	LC_ALL=C xargs -r grep -Hn "$@" || :
}

LC_ALL=C grep -n '[^A-Za-z0-9_./+@-]' "$files" >"$found" || :
report "file names have letters, digits and _./+@- only" <"$found"

search -oE 'https?://[A-Za-z0-9._-]+' <"$text" | grep -vE "://($hosts)\$" >"$found" || :
report "a link to a host that is not in the list of tools/check_text.sh" <"$found"

search -E '(^|[^A-Za-z0-9._-])(deb|security|snapshot|archive|registry|pypi|files|proxy|ghcr|docker|index|conda|mirror|mirrors|packages)\.[a-z0-9-]+(\.[a-z0-9-]+)*\.?(org|com|io|net)([^A-Za-z0-9]|$)' <"$text" >"$found"
report "names the host of a package registry" <"$found"

# -a: traces as well.
search -a -oE '(^|[^A-Za-z0-9_.*<>$}])/(work|root|home/[a-z][a-z0-9]*)/[A-Za-z0-9_.]+' <"$files" >"$found"
report "a path of somebody's machine" <"$found"
search -a -oE '(^|[^0-9.v])(10\.[0-9]{1,3}|192\.168|172\.(1[6-9]|2[0-9]|3[01]))\.[0-9]{1,3}\.[0-9]{1,3}([^0-9.]|$)' <"$text" >"$found"
report "an address of somebody's network" <"$found"

grep -vE '^(tools/check_text\.sh|CONTRIBUTING\.md)$' "$text" | search -wE 'TODO|FIXME|XXX|HACK' >"$found"
report "an open task is written NEEDSWORK(issue):" <"$found"

search -E '^(<<<<<<<|>>>>>>>) ' <"$text" >"$found"
report "a merge conflict" <"$found"

grep -E '\.(c|h|def|cu|cuh|sh|py|bzl|md|sql|proto|awk|map)$|(^|/)BUILD$' "$text" | search -E '[ 	]+$' >"$found"
report "white space at the end of a line" <"$found"
grep -vE '^testdata/' "$text" | search -l "$(printf '\r')" >"$found"
report "carriage returns" <"$found"
grep -E '\.(c|h|def|cu|cuh|sh|py|bzl|md|sql|proto|awk|map)$|(^|/)BUILD$' "$text" | while IFS= read -r f; do
	[ -n "$(tail -c 1 "$f")" ] && echo "$f"
done >"$found" || :
report "no newline at the end of the file" <"$found"

[ "$status" -eq 0 ] && echo "check_text: ok"
exit "$status"
