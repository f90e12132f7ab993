package gridfile

import "github.com/hyfair/hyfair/host/internal/question/yamlfile"

// Entry reads the part of an arm that is specific to a kind of file, besides name, about, grid and
// the keys of the form.
type Entry[A any] struct {
	// Keys are the specific keys.
	Keys []string
	// Read reads Keys into an arm whose form's keys are set; false after a mistake. grid is the
	// entry's grid.
	Read func(in *File, n, grid *yamlfile.Node, a *A) bool
	// Outside returns a function that finds the value that an entry gives, outside its grid, for
	// a key of the grid.
	Outside func(n *yamlfile.Node) func(key string) *yamlfile.Node
	// Check checks an arm that was read without a mistake.
	Check func(*A) error
}

// Arms reads the arms of one entry of a file: a single arm, or those of its grid. a holds the
// defaults. It reports all mistakes of the entry; after a mistake it returns no arms.
func (f *Form[A]) Arms(in *File, n *yamlfile.Node, a A, e Entry[A]) []A {
	if !in.Mapping(n, append(append([]string{"name", "about", "grid"}, e.Keys...), f.Names()...)...) {
		return nil
	}
	in.Text(n.Get("about"))
	*f.Name(&a), _ = in.Text(n.Get("name"))
	grid := n.Want("grid")
	read := f.Read(in, n, &a, f.Names()...)
	own := e.Read(in, n, grid, &a)
	arms, spread := f.Spread(in, grid, a, e.Outside(n))
	if !read || !own || !spread {
		return nil
	}
	for i := range arms {
		if err := e.Check(&arms[i]); err != nil {
			in.Fault(n, "%v", err)
			return nil
		}
	}
	return arms
}
