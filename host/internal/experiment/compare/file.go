package compare

import (
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// File is a comparison file: arms, studies and terms. Flags of the command line override it.
type File struct {
	Name    string
	Studies []gridfile.Study
	Arms    []Arm
	// Terms holds the terms that the file sets; all others are zero.
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
		f.Arms = append(f.Arms, Form.Arms(in, n, Arm{}, entry)...)
	}
	if err := checkArms(f.Arms); err != nil && (len(f.Arms) > 0 || len(arms.List()) == 0) {
		in.Fault(arms, "%v", err)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// entry reads the keys of an arm that are specific to comparison files.
var entry = gridfile.Entry[Arm]{
	Keys: []string{"set"},
	Read: func(in *gridfile.File, n, grid *yamlfile.Node, a *Arm) bool {
		a.At, a.Set = n.At.String(), in.Options(n.Get("set"))
		named := n.Get("solver") != nil || grid.Get("solver") != nil
		if !named {
			in.Fault(n, "names no solver: set the key solver")
		}
		return named
	},
	Outside: gridfile.Outside,
	Check:   func(*Arm) error { return nil },
}
