package gridfile

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// MostArms bounds what a grid may spread into, far above any use.
const MostArms = 1000

// Value is what a point of a grid gives to a key.
type Value struct {
	// The key.
	Key string `json:"key"`
	// The value, as the file has it.
	Text string `json:"text"`
}

// Point is one combination of a grid's values, in the order of its keys.
type Point []Value

// Called is the name of what the point stands for: its values after the name.
func (p Point) Called(name string) string {
	for _, v := range p {
		name += fmt.Sprintf(" %s=%s", v.Key, v.Text)
	}
	return strings.TrimSpace(name)
}

// Grid reads a mapping of keys to lists of values, and gives all their combinations,
// the last key changing fastest; without a grid the one point that says nothing. check
// looks at a value by itself, and other has what is given for a key outside the grid.
// false after a mistake.
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
		f.Fault(e.Value, "lists no value")
		return nil, false
	case other != nil:
		f.Fault(e.Value, "is fixed to %s beside the grid: give it in one place", other.Text)
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

// item is the i-th of a list, or what stands for a list of one.
func item(list *yamlfile.Node, i int) *yamlfile.Node {
	if i < len(list.Items) {
		return list.Items[i]
	}
	return list
}

// SameValue reports texts that are equal, or the same number.
func SameValue(a, b string) bool {
	x, wrong := strconv.ParseFloat(a, 64)
	y, err := strconv.ParseFloat(b, 64)
	return a == b || wrong == nil && err == nil && x == y
}

// Options reads a mapping of texts, such as a plugin's options; nil for none.
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

// OptionKey is what the keys of a plugin's options begin with in a grid.
const OptionKey = "set."

// Outside gives what a mapping says for a key of its grid outside of it: of an option in
// its set.
func Outside(n *yamlfile.Node) func(key string) *yamlfile.Node {
	return func(key string) *yamlfile.Node {
		if name, ok := strings.CutPrefix(key, OptionKey); ok {
			return n.Want("set").Get(name)
		}
		return n.Get(key)
	}
}

// WithOption is options with one more, in a copy: points of a grid share them.
func WithOption(options map[string]string, key, value string) map[string]string {
	return WithOptions(options, map[string]string{key: value})
}

// WithOptions is options, and over them others, in a copy.
func WithOptions(options, over map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, options)
	maps.Copy(out, over)
	return out
}
