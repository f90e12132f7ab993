package study

import (
	"math"
	"regexp"
	"strconv"

	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// shapes lists the keys of every mapping of a study file, by the names of the definitions in
// studies/study.schema.json. A test compares the two.
var shapes = map[string][]string{
	"study":      {"extends", "name", "summary", "model", "models", "output", "data", "features", "protected", "constraints", "where", "epsilon", "notion", "clustering", "decision", "population"},
	"model":      {"file", "output", "class", "normalize", "missing", "plugin", "attach"},
	"data":       {"files", "header", "columns", "delimiter", "trim", "decimal", "thousands", "missing", "missing-rows", "drop", "label", "weight", "held-back"},
	"file":       {"path", "skip", "held-back"},
	"label":      {"column", "positive", "strip-suffix"},
	"held-back":  {"fraction", "seed"},
	"feature":    {"about", "column", "columns", "any-of", "integer", "real", "categories", "missing", "encode", "inputs"},
	"step":       {"map", "threshold", "bins", "days-since"},
	"bins":       {"count", "min", "max"},
	"input":      {"scale", "offset", "mean", "deviation", "min", "max", "table"},
	"protected":  {"values", "extrapolate"},
	"decision":   {"threshold", "at", "yes", "bands"},
	"population": {"classes", "weights", "network"},
	"constraint": {"about", "forbid", "on"},
}

// object checks that n is a mapping of the shape.
func (r *reader) object(n *yamlfile.Node, shape string) bool { return r.Mapping(n, shapes[shape]...) }

var isRange = regexp.MustCompile(`^\s*(` + yamlfile.Decimal + `)\s*\.\.\s*(` + yamlfile.Decimal + `)\s*$`)

// interval reads a closed interval lo..hi.
func (r *reader) interval(n *yamlfile.Node, integer bool) (lo, hi float64, ok bool) {
	if !r.Kind(n, yamlfile.Scalar) {
		return 0, 0, false
	}
	lo, hi, ok = rangeValue(n.Text)
	switch {
	case !ok:
		r.Fault(n, "%q is not a range; write lo..hi, such as 10..100", n.Text)
	case lo > hi:
		r.Fault(n, "the domain %s is empty: %v is above %v", n.Text, lo, hi)
		ok = false
	case integer && !(whole(lo) && whole(hi)):
		r.Fault(n, "the ends of %s are not whole numbers within ±2^52; give such a domain under the key real", n.Text)
		ok = false
	}
	return lo, hi, ok
}

func rangeValue(text string) (lo, hi float64, ok bool) {
	if len(text) > 128 {
		return 0, 0, false
	}
	m := isRange.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	lo, err1 := strconv.ParseFloat(m[1], 64)
	hi, err2 := strconv.ParseFloat(m[2], 64)
	return lo + 0, hi + 0, err1 == nil && err2 == nil
}

// whole reports whether v is an integer within ±2^52.
func whole(v float64) bool { return v == math.Trunc(v) && math.Abs(v) <= 1<<52 }
