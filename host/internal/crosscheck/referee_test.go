package crosscheck

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// TestReferee compares every solver, encoding, bound and goal with enumeration in exact
// arithmetic, on the questions of internal/known. HYFAIR_REFEREE=20000 sets the number of
// questions, HYFAIR_REFEREE_SEED the first seed.
func TestReferee(t *testing.T) {
	tier.NeedUsual(t)
	number, next := environment(t, "HYFAIR_REFEREE", tier.Count(16, 150)), environment(t, "HYFAIR_REFEREE_SEED", 0)
	var panel []*panelist
	for _, name := range []string{"bnb", "highs", "lpsolve", "z3"} {
		s, d := plugintest.Solver(t, name)
		panel = append(panel, &panelist{name: name, solver: s, description: d})
	}
	counts := map[string]int{}
	// Questions that were once answered wrongly go first.
	seeds := []int{2930, 3042, 60212, 70036, 70280, 71108, 71404, 71879, 71896}
	for asked := 0; asked < number || len(seeds) > 0; {
		seed := next
		if len(seeds) > 0 {
			seed, seeds = seeds[0], seeds[1:]
		} else {
			next++
		}
		r := rand.New(rand.NewPCG(uint64(seed), 13))
		q := known.Query(r, fairness.Notions[seed%4])
		c := &refereed{T: t, q: q, truth: known.Enumerate(q), r: r, seed: seed, counts: counts}
		c.name = fmt.Sprintf("seed %d, %s", seed, q.Notion)
		s := panel[seed/4%len(panel)]
		c.verdict(s)
		c.relaxed(s)
		if q.Notion == fairness.Score {
			c.bins(s)
			c.mostBins(s)
			c.extremes(panel[0])
		}
		c.shares(panel[0])
		c.audit()
		asked += c.asked
		if t.Failed() && number < 1000 {
			break
		}
	}
	t.Logf("%v", counts)
}

