package study

import (
	"math"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/sdk/space"
)

// maxTable is the maximum number of entries of all tables of a study together.
const maxTable = 1 << 20

const tooManyEntries = "the tables have more than %d entries together, the maximum"

// inputs reads the network's inputs that the feature determines. Their indices are consecutive,
// from the given first one.
func (r *reader) inputs(n *yamlfile.Node, f *space.Feature, first int, entries *int) {
	in := n.Get("inputs")
	if in == nil {
		f.Inputs = []space.Input{{Index: first, Scale: 1}}
		return
	}
	for _, item := range in.List() {
		f.Inputs = append(f.Inputs, r.input(item, f, entries)...)
	}
	for k := range f.Inputs {
		f.Inputs[k].Index = first + k
	}
}

func (r *reader) input(n *yamlfile.Node, f *space.Feature, entries *int) []space.Input {
	if n.Kind == yamlfile.Scalar {
		switch word, _ := r.Choice(n, "value", "one-hot"); word {
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
	if t := n.Get("table"); t != nil && len(n.Entries) == 1 {
		return r.table(t, f, entries)
	}
	var keys []string
	v := map[string]float64{}
	for _, e := range n.Entries {
		x, ok := r.Number(e.Value)
		if !ok {
			return nil
		}
		keys = append(keys, e.Key.Text)
		v[e.Key.Text] = x
	}
	slices.Sort(keys)
	in := space.Input{}
	switch strings.Join(keys, " ") {
	case "scale", "offset scale":
		in.Scale, in.Offset = v["scale"], v["offset"]
	case "deviation mean":
		if v["deviation"] <= 0 {
			r.Fault(n.Get("deviation"), "%v is not above 0", v["deviation"])
			return nil
		}
		in.Scale, in.Offset = 1/v["deviation"], -v["mean"]/v["deviation"]+0
	case "max min":
		if v["min"] >= v["max"] {
			r.Fault(n, "min %v is not below max %v", v["min"], v["max"])
			return nil
		}
		in.Scale, in.Offset = 1/(v["max"]-v["min"]), -v["min"]/(v["max"]-v["min"])+0
	default:
		r.Fault(n, "want value, one-hot, {scale: s, offset: o}, {mean: m, deviation: d}, {min: lo, max: hi} or {table: […]}")
		return nil
	}
	if math.IsInf(in.Scale, 0) || math.IsInf(in.Offset, 0) {
		r.Fault(n, "%v · value + %v exceeds the range of float64", in.Scale, in.Offset)
		return nil
	}
	return []space.Input{in}
}

// tableSize returns the number of values of a feature; false after a fault if it cannot have a table.
func (r *reader) tableSize(n *yamlfile.Node, f *space.Feature) (int, bool) {
	if !f.Discrete() {
		r.Fault(n, "a real feature cannot have a table: give scale and offset, mean and deviation, or min and max")
		return 0, false
	}
	if f.Hi-f.Lo >= maxTable {
		r.Fault(n, "%v..%v is too long for a table; at most %d entries", f.Lo, f.Hi, maxTable)
		return 0, false
	}
	return int(f.Hi-f.Lo) + 1, true
}

func (r *reader) oneHot(n *yamlfile.Node, f *space.Feature, entries *int) []space.Input {
	size, ok := r.tableSize(n, f)
	if !ok {
		return nil
	}
	if *entries += size * size; *entries > maxTable {
		r.Fault(n, tooManyEntries, maxTable)
		return nil
	}
	out := make([]space.Input, size)
	for k := range out {
		out[k].Table = make([]float64, size)
		out[k].Table[k] = 1
	}
	return out
}

func (r *reader) table(n *yamlfile.Node, f *space.Feature, entries *int) []space.Input {
	size, ok := r.tableSize(n, f)
	if !ok || !r.Kind(n, yamlfile.Sequence) {
		return nil
	}
	if len(n.Items) != size {
		r.Fault(n, "has %d entries; the domain has %d values", len(n.Items), size)
		return nil
	}
	if *entries += size; *entries > maxTable {
		r.Fault(n, tooManyEntries, maxTable)
		return nil
	}
	table := make([]float64, size)
	for k, item := range n.Items {
		table[k], _ = r.Number(item)
	}
	return []space.Input{{Table: table}}
}
