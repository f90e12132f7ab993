package study

import (
	"math"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/sdk/space"
)

// maxTable bounds the entries of all tables of a study together.
const maxTable = 1 << 20

// inputs reads how the feature feeds the network, from input first on.
func (r *reader) inputs(n *node, f *space.Feature, first int, entries *int) {
	in := n.get("inputs")
	if in == nil {
		f.Inputs = []space.Input{{Index: first, Scale: 1}}
		return
	}
	items := in.items
	if in.kind != sequenceNode {
		items = []*node{in}
	}
	for _, item := range items {
		f.Inputs = append(f.Inputs, r.input(item, f, entries)...)
	}
	for k := range f.Inputs {
		f.Inputs[k].Index = first + k
	}
}

func (r *reader) input(n *node, f *space.Feature, entries *int) []space.Input {
	if n.kind == scalarNode {
		switch word, _ := r.choice(n, "value", "one-hot"); word {
		case "value":
			return []space.Input{{Scale: 1}}
		case "one-hot":
			return r.oneHot(n, f, entries)
		}
		return nil
	}
	if !r.object(n, "input") {
		return nil
	}
	if t := n.get("table"); t != nil && len(n.entries) == 1 {
		return r.table(t, f, entries)
	}
	var keys []string
	v := map[string]float64{}
	for _, e := range n.entries {
		x, ok := r.number(e.value)
		if !ok {
			return nil
		}
		keys = append(keys, e.key.text)
		v[e.key.text] = x
	}
	slices.Sort(keys)
	in := space.Input{}
	switch strings.Join(keys, " ") {
	case "scale", "offset scale":
		in.Scale, in.Offset = v["scale"], v["offset"]
	case "deviation mean":
		if v["deviation"] <= 0 {
			r.add(n.get("deviation"), "%v is not above 0", v["deviation"])
			return nil
		}
		in.Scale, in.Offset = 1/v["deviation"], -v["mean"]/v["deviation"]+0
	case "max min":
		if v["min"] >= v["max"] {
			r.add(n, "min %v is not below max %v", v["min"], v["max"])
			return nil
		}
		in.Scale, in.Offset = 1/(v["max"]-v["min"]), -v["min"]/(v["max"]-v["min"])+0
	default:
		r.add(n, "want value, one-hot, {scale: s, offset: o}, {mean: m, deviation: d}, {min: lo, max: hi} or {table: […]}")
		return nil
	}
	if math.IsInf(in.Scale, 0) || math.IsInf(in.Offset, 0) {
		r.add(n, "%v · value + %v is beyond float64 arithmetic", in.Scale, in.Offset)
		return nil
	}
	return []space.Input{in}
}

// tableSize is the number of values of a feature that can have a table.
func (r *reader) tableSize(n *node, f *space.Feature) (int, bool) {
	if !f.Discrete() {
		r.add(n, "a real feature feeds the network by a formula, not by a table")
		return 0, false
	}
	if f.Hi-f.Lo >= maxTable {
		r.add(n, "%v..%v is too long for a table; at most %d entries", f.Lo, f.Hi, maxTable)
		return 0, false
	}
	return int(f.Hi-f.Lo) + 1, true
}

func (r *reader) oneHot(n *node, f *space.Feature, entries *int) []space.Input {
	size, ok := r.tableSize(n, f)
	if !ok {
		return nil
	}
	if *entries += size * size; *entries > maxTable {
		r.add(n, "the tables have more than %d entries together", maxTable)
		return nil
	}
	out := make([]space.Input, size)
	for k := range out {
		out[k].Table = make([]float64, size)
		out[k].Table[k] = 1
	}
	return out
}

func (r *reader) table(n *node, f *space.Feature, entries *int) []space.Input {
	size, ok := r.tableSize(n, f)
	if !ok || !r.kind(n, sequenceNode) {
		return nil
	}
	if len(n.items) != size {
		r.add(n, "has %d entries; the domain has %d values", len(n.items), size)
		return nil
	}
	*entries += size
	table := make([]float64, size)
	for k, item := range n.items {
		table[k], _ = r.number(item)
	}
	return []space.Input{{Table: table}}
}
