#!/bin/bash
# Without a CUDA toolkit all but kernels/ builds, and who asks for a CUDA program gets one clear sentence.
set -u
cd "$(dirname "$0")/.." || exit 1
sentence=$(sed -n 's/^CUDA_MISSING = "\(.*\)"$/\1/p' tools/build_defs/cuda.bzl)
[ -n "$sentence" ] || { echo "check_no_toolkit: no CUDA_MISSING in tools/build_defs/cuda.bzl" >&2; exit 1; }

# As if there were none, on a machine that has one too; analysis alone says it.
without() {
	bazel build --nobuild --noshow_progress --color=no --curses=no --repo_env=CUDA_HOME=/nonexistent "$@" 2>&1
}

status=0
if said=$(without //kernels:default_stream_bad); then
	echo "check_no_toolkit: //kernels:default_stream_bad is to be built without a toolkit" >&2
	status=1
elif ! grep -qF "$sentence" <<<"$said"; then
	printf 'check_no_toolkit: the message does not say "%s":\n%s\n' "$sentence" "$said" >&2
	status=1
fi
said=$(without //...) || {
	printf 'check_no_toolkit: //... is not to be built without a toolkit:\n%s\n' "$said" >&2
	status=1
}
[ "$status" -ne 0 ] || echo "check_no_toolkit: ok"
exit "$status"
