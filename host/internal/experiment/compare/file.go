package compare

import (
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// File is a comparison file: what to compare on what, under which rules. Flags
// of the command line override it.
type File struct {
	Name    string
	Studies []gridfile.Study
	Arms    []Arm
	// Terms have nothing where the file says nothing.
	experiment.Terms
}

// IsFile reports whether the path is a readable comparison file: YAML with a key arms, which
// no study has.
func IsFile(path string) bool { return yamlfile.HasKey(path, "arms") }

// ReadFile reads a comparison file. Errors name file, line and column, and all independent
// mistakes are reported together.
func ReadFile(path string) (*File, error) {
	text, err := yamlfile.Read(path)
	if err != nil {
		return nil, err
	}
	return parseFile(text, path)
}

func parseFile(text []byte, path string) (*File, error) {
	in, err := gridfile.Parse(text, path, "a comparison file", append(gridfile.TermsKeys(), "arms")...)
	if err != nil {
		return nil, err
	}
	f := &File{
		Name: in.Name(), Studies: in.Studies("partition"), Terms: in.Terms(),
	}
	if t := in.Time("budget", 1); t > 0 {
		f.Budget = Duration(t).String()
	}
	arms := in.Root.Want("arms")
	for _, n := range arms.List() {
		f.Arms = append(f.Arms, readArms(in, n)...)
	}
	if err := checkArms(f.Arms); err != nil {
		in.Fault(arms, "%v", err)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// readArms reads what one entry of arms describes: one arm, or those of its grid.
func readArms(in *gridfile.File, n *yamlfile.Node) []Arm {
	if !in.Mapping(n, append([]string{"name", "about", "set", "grid"}, Form.Names()...)...) {
		return nil
	}
	in.Text(n.Get("about"))
	a := Arm{At: n.At.String(), Set: in.Options(n.Get("set"))}
	a.Name, _ = in.Text(n.Get("name"))
	grid := n.Want("grid")
	if n.Get("solver") == nil && grid.Get("solver") == nil {
		in.Fault(n, "names no solver")
	}
	Form.Read(in, n, &a, Form.Names()...)
	arms, _ := Form.Spread(in, grid, a, gridfile.Outside(n))
	return arms
}
