package crosscheck

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/export"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/linear"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
)

// unit draws a linear unit that takes as many inputs as the question's space feeds.
func unit(r *rand.Rand, q *problem.Query) *linear.Unit {
	u := &linear.Unit{Bias: r.NormFloat64()}
	for range q.Space.Inputs {
		u.Weights = append(u.Weights, r.NormFloat64())
	}
	return u
}

// TestAnotherFamily asks the same questions about linear units as TestReferee asks
// about networks: of a solver that declares the family and gets the unit over the
// wire, and of those that get it as rows or as a script.
func TestAnotherFamily(t *testing.T) {
	tier.NeedUsual(t)
	p, err := client.Launch(t.Context(), client.Config{Path: plugintest.Program(t, "sdk/conformance/internal/fakesolver"), Kind: client.Solver})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	declares := p.Description()
	declares.Serves = declares.Serves[:0:0]
	for _, s := range p.Description().Serves {
		if s.Form == problem.FormNetwork {
			declares.Serves = append(declares.Serves, s)
		}
	}
	panel := []*panelist{{name: "enumerate", solver: p.Solver(), description: declares}}
	for _, name := range []string{"highs", "lpsolve", "z3"} {
		s, d := plugintest.Solver(t, name)
		panel = append(panel, &panelist{name: name, solver: s, description: d})
	}
	counts := map[string]int{}
	for seed := range tier.Count(5, 120) {
		r := rand.New(rand.NewPCG(uint64(seed), 29))
		for i, s := range panel {
			q := known.Query(r, fairness.Notions[(seed+i)%len(fairness.Notions)])
			plain := unit(r, q)
			if q.Model = plain; i > 0 {
				q.Model = linear.Capable{Unit: plain}
			}
			c := &refereed{T: t, q: q, truth: known.Enumerate(q), r: r, seed: seed, counts: counts}
			c.name = fmt.Sprintf("seed %d, %s", seed, q.Notion)
			c.verdict(s)
			c.audit()
			if i == 0 {
				c.shares(s)
			} else {
				c.relaxed(s)
			}
			if q.Notion == fairness.Score {
				c.mostBins(s)
				if i == 0 {
					c.extremes(s)
				}
			}
		}
	}
	gaveBoth(t, panel, counts)
}

// Whatever needs a capability that a model lacks says which, and of which family.
func TestWhatAModelLacksIsNamed(t *testing.T) {
	tier.NeedUsual(t)
	r := rand.New(rand.NewPCG(1, 31))
	q := known.Query(r, fairness.Score)
	q.Space.Forbidden = nil
	plain := unit(r, q)
	q.Model = plain
	vnnlib, err := export.Lookup("vnnlib")
	if err != nil {
		t.Fatal(err)
	}
	smt2, err := export.Lookup("smt2")
	if err != nil {
		t.Fatal(err)
	}
	exported := func(f export.Format, encoding string) error {
		_, err := export.Lower(q, f, export.Options{Encoding: encoding, Bounds: "interval"})
		return err
	}
	certified := func(solver string, m model.Model, change func(*engine.Options)) error {
		s, d := plugintest.Solver(t, solver)
		o := engine.Options{Solver: s, Description: d, SolverOnly: true}
		if change != nil {
			change(&o)
		}
		asked := *q
		asked.Model = m
		_, err := engine.Run(t.Context(), &asked, o)
		return err
	}
	s, d := plugintest.Solver(t, "bnb")
	_, overTheWire := s.Solve(t.Context(), &problem.Problem{Name: "unit", Query: q}, sdk.SolveOptions{})
	_, shares := quantify.Run(t.Context(), q, quantify.Options{Solver: s, Description: d, Samples: 10, Threads: 1})
	_, stated := certificate.FromQuery(q)
	capable := linear.Capable{Unit: plain}
	for _, c := range []struct {
		err  error
		want string
	}{
		{certified("highs", plain, nil), "solver highs: unsupported: models of the family linear have no rows"},
		{certified("lpsolve", plain, nil), "solver lpsolve: unsupported: models of the family linear have no rows"},
		{certified("z3", plain, nil), "solver z3: unsupported: models of the family linear have no script"},
		{certified("bnb", capable, nil), "solver bnb: unsupported: bnb takes models of the family relu, trees, not of the family linear"},
		{certified("highs", capable, func(o *engine.Options) { o.Heuristic = true }), "the family linear have no layers of ReLU neurons for heuristic pruning"},
		{certified("highs", capable, func(o *engine.Options) { o.Bounds = engine.BoundsLP }), "the family linear have no layers of ReLU neurons for the bounds lp"},
		{overTheWire, `unsupported: models of the family "linear" are not known here`},
		{shares, "bnb takes models of the family relu, trees, not of the family linear"},
		{stated, "the family linear have no layers of ReLU neurons, or trees, for a certificate"},
		{exported(vnnlib, ""), "the family linear have no layers of ReLU neurons for VNN-LIB"},
		{exported(smt2, "smt"), "the family linear have no script"},
	} {
		if !errors.Is(c.err, sdk.ErrUnsupported) || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("got %v, want %q", c.err, c.want)
		}
	}
	for _, err := range []error{certified("bnb", capable, nil), certified("highs", plain, nil), shares} {
		if !session.IsMistake(err) {
			t.Errorf("no mistake of the request: %v", err)
		}
	}
}

// If no solver is named, one that takes the model's family is asked, and the reason for not
// asking the default one is noted.
func TestASolverThatTakesTheFamilyIsAsked(t *testing.T) {
	tier.NeedUsual(t)
	t.Setenv("HYFAIR_PLUGIN_DIR", filepath.Dir(plugintest.Build(t, "solver-highs")))
	catalogue, err := discover.New(filepath.Dir(plugintest.Build(t, "solver-bnb")), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 33))
	q := known.Query(r, fairness.Score)
	q.Model = linear.Capable{Unit: unit(r, q)}
	var told string
	s := &session.Session{Plugins: catalogue, Tell: func(text string) { told += text }}
	p, err := engine.OpenSolverFor(t.Context(), s, q, nil, engine.Lowerings...)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	const want = "solver bnb: unsupported: bnb takes models of the family relu, trees, not of the family linear; asking highs"
	if p.Found.Name != "highs" || told != want {
		t.Errorf("%s is asked, and %q told", p.Found.Name, told)
	}
}
