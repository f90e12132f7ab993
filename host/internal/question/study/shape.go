package study

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// shapes lists the keys of every mapping of a study file. The names are those
// of the definitions in studies/study.schema.json, and a test holds the two
// against each other.
var shapes = map[string][]string{
	"study":      {"extends", "name", "summary", "model", "models", "output", "data", "features", "protected", "constraints", "epsilon", "notion", "clustering"},
	"data":       {"files", "header", "columns", "delimiter", "trim", "missing", "missing-rows", "drop", "label", "held-back"},
	"file":       {"path", "skip", "held-back"},
	"label":      {"column", "positive", "strip-suffix"},
	"held-back":  {"fraction", "seed"},
	"feature":    {"about", "column", "integer", "real", "categories", "encode", "inputs"},
	"step":       {"map", "threshold", "bins"},
	"bins":       {"count", "min", "max"},
	"input":      {"scale", "offset", "mean", "deviation", "min", "max", "table"},
	"protected":  {"values", "extrapolate"},
	"constraint": {"about", "forbid", "on"},
}

// object checks that n is a mapping of the shape and reports the keys that do
// not belong; false if it is no mapping.
func (f *faults) object(n *node, shape string) bool {
	if !f.kind(n, mappingNode) {
		return false
	}
	for _, e := range n.entries {
		if !slices.Contains(shapes[shape], e.key.text) {
			f.add(&node{at: e.key.at, path: n.path}, "unknown key %q; %s", e.key.text, meant(e.key.text, shapes[shape]))
		}
	}
	return true
}

func (f *faults) kind(n *node, want nodeKind) bool {
	if n.kind != want {
		f.add(n, "want %s, this is %s", want, n.kind)
	}
	return n.kind == want
}

// text reads a single value as it was written.
func (f *faults) text(n *node) (string, bool) {
	if !f.kind(n, scalarNode) {
		return "", false
	}
	if strings.TrimSpace(n.text) == "" && !n.quoted {
		f.add(n, "is empty")
		return "", false
	}
	return n.text, true
}

// name reads a text that names something and so is not empty.
func (f *faults) name(n *node) (string, bool) {
	text, ok := f.text(n)
	if ok && strings.TrimSpace(text) == "" {
		f.add(n, "is empty")
		return "", false
	}
	return text, ok
}

// texts reads a list of single values, or one alone.
func (f *faults) texts(n *node) ([]string, bool) {
	if n.kind == scalarNode {
		text, ok := f.text(n)
		return []string{text}, ok
	}
	if !f.kind(n, sequenceNode) {
		return nil, false
	}
	out, all := make([]string, 0, len(n.items)), true
	for _, item := range n.items {
		text, ok := f.text(item)
		out, all = append(out, text), all && ok
	}
	return out, all
}

// choice reads one of the words.
func (f *faults) choice(n *node, words ...string) (string, bool) {
	text, ok := f.text(n)
	if ok && !slices.Contains(words, text) {
		f.add(n, "unknown value %q; %s", text, meant(text, words))
		return "", false
	}
	return text, ok
}

// decimal is how numbers are written in a study file.
const decimal = `[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?`

var (
	isDecimal = regexp.MustCompile(`^` + decimal + `$`)
	isRange   = regexp.MustCompile(`^\s*(` + decimal + `)\s*\.\.\s*(` + decimal + `)\s*$`)
)

func (f *faults) number(n *node) (float64, bool) {
	if !f.kind(n, scalarNode) {
		return 0, false
	}
	v, ok := decimalValue(n)
	if !ok {
		f.add(n, "%q is not a number", n.text)
	}
	return v, ok
}

func decimalValue(n *node) (float64, bool) {
	if n.quoted || len(n.text) > 64 || !isDecimal.MatchString(n.text) {
		return 0, false
	}
	v, err := strconv.ParseFloat(n.text, 64)
	return v + 0, err == nil // +0 turns −0 into 0
}

// integer reads a whole number from lo to hi.
func (f *faults) integer(n *node, lo, hi float64) (int, bool) {
	v, ok := f.number(n)
	if ok && (v != math.Trunc(v) || v < lo || v > hi) {
		f.add(n, "%s is not a whole number from %v to %v", n.text, lo, hi)
		return 0, false
	}
	return int(v), ok
}

func (f *faults) boolean(n *node) (bool, bool) {
	if !f.kind(n, scalarNode) {
		return false, false
	}
	if n.quoted || n.text != "true" && n.text != "false" {
		f.add(n, "%q is neither true nor false", n.text)
		return false, false
	}
	return n.text == "true", true
}

// interval reads lo..hi, both ends part of it.
func (f *faults) interval(n *node, integer bool) (lo, hi float64, ok bool) {
	if !f.kind(n, scalarNode) {
		return 0, 0, false
	}
	lo, hi, ok = rangeValue(n.text)
	switch {
	case !ok:
		f.add(n, "%q is no range; write lo..hi, such as 10..100", n.text)
	case lo > hi:
		f.add(n, "the domain %s is empty: %v is above %v", n.text, lo, hi)
		ok = false
	case integer && !(whole(lo) && whole(hi)):
		f.add(n, "the ends of %s are not whole numbers within ±2^52; write real: for such a domain", n.text)
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

// whole tells integers that are exact in float64 arithmetic.
func whole(v float64) bool { return v == math.Trunc(v) && math.Abs(v) <= 1<<52 }
