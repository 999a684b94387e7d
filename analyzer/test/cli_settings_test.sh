#!/bin/sh
# Each setting is one name, an option of record and env and a variable that the library reads, and none is missing.
# usage: cli_settings_test.sh GSTRACE SHARED_LIBRARY CONFIG_H
set -u
gstrace=$1
library=$2
config=$3
dir=$(mktemp -d "${TEST_TMPDIR:-/tmp}/cli_settings.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
fails() {
	echo "cli_settings_test: $*" >&2
	exit 1
}
help=$("$gstrace" record --help) || fails "record --help fails"
# One name each: --write-ms is GSTRACE_WRITE_MS. In both directions, in the same groups.
groups() { # stdin: lines "== HEADING" and names of variables
	awk '/^==/ { heading = $0; next } { print heading, $0 }'
}
printf '%s\n' "$help" | awk '
	/^[A-Z].*:$/ { sub(/:$/, ""); print "== " tolower($0) }
	match($0, /^ +(-[a-z], )?--[a-z-]+/) {
		name = substr($0, RSTART, RLENGTH)
		sub(/.*--/, "", name)
		gsub(/-/, "_", name)
		print "GSTRACE_" toupper(name)
	}' | groups | grep -vE ' GSTRACE_(LIB|FORCE|QUIET|HELP)$' | sort >"$dir/options"
# Not record's: it sets the session itself, and the others would leave nothing to record.
awk '
	/^#define GST_CONFIG_[A-Z]*\(X\)/ { table = $2; sub(/\(X\).*/, "", table) }
	match($0, /X\([a-z]+, [a-z_]+, "GSTRACE_[A-Z_]+"/) { split($0, part, "\""); names[table] = names[table] part[2] "\n" }
	match($0, /G\(GST_CONFIG_[A-Z]+, "[a-z ]+"/) {
		split($0, part, "\""); sub(/.*G\(/, ""); sub(/,.*/, "")
		printf "== %s\n%s", part[2], names[$0]
	}' "$config" | groups | grep -vE ' GSTRACE_(SESSION|DISABLE|HELP)$' | sort >"$dir/variables"
[ "$(wc -l <"$dir/variables")" -ge 16 ] || fails "no table of settings in $config"
diff "$dir/options" "$dir/variables" >&2 || fails "options (<) and variables (>) of the library are not the same"
# Each option sets the variable of its name, and that is printed.
while read -r name; do
	option=--$(printf '%s' "${name#GSTRACE_}" | tr 'A-Z_' 'a-z-')
	case $option in
	--output) set -- "$option=x.gst" ;;
	--private | --event-times) set -- "$option" ;;
	--mode) set -- "$option=order" ;;
	--graphs) set -- "$option=nodes" ;;
	--host-functions) set -- "$option=wrap" ;;
	--event-ids) set -- "$option=never" ;;
	--start) set -- "$option=paused" ;;
	--staging-bytes) set -- "$option=77M" ;;
	*) set -- "$option=77" ;;
	esac
	value=${1#*=}
	[ "$value" != "$1" ] || value=1
	printed=$("$gstrace" env --lib "$library" "$@") || fails "env $1 fails"
	printf '%s\n' "$printed" | grep -qE "^export $name='(.*/)?$value'$" || fails "env $1 does not set $name: $printed"
	[ "$(printf '%s\n' "$printed" | grep -c GSTRACE_)" -eq 1 ] || fails "env $1 sets more: $printed"
done <<LIST
$(sed 's/.* //' "$dir/variables")
LIST
grep -q '"launches"' "$config" || fails "the library's default for graphs is not launches"
# What is printed can be given to eval.
odd="/tmp/it's \$HOME \"x\".gst"
got=$(eval "$("$gstrace" env --lib "$library" -o "$odd")" && printf '%s' "$GSTRACE_OUTPUT")
[ "$got" = "$odd" ] || fails "quoting: $got"
"$gstrace" env --lib "$library" --for=slurm | grep -q '^srun --export=ALL,CUDA_INJECTION64_PATH=' || fails "slurm"
"$gstrace" env --lib "$library" --for=container | grep -q -- '-e CUDA_INJECTION64_PATH=/opt/gstrace/libgstrace.so' || fails "container"
"$gstrace" env --lib "$library" --for=slurm -o a,b 2>/dev/null && fails "a comma cannot be passed by srun"
"$gstrace" env --lib "$library" --graphs=some 2>/dev/null
[ $? -eq 2 ] || fails "a wrong choice is a usage error"
# A number that the library would not take as it is, is said before the program runs.
for wrong in staging-bytes=1K staging-bytes=2G max-size=much max-size= write-ms=0 flush-ms=0 exit-ms=-1 hang-ms=86400001; do
	"$gstrace" env --lib "$library" --$wrong >/dev/null 2>"$dir/err"
	[ $? -eq 2 ] || fails "env --$wrong is not refused"
	grep -qF -- "--$wrong is not a number" "$dir/err" || fails "env --$wrong: $(cat "$dir/err")"
	"$gstrace" record --lib "$library" --$wrong -- true 2>/dev/null
	[ $? -eq 125 ] || fails "record --$wrong is not refused"
done
echo "cli_settings_test: ok"
