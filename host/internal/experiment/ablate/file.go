package ablate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// File is a grid file: which networks to search with which arms, under which
// rules. Flags of the command line override it.
type File struct {
	Name    string
	Studies []FileStudy
	Arms    []Arm
	// Budget is empty, Runs, Seed, Threads and Jobs are 0 where the file says
	// nothing.
	Budget  string
	Runs    int
	Seed    int64
	Threads int
	Jobs    int
	// Bound is the time a solver gets for each network, see Plan; 0: none.
	Bound time.Duration
	question.Scope
}

// FileStudy is a study of a grid file.
type FileStudy struct {
	// Path of the study, relative paths taken from the file's folder.
	Path string
	// Models is a pattern of names beside the study's own network; empty: that
	// one.
	Models string
	// At is where the study is named, as file:line:column, for messages.
	At string
}

// Bounds on what a file may ask for, far above any use.
const (
	maxRuns    = 1000
	maxThreads = 1024
	maxSeed    = 1 << 53
)

// rawFile is the file's shape. Values are kept as text until something that
// knows the type reads them.
type rawFile struct {
	Name    string `yaml:"name"`
	Summary string `yaml:"summary"`
	Studies []struct {
		Study  string `yaml:"study"`
		Models string `yaml:"models"`
	} `yaml:"studies"`
	Strategies []rawArm `yaml:"strategies"`
	Mode       string   `yaml:"mode"`
	Solver     string   `yaml:"solver"`
	Budget     string   `yaml:"budget"`
	Runs       string   `yaml:"runs"`
	Seed       string   `yaml:"seed"`
	Threads    string   `yaml:"threads"`
	Jobs       string   `yaml:"jobs"`
	Bound      string   `yaml:"bound"`
	Epsilon    string   `yaml:"epsilon"`
	Protected  []string `yaml:"protected"`
	Where      string   `yaml:"where"`
	Rules      []string `yaml:"rules"`
}

type rawArm struct {
	Name      string              `yaml:"name"`
	About     string              `yaml:"about"`
	Strategy  string              `yaml:"strategy"`
	Set       map[string]string   `yaml:"set"`
	Mode      string              `yaml:"mode"`
	Chains    string              `yaml:"chains"`
	Solver    string              `yaml:"solver"`
	SolverSet map[string]string   `yaml:"solver_set"`
	Grid      map[string][]string `yaml:"grid"`
}

// ReadFile reads a grid file. Every mistake is an error that names file, line
// and column; all that can be told apart are reported together.
func ReadFile(path string) (*File, error) {
	text, err := yamlfile.Read(path)
	if err != nil {
		return nil, err
	}
	return parseFile(text, path)
}

