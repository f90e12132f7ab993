package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Request is a request for a search, as plain data. Zero fields are defaults, except Spec,
// Mode, Budget and Runs.
type Request struct {
	question.Spec
	// Strategy is a plugin or one of a plugin's presets; empty: sa, or in fast mode
	// climb if it is installed. Solver is the plugin in the loop, or NoSolver;
	// empty: the first that returns individuals, or none.
	Strategy string `json:"strategy,omitempty"`
	Solver   string `json:"solver,omitempty"`
	// Set has options of the two plugins, as discover.Configure takes them.
	Set map[string]string `json:"set,omitempty"`
	// Mode is Paper or FastMode. Chains (0: DefaultChains) and Keep (see Fast)
	// apply to FastMode.
	Mode   string `json:"mode"`
	Chains int    `json:"chains,omitempty"`
	Keep   int64  `json:"keep,omitempty"`
	// Population is the population that strategies start from in place of rows, in the syntax of population.Parse; empty: the
	// study's, or else the rows.
	Population string `json:"population,omitempty"`
	// Budget limits each run, in the syntax of ParseBudget. The runs have the
	// seeds Seed, Seed + 1, …
	Budget string `json:"budget"`
	Runs   int    `json:"runs"`
	Seed   int64  `json:"seed"`
	// Bound is the time for a solver to prove, after the search, an upper bound
	// of k; 0: it is not asked.
	Bound time.Duration `json:"bound,omitempty"`
	// Out is a file for all individuals found; empty: none. It does not change the result.
	Out string `json:"-"`
	// Gates are the bounds that the result must keep.
	Gates []gate.Gate `json:"-"`
}

// Modes of a search, see docs/user/search.md.
const (
	Paper    = "paper"
	FastMode = "fast"
	// NoSolver as the solver means a search without one.
	NoSolver = "none"
)

// Validate checks what can be checked without reading anything.
func (r *Request) Validate() error {
	switch {
	case r.Mode != Paper && r.Mode != FastMode:
		return fmt.Errorf("--mode %q: want %s or %s", r.Mode, Paper, FastMode)
	case r.Chains < 0 || r.Chains > MaxChains:
		return fmt.Errorf("--chains %d: want 1 to %d", r.Chains, MaxChains)
	case r.Runs < 1:
		return fmt.Errorf("--runs %d: want at least 1", r.Runs)
	case r.Bound < 0:
		return fmt.Errorf("--bound %v is negative: want a time, or 0 for no bound", r.Bound)
	}
	if _, err := ParseBudget(r.Budget); err != nil {
		return fmt.Errorf("--budget: %w", err)
	}
	if _, err := population.Parse(r.Population); err != nil {
		return fmt.Errorf("--population: %w", err)
	}
	return nil
}

// Searcher is a search whose question and plugins are open. Close ends the plugins.
type Searcher struct {
	// Guards refuse individuals, see Config; Label distinguishes searches of one question in
	// the journal. Both may be set before the first run.
	Guards []space.Predicate
	Label  map[string]string

	session  *session.Session
	request  Request
	question *question.Question
	query    *problem.Query
	epsilon  *big.Rat         // the width of bins
	start    sdk.StartOptions // without the seed
	eval     *evaluate.Evaluator
	budget   Budget
	fast     *Fast // nil: paper mode

	plugins      []*discover.Plugin
	strategyName string
	strategy     sdk.Strategy
	dataSHA256   string // of the rows in start
	people       string // the population of the rows in start; empty: the data set
	solver       string
	newSeeder    func() Seeder
}

// Open reads the question and opens all that a search needs.
func Open(ctx context.Context, s *session.Session, r Request) (*Searcher, error) {
	if err := r.Validate(); err != nil {
		return nil, session.Mistake(err)
	}
	q, err := question.Open(r.Spec)
	if err != nil {
		return nil, session.Mistake(err)
	}
	return OpenFor(ctx, s, q, r)
}

