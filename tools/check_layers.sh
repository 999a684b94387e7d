#!/bin/sh
# The layer rule, from the #include lines of every C file in the tree:
#
#   tracer/format <- tracer
#   tracer/format <- base <- load <- model <- order <- timing <- check <- export <- cli
#
# A layer includes itself and what stands left of it; analyzer/ never sees tracer/ other than
# format/, and the reverse never. Also: includes are written from the root of the tree, an
# *_internal.h stays in its folder, file names are unique, CUDA's headers are included by
# kernels/ and abi_*test.c alone, and the pure stages include no header of the system's state.
set -eu
cd "$(dirname "$0")/.."

files=$(git ls-files -co --exclude-standard -- '*.c' '*.h' '*.def' '*.cu' '*.cuh')
[ -n "$files" ] || { echo "check_layers: no C file yet"; exit 0; }

status=0
# shellcheck disable=SC2086 # no file name here has a space; check_text.sh sees to it
awk '
function layer(path,    p) {
	if (path ~ /^tracer\/format\//)
		return "format"
	split(path, p, "/")
	if (p[1] == "analyzer")
		return p[2]
	return p[1]
}
function bad(text) {
	printf "%s:%d: %s\n", FILENAME, FNR, text
	failed = 1
}
BEGIN {
	may["format"] = " format "
	may["tracer"] = " format tracer "
	n = split("base load model order timing check export cli", stage, " ")
	seen = " format "
	for (i = 1; i <= n; i++) {
		seen = seen stage[i] " "
		may[stage[i]] = seen
	}
	may["test"] = seen "test "
	may["tools"] = seen "tracer tools "
	may["kernels"] = " kernels "
	pure = " model order timing check "
}
FNR == 1 {
	from = layer(FILENAME)
	folder = FILENAME
	sub(/\/[^\/]*$/, "", folder)
	if (!(from in may))
		bad("folder is in no layer: give it one in tools/check_layers.sh")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	name = $0
	sub(/^[^"]*"/, "", name)
	sub(/".*/, "", name)
	if (name !~ /\// || name ~ /(^|\/)\.\.?\//) {
		bad("include \"" name "\" from the root of the tree")
		next
	}
	to = layer(name)
	if (index(may[from], " " to " ") == 0)
		bad(from " must not include " to " (\"" name "\")")
	if (name ~ /_internal\.h$/) {
		owner = name
		sub(/\/[^\/]*$/, "", owner)
		if (folder != owner && index(folder, owner "/") != 1)
			bad("\"" name "\" is private to " owner)
	}
}
/^[ \t]*#[ \t]*include[ \t]*</ {
	name = $0
	sub(/^[^<]*</, "", name)
	sub(/>.*/, "", name)
	if (name ~ /^(cuda|cupti|nvtx|driver_types)/ && from != "kernels" &&
	    FILENAME !~ /(^|\/)abi_(params_)?test\.c$/)
		bad("<" name "> belongs to kernels/ and abi_*test.c: the tree builds without a toolkit")
	if (index(pure, " " from " ") && FILENAME !~ /_test\.c$/ &&
	    name ~ /^(dlfcn|fcntl|locale|sys\/.*|time|unistd|signal)\.h$/)
		bad(from " is pure, <" name "> is not")
}
END {
	exit failed
}' $files || status=1

# Every included file is in the tree, or its folder's BUILD makes it.
# shellcheck disable=SC2086
for pair in $(sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\/[^"]*\)".*/\1/p' $files | sort -u); do
	[ -e "$pair" ] && continue
	grep -q "$(basename "$pair" | sed 's/\.pb-c\.[ch]$/.proto/')" "$(dirname "$pair")/BUILD" 2>/dev/null && continue
	# shellcheck disable=SC2086
	echo "$(grep -ln "\"$pair\"" $files | tr '\n' ' '): \"$pair\" is not in the tree"
	status=1
done

# One name, one file: "open reach.c" needs no folder.
for name in $(printf '%s\n' "$files" | sed 's/.*\///' | sort | uniq -d); do
	echo "two files are named $name: $(printf '%s\n' "$files" | grep -E "(^|/)$name\$" | tr '\n' ' ')"
	status=1
done

[ "$status" -eq 0 ] && echo "check_layers: ok"
exit "$status"
