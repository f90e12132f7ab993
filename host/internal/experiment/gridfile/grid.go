package gridfile

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// MostArms is the maximum number of arms of a grid, far above any use.
const MostArms = 1000

// Value is the value of a key at a point of a grid.
type Value struct {
	// The key.
	Key string `json:"key"`
	// The value, as written in the file.
	Text string `json:"text"`
}

// Point is one combination of a grid's values, in the order of its keys.
type Point []Value

// Called returns the name of the point's arm: name, followed by the point's values.
func (p Point) Called(name string) string {
	for _, v := range p {
		name += fmt.Sprintf(" %s=%s", v.Key, v.Text)
	}
	return strings.TrimSpace(name)
}

// Grid reads a mapping of keys to lists of values, and returns all their combinations, the last
// key changing fastest; without a grid, a single empty point. check checks a single value, and
// other returns the value that the file gives for a key outside the grid. ok is false after a
// mistake.
func (f *File) Grid(grid *yamlfile.Node, other func(key string) *yamlfile.Node, check func(Value) error) (points []Point, ok bool) {
	points = []Point{nil}
	if grid.Kind != yamlfile.Null && !f.Kind(grid, yamlfile.Mapping) {
		return nil, false
	}
	ok = true
	for _, e := range grid.Entries {
		values, valid := f.axis(e, other(e.Key.Text), check)
		if ok = ok && valid; !ok {
			continue
		}
		if len(points)*len(values) > MostArms {
			f.Fault(e.Value, "the grid has more than %d arms", MostArms)
			return nil, false
		}
		var next []Point
		for _, p := range points {
			for _, text := range values {
				next = append(next, append(slices.Clip(p), Value{e.Key.Text, text}))
			}
		}
		points = next
	}
	return points, ok
}

// axis reads the values of one key of a grid.
func (f *File) axis(e yamlfile.Entry, other *yamlfile.Node, check func(Value) error) (values []string, ok bool) {
	values, ok = f.Reader.Texts(e.Value)
	switch {
	case !ok:
		return nil, false
	case len(values) == 0:
		f.Fault(e.Value, "lists no value: want at least one")
		return nil, false
	case other != nil:
		f.Fault(e.Value, "is also set to %s outside the grid: give it in one place", other.Text)
		return nil, false
	}
	for i, text := range values {
		if err := check(Value{e.Key.Text, text}); err != nil {
			f.Fault(e.Value, "%v", err)
			ok = false
		}
		if k := slices.IndexFunc(values[:i], func(other string) bool { return SameValue(text, other) }); k >= 0 {
			at, before := item(e.Value, i), item(e.Value, k)
			f.Fault(at, "%s is listed twice: %s at %s is the same", text, values[k], before.At)
			ok = false
		}
	}
	return values, ok
}

// item is the i-th item of a list, or the node itself if a single value stands for a list.
func item(list *yamlfile.Node, i int) *yamlfile.Node {
	if i < len(list.Items) {
		return list.Items[i]
	}
	return list
}

// SameValue reports whether two texts are equal or the same number.
func SameValue(a, b string) bool {
	x, wrong := strconv.ParseFloat(a, 64)
	y, err := strconv.ParseFloat(b, 64)
	return a == b || wrong == nil && err == nil && x == y
}

// Options reads a mapping of texts, such as a plugin's options; nil if n is not a mapping.
func (f *File) Options(n *yamlfile.Node) map[string]string {
	if !f.Kind(n, yamlfile.Mapping) {
		return nil
	}
	out := map[string]string{}
	for _, e := range n.Entries {
		out[e.Key.Text], _ = f.Text(e.Value)
	}
	return out
}

// OptionKey is the prefix of the keys of a plugin's options in a grid.
const OptionKey = "set."

// Outside returns a function that finds the value that a mapping gives, outside its grid, for a
// key of the grid. An option's value is under the key set.
func Outside(n *yamlfile.Node) func(key string) *yamlfile.Node {
	return func(key string) *yamlfile.Node {
		if name, ok := strings.CutPrefix(key, OptionKey); ok {
			return n.Want("set").Get(name)
		}
		return n.Get(key)
	}
}

// WithOptions returns a copy of the options, in which those of the second map take precedence.
func WithOptions(options, over map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, options)
	maps.Copy(out, over)
	return out
}