// OpenFor is Open for a question that is already open.
func OpenFor(ctx context.Context, s *session.Session, q *question.Question, r Request) (_ *Searcher, err error) {
	r.Where = q.Spec.Where
	o := &Searcher{session: s, request: r, question: q}
	if o.budget, err = ParseBudget(r.Budget); err != nil {
		return nil, session.Mistake(fmt.Errorf("--budget: %w", err))
	}
	if err := o.ask(); err != nil {
		return nil, session.Mistake(err)
	}
	o.start.Epsilon, o.start.Bands, o.start.Region = o.epsilon, o.query.Bands, o.query.Region
	if o.eval, err = evaluate.NewBanded(o.query.Model, o.query.Space, o.query.Region, o.epsilon, o.query.Bands); err != nil {
		return nil, session.Mistake(err)
	}
	if err := o.openPlugins(ctx); err != nil {
		o.Close()
		return nil, err
	}
	return o, nil
}

// ask builds the query: about scores, whatever the study's notion is, or about decisions if the request says so.
func (o *Searcher) ask() (err error) {
	r, st, note := &o.request, o.question.Study, o.session.Note
	switch {
	case st.Bands != nil && r.Notion != fairness.Score.String() && r.Epsilon != "":
		return errors.New("--epsilon: with bands there is no ε; --notion score looks for gaps of scores")
	case st.Bands != nil && r.Notion == fairness.Decision.String():
		o.query, err = o.question.Decisions()
		if err == nil {
			o.epsilon = o.query.Epsilon
		}
		return err
	case r.Notion == "" || r.Notion == fairness.Score.String():
		if o.query, err = o.question.Scores(); err != nil {
			return err
		}
		o.epsilon = o.query.Epsilon
		question.CountsBins(st.Clustering, note)
		question.TakesSigmoids(o.query.Model, note)
		if r.Notion == "" && st.Notion == fairness.Decision && st.Bands == nil {
			note("the study's notion is decision, but searches compare scores by default: --notion decision looks for decisions that flip")
		}
		return nil
	case r.Notion != fairness.Decision.String():
		return fmt.Errorf("--notion %s: want score, the default, or decision", r.Notion)
	case r.Epsilon != "":
		return errors.New("--epsilon is a difference of scores: leave it out with --notion decision")
	case r.Bound > 0:
		return errors.New("--bound counts bins of scores: with --notion decision ask hyfair certify or quantify for a proof")
	}
	o.epsilon = big.NewRat(1, 2) // strategies then see two bins, of scores below ½ and above
	o.query, err = o.question.Decisions()
	return err
}

// decisions is an Evaluator for which copies with different decisions violate the notion.
type decisions struct{ *evaluate.Evaluator }

// EvaluateCopies implements Evaluator.
func (d decisions) EvaluateCopies(xs [][]float64, out []evaluate.Outcome, detail evaluate.Detail) []evaluate.Copies {
	copies := d.Evaluator.EvaluateCopies(xs, out, detail)
	for i, x := range xs {
		out[i].Violates = out[i].Gap > 0 && d.Violates(x, fairness.Decision, nil)
	}
	return copies
}

// evaluator returns the evaluator that runs use.
func (o *Searcher) evaluator() Evaluator {
	if o.query.Notion == fairness.Decision {
		return decisions{o.eval}
	}
	return o.eval
}

// Strategy returns the name of the strategy or of its preset.
func (o *Searcher) Strategy() string { return o.strategyName }

// Close ends the plugins.
func (o *Searcher) Close() {
	for _, p := range o.plugins {
		p.Close()
	}
}

