#!/bin/sh
# The layout of every C and CUDA file is what .clang-format says.
# usage: check_format.sh [--fix]
# clang-format 14 (Debian 12's) decides: other versions lay out the same file differently.
set -eu
cd "$(dirname "$0")/.."

format=
for candidate in clang-format-14 clang-format; do
	if "$candidate" --version 2>/dev/null | grep -q 'version 14\.'; then
		format=$candidate
		break
	fi
done
if [ -z "$format" ]; then
	echo "check_format: clang-format 14 is needed (Debian: apt-get install clang-format-14)" >&2
	exit 1
fi

files=$(git ls-files -co --exclude-standard -- '*.c' '*.h' '*.cu' '*.cuh')
[ -n "$files" ] || { echo "check_format: no C file yet"; exit 0; }
case ${1:-} in
--fix)
	# shellcheck disable=SC2086 # no file name here has a space
	"$format" -i $files
	;;
'')
	# shellcheck disable=SC2086
	if ! "$format" --dry-run -Werror --ferror-limit=1 $files; then
		echo "check_format: tools/check_format.sh --fix lays them out"
		exit 1
	fi
	;;
*)
	echo "usage: check_format.sh [--fix]" >&2
	exit 2
	;;
esac
echo "check_format: ok"
