# A trace as text without what differs from run to run, for comparing two of the same program:
#
#   gstrace dump TRACE | awk -f tools/normalize_trace.awk tracer/format/records.def -
#
# Names stand for ids of strings, and the correlation id of its first call for a thread's number. Left out are times of the host's clocks, process and thread numbers, how records lie in
# chunks, clock anchors and what describes the machine. A kernel reads the same in its short form. Calls keep their order in their thread; records of the device
# and definitions, which several threads deliver, are sorted.
BEGIN {
	split("gstext chunk trace process variable anchor", list, " ")
	for (i in list)
		skipped[list[i]]
	split("tid record_bytes enter_ns records chunks", list, " ")
	for (i in list)
		left_out[list[i]]
	kernel_fields = split("corr start_ns duration_ns ctx stream device name grid_x grid_y grid_z block_x block_y block_z registers " \
		"shared_static shared_dynamic channel channel_type launch_type flags graph graph_node", kernel_field, " ")
}
# The difference of two times of an op: too large for a number of awk's, their last digits are not.
function since(end, start,    d) {
	d = substr(end, length(end) - 11) - substr(start, length(start) - 11)
	return d < 0 ? d + 1000000000000 : d
}
# Of a node's id, 0x200000001: 2.
function graph_of(node,    value, i) {
	node = substr(node, 3, length(node) - 10)
	for (i = 1; i <= length(node); i++)
		value = value * 16 + index("0123456789abcdef", substr(node, i, 1)) - 1
	return value
}
# A kernel, from the fields in had[], whichever form it had.
function kernel_line(is_short,    i, key, out) {
	if (is_short) {
		if ("graph_node" in had)
			had["graph"] = graph_of(had["graph_node"])
	} else {
		if ("start_ns" in had && "end_ns" in had)
			had["duration_ns"] = since(had["end_ns"], had["start_ns"])
		had["channel_type"] = "channel_type" in had ? had["channel_type"] : 0
		if (had["channel_type"] == 1)
			delete had["channel_type"]
	}
	out = "kernel"
	for (i = 1; i <= kernel_fields; i++) {
		key = kernel_field[i]
		if (key in had)
			out = out " " key "=" had[key]
	}
	return out
}
FNR == NR {
	# GST_F(record, type, field, form, "..."): forms of the fields
	if (sub(/^GST_F\(/, "")) {
		split($0, part, /, */)
		form[part[1], part[3]] = part[4]
	}
	next
}
/^chunk / {
	lane = $2
	sub(/.* thread=/, "")
	thread = $0 + 0
	next
}
NF == 0 || ($1 in skipped) { next }
$1 == "string" {
	id = $2
	sub(/^id=/, "", id)
	sub(/^[^"]*/, "")
	text[id] = $0
	next
}
{
	lines[++count] = $0
	threads[count] = lane == "events" ? thread : 0
	if (threads[count] && !(thread in first) && match($0, / corr=[0-9]+/))
		first[thread] = substr($0, RSTART + 6, RLENGTH - 6)
}
END {
	sorter = "LC_ALL=C sort | sed 's/^\\(thread [0-9]*\\) [0-9]* /\\1 /'"
	for (i = 1; i <= count; i++) {
		# A text with blanks is the last field of its line.
		line = lines[i]
		tail = ""
		if (match(line, / [a-z_]*="/)) {
			tail = substr(line, RSTART)
			line = substr(line, 1, RSTART - 1)
		}
		words = split(line, word, " ")
		out = word[1]
		is_kernel = word[1] ~ /^kernel(_short)?$/
		split("", had)
		for (w = 2; w <= words; w++) {
			key = word[w]
			value = ""
			if (at = index(key, "=")) {
				value = substr(key, at + 1)
				key = substr(key, 1, at - 1)
			}
			f = form[word[1], key]
			if (f ~ /^(mono|real|raw)$/ || (key in left_out))
				continue
			if (f == "str" && (value in text))
				value = text[value]
			had[key] = value
			if (key == "thread" && word[1] ~ /^(thread|stream)$/)
				value = "of:" first[value]
			out = out " " key (at ? "=" value : "")
		}
		if (is_kernel)
			out = kernel_line(word[1] == "kernel_short")
		if (threads[i])
			out = sprintf("thread %08d %08d ", first[threads[i]], i) out
		print out tail | sorter
	}
	close(sorter)
}
