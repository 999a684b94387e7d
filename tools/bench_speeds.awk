# bench_speeds.awk - runs.tsv of bench_overhead.sh, split into the two speeds in which runs of these machines land.
#
# A run is in one speed or the other whatever records it (a launch without a tool takes 3.4 or 4.2 us, a graph launch 11 or 21
# more), so medians over all rounds depend on how many runs of each configuration fell into which. A run's speed is told by
# the figure "key" (graph_us; of "none", whose graph launches differ little, launch_us): the cut is the one that leaves the
# least variance of logarithms on both sides. Added is against the runs without a tool in the same speed.
BEGIN { FS = OFS = "\t" }
{ value[$2, FILENAME ":" $1, $3] = $4; runs[$2] = runs[$2] " " FILENAME ":" $1; figures[$3] }

function sorted(list, v,   n, i, j, t) {
	n = split(list, v, " ")
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
	return n
}
function median(list,   v, n) {
	n = sorted(list, v)
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}
function spread(v, from, to,   i, sum, square) {
	for (i = from; i <= to; i++) { sum += log(v[i]); square += log(v[i]) ^ 2 }
	return square - sum * sum / (to - from + 1)
}
# Between the two speeds of a configuration.
function cut_of(c, key,   ids, n, i, list, v, best, at, s) {
	n = split(runs[c], ids, " ")
	for (i = 1; i <= n; i++)
		if (!((c, ids[i]) in seen) && (c, ids[i], key) in value) { seen[c, ids[i]]; list = list " " value[c, ids[i], key] }
	n = sorted(list, v)
	if (n < 4 || v[1] <= 0) return 0
	for (i = 2; i <= n - 2; i++) {
		s = spread(v, 1, i) + spread(v, i + 1, n)
		if (!at || s < best) { best = s; at = i }
	}
	return at ? (v[at] + v[at + 1]) / 2 : 0
}
END {
	print "speed", "figure", "configuration", "runs", "median", "added", "of nsys-graph", "of floor-all", "of floor-driver"
	for (c in runs) {
		key = c == "none" ? "launch_us" : "graph_us"
		cut = cut_of(c, key)
		n = split(runs[c], ids, " ")
		for (i = 1; i <= n; i++) {
			if ((c, ids[i]) in done || !cut) continue
			done[c, ids[i]]
			speed = value[c, ids[i], key] < cut ? "fast" : "slow"
			for (f in figures) if ((c, ids[i], f) in value) all[speed, c, f] = all[speed, c, f] " " value[c, ids[i], f]
		}
	}
	for (at in all) {
		split(at, part, SUBSEP)
		if ((part[1], "none", part[3]) in all) added[at] = median(all[at]) - median(all[part[1], "none", part[3]])
	}
	for (at in added) {
		split(at, part, SUBSEP)
		line = part[1] OFS part[3] OFS part[2] OFS sorted(all[at], v) OFS sprintf("%.3f", median(all[at])) OFS sprintf("%.3f", added[at])
		for (i = 1; i <= 3; i++) {
			yard = added[part[1], i == 1 ? "nsys-graph" : i == 2 ? "floor-all" : "floor-driver", part[3]]
			line = line OFS (yard > 0 ? sprintf("%.2f", added[at] / yard) : "-")
		}
		print line | "LC_ALL=C sort"
	}
}
