package gridfile

import "github.com/hyfair/hyfair/host/internal/question/yamlfile"

// Entry is what a kind of file says of arms beside name, about, grid and the keys of their form.
type Entry[A any] struct {
	// Keys are its own.
	Keys []string
	// Read reads them into an arm that has the form's keys already; false after a mistake. grid
	// is the entry's.
	Read func(in *File, n, grid *yamlfile.Node, a *A) bool
	// Outside has what is given for a key of the grid outside it.
	Outside func(n *yamlfile.Node) func(key string) *yamlfile.Node
	// Check looks at an arm that was read without a mistake.
	Check func(*A) error
}

// Arms reads what one entry of a file describes: one arm, or those of its grid, with what a has
// already. It reports all mistakes of the entry; after one there are no arms.
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