// openPlugins starts the strategy and the solver and shares the options among
// them.
func (o *Searcher) openPlugins(ctx context.Context) error {
	strategy, err := o.openStrategy(ctx)
	if err != nil {
		return err
	}
	o.plugins = append(o.plugins, strategy)
	solver, err := o.openSolver(ctx)
	if err != nil {
		return err
	}
	o.solver = NoSolver
	if solver != nil {
		o.plugins = append(o.plugins, solver)
		d := solver.Description()
		if o.query.Within != nil && d.RefusesQuery(o.query) != nil {
			return session.Mistake(fmt.Errorf("%w, or none", d.RefusesQuery(o.query)))
		}
		o.solver = d.Name
		o.newSeeder = func() Seeder {
			return &engine.Seeder{Query: o.query, WorkLimit: seedWork, Options: engine.Options{
				Solver: solver.Solver(), Description: d, Threads: o.session.Threads, Memory: o.session.Memory, Set: solver.Options,
			}}
		}
	}
	if err := discover.Configure(o.request.Set, o.plugins...); err != nil {
		return err
	}
	o.strategy, o.start.Options = strategy.Strategy(), strategy.Options
	d := strategy.Description()
	if o.request.Mode == FastMode {
		o.fast = &Fast{Chains: o.request.Chains, Ahead: d.Lag > 0, Keep: o.request.Keep}
		if o.fast.Chains == 0 {
			o.fast.Chains = DefaultChains
		}
		o.start.Chains = o.fast.Chains
		if err := o.affords(d); err != nil {
			return err
		}
	}
	if err := o.takes(strategy); err != nil {
		return session.Mistake(err)
	}
	if d.NeedsModel {
		o.start.Model = o.query.Model
	}
	if d.NeedsRows {
		if err := o.draw(ctx); err != nil {
			return err
		}
	} else if p := o.request.Population; p != "" && p != population.Uniform {
		return session.Mistake(fmt.Errorf("--population %s: the strategy %s does not start from people: leave it out, or name another strategy", p, o.strategyName))
	}
	if d.NeedsRows && o.people == "" && o.question.Study.HasData() {
		data, err := o.question.Study.Data()
		if err != nil {
			return session.Mistake(err)
		}
		if want := o.request.DataSHA256; want != "" && want != data.SHA256 {
			return fmt.Errorf("the data of %s: %w", o.question.Study.Path, question.ErrChanged)
		}
		o.start.Rows, o.dataSHA256 = data.Points, data.SHA256
	}
	return nil
}

// mostStarts is the number of people that are drawn from a population for a strategy to start from.
const mostStarts = 10_000

// draw draws the people that a strategy starts from, if there is a population.
func (o *Searcher) draw(ctx context.Context) error {
	r, q := &o.request, o.query
	people, err := quantify.People(ctx, o.question.Study, r.Population, q.Space, r.Seed)
	if people == nil || err != nil {
		return err
	}
	o.people = people.String()
	o.start.Rows = people.Sample(ctx, q.Region.Box, mostStarts, r.Seed, q.Describes)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(o.start.Rows) == 0 {
		return session.Mistake(fmt.Errorf("none of the people of the population (%s) is in the space asked about: ask about another part, or add --population uniform", people))
	}
	return nil
}

// affords returns an error if the counterfactuals that the strategy asks for do not fit into memory.
func (o *Searcher) affords(d sdk.Description) error {
	chains, copies := o.fast.Chains, o.eval.Combinations()
	if !d.NeedsScores && !d.NeedsBins || chains <= maxTold/copies {
		return nil
	}
	return session.Mistake(fmt.Errorf("strategy %s asks for every counterfactual of what it evaluates: %d chains of %d counterfactuals are more than %d in a batch; use at most --chains %d, or protect fewer attributes",
		o.strategyName, chains, copies, maxTold, maxTold/copies))
}

