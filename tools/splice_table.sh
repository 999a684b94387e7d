# For scripts whose table stands in a document between two lines; read with ".". They set $what, their name, and $source, what
# the table is made from in words. Options and arguments of a script: [--update] [ARGUMENT...]; take_update "$@" first.
update=0
take_update() {
	if [ "${1:-}" = --update ]; then
		update=1
	fi
}

# splice TABLE DOCUMENT BEGIN: holds that the file TABLE stands in DOCUMENT behind the line BEGIN, or puts it there.
splice() {
	local table=$1 document=$2 begin=$3 end='<!-- End of what is made. -->' new
	new=$table.new
	[ -s "$table" ] || { echo "FAIL: nothing from $source"; exit 1; }
	[ "$(grep -cxF -e "$begin" -e "$end" "$document")" = 2 ] ||
		{ echo "FAIL: $document lacks the lines around the table"; exit 1; }
	awk -v begin="$begin" -v end="$end" -v table="$table" '
		$0 == end { inside = 0 }
		!inside { print }
		$0 == begin {
			inside = 1
			print ""
			while ((getline line < table) > 0)
				print line
			print ""
		}' "$document" >"$new"
	if cmp -s "$new" "$document"; then
		echo "$what: ok"
	elif [ $update = 1 ]; then
		cat "$new" >"$document"
		echo "$what: wrote $document"
	else
		diff "$document" "$new" | head -20 || true
		echo "FAIL: what stands in $document is not that of $source: run tools/$what.sh --update"
		exit 1
	fi
}
