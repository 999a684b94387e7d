#!/bin/sh
# The documents are true as far as a program can tell: links, commands, outputs, names (tools/check_docs.py).
# usage: check_docs.sh [--update] [--gstrace GSTRACE] [FILE.md...]
set -eu
cd "$(dirname "$0")/.."
exec python3 tools/check_docs.py "$@"
