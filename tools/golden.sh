#!/bin/sh
# Expected outputs, testdata/golden: each folder belongs to one test.
#   golden.sh             runs these tests
#   golden.sh --update    writes what the program gives now, and shows what changed: read the diff,
#                         and commit it with the change that caused it. Refused while goldens are
#                         changed already and not committed.
set -eu
cd "$(dirname "$0")/.."

# TEST FOLDER
goldens="
//analyzer/test:order_golden_test order
//analyzer/test:report_golden_test report
//analyzer/test:question_golden_test question
//analyzer/export:export_sqlite_test sqlite
"
case ${1:-} in
'')
	printf '%s\n' "$goldens" | while read -r test _; do [ -z "$test" ] || echo "$test"; done |
		xargs bazel test --noshow_progress
	exit
	;;
--update) ;;
*)
	sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac

if [ -n "$(git status --porcelain -- testdata/golden)" ]; then
	echo "golden.sh: testdata/golden has changes that are not committed: commit or undo them first" >&2
	exit 1
fi
printf '%s\n' "$goldens" | while read -r test folder; do
	[ -n "$test" ] || continue
	mkdir -p "testdata/golden/$folder"
	# Not in the sandbox, which would keep the files.
	bazel test --noshow_progress --nocache_test_results --strategy=TestRunner=local \
		--test_env=GSTRACE_GOLDEN_OUT="$PWD/testdata/golden/$folder" "$test" </dev/null || {
		echo "golden.sh: $test failed; git checkout testdata/golden gets the old ones back" >&2
		exit 1
	}
done
git add --intent-to-add testdata/golden
git --no-pager diff --stat -- testdata/golden
