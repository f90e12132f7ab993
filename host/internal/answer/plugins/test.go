package plugins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/conformance"
	"github.com/hyfair/hyfair/sdk/problem"
)

// TestRequest asks for the conformance suite to be run on a plugin.
type TestRequest struct {
	// Plugin is a path, or the name of a plugin that is found; Kind is empty, solver,
	// search or model.
	Plugin string `json:"plugin"`
	Kind   string `json:"kind,omitempty"`
	// Cases and Exclude are names, or patterns of path.Match. Without Cases all run, except
	// those of Exclude. Set has options of the plugin.
	Cases   []string          `json:"cases,omitempty"`
	Exclude []string          `json:"exclude,omitempty"`
	Set     map[string]string `json:"set,omitempty"`
}

// Tested is the answer to a TestRequest and the JSON object of hyfair plugin test.
type Tested struct {
	// The plugin's name.
	Name string `json:"name"`
	// The kind: solver, strategy or model.
	Kind string `json:"kind"`
	// The plugin's version.
	Version string `json:"version"`
	// The program or folder tested.
	Path string `json:"path"`
	// OK: no case failed, and at least one passed.
	OK bool `json:"ok"`
	// The number of cases passed.
	Passed int `json:"passed"`
	// The number of cases failed.
	Failed int `json:"failed"`
	// The number of cases skipped.
	Skipped int `json:"skipped"`
	// The number of cases that could not judge the plugin.
	Inconclusive int `json:"inconclusive"`
	// The cases in the order in which they ran.
	Cases []Case `json:"cases"`
	// The reason if a solver's proofs get a lower grade than it declares.
	Remark string `json:"remark,omitempty"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
}

// Case is one question of the suite.
type Case struct {
	// The case's name.
	Name string `json:"name"`
	// The requirement on a plugin, in a sentence.
	Doc string `json:"doc"`
	// The verdict: passed, failed, inconclusive (the case could not judge the plugin), skipped, or
	// excluded by --exclude.
	Verdict string `json:"verdict"`
	// The reason for a verdict other than passed.
	Why string `json:"why,omitempty"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
}

// Test runs the suite on the plugin's own processes. An error may come with the cases that
// were tested before it.
func Test(ctx context.Context, s *session.Session, r TestRequest) (*Tested, error) {
	kind, err := kindOf(r.Kind)
	if err != nil {
		return nil, err
	}
	found, err := find(s.Plugins, r.Plugin, kind)
	if err != nil {
		return nil, session.Mistake(err)
	}
	t := &tester{found: found, set: r.Set, session: s}
	defer t.close()
	plugin, err := t.launch(ctx)
	if err != nil {
		return nil, err
	}
	d := plugin.Description()
	out := &Tested{Name: d.Name, Kind: found.Kind.String(), Version: d.Version, Path: found.Path, Cases: []Case{}, Remark: graded(&d)}
	s.Work()
	report, err := t.run(ctx, plugin, r, func(o conformance.Outcome) {
		out.Cases = append(out.Cases, Case{o.Case, o.Doc, o.Verdict.String(), o.Why, o.Elapsed.Seconds()})
		s.Show(fmt.Sprintf("%d cases tested, the last was %s", len(out.Cases), o.Case))
	})
	if len(out.Cases) == 0 && err != nil && ctx.Err() == nil {
		return nil, session.Mistake(err) // unknown names of cases
	}
	out.Passed, out.Failed, out.Skipped = report.Count(conformance.Passed), report.Count(conformance.Failed), report.Count(conformance.Skipped)+report.Count(conformance.Excluded)
	out.Inconclusive = report.Count(conformance.Inconclusive)
	out.OK, out.Seconds = err == nil && report.OK(), time.Since(s.Begun).Seconds()
	return out, err
}

// graded says which of a solver's proofs get a lower grade than its arithmetic has.
func graded(d *sdk.Description) string {
	if d.Exactness == sdk.GradeNumerical || !d.Answers(problem.FormMILP, problem.Decide) {
		return ""
	}
	return fmt.Sprintf("it declares its proofs %s: in the milp form their verdicts are numerical nevertheless, because the rows hold rounded numbers; "+
		"in the network and smt forms the declared grade holds", d.Exactness)
}