// openStrategy starts the strategy named. The default is sa; in fast mode
// climb, if it is installed and takes the model.
func (o *Searcher) openStrategy(ctx context.Context) (p *discover.Plugin, err error) {
	names := []string{o.request.Strategy}
	switch {
	case o.request.Strategy == "" && o.request.Mode == FastMode:
		names = []string{"climb", "sa"}
	case o.request.Strategy == "":
		names = []string{"sa"}
	}
	for i, name := range names {
		o.strategyName = name
		if p, err = o.session.Plugins.Launch(ctx, client.Strategy, o.strategyName); errors.Is(err, discover.ErrNotFound) {
			continue
		}
		if err != nil || i == len(names)-1 || o.takes(p) == nil {
			break
		}
		p.Close()
	}
	return p, err
}

// takes returns an error if a strategy needs the model, and does not take its family.
func (o *Searcher) takes(p *discover.Plugin) error {
	d := p.Description()
	if !d.NeedsModel {
		return nil
	}
	return d.Refuses(o.query.Model)
}

// seedWork bounds one question for an individual, in the solver's own unit, so
// that seeds do not depend on the machine.
const seedWork = 1000

// openSolver starts the solver in the loop; nil for none. The default is the first solver that
// returns individuals and takes the model itself, else the first that returns individuals and takes
// rows and columns. If none is usable, the search continues without a solver and notes so.
func (o *Searcher) openSolver(ctx context.Context) (*discover.Plugin, error) {
	switch o.request.Solver {
	case NoSolver:
		return nil, nil
	case "":
		p, err := engine.OpenSolverFor(ctx, o.session, o.query, nil, "bigm")
		if err != nil && ctx.Err() == nil {
			o.session.Note("searching without a solver in the loop: %v", err)
			return nil, nil
		}
		return p, err
	}
	return o.session.Plugins.Launch(ctx, client.Solver, o.request.Solver)
}

// task returns the task of a run.
func (o *Searcher) task(seed int64) record.Task {
	st := o.question.Study
	settings := map[string]string{
		"epsilon": fairness.FormatRat(o.epsilon), "mode": o.request.Mode, "solver": o.solver, "budget": o.budget.String(),
		"protected": strings.Join(question.Protected(o.query.Space), ","),
	}
	if o.fast != nil {
		settings["chains"], settings["keep"] = strconv.Itoa(o.fast.Chains), strconv.FormatInt(o.fast.Keep, 10)
	}
	if o.query.Bands != nil {
		settings["bands"] = o.query.Bands.String()
	}
	if o.query.Notion == fairness.Decision {
		settings["notion"] = o.query.Notion.String()
		if !st.Rule.IsDefault() {
			settings["decision"] = st.Rule.String()
		}
	}
	if v := o.query.Within; v != nil {
		settings["near"] = fairness.FormatRat(v.Distance)
		if data, err := st.Data(); err == nil {
			settings["near.data"] = data.SHA256
		}
	}
	if o.dataSHA256 != "" {
		settings["data"] = o.dataSHA256
	}
	if o.people != "" {
		population.Record(settings, cmp.Or(o.request.Population, st.Population))
	}
	for _, r := range st.Rules {
		if r.On {
			settings["rule."+r.Name] = "on"
		}
	}
	for name, value := range o.start.Options {
		settings["set."+name] = value
	}
	maps.Copy(settings, o.Label)
	return record.Task{
		Command: "search", Network: st.ModelSHA256, Study: st.SHA256, Arm: o.strategyName, Seed: seed,
		Region: o.request.Where, Settings: settings,
	}
}

// Begin starts a run for a seed in the journal. The run's clock started at the time begin.
func (o *Searcher) Begin(seed int64, begin time.Time) (*session.Run, error) {
	versions := map[string]string{}
	for _, p := range o.plugins {
		versions[p.String()] = p.Version()
	}
	s := o.query.Space
	return o.session.Begin(record.Started{
		Task: o.task(seed), At: begin, Features: s.Names(), Domains: record.Domains(s),
		Study: o.question.Study.Name, Model: filepath.Base(o.question.Study.ModelPath), Versions: versions,
	})
}

