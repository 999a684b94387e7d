#!/bin/sh
# Before a commit: the first part of what CI runs, by the same script (checks, gcc build with
# warnings as errors, gcc tests). No sanitizer, no clang build, no fuzzing: tools/test.sh has all.
set -eu
exec "$(dirname "$0")/test.sh" --quick --no-install "$@"