func parseFile(text, path string) (*File, error) {
	var raw rawFile
	in, err := yamlfile.Decode(text, path, "a grid file", &raw)
	if err != nil {
		return nil, err
	}
	r := &fileReader{Reader: in, path: path}
	f := r.file(&raw)
	if err := in.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// fileReader turns the shape into a File.
type fileReader struct {
	*yamlfile.Reader
	path string
}

func (r *fileReader) file(raw *rawFile) *File {
	f := &File{Name: raw.Name, Scope: question.Scope{Epsilon: raw.Epsilon, Protected: raw.Protected, Where: raw.Where, Rules: raw.Rules}}
	if f.Name == "" {
		f.Name = strings.TrimSuffix(filepath.Base(r.path), filepath.Ext(r.path))
	}
	r.studies(f, raw)
	for _, key := range []string{"mode", "solver"} {
		value := map[string]string{"mode": raw.Mode, "solver": raw.Solver}[key]
		if value == "" {
			continue
		}
		if err := new(Arm).set(key, value); err != nil {
			r.Fault("$."+key, "%v", err)
		}
	}
	for i := range raw.Strategies {
		f.Arms = append(f.Arms, r.arms(fmt.Sprintf("$.strategies[%d]", i), &raw.Strategies[i], raw)...)
		if len(f.Arms) > maxArms {
			r.Fault("$.strategies", "more than %d arms", maxArms)
			break
		}
	}
	if len(raw.Strategies) == 0 {
		r.Fault("$.strategies", "lists no strategy")
	}
	for i := range f.Arms {
		if slices.ContainsFunc(f.Arms[:i], func(a Arm) bool { return a.Name == f.Arms[i].Name }) {
			r.Fault("$.strategies", "two arms are called %q", f.Arms[i].Name)
		}
	}
	if f.Budget = raw.Budget; f.Budget != "" {
		if _, err := search.ParseBudget(f.Budget); err != nil {
			r.Fault("$.budget", "%v", err)
		}
	}
	if raw.Bound != "" {
		var err error
		if f.Bound, err = time.ParseDuration(raw.Bound); err != nil || f.Bound < 0 {
			r.Fault("$.bound", "%q is no time such as 10s", raw.Bound)
		}
	}
	f.Runs = int(r.Integer("$.runs", raw.Runs, 1, maxRuns))
	f.Seed = r.Integer("$.seed", raw.Seed, 1, maxSeed)
	f.Threads = int(r.Integer("$.threads", raw.Threads, 1, maxThreads))
	f.Jobs = int(r.Integer("$.jobs", raw.Jobs, 1, maxThreads))
	return f
}

func (r *fileReader) studies(f *File, raw *rawFile) {
	for i, s := range raw.Studies {
		place := fmt.Sprintf("$.studies[%d]", i)
		if s.Study == "" {
			r.Fault(place, "needs study: FILE")
			continue
		}
		st := FileStudy{Path: s.Study, Models: s.Models, At: r.At(place + ".study")}
		if !filepath.IsAbs(st.Path) {
			st.Path = filepath.Join(filepath.Dir(r.path), st.Path)
		}
		if _, err := filepath.Match(s.Models, ""); err != nil {
			r.Fault(place+".models", "%q is no pattern: %v", s.Models, err)
		}
		f.Studies = append(f.Studies, st)
	}
	if len(raw.Studies) == 0 {
		r.Fault("$.studies", "lists no study")
	}
}

// arms are what one entry of strategies describes: one arm, or those of its
// grid.
func (r *fileReader) arms(place string, raw *rawArm, defaults *rawFile) []Arm {
	a := Arm{
		Name: raw.Name, Strategy: raw.Strategy, Set: raw.Set, Mode: ModePaper, Solver: defaults.Solver, SolverSet: raw.SolverSet, At: r.At(place),
	}
	if defaults.Mode != "" {
		a.Mode = defaults.Mode
	}
	if a.Name == "" {
		a.Name = raw.Strategy
	}
	if _, varied := raw.Grid["strategy"]; a.Strategy == "" && !varied {
		a.Strategy = raw.Name
	}
	for _, field := range []struct{ key, value string }{{"mode", raw.Mode}, {"chains", raw.Chains}, {"solver", raw.Solver}} {
		if field.value == "" {
			continue
		}
		if err := a.set(field.key, field.value); err != nil {
			r.Fault(place+"."+field.key, "%v", err)
			return nil
		}
	}
	axes, ok := r.axes(place+".grid", raw)
	if !ok {
		return nil
	}
	arms, at, err := cross(a, axes)
	if err != nil {
		r.Fault(place+".grid."+at, "%v", err)
		return nil
	}
	for i := range arms {
		if err := arms[i].check(); err != nil {
			r.Fault(place, "%v", err)
			return nil
		}
	}
	return arms
}

// axes reads a grid in the file's order.
func (r *fileReader) axes(place string, raw *rawArm) (axes []axis, ok bool) {
	ok = true
	for _, key := range r.Keys(place) {
		values := raw.Grid[key]
		fixed := map[string]string{"strategy": raw.Strategy, "mode": raw.Mode, "solver": raw.Solver, "chains": raw.Chains}[key]
		if v, set := raw.Set[strings.TrimPrefix(key, "set.")]; set && !slices.Contains(armKeys, key) {
			fixed = v
		}
		switch {
		case len(values) == 0:
			r.Fault(place+"."+key, "lists no value")
		case fixed != "":
			r.Fault(place+"."+key, "is fixed to %s beside the grid: give it in one place", fixed)
		case repeated(values) != "":
			r.Fault(place+"."+key, "%s is there twice", repeated(values))
		default:
			axes = append(axes, axis{key, values})
			continue
		}
		ok = false
	}
	return axes, ok
}

// repeated is a value that is there twice; empty for none.
func repeated(values []string) string {
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return v
		}
	}
	return ""
}