// Try opens a session of the strategy and closes it.
func (o *Searcher) Try(ctx context.Context) error {
	opened, err := o.open(ctx, o.request.Seed)
	if err != nil {
		return err
	}
	return opened.Close()
}

func (o *Searcher) open(ctx context.Context, seed int64) (sdk.Session, error) {
	start := o.start
	start.Seed = seed
	return o.strategy.Start(ctx, o.query.Space, start)
}

// Run searches once. Lines of progress name the run by the text which. faults are the mistakes in
// the solver's answers.
func (o *Searcher) Run(ctx context.Context, seed int64, run *session.Run, which string) (out *Outcome, faults []string) {
	config := Config{
		Space: o.query.Space, Region: o.query.Region, Within: o.query.Within, Evaluator: o.evaluator(), Guards: o.Guards,
		Strategy: o.strategyName, Solver: o.solver, Seed: seed, Budget: o.budget, Fast: o.fast, Stream: run.Stream,
		Start:    func(ctx context.Context) (sdk.Session, error) { return o.open(ctx, seed) },
		Progress: func(p Progress) { o.session.Show(which + p.String()) },
	}
	if d, err := o.strategy.Describe(ctx); err == nil {
		config.Detail, config.Pair = evaluate.Detail{Scores: d.NeedsScores, Bins: d.NeedsBins}, d.NeedsPair
		config.HoldsModel = d.NeedsModel
	}
	if o.newSeeder != nil {
		config.Seeder = o.newSeeder()
		if s, ok := config.Seeder.(*engine.Seeder); ok {
			config.Refuted = func() []string { return engine.Texts(s.Refuted) }
		}
	}
	if o.budget.Time > 0 {
		// One hard question must not take the entire run.
		config.SeedLimit = max(time.Second, o.budget.Time/10)
	}
	out = Run(ctx, config)
	if s, ok := config.Seeder.(*engine.Seeder); ok {
		out.Spurious += int64(s.Spurious) // points that the seeder's replay refuted
		faults = firstFew(slices.DeleteFunc(slices.Clone(s.Faults), func(text string) bool { return slices.Contains(out.Refuted, text) }))
	}
	return out, faults
}

// maxTold bounds the copies whose values one batch of trials may carry, some 100 MB.
const maxTold = 1 << 22

// firstFew returns the first ten different faults.
func firstFew(faults []string) []string {
	faults = slices.Compact(slices.Sorted(slices.Values(faults)))
	return faults[:min(len(faults), 10)]
}

// String returns one line of progress.
func (p Progress) String() string {
	best, done := "nothing found yet", fmt.Sprintf("%.1fs of %s", p.Elapsed.Seconds(), p.Budget)
	if p.MaxK > 0 {
		best = fmt.Sprintf("%d found, largest k %d", p.Found, p.MaxK)
	}
	switch {
	case p.Budget.Iter > 0:
		done = "of " + strconv.FormatInt(p.Budget.Iter, 10)
	case p.Budget.Evals > 0:
		done = fmt.Sprintf("%d of %d evaluations", p.Evaluations, p.Budget.Evals)
	}
	return fmt.Sprintf("%d rounds · %s · %s", p.Iter, best, done)
}

// Answer does the request's runs. After an interrupt, the result has the runs so far, including
// the interrupted one. The error is that of the first run that failed, or concerns a file that
// could not be written; the result is valid along with it, unless nothing was searched.
func Answer(ctx context.Context, s *session.Session, r Request) (*Result, error) {
	o, err := Open(ctx, s, r)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return o.answer(ctx)
}

