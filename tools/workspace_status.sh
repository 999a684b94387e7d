#!/bin/sh
# The commit that is built, for tracer/format/version.h: .bazelrc names this script.
commit=$(git rev-parse --short=12 HEAD 2>/dev/null) || commit=unknown
[ "$commit" = unknown ] || [ -z "$(git status --porcelain --untracked-files=no 2>/dev/null)" ] || commit=$commit-changed
echo "STABLE_GSTRACE_COMMIT $commit"
