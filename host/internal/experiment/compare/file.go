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

// IsFile reports whether the path is a comparison file: a YAML file with a key
// arms, which no study has. What cannot be read is none.
func IsFile(path string) bool { return yamlfile.HasKey(path, "arms") }

// ReadFile reads a comparison file. Every mistake is an error that names file,
// line and column; all that can be told apart are reported together.
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
		f.Arms = append(f.Arms, readArm(in, n))
	}
	if err := checkArms(f.Arms); err != nil {
		in.Fault(arms, "%v", err)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

func readArm(in *gridfile.File, n *yamlfile.Node) (a Arm) {
	if !in.Mapping(n, append([]string{"name", "about"}, armKeys...)...) {
		return a
	}
	in.Text(n.Get("about"))
	a.Name, _ = in.Text(n.Get("name"))
	if n.Get("solver") == nil {
		in.Fault(n, "names no solver")
	}
	for _, key := range armKeys {
		if value, ok := in.Text(n.Get(key)); ok {
			if err := a.set(key, value); err != nil {
				in.Fault(n.Get(key), "%v", err)
			}
		}
	}
	return a
}
