#!/bin/sh
# Branches that no test takes, in the stages where a missed one is a wrong answer: order/, timing/
# and check/ (or the folders given). Each is to be tested, or its line marked /* unreachable: why */.
# Assertions are left out: their other side is never to be taken.
# usage: branch_report.sh [FOLDER...]
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- analyzer/order analyzer/timing analyzer/check
bazel coverage --noshow_progress --ui_event_filters=-info //analyzer/... >/dev/null
report=$(bazel info output_path 2>/dev/null)/_coverage/_coverage_report.dat
for folder in "$@"; do
	awk -v folder="$folder/" '
	/^SF:/ { file = substr($0, 4); wanted = index(file, folder) == 1 && file !~ /_test\.c$/ }
	wanted && /^BRDA:/ {
		split(substr($0, 6), part, ",")
		all[file]++
		of[file, part[1]]++
		if (part[4] == 0)
			never[file, part[1]]++
	}
	END {
		for (file in all) {
			taken = all[file]
			line = 0
			while ((getline text < file) > 0) {
				line++
				count = never[file, line]
				if (!count || text ~ /unreachable:|GST_ASSERT|GST_DCHECK/) {
					if (text ~ /unreachable:|GST_ASSERT|GST_DCHECK/)
						taken -= of[file, line]
					continue
				}
				missed[file] += count
				sub(/^[ \t]+/, "", text)
				printf "%s:%d: %d of %d branches never taken: %s\n", file, line, count, of[file, line], text
			}
			close(file)
			printf "%s: %d of %d branches taken\n", file, taken - missed[file], taken
		}
	}' "$report" | sort -V
done
