package ablate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// File is a grid file: which networks to search with which arms, under which
// rules. Flags of the command line override it.
type File struct {
	Name    string
	Studies []gridfile.Study
	Arms    []Arm
	// Terms holds the terms that the file sets; all others are zero.
	experiment.Terms
	// Bound is a solver's time per network, see Plan; 0: no bound is computed.
	Bound time.Duration
}

// ReadFile reads a grid file. Errors name file, line and column, and all independent mistakes
// are reported together.
func ReadFile(path string) (*File, error) {
	text, err := yamlfile.Read(path)
	if err != nil {
		return nil, err
	}
	return parseFile(text, path)
}

func parseFile(text []byte, path string) (*File, error) {
	in, err := gridfile.Parse(text, path, "a grid file",
		append(gridfile.TermsKeys(), "strategies", "mode", "solver", "bound")...)
	if err != nil {
		return nil, err
	}
	f := &File{
		Name: in.Name(), Studies: in.Studies(), Terms: in.Terms(), Bound: in.Time("bound", 0),
	}
	f.Budget = in.Setting("budget")
	common := Arm{Mode: ModePaper}
	Form.Read(in, in.Root, &common, "mode", "solver")
	strategies := in.Root.Want("strategies")
	for _, n := range strategies.List() {
		f.Arms = append(f.Arms, Form.Arms(in, n, common, entry)...)
		if len(f.Arms) > gridfile.MostArms {
			in.Fault(strategies, "more than %d arms", gridfile.MostArms)
			break
		}
	}
	if len(strategies.List()) == 0 {
		in.Fault(strategies, "lists no strategy: want at least one")
	}
	for i := range f.Arms {
		if slices.ContainsFunc(f.Arms[:i], func(a Arm) bool { return a.Name == f.Arms[i].Name }) {
			in.Fault(strategies, "two arms are called %q: rename one", f.Arms[i].Name)
		} else if k := slices.IndexFunc(f.Arms[:i], f.Arms[i].same); k >= 0 {
			in.Fault(strategies, "arms %q (%s) and %q (%s) are the same search: leave one out", f.Arms[k].Name, f.Arms[k].At, f.Arms[i].Name, f.Arms[i].At)
		}
	}
	if f.Budget != "" {
		if _, err := search.ParseBudget(f.Budget); err != nil {
			in.Fault(in.Root.Get("budget"), "%v", err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// optionOf returns the strategy's option that a grid's key names.
func optionOf(key string) string { return strings.TrimPrefix(key, gridfile.OptionKey) }

// entry reads the keys of an arm that are specific to grid files.
var entry = gridfile.Entry[Arm]{
	Keys: []string{"set", "solver_set"},
	Read: func(in *gridfile.File, n, grid *yamlfile.Node, a *Arm) bool {
		a.At, a.Set, a.SolverSet = n.At.String(), in.Options(n.Get("set")), in.Options(n.Get("solver_set"))
		a.Name = cmp.Or(a.Name, a.Strategy)
		if a.Strategy == "" && grid.Get("strategy") == nil {
			a.Strategy = a.Name
		}
		once := true
		for i, e := range grid.Entries { // an option may be named with or without its prefix
			for _, o := range grid.Entries[:i] {
				if option := optionOf(e.Key.Text); option == optionOf(o.Key.Text) && !slices.Contains(Form.Names(), option) {
					in.FaultAt(grid, e, "%s is the same option as %s at %s: give it in one place", e.Key.Text, o.Key.Text, o.Key.At)
					once = false
				}
			}
		}
		return once
	},
	Outside: func(n *yamlfile.Node) func(key string) *yamlfile.Node {
		return func(key string) *yamlfile.Node {
			if slices.Contains(Form.Names(), key) {
				return n.Get(key)
			}
			if name, ok := strings.CutPrefix(key, solverKey); ok {
				return n.Want("solver_set").Get(name)
			}
			return n.Want("set").Get(optionOf(key))
		}
	},
	Check: (*Arm).check,
}
