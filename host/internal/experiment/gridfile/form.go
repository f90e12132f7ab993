package gridfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// Form describes arms of a kind in files, grids and flags.
type Form[A any] struct {
	Keys []Key[A]
	// Options returns, for a key that is not in Keys, the map of an arm's options that holds it
	// and the option's name; nil: the key is unknown.
	Options func(a *A, key string) (options *map[string]string, name string)
	// Name returns the field for an arm's name.
	Name func(*A) *string
	// Point returns the field for an arm's point in a grid.
	Point func(*A) *Point
}

// Key is a key of a form.
type Key[A any] struct {
	Name string
	// Set sets an arm's field to a value that the user gave.
	Set func(a *A, value string) error
}

// Text returns a key for a text. check, if not nil, checks the text.
func Text[A any](name string, field func(*A) *string, check func(string) error) Key[A] {
	return Key[A]{name, func(a *A, value string) error {
		if *field(a) = value; check == nil {
			return nil
		}
		return check(value)
	}}
}

// Names returns the names of the keys.
func (f *Form[A]) Names() []string {
	return experiment.Each(f.Keys, func(k *Key[A]) string { return k.Name })
}

// Set sets a key or an option of an arm.
func (f *Form[A]) Set(a *A, key, value string) error {
	if i := slices.IndexFunc(f.Keys, func(k Key[A]) bool { return k.Name == key }); i >= 0 {
		return f.Keys[i].Set(a, value)
	}
	options, name := f.Options(a, key)
	if options == nil {
		return fmt.Errorf("unknown key: want one of %s, or %sOPTION for an option of the solver", strings.Join(f.Names(), ", "), OptionKey)
	}
	*options = WithOptions(*options, map[string]string{name: value}) // points of a grid share the original
	return nil
}

// Read sets an arm's fields from some keys of a mapping; false after a mistake.
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

// Spread returns one arm per combination of a grid's values, see File.Grid.
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

// Points returns the arms' positions in their grids. A grid's name is the part of its arms' names
// before the values.
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

// Pick returns the arm with a name. The error lists the known names, and names their file by the
// last argument.
func (f *Form[A]) Pick(known []A, name, what string) (a A, err error) {
	names := experiment.Each(known, func(a *A) string { return *f.Name(a) })
	if i := slices.Index(names, name); i >= 0 {
		return known[i], nil
	}
	return a, fmt.Errorf("%q is not an arm of %s, which has %s", name, what, strings.Join(names, ", "))
}
