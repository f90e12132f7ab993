package study

import (
	"slices"

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
	get := func(key string) (float64, bool) {
		if v := n.get(key); v != nil {
			x, ok := r.number(v)
			return x, ok
		}
		return 0, false
	}
	var keys []string
	for _, e := range n.entries {
		keys = append(keys, e.key.text)
	}
	slices.Sort(keys)
	switch {
	case slices.Equal(keys, []string{"scale"}), slices.Equal(keys, []string{"offset", "scale"}):
		scale, _ := get("scale")
		offset, _ := get("offset")
		return []space.Input{{Scale: scale, Offset: offset}}
	case slices.Equal(keys, []string{"deviation", "mean"}):
		mean, _ := get("mean")
		deviation, ok := get("deviation")
		if ok && deviation <= 0 {
			r.add(n.get("deviation"), "%s is not above 0", n.get("deviation").text)
			return nil
		}
		return []space.Input{{Scale: 1 / deviation, Offset: -mean/deviation + 0}}
	case slices.Equal(keys, []string{"max", "min"}):
		lo, ok1 := get("min")
		hi, ok2 := get("max")
		if ok1 && ok2 && lo >= hi {
			r.add(n, "min %v is not below max %v", lo, hi)
			return nil
		}
		return []space.Input{{Scale: 1 / (hi - lo), Offset: -lo/(hi-lo) + 0}}
	}
	r.add(n, "want value, one-hot, {scale: s, offset: o}, {mean: m, deviation: d}, {min: lo, max: hi} or {table: […]}")
	return nil
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
