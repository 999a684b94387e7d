#!/bin/sh
# Each setting that record and env offer is one that the library reads, by the same name and values.
# usage: cli_settings_test.sh GSTRACE SHARED_LIBRARY CONFIG_H
set -u
gstrace=$1
library=$2
config=$3
fails() {
	echo "cli_settings_test: $*" >&2
	exit 1
}
printed=$("$gstrace" env --lib "$library" --graphs=nodes --private --mode=order --start=paused --max-size=1G --host-functions=wrap --event-times \
	--staging-bytes=2M --staging-dir=/dev/shm --cupti=/x/libcupti.so -o out.gst) || fails "env fails"
names=$(printf '%s\n' "$printed" | sed -n 's/^export \(GSTRACE_[A-Z_]*\)=.*/\1/p')
[ "$(printf '%s\n' "$names" | wc -l)" -eq 11 ] || fails "11 variables are expected: $printed"
for name in $names GSTRACE_SESSION; do
	grep -q "\"$name\"" "$config" || fails "the library does not read $name"
done
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
echo "cli_settings_test: ok"