func environment(t *testing.T, name string, usual int) int {
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

type panelist struct {
	name        string
	solver      sdk.Incremental
	description sdk.Description
}

// refereed is one question to which the truth is known.
type refereed struct {
	*testing.T
	name   string
	q      *problem.Query
	truth  *known.Truth
	r      *rand.Rand
	seed   int
	asked  int
	counts map[string]int
}

// gaveBoth holds that every solver of a panel answered both ways.
func gaveBoth(t *testing.T, panel []*panelist, counts map[string]int) {
	t.Helper()
	t.Logf("%v", counts)
	for _, s := range panel {
		for _, v := range []engine.Verdict{engine.Fair, engine.Unfair} {
			if counts[fmt.Sprintf("certify by %s %s", s.name, v)] == 0 {
				t.Errorf("%s never answered %s: the test shows nothing", s.name, v)
			}
		}
	}
}

func (c *refereed) wrong(format string, args ...any) {
	c.Helper()
	c.Errorf("%s: %s", c.name, fmt.Sprintf(format, args...))
}

// ask runs one question with a limit that it must keep.
func (c *refereed) ask(what string, run func(context.Context) error) (answered bool) {
	c.Helper()
	const limit = 10 * time.Second
	ctx, cancel := context.WithTimeout(c.Context(), limit)
	defer cancel()
	c.asked++
	c.counts["questions"]++
	start := time.Now()
	err := run(ctx)
	if took := time.Since(start); took > limit+5*time.Second {
		c.wrong("%s took %v of %v", what, took, limit)
	}
	switch {
	case errors.Is(err, sdk.ErrUnsupported):
		c.counts[what+" declined"]++
		return false
	case errors.Is(err, sdk.ErrPluginExited) && strings.HasSuffix(what, " by highs"):
		c.counts["highs crashed"]++ // as its library does over numbers of 10¹⁴: no answer is no wrong one
		return false
	case err != nil:
		c.wrong("%s: %v", what, err)
		return false
	}
	return true
}

// faults of a solver that computes in floating point are counted: that they were
// found is what counts. Those of the others are wrong.
func (c *refereed) faults(s *panelist, what string, faults []string) {
	c.Helper()
	switch {
	case len(faults) == 0:
	case s.description.Exactness == sdk.GradeNumerical:
		c.counts[s.name+" faulted"]++
		c.Logf("%s: %s: %q", c.name, what, faults)
	default:
		c.wrong("%s: faults of %s %q", what, s.name, faults)
	}
}

// options draws the options of a question.
func (c *refereed) options(s *panelist) engine.Options {
	o := engine.Options{Solver: s.solver, Description: s.description, Seed: int64(c.seed), Climb: c.r.IntN(2) == 0, Threads: 1 + c.r.IntN(2)}
	if c.r.IntN(2) == 0 {
		o.Enumerate = -1
	}
	var encodings []string
	for _, e := range encode.Encodings {
		if s.description.Answers(e.Form, problem.Decide) && (s.description.SOS1 || !e.SOS1) {
			encodings = append(encodings, e.Name)
		}
	}
	if len(encodings) > 0 {
		o.Encoding = encodings[c.r.IntN(len(encodings))]
		bounds := engine.BoundsNames()
		if o.Bounds = bounds[c.r.IntN(len(bounds))]; o.Bounds == engine.BoundsLP && !s.description.Answers(problem.FormMILP, problem.Maximise) {
			o.Bounds = ""
		}
	}
	return o
}

// verdict asks for fairness, and for the largest margin.
func (c *refereed) verdict(s *panelist) {
	o := c.options(s)
	o.Maximise = c.r.IntN(2) == 0
	what := fmt.Sprintf("certify by %s, %s, %s, maximise %v", s.name, o.Encoding, o.Bounds, o.Maximise)
	var rep *engine.Report
	if !c.ask("certify by "+s.name, func(ctx context.Context) (err error) {
		rep, err = engine.Run(ctx, c.q, o)
		return err
	}) {
		return
	}
	c.counts[fmt.Sprintf("certify by %s %s", s.name, rep.Verdict)]++
	c.faults(s, what, rep.Faults)
	eps := 0.0
	if c.q.Notion.UsesEpsilon() {
		eps, _ = c.q.Epsilon.Float64()
	}
	most := math.Inf(-1)
	if c.truth.Some {
		most, _ = c.truth.Margin.Float64()
	}
	tolerance := math.Max(rep.Tolerance, rep.BoundTolerance) + 1e-9*math.Abs(most)
	switch {
	case rep.Verdict == engine.Unfair && c.truth.Unfair == 0:
		c.wrong("%s: unfair; the largest margin is %v, ε %v", what, most, eps)
	case rep.Verdict == engine.Fair && c.truth.Unfair > 0 && (rep.Grade != sdk.GradeNumerical || most > eps+tolerance):
		c.wrong("%s: fair, %s, tolerance %v; %d are treated unfairly, the largest margin is %v, ε %v", what, rep.Grade, rep.Tolerance, c.truth.Unfair, most, eps)
	}
	if rep.HasBound && c.truth.Some && rep.Bound+tolerance < most {
		c.wrong("%s: bound %v, tolerance %v, %s; the largest margin is %v", what, rep.Bound, rep.BoundTolerance, rep.BoundGrade, most)
	}
	if w := rep.Witness; w != nil {
		if w.Margin > most+1e-12*math.Abs(most) {
			c.wrong("%s: a witness of %v; the largest margin is %v", what, w.Margin, most)
		}
		if rep.Closed && w.Margin < most-tolerance-math.Min(1e-6, 1e-3*math.Abs(most)) { // as docs/reference/schema/certify.schema.json says
			c.wrong("%s: closed at %v, tolerance %v; the largest margin is %v", what, w.Margin, tolerance, most)
		}
		want := 0
		if c.q.Notion.Binned() {
			want = c.q.Model.Link().KBins(c.q.Logits(c.q.Model.Exact(), w.Copy1), c.q.Epsilon)
		}
		if len(c.q.Relax) == 0 && w.K != want {
			c.wrong("%s: the witness has k = %d, not %d", what, w.K, want)
		}
	}
}

// relaxed asks the same of pairs that may differ in more.
func (c *refereed) relaxed(s *panelist) {
	q := known.Relaxed(c.r, c.q)
	if q == nil {
		return
	}
	pairs := *c
	pairs.q, pairs.truth, pairs.name, pairs.asked = q, &known.Truth{}, c.name+", relaxed", 0
	most, some := known.Pairs(q)
	if pairs.truth.Some = some; some {
		pairs.truth.Margin = most
		eps := new(big.Rat)
		if q.Notion.UsesEpsilon() {
			eps = q.Epsilon
		}
		if most.Cmp(eps) > 0 {
			pairs.truth.Unfair = 1
		}
	}
	pairs.verdict(s)
	c.asked += pairs.asked
}

// bins asks whether an individual reaches three bins or more.
func (c *refereed) bins(s *panelist) {
	q := *c.q
	q.K = 3 + c.r.IntN(2)
	o := c.options(s)
	var rep *engine.Report
	if !c.ask("bins by "+s.name, func(ctx context.Context) (err error) {
		rep, err = engine.Run(ctx, &q, o)
		return err
	}) {
		return
	}
	c.counts[fmt.Sprintf("bins by %s %s", s.name, rep.Verdict)]++
	if rep.Verdict == engine.Unfair && c.truth.K < q.K || rep.Verdict == engine.Fair && c.truth.K >= q.K && rep.Grade != sdk.GradeNumerical {
		c.wrong("%d bins by %s, %+v: %s, %s; the most is %d", q.K, s.name, o, rep.Verdict, rep.Grade, c.truth.K)
	}
	c.faults(s, "bins", rep.Faults)
}

// mostBins asks for the largest k.
func (c *refereed) mostBins(s *panelist) {
	o := c.options(s)
	q := *c.q
	q.Goal, q.K = problem.MaxK, 0
	var m *engine.Extreme
	if !c.ask("Max.K by "+s.name, func(ctx context.Context) (err error) {
		m, err = engine.Enclose(ctx, &q, o, nil)
		return err
	}) {
		return
	}
	c.counts[fmt.Sprintf("Max.K by %s certified %v", s.name, m.Settled())]++
	if most := float64(c.truth.K); m.Found > most || m.Bound < most && m.Grade != sdk.GradeNumerical {
		c.wrong("Max.K by %s: %v to %v, %s; it is %d", s.name, m.Found, m.Bound, m.Grade, c.truth.K)
	}
	c.faults(s, "Max.K", m.Faults)
}

// extremes asks for the largest and smallest k and gap.
func (c *refereed) extremes(s *panelist) {
	lowest, least, most := math.Inf(1), math.Inf(1), math.Inf(-1)
	for _, p := range c.truth.People {
		lowest = math.Min(lowest, float64(p.K))
		if len(p.Logits) > 1 {
			lo, hi := fairness.Score.Gap(p.Logits)
			least, most = math.Min(least, hi), math.Max(most, lo)
		}
	}
	for goal, want := range map[problem.Goal]float64{problem.MaxK: float64(c.truth.K), problem.MinK: lowest, problem.Maximise: most, problem.Minimise: least} {
		q := *c.q
		q.Goal = goal
		var e *engine.Extreme
		if !c.ask(goal.String()+" by "+s.name, func(ctx context.Context) (err error) {
			e, err = engine.Enclose(ctx, &q, engine.Options{Solver: s.solver, Description: s.description, Seed: int64(c.seed), Enumerate: -1}, nil)
			return err
		}) {
			continue
		}
		nobody := math.IsInf(want, 0) || len(c.truth.People) == 0
		if c.counts[fmt.Sprintf("%s settled %v", goal, e.Settled())]++; len(e.Faults) > 0 || e.Nobody && !nobody {
			c.wrong("%s: %+v; it is %v", goal, e, want)
		}
		if e.Nobody || nobody {
			continue
		}
		sign := 1.0
		if goal == problem.MinK || goal == problem.Minimise {
			sign = -1
		}
		if slack := 1e-9 + e.Tolerance; sign*e.Bound < sign*want-slack || e.X != nil && sign*e.Found > sign*want+slack {
			c.wrong("%s: %+v; it is %v", goal, e, want)
		}
	}
}

// shares asks how many are treated unfairly.
func (c *refereed) shares(s *panelist) {
	if c.seed/4%2 == 1 {
		c.sharesOf(s, c.population())
		return
	}
	q := *c.q
	var rep *quantify.Report
	if !c.ask("quantify", func(ctx context.Context) (err error) {
		rep, err = quantify.Run(ctx, &q, quantify.Options{Solver: s.solver, Description: s.description, Samples: 50, Seed: int64(c.seed), Threads: 1})
		return err
	}) {
		return
	}
	c.counts[fmt.Sprintf("quantify complete %v", rep.Complete)]++
	people := int64(len(c.truth.People))
	if len(rep.Faults) > 0 {
		c.wrong("quantify: faults %q", rep.Faults)
	}
	if people == 0 {
		return
	}
	unfair := big.NewRat(int64(c.truth.Unfair), people)
	if rep.Unfair.Cmp(unfair) > 0 || new(big.Rat).Sub(big.NewRat(1, 1), rep.Fair).Cmp(unfair) < 0 || rep.Complete && rep.Undecided.Sign() == 0 && rep.Unfair.Cmp(unfair) != 0 {
		c.wrong("quantify: %s fair, %s unfair, %s undecided, %s; %d of %d are treated unfairly", rep.Fair, rep.Unfair, rep.Undecided, rep.Reason, c.truth.Unfair, people)
	}
	if c.truth.Unfair == 0 && rep.Sampled.Unfair > 0 || int64(c.truth.Unfair) == people && rep.Sampled.Unfair < rep.Sampled.N {
		c.wrong("quantify: %+v sampled; %d of %d are treated unfairly", rep.Sampled, c.truth.Unfair, people)
	}
}

// population draws a population: independent features, a mixture, a table of weights or a network.
func (c *refereed) population() *population.Population {
	source, rows := population.Source{Classes: 1 + c.r.IntN(3)}, [][]float64(nil)
	for range 40 {
		rows = append(rows, c.q.Space.Draw(c.q.Space.Whole().Box, c.r))
	}
	if c.r.IntN(2) == 0 {
		name, err := known.Population(c.r, c.q.Space, c.TempDir())
		if err != nil {
			c.Fatal(err)
		}
		if source, err = population.Parse(name); err != nil {
			c.Fatal(err)
		}
	}
	people, err := source.Of(c.Context(), c.q.Space, rows, "", int64(c.seed))
	if err != nil {
		c.Fatalf("%s: %v", c.name, err)
	}
	return people
}

// sharesOf compares proved shares of people with the masses of all individuals.
func (c *refereed) sharesOf(s *panelist, people *population.Population) {
	if people.Within(c.q.RegionOrWhole().Box) == nil {
		return
	}
	var rep *quantify.Report
	if !c.ask("quantify people", func(ctx context.Context) (err error) {
		rep, err = quantify.Run(ctx, c.q, quantify.Options{Solver: s.solver, Description: s.description, Samples: 50, Seed: int64(c.seed), Threads: 1, Population: people})
		return err
	}) {
		return
	}
	c.counts[fmt.Sprintf("quantify people complete %v", rep.Complete)]++
	if len(rep.Faults) > 0 {
		c.wrong("quantify people: faults %q", rep.Faults)
	}
	all, unfair, box := 0.0, 0.0, slices.Clone(c.q.RegionOrWhole().Box)
	for _, p := range c.truth.People {
		for _, i := range c.q.Space.Free() {
			box[i] = space.Interval{Lo: p.X[i], Hi: p.X[i]}
		}
		mass, _ := people.Mass(box)
		if all += mass; p.Unfair {
			unfair += mass
		}
	}
	if all == 0 {
		return
	}
	lo, _ := rep.Unfair.Float64()
	left, _ := rep.Fair.Float64()
	if want := unfair / all; lo > want+1e-9 || 1-left < want-1e-9 || rep.Complete && rep.Reason == "" && 1-left-lo > 1e-6 {
		c.wrong("quantify people (%s): %v to %v, %s; %v are treated unfairly", people, lo, 1-left, rep.Reason, want)
	}
}

// audit checks every individual's first counterfactual.
func (c *refereed) audit() {
	if c.q.Notion != fairness.Score {
		return
	}
	var rows [][]float64
	for _, p := range c.truth.People {
		rows = append(rows, c.q.Space.Counterfactuals(c.q.Region, p.X)[0])
	}
	var res *audit.Outcome
	if !c.ask("audit", func(ctx context.Context) (err error) {
		res, err = audit.Run(ctx, audit.Config{Model: c.q.Model, Space: c.q.Space, Region: c.q.Region, Epsilon: c.q.Epsilon}, rows)
		return err
	}) {
		return
	}
	if len(res.People) != len(rows) {
		c.wrong("audit: %d of %d people", len(res.People), len(rows))
	}
	for _, p := range res.People {
		want := &c.truth.People[p.Index]
		positive := want.Logits[0].Sign() > 0
		flips := slices.ContainsFunc(want.Logits, func(l *big.Rat) bool { return (l.Sign() > 0) != positive })
		if p.N != len(want.Logits) || p.K != want.K || p.Unfair != want.Unfair || p.Positive != positive || p.Flips != flips {
			c.wrong("audit: %+v; k is %d, unfair %v, positive %v, flips %v", p, want.K, want.Unfair, positive, flips)
		}
	}
}
