package gridfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// Form is how arms of a kind are described, in files, grids and flags.
type Form[A any] struct {
	Keys []Key[A]
	// Options are where an arm has the option that a key stands for, which no other key does,
	// and the option's name; nil: the key stands for nothing.
	Options func(a *A, key string) (options *map[string]string, name string)
	// Name is where an arm has its name.
	Name func(*A) *string
	// Point is where an arm has its point of a grid.
	Point func(*A) *Point
}

// Key is one of a form.
type Key[A any] struct {
	Name string
	// Set gives an arm the value, which is the user's.
	Set func(a *A, value string) error
}

// Text is a key for a text. check, if not nil, looks at it.
func Text[A any](name string, field func(*A) *string, check func(string) error) Key[A] {
	return Key[A]{name, func(a *A, value string) error {
		if *field(a) = value; check == nil {
			return nil
		}
		return check(value)
	}}
}

// Names returns the names of the keys.
func (f *Form[A]) Names() (names []string) {
	for _, k := range f.Keys {
		names = append(names, k.Name)
	}
	return names
}

// Set gives an arm the value of a key, or of an option.
func (f *Form[A]) Set(a *A, key, value string) error {
	if i := slices.IndexFunc(f.Keys, func(k Key[A]) bool { return k.Name == key }); i >= 0 {
		return f.Keys[i].Set(a, value)
	}
	options, name := f.Options(a, key)
	if options == nil {
		return fmt.Errorf("unknown key; the keys are %s, and %sOPTION for an option of the solver", strings.Join(f.Names(), ", "), OptionKey)
	}
	*options = WithOption(*options, name, value)
	return nil
}

// Read gives an arm what a mapping says of some keys; false after a mistake.
func (f *Form[A]) Read(in *File, n *yamlfile.Node, a *A, keys ...string) bool {
	all := true
	for _, key := range keys {
		value := n.Get(key)
		text, ok := in.Text(value)
		if ok {
			if err := f.Set(a, key, text); err != nil {
				in.Fault(value, "%v", err)
				ok = false
			}
		}
		all = all && (ok || value == nil)
	}
	return all
}

// Spread is an arm with each combination of a grid's values, see File.Grid.
func (f *Form[A]) Spread(in *File, grid *yamlfile.Node, a A, other func(key string) *yamlfile.Node) ([]A, bool) {
	points, ok := in.Grid(grid, other, func(v Value) error { scratch := a; return f.Set(&scratch, v.Key, v.Text) })
	arms := make([]A, len(points))
	for i, p := range points {
		arms[i] = a
		for _, v := range p {
			f.Set(&arms[i], v.Key, v.Text)
		}
		*f.Name(&arms[i]), *f.Point(&arms[i]) = p.Called(*f.Name(&a)), p
	}
	return arms, ok
}

// Points are where arms stand in their grids, which are called what the names have before the
// values.
func (f *Form[A]) Points(arms []A) (out []experiment.GridPoint) {
	for i := range arms {
		p, point := *f.Point(&arms[i]), experiment.GridPoint{}
		for _, v := range p {
			point.Keys, point.Values = append(point.Keys, v.Key), append(point.Values, v.Text)
		}
		point.Grid = strings.TrimSpace(strings.TrimSuffix(*f.Name(&arms[i]), p.Called("")))
		out = append(out, point)
	}
	return out
}

// Pick is the arm of that name; the error says which there are, of what the file is called.
func (f *Form[A]) Pick(known []A, name, what string) (a A, err error) {
	var names []string
	for i := range known {
		if names = append(names, *f.Name(&known[i])); *f.Name(&known[i]) == name {
			return known[i], nil
		}
	}
	return a, fmt.Errorf("%q is not an arm of %s, which has %s", name, what, strings.Join(names, ", "))
}
