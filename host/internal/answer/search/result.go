package search

import (
	"cmp"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Result is the answer to a Request and the JSON object of hyfair search: the measures of its run,
// or their means, then the rest.
type Result struct {
	Measures
	// The standard deviations of the measures; absent with one run.
	SD *Measures `json:"sd,omitempty"`
	// The number of runs that found an individual.
	RunsFound int `json:"runs_found"`
	// The worst-treated individual of all runs: largest k, then largest gap; null if none was found.
	Best *Best `json:"best"`
	// The proved bound of k, with --bound.
	Bound *Bound `json:"bound,omitempty"`

	// The strategy.
	Strategy string `json:"strategy"`
	// The solver in the loop, or none.
	Solver string `json:"solver"`
	// The mode: paper or fast.
	Mode string `json:"mode"`
	// The chains of fast mode.
	Chains int `json:"chains,omitempty"`
	// The study's name.
	Study string `json:"study"`
	// The file name of the model.
	Model string `json:"model"`
	// The seed of the first run.
	Seed int64 `json:"seed"`
	// ε, exact.
	Epsilon string `json:"epsilon"`
	// The value of --notion. With decision, the search looks for individuals whose copies get different
	// decisions, and epsilon is 0.5.
	Notion string `json:"notion,omitempty"`
	question.Nearby
	// The people that the strategy started from; absent if they were rows of the data, or combinations of values.
	Population string `json:"population,omitempty"`
	// The budget.
	Budget string `json:"budget"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`

	// Claims of the solver that evaluated individuals refute, the first ten. They end the command with
	// exit code 4.
	Disagreements []string `json:"disagreements,omitempty"`

	// A signal ended the command early.
	Interrupted bool `json:"interrupted,omitempty"`
	// The runs.
	Runs []RunResult `json:"runs"`
	// The journal's file; absent if nothing is kept.
	Journal string `json:"journal,omitempty"`
	// The first run's name in the journal; absent if nothing is kept.
	Run string `json:"run,omitempty"`
	// The CSV file that was written.
	Out string `json:"out,omitempty"`
	question.Grounds
	gate.Checks
}

// Uncounted is the warning about a strategy with RunResult.Uncounted.
const Uncounted = "UNCOUNTED: it holds the model and reports fewer evaluations of its own than one in two rounds; only its times are comparable"

// RunResult is one run.
type RunResult struct {
	// The run's name in the journal; absent if nothing is kept.
	Run string `json:"run,omitempty"`
	// The run's seed.
	Seed int64 `json:"seed"`
	Measures
	// The number of individuals evaluated, including those that the strategy evaluated itself.
	Evaluations int64 `json:"evaluations"`
	// The strategy holds the model and reported fewer evaluations of its own than one in two rounds. Its
	// rounds and evaluations are then not comparable; its times are.
	Uncounted bool `json:"uncounted,omitempty"`
	// The number of proposals outside the space.
	Outside int64 `json:"outside"`
	// The number of questions that the solver did not answer.
	NoSeed int64 `json:"no_seed"`
	// The number of the solver's answers that evaluation refuted.
	Spurious int64 `json:"spurious"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
	// The reason why the run ended before its budget: the constraints leave no individual or, if the budget counts
	// evaluations, 100,000 proposals in a row led to none.
	Ended string `json:"ended,omitempty"`
	// The error that ended the run early.
	Error string `json:"error,omitempty"`
	// The error that lost the solver.
	SolverError string `json:"solver_error,omitempty"`
	// Mistakes in answers of the solver, the first ten.
	Faults []string `json:"faults,omitempty"`
}

// Best is the worst-treated individual of all runs.
type Best struct {
	// The values of the features that are not protected.
	X map[string]float64 `json:"x"`
	// These values as text.
	Labels map[string]string `json:"labels"`
	// The individual's k.
	K int `json:"k"`
	// The individual's score gap.
	Gap float64 `json:"gap"`
	// The Shannon entropy of the counterfactuals' distribution over the bins, in bits.
	Shannon float64 `json:"shannon"`
	// The min-entropy of that distribution, in bits.
	MinEntropy float64 `json:"min_entropy"`
	// The run that found it, from 1.
	Run int `json:"run"`
	// The round that found it, from 0.
	Round int64 `json:"round"`
	// The individual's counterfactuals.
	Scores []Score `json:"scores"`
	// The names of all features, in the study's order.
	Features []string `json:"features"`
}

// Score is one counterfactual of Best.
type Score struct {
	// The protected values.
	Z map[string]float64 `json:"z"`
	// The protected values as text.
	Labels map[string]string `json:"labels"`
	// The copy's score.
	Score float64 `json:"score"`
}

// result returns what is known before the first run.
func (o *Searcher) result() *Result {
	r := &Result{
		Strategy: o.strategyName, Solver: o.solver, Mode: o.request.Mode, Study: o.question.Study.Name,
		Model: filepath.Base(o.question.Study.ModelPath), Seed: o.request.Seed,
		Epsilon: fairness.FormatRat(o.epsilon), Notion: o.request.Notion, Nearby: o.request.NearbyOf(o.query), Population: o.people, Budget: o.budget.String(), Out: o.request.Out, Grounds: question.GroundsOf(o.question.Study).About(o.query.Notion == fairness.Decision || o.query.Bands != nil),
	}
	if o.fast != nil {
		r.Chains = o.fast.Chains
	}
	return r
}

// add appends a run's outcome and merges its disagreements; the first run's name and journal
// become the result's.
func (r *Result) add(kept *session.Run, seed int64, result *Outcome, faults []string) {
	if len(r.Runs) == 0 {
		r.Run, r.Journal = kept.Name(), kept.Journal
	}
	run := RunResult{
		Run: kept.Name(), Seed: seed, Measures: result.Measures, Evaluations: result.Evaluations, Uncounted: result.Uncounted, Outside: result.Outside,
		NoSeed: result.NoSeed, Spurious: result.Spurious, Seconds: result.Seconds, Ended: result.Ended, Faults: faults,
	}
	if result.Err != nil {
		run.Error = result.Err.Error()
	}
	if result.SolverErr != nil {
		run.SolverError = result.SolverErr.Error()
	}
	r.Disagreements = firstFew(append(r.Disagreements, result.Refuted...))
	r.Interrupted = r.Interrupted || result.Interrupted
	r.Runs = append(r.Runs, run)
}

// finish computes the results over all runs; bests are their best individuals.
func (r *Result) finish(bests []*record.Found, q *problem.Query, e *evaluate.Evaluator) {
	s := q.Space
	measures := make([]Measures, len(r.Runs))
	for i := range r.Runs {
		measures[i] = r.Runs[i].Measures
	}
	summary := Summarise(measures)
	r.Measures, r.RunsFound = summary.Mean, summary.Found
	if len(r.Runs) > 1 {
		r.SD = &summary.SD
	}
	var point []float64
	for i, f := range bests {
		if f == nil || r.Best != nil && (f.K < r.Best.K || f.K == r.Best.K && f.Gap <= r.Best.Gap) {
			continue
		}
		point = f.X
		r.Best = &Best{
			X: individual.Values(s, f.X, false), Labels: individual.Labels(s, f.X, false), Features: s.Names(),
			K: f.K, Gap: f.Gap, Shannon: f.Shannon, MinEntropy: f.MinEntropy, Run: i + 1, Round: f.Round,
		}
	}
	if r.Best == nil {
		return
	}
	copies := e.Copies(point)
	points := make([][]float64, len(copies.Combinations))
	for i, c := range copies.Combinations {
		points[i] = e.Point(point, c)
	}
	decider, scores := individual.New(q.Model, s, fairness.Rule{}), copies.Scores
	if q.Scored == nil {
		scores = decider.Scores(points, scores)
	} else {
		decider = individual.New(q.Scored, s, fairness.Rule{})
		for i, p := range points {
			scores[i], _ = decider.At(p)
		}
		r.Best.Gap = slices.Max(scores) - slices.Min(scores)
	}
	for i, score := range scores {
		r.Best.Scores = append(r.Best.Scores, Score{
			Z: individual.Values(s, points[i], true), Labels: individual.Labels(s, points[i], true), Score: score,
		})
	}
}

// decides reports whether the search was for decisions that differ.
func (r *Result) decides() bool { return r.Notion == fairness.Decision.String() }

// sought describes the individuals that the search looks for.
func (r *Result) sought() string {
	switch {
	case len(r.Decision.Banded()) > 0:
		return "whose copies are in two bands"
	case r.decides():
		return "whose copies get different decisions"
	}
	return "with a gap above ε"
}

// by names the criterion of the search.
func (r *Result) by() string {
	if bands := r.Decision.Banded(); len(bands) > 0 {
		return "bands " + strings.Join(bands, ", ")
	}
	if r.decides() {
		return "notion decision"
	}
	return "ε = " + r.Epsilon
}

// Document shows the result.
func (r *Result) Document() *view.Document {
	mode := r.Mode + " mode"
	if r.Chains > 0 {
		mode = fmt.Sprintf("%s with %d chains", mode, r.Chains)
	}
	seeds := fmt.Sprintf("seed %d", r.Seed)
	if n := len(r.Runs); n > 1 {
		seeds = fmt.Sprintf("%d runs with seeds %d to %d, mean ± standard deviation", n, r.Seed, r.Runs[n-1].Seed)
	}
	d := &view.Document{}
	d.Say("%s on %s (%s), %s, solver %s, %s, budget %s, %s", r.Strategy, r.Study, r.Model, r.by(), r.Solver, mode, r.Budget, seeds)
	if r.Near != "" {
		d.Say("Only individuals%s count.", r.WhichAre())
	}
	if r.Population != "" {
		d.Say("Starts are drawn from people (%s).", r.Population)
	}
	d.Add(r.Caveats()...)
	d.Add(r.table())
	if len(r.Runs) > 1 {
		d.Say("%d of %d runs found something.", r.RunsFound, len(r.Runs))
	}
	r.notes(d)
	if r.Best == nil {
		d.Say("No individual %s was found. That proves nothing: ask hyfair certify.", r.sought())
	} else {
		r.Best.show(d)
	}
	if r.Bound != nil {
		d.Say("%s", r.Bound)
	}
	if r.Out != "" {
		d.Say("All individuals found: %s", r.Out)
	}
	d.Add(r.Blocks()...)
	return d
}

// hold checks gates against the largest k: the one that was found and, if a solver was asked
// for a bound, the proved one.
func (r *Result) hold(gates []gate.Gate, bounded bool) {
	k, rounds := 1, 0.0
	if r.Best != nil {
		k = r.Best.K
	}
	for i := range r.Runs {
		if n := r.Runs[i].Iter; n != nil {
			rounds += *n
		}
	}
	lo, text := big.NewRat(int64(k), 1), fmt.Sprintf("the largest k found is %d", k)
	hi := lo
	switch {
	case bounded && r.Bound != nil:
		hi = big.NewRat(int64(max(k, r.Bound.MaxK)), 1)
		text += fmt.Sprintf(", and nobody reaches more than %d, proved", max(k, r.Bound.MaxK))
	case bounded:
		hi = nil
		text += ", and there is no proof that nobody reaches more"
	case r.Interrupted:
		hi = nil
		text += ", and the search was interrupted"
	case rounds == 0:
		hi = nil
		b, _ := ParseBudget(r.Budget)
		why := b.tooSmall()
		for i := range r.Runs {
			why = cmp.Or(r.Runs[i].Error, r.Runs[i].Ended, why)
		}
		text += ", and no round was completed: " + why
	}
	for _, g := range gates {
		r.Hold(g.Within("", lo, hi, text))
	}
}

// table shows the measures.
func (r *Result) table() *view.Table {
	t := &view.Table{Plain: true, Indented: true, Notes: RateNotes(r.SuccRate)}
	var cells []string
	for i, cell := range r.Cells() {
		t.Columns = append(t.Columns, view.Column{Title: Names[i], Right: true})
		text := view.Measure(*cell)
		if r.SD != nil && *r.SD.Cells()[i] != nil {
			text += " ± " + view.Measure(*r.SD.Cells()[i])
		}
		cells = append(cells, text)
	}
	t.Add(cells...)
	return t
}

// notes adds what the measures do not show: faults, warnings and dropped proposals.
func (r *Result) notes(d *view.Document) {
	d.Disagree(r.Disagreements)
	var outside, spurious int64
	for i := range r.Runs {
		run := &r.Runs[i]
		outside += run.Outside
		spurious += run.Spurious
		for _, fault := range run.Faults {
			d.Say("The solver gave a wrong answer (run with seed %d): %s", run.Seed, fault)
		}
		if run.Uncounted {
			d.Add(view.Warning{fmt.Sprintf("%s: %s (run with seed %d)", r.Strategy, Uncounted, run.Seed)})
		}
		if run.Ended != "" {
			d.Say("The run with seed %d ended before its budget did: %s.", run.Seed, run.Ended)
		}
		if run.SolverError != "" {
			d.Say("The solver was lost in the run with seed %d, which continued without it: %s", run.Seed, run.SolverError)
		}
	}
	if outside > 0 {
		d.Say("%d proposals lay outside the space.", outside)
	}
	if spurious > 0 {
		d.Say("%d answers of the solver were not individuals with a gap above ε, and were dropped.", spurious)
	}
	if r.Interrupted {
		d.Say("Interrupted; this is what was found until then.")
	}
}

// show shows the worst-treated individual, and its copies with the lowest and the
// highest score.
func (b *Best) show(d *view.Document) {
	byScore := func(x, y Score) int { return cmp.Compare(x.Score, y.Score) }
	low, high := slices.MinFunc(b.Scores, byScore), slices.MaxFunc(b.Scores, byScore)
	d.Say("The worst-treated individual: %s over %d copies, scores from %s to %s",
		view.Outcomes(b.K), len(b.Scores), view.Score(low.Score), view.Score(high.Score))
	who, ends := &view.Facts{Indented: true}, &view.Table{Plain: true, Indented: true, Columns: make([]view.Column, 3)}
	for _, name := range b.Features {
		if text, ok := b.Labels[name]; ok {
			who.Add(name, text)
		}
	}
	for i, end := range []Score{low, high} {
		var words []string
		for _, name := range b.Features {
			if text, ok := end.Labels[name]; ok {
				words = append(words, name+" = "+text)
			}
		}
		ends.Add([]string{"lowest", "highest"}[i], view.Score(end.Score), strings.Join(words, ", "))
	}
	d.Add(who, ends)
}