// find finds a plugin by its path, or else by its name.
func find(c *discover.Catalogue, name string, kind client.Kind) (discover.Found, error) {
	if _, err := os.Stat(name); err == nil || strings.ContainsRune(name, os.PathSeparator) {
		f, ok := discover.At(name, kind)
		if err == nil && !ok {
			err = fmt.Errorf("%s: its name does not begin with hyfair-solver-, hyfair-search- or hyfair-model-; say what it is with --kind", name)
		}
		return f, err
	}
	if kind != 0 {
		return c.Find(kind, name)
	}
	named, err := c.Find(client.Solver, name)
	for _, kind := range []client.Kind{client.Strategy, client.Model} {
		switch next, nextErr := c.Find(kind, name); {
		case errors.Is(nextErr, discover.ErrNotFound):
		case errors.Is(err, discover.ErrNotFound):
			named, err = next, nextErr
		default:
			return named, fmt.Errorf("%s is the name of a %s (%s) and of a %s (%s); say which with --kind", name, named.Kind, named.Path, kind, next.Path)
		}
	}
	return named, err
}

// tester starts processes of a plugin. Cases that compare processes start more, and a case
// that hung may still be starting one.
type tester struct {
	found   discover.Found
	set     map[string]string
	session *session.Session

	mu      sync.Mutex
	started []*discover.Plugin
}

func (t *tester) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.started {
		p.Close()
	}
}

// launch starts the plugin, which must have its libraries: without them the suite
// would skip nearly everything and prove nothing.
func (t *tester) launch(ctx context.Context) (*discover.Plugin, error) {
	p, err := t.found.Launch(ctx, t.session.Plugins.Logger)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.started = append(t.started, p)
	if err := discover.Configure(t.set, p); err != nil {
		return nil, session.Mistake(err)
	}
	for _, l := range p.Description().Libraries {
		if !l.Found {
			return nil, fmt.Errorf("%s cannot be tested: %s", p, strings.TrimSpace(library(&l)+"\n"+l.Problem))
		}
	}
	return p, nil
}

// run runs the suite of the plugin's kind.
func (t *tester) run(ctx context.Context, p *discover.Plugin, r TestRequest, each func(conformance.Outcome)) (*conformance.Report, error) {
	o := conformance.Options{
		Set: p.Options, Only: r.Cases, Exclude: map[string]string{},
		NewSolver:   another(t, func(p *discover.Plugin) sdk.Solver { return p.Solver() }),
		NewStrategy: another(t, (*discover.Plugin).Strategy),
		NewModel:    another(t, (*discover.Plugin).Model),
	}
	for _, pattern := range r.Exclude {
		o.Exclude[pattern] = "excluded by " + pattern
	}
	switch p.Found.Kind {
	case client.Strategy:
		return conformance.CheckStrategy(ctx, p.Strategy(), o, each)
	case client.Model:
		return conformance.CheckModel(ctx, p.Model(), o, each)
	}
	return conformance.CheckSolver(ctx, p.Solver(), o, each)
}

// another returns a function that starts one more process of the plugin.
func another[P any](t *tester, of func(*discover.Plugin) P) func(context.Context) (P, error) {
	return func(ctx context.Context) (plugin P, err error) {
		p, err := t.launch(ctx)
		if err == nil {
			plugin = of(p)
		}
		return plugin, err
	}
}

// Document shows a line for each case, with its time if it ran.
func (r *Tested) Document() *view.Document {
	lines := view.Paragraph{fmt.Sprintf("%s %s %s, %s", r.Kind, r.Name, r.Version, r.Path)}
	words := map[string]string{conformance.Passed.String(): "pass", conformance.Failed.String(): "FAIL", conformance.Inconclusive.String(): "INCONCLUSIVE"}
	for _, c := range r.Cases {
		line := cmp.Or(words[c.Verdict], "skip") + "  " + c.Name
		if c.Seconds > 0 {
			line += fmt.Sprintf(" (%s s)", view.Number(&c.Seconds, 2))
		}
		if why, _, _ := strings.Cut(c.Why, "\n"); why != "" {
			line += ": " + why
		}
		lines = append(lines, line)
	}
	unjudged := ""
	if r.Inconclusive > 0 {
		unjudged = fmt.Sprintf(" %d inconclusive,", r.Inconclusive)
	}
	lines = append(lines, fmt.Sprintf("%d passed, %d failed,%s %d skipped in %s", r.Passed, r.Failed, unjudged, r.Skipped, view.Seconds(r.Seconds)))
	if r.Remark != "" {
		lines = append(lines, r.Remark)
	}
	return view.Of(lines)
}
