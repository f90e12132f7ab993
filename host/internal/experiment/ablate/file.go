package ablate

import (
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
	// Terms have nothing where the file says nothing.
	experiment.Terms
	// Bound is the time a solver gets for each network, see Plan; 0: none.
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
	r := &fileReader{File: in, defaults: Arm{Mode: ModePaper}}
	f := &File{
		Name: in.Name(), Studies: in.Studies(), Terms: in.Terms(), Bound: in.Time("bound", 0),
	}
	f.Budget = in.Setting("budget")
	r.set(&r.defaults, in.Root, "mode", "solver")
	strategies := in.Root.Want("strategies")
	for _, n := range strategies.List() {
		f.Arms = append(f.Arms, r.arms(n)...)
		if len(f.Arms) > gridfile.MostArms {
			r.Fault(strategies, "more than %d arms", gridfile.MostArms)
			break
		}
	}
	if len(strategies.List()) == 0 {
		r.Fault(strategies, "lists no strategy")
	}
	for i := range f.Arms {
		if slices.ContainsFunc(f.Arms[:i], func(a Arm) bool { return a.Name == f.Arms[i].Name }) {
			r.Fault(strategies, "two arms are called %q", f.Arms[i].Name)
		} else if k := slices.IndexFunc(f.Arms[:i], f.Arms[i].same); k >= 0 {
			r.Fault(strategies, "arms %q (%s) and %q (%s) are the same search", f.Arms[k].Name, f.Arms[k].At, f.Arms[i].Name, f.Arms[i].At)
		}
	}
	if f.Budget != "" {
		if _, err := search.ParseBudget(f.Budget); err != nil {
			r.Fault(in.Root.Get("budget"), "%v", err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// fileReader reads arms, with what the file says for all of them.
type fileReader struct {
	*gridfile.File
	defaults Arm
}

// set reads keys of a mapping into the arm; false after a mistake.
func (r *fileReader) set(a *Arm, n *yamlfile.Node, keys ...string) bool {
	all := true
	for _, key := range keys {
		value := n.Get(key)
		text, ok := r.Text(value)
		if ok {
			if err := a.set(key, text); err != nil {
				r.Fault(value, "%v", err)
				ok = false
			}
		}
		all = all && (ok || value == nil)
	}
	return all
}

// optionOf is the option of a strategy that a key of a grid stands for.
func optionOf(key string) string { return strings.TrimPrefix(key, gridfile.OptionKey) }

// arms are what one entry of strategies describes: one arm, or those of its
// grid.
func (r *fileReader) arms(n *yamlfile.Node) []Arm {
	if !r.Mapping(n, "name", "about", "strategy", "set", "mode", "chains", "solver", "solver_set", "grid") {
		return nil
	}
	r.Text(n.Get("about"))
	a := r.defaults
	a.At, a.Set, a.SolverSet = n.At.String(), r.Options(n.Get("set")), r.Options(n.Get("solver_set"))
	if !r.set(&a, n, armKeys...) {
		return nil
	}
	grid := n.Want("grid")
	if a.Name, _ = r.Text(n.Get("name")); a.Name == "" {
		a.Name = a.Strategy
	}
	if a.Strategy == "" && grid.Get("strategy") == nil {
		a.Strategy = a.Name
	}
	for i, e := range grid.Entries { // an option has two names
		for _, o := range grid.Entries[:i] {
			if option := optionOf(e.Key.Text); option == optionOf(o.Key.Text) && !slices.Contains(armKeys, option) {
				r.FaultAt(grid, e, "%s is %s of %s: give it in one place", e.Key.Text, o.Key.Text, o.Key.At)
				return nil
			}
		}
	}
	points, ok := r.Grid(grid, func(key string) *yamlfile.Node {
		if slices.Contains(armKeys, key) {
			return n.Get(key)
		}
		if name, ok := strings.CutPrefix(key, solverKey); ok {
			return n.Want("solver_set").Get(name)
		}
		return n.Want("set").Get(optionOf(key))
	}, func(v gridfile.Value) error { scratch := a; return scratch.set(v.Key, v.Text) })
	if !ok {
		return nil
	}
	var arms []Arm
	for _, p := range points {
		arm := a
		for _, v := range p {
			arm.set(v.Key, v.Text)
		}
		arm.Name = p.Called(a.Name)
		if err := arm.check(); err != nil {
			r.Fault(n, "%v", err)
			return nil
		}
		arms = append(arms, arm)
	}
	return arms
}