func (o *Searcher) answer(ctx context.Context) (_ *Result, err error) {
	if _, err := o.session.Journal(); err != nil {
		return nil, err
	}
	r := &o.request
	var csv *CSVFile
	if r.Out != "" {
		if csv, err = CreateCSV(r.Out, o.query.Space); err != nil {
			return nil, session.Mistake(fmt.Errorf("--out: %w", err))
		}
	}
	out, failed := o.runs(ctx, csv)
	switch bad := session.IsMistake(failed); {
	case csv != nil && bad:
		csv.Discard()
	case csv != nil:
		if err := csv.Close(); err != nil {
			failed = errors.Join(failed, fmt.Errorf("--out: %w", err))
		}
	}
	if session.IsMistake(failed) {
		return nil, failed
	}
	if r.Bound > 0 && ctx.Err() == nil {
		var unbounded error
		out.Bound, unbounded = o.bound(ctx, out.Best)
		if errors.Is(unbounded, session.ErrContradiction) {
			out.Disagreements, unbounded = append(out.Disagreements, unbounded.Error()), nil
		}
		failed = errors.Join(failed, unbounded)
		out.Interrupted = session.Interrupted(ctx)
	}
	out.hold(r.Gates, r.Bound > 0)
	return out, errors.Join(failed, session.Refuted(out.Disagreements))
}

// runs does the request's runs, one after the other. csv, if not nil, gets the individuals of all.
// An interrupt ends them; a run that fails does not keep later ones from starting.
func (o *Searcher) runs(ctx context.Context, csv *CSVFile) (*Result, error) {
	out := o.result()
	loading := time.Since(o.session.Begun)
	var bests []*record.Found
	var failed error
	for i := range o.request.Runs {
		seed, begin, which := o.request.Seed+int64(i), time.Now().Add(-loading), ""
		if i == 0 {
			begin = o.session.Begun
		}
		run, err := o.Begin(seed, begin)
		if err != nil {
			return out, err
		}
		if csv != nil {
			csv.Start(i+1, seed)
			run.Sinks = append(run.Sinks, csv.Add)
		}
		if o.request.Runs > 1 {
			which = fmt.Sprintf("run %d of %d · ", i+1, o.request.Runs)
		}
		outcome, faults := o.Run(ctx, seed, run, which)
		if outcome.Evaluations == 0 && errors.Is(outcome.Err, sdk.ErrUnsupported) {
			return out, session.Mistake(outcome.Err) // the strategy does not take the model
		}
		out.add(run, seed, outcome, faults)
		bests = append(bests, outcome.Best)
		if outcome.Err != nil && failed == nil {
			if failed = outcome.Err; o.request.Runs > 1 {
				failed = fmt.Errorf("run %d of %d: %w", i+1, o.request.Runs, outcome.Err)
			}
		}
		if outcome.Interrupted {
			break
		}
	}
	out.finish(bests, o.query, o.eval)
	out.Seconds = time.Since(o.session.Begun).Seconds()
	return out, failed
}

// bound asks a solver for the largest k, within the limit, and compares the answer with
// the best individual.
func (o *Searcher) bound(ctx context.Context, best *Best) (*Bound, error) {
	p, err := engine.OpenProver(ctx, o.session, o.request.Seed, problem.MaxK)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	b, err := Prove(ctx, p, o.query, o.request.Bound)
	if b == nil {
		return nil, err
	}
	if best != nil {
		if err := b.Hold(best.K); err != nil {
			return nil, fmt.Errorf("--bound: %w", err)
		}
	}
	return b, err
}

// Prove bounds the largest k of a question within the limit. If it returns a bound and an
// error, the bound has the error's text.
func Prove(ctx context.Context, p *engine.Prover, q *problem.Query, limit time.Duration) (*Bound, error) {
	start := time.Now()
	e, err := p.Enclose(ctx, *q, problem.MaxK, limit, nil)
	if e == nil {
		return nil, err
	}
	b := &Bound{Grade: e.Grade.String(), Solver: p.Plugin.Description().Name, Seconds: time.Since(start).Seconds()}
	if !e.Nobody {
		b.MaxK = int(e.Bound)
	}
	if err != nil {
		b.Error = err.Error()
	}
	return b, err
}
