// Package quantify computes how many individuals of a space are discriminated
// against: the shares that are proved fair and unfair, and the shares in a
// sample and in the data set.
//
// A solver of the network form makes claims, which this package checks against
// individuals that it evaluates exactly. A claim that they contradict, one by
// one or all together, proves nothing.
package quantify

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Options are the settings of Run. Without a Solver nothing is proved. The Solver must serve Quantify in the network form;
// Description is its description.
type Options struct {
	Solver      sdk.Solver
	Description sdk.Description
	Threads     int
	Memory      int64
	Seed        int64
	// Set has the plugin's options.
	Set map[string]string
	// Samples is the number of individuals to draw and evaluate; 0: none.
	Samples int
	// Population is the population of shares and samples; nil: each individual counts once.
	Population *population.Population
	// Rows are the data set's rows, one entry per feature; nil: none.
	Rows [][]float64
	// Pieces, if not nil, gets the pieces of the region as they are settled, one
	// call at a time. Its error ends the run.
	Pieces func([]sdk.Piece) error
	// Start, if not nil, sets Solver, Description and Set when they are first needed. The shares of a linear model are
	// then proved without them if Convolves allows that, except for what convolution leaves open.
	Start func(*Options) error
	// Progress, if not nil, is called from one goroutine at a time.
	Progress func(Progress)

	// doubt is the number of copies tried to find a witness; 0: engine.DoubtCopies.
	doubt int
}

// Progress is the state of a running question.
type Progress struct {
	// Fair and Unfair are the latest claimed shares that exact evaluation does
	// not contradict; nil before the first.
	Fair, Unfair *big.Rat
	// Sampled and Rows are as in Report.
	Sampled *Sampled
	Rows    *Rows
	Boxes   int64
	// Pieces counts the pieces received; after the time limit it shows that work continues.
	Pieces  int64
	Elapsed time.Duration
	// Limit is the time limit; 0: none.
	Limit time.Duration
}

// Report is the result of a Run.
type Report struct {
	// Fair and Unfair are proved shares of the individuals, or with real features of the
	// volume; Undecided is the rest of 1. For an empty space all are 0.
	Fair, Unfair, Undecided *big.Rat
	// Grade is the grade of the proof; 0 if nothing is proved.
	Grade sdk.Grade
	// Individuals is the number of individuals in the region; nil if it is not known.
	Individuals *big.Int
	// Boxes is the number of boxes that the solver examined.
	Boxes int64
	// Complete: the solver finished.
	Complete bool
	// Reason says in words why something is undecided. Faults lists mistakes in the solver's
	// answers.
	Reason string
	Faults []string
	// Sampled is nil without a sample, Rows if there are none or evaluating them took too long.
	Sampled *Sampled
	Rows    *Rows
	// Met is the number of different discriminated individuals that were evaluated
	// exactly. Found has some of them.
	Met   int
	Found []record.Found
	// Examples are some of the discriminated individuals drawn from the population.
	Examples [][]float64
	// Population is the population of all shares except those of Rows; nil: each individual counts once.
	Population *population.Population
	// Convolved: the shares were proved by convolution, and no solver was asked.
	Convolved bool
	// Map is nil without Options.Pieces.
	Map *Map
}

// Nobody reports whether the region is known to contain no individual.
func (r *Report) Nobody() bool { return r.Individuals != nil && r.Individuals.Sign() == 0 }

// nobody concludes that the region contains no individual.
func (r *run) nobody() {
	rep := r.report
	rep.Fair, rep.Unfair, rep.Undecided, rep.Individuals = new(big.Rat), new(big.Rat), new(big.Rat), new(big.Int)
	rep.Complete, rep.Reason = true, ""
}

// rest sets the undecided share to what the shares of fair and unfair leave.
func (r *Report) rest() {
	r.Undecided = new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Add(r.Fair, r.Unfair))
}

// contradicted records a fault and withdraws all claims of the solver.
func (r *Report) contradicted(format string, args ...any) {
	r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
	r.Fair, r.Unfair, r.Undecided = new(big.Rat), new(big.Rat), big.NewRat(1, 1)
	r.Grade, r.Complete = 0, false
	r.Reason = "the solver contradicted what was evaluated exactly"
}

// run is one question under way.
type run struct {
	q      *problem.Query
	o      Options
	judge  *individual.Judge
	report *Report
	start  time.Time
	// glimpses guards Progress, which both solver progress and pieces call.
	glimpses sync.Mutex
	told     time.Time // when pieces last caused a Progress
	handed   int64     // number of pieces
	// last are the latest reported shares, for a solver that is lost; sound are the latest
	// without an objection.
	last, sound *sdk.Shares
	// witnesses are exactly evaluated individuals, to check pieces against; met has the keys
	// of all that are discriminated against.
	witnesses []settled
	met       map[string]struct{}
	free      []int // features
	tally     *tally
	weights   *weights        // nil if each individual counts once
	ctx       context.Context // the question's, for evaluating pieces
	faults    []string        // in pieces
	// broken is the first error of Options.Pieces.
	broken error
}

// Run answers the question; q.Goal is ignored. After a limit or an interruption, the Report
// says so. If the solver is lost, Run returns an engine.Failure and a Report of what was known
// by then. A nil Report means that the query is malformed or cannot be asked.
func Run(ctx context.Context, q *problem.Query, o Options) (*Report, error) {
	r, err := newRun(q, o)
	if err != nil {
		return nil, err
	}
	if engine.Nobody(r.q) {
		r.nobody()
		return r.report, nil
	}
	r.evaluated(ctx)
	if ctx.Err() != nil {
		r.report.Reason = engine.Over(ctx)
		return r.report, nil
	}
	if s := r.report.Sampled; s != nil && s.All && s.N == 0 {
		r.nobody()
		return r.report, nil
	}
	r.glimpse(nil, 0) // of the sample and the rows
	if o.Solver == nil && o.Start == nil {
		return r.report, nil
	}
	proved := r.convolve(ctx)
	if r.report.Convolved {
		return r.report, nil
	}
	if o.Start != nil {
		if err = o.Start(&r.o); err == nil {
			err = r.o.suits(q)
		}
		if err != nil {
			return nil, err
		}
	}
	err = r.ask(ctx)
	r.combine(proved)
	return r.report, err
}

// suits returns an error if the solver, if any, cannot be asked the question.
func (o *Options) suits(q *problem.Query) error {
	switch {
	case o.Solver == nil:
		return nil
	case !o.Description.Answers(problem.FormNetwork, problem.Quantify):
		return fmt.Errorf("solver %s does not serve %s in the %s form: %w", o.Description.Name, problem.Quantify, problem.FormNetwork, sdk.ErrUnsupported)
	case o.Description.RefusesQuery(q) != nil:
		return session.Mistake(o.Description.RefusesQuery(q))
	}
	return nil
}

func newRun(q *problem.Query, o Options) (*run, error) {
	question := *q
	question.Goal = problem.Quantify
	if err := question.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
	}
	if err := o.suits(q); err != nil {
		return nil, err
	}
	switch {
	case len(question.Relax) > 0:
		return nil, fmt.Errorf("%w: shares count individuals, but relaxations describe pairs: leave them out", sdk.ErrInvalidProblem)
	case len(question.Exclude) > 0:
		return nil, fmt.Errorf("%w: shares count all individuals of a region: exclude none", sdk.ErrInvalidProblem)
	}
	inward, err := engine.Inward(&question)
	if err != nil {
		return nil, err
	}
	j := individual.NewJudge(inward)
	if _, err := j.Evaluator(); err != nil {
		return nil, err
	}
	r := &run{q: inward, o: o, free: inward.Space.Free(), judge: j, start: time.Now(), met: map[string]struct{}{}, report: &Report{
		Fair: new(big.Rat), Unfair: new(big.Rat), Undecided: big.NewRat(1, 1),
	}}
	if o.Pieces != nil {
		r.tally = newTally(inward)
	}
	if o.Population != nil {
		within := o.Population.Within(inward.RegionOrWhole().Box)
		if within == nil {
			return nil, fmt.Errorf("%w: the region holds no people of the population (%s): ask about another part", sdk.ErrInvalidProblem, o.Population)
		}
		r.weights, r.report.Population = &weights{of: within, points: allPoints}, o.Population
	}
	return r, nil
}

// ask puts the question to the solver and concludes.
func (r *run) ask(ctx context.Context) error {
	ctx, giveUp := client.GiveUp(ctx)
	defer giveUp()
	r.ctx = ctx
	o := sdk.SolveOptions{
		Seed: r.o.Seed, Threads: r.o.Threads, Memory: r.o.Memory, Options: r.o.Set,
		Progress: func(p sdk.Progress) { r.glimpse(p.Shares, 0) },
	}
	if deadline, ok := ctx.Deadline(); ok {
		o.TimeLimit = max(time.Until(deadline), time.Millisecond)
	}
	if r.tally != nil {
		r.tally.plane = newPlane(r.tally, r.witnesses)
	}
	if r.tally != nil || r.weights != nil {
		o.Pieces = func(list []sdk.Piece) {
			if r.broken == nil {
				if r.broken = r.pieces(list); r.broken != nil {
					giveUp()
				}
			}
		}
	}
	res, err := r.o.Solver.Solve(ctx, &problem.Problem{Name: "quantify", Query: r.q}, o)
	if r.tally != nil {
		r.report.Map = r.tally.result()
	}
	if res, err = engine.Answered(ctx, r.o.Description.Name, res, err); res == nil {
		res = &sdk.Result{Status: sdk.Unknown, Reason: sdk.Other}
	}
	if res.Shares == nil {
		res.Shares = r.last
	}
	r.conclude(ctx, res)
	if err != nil {
		r.report.Reason = engine.FailureReason(err)
	}
	if r.broken != nil { // it ended the solver, too
		return r.broken
	}
	return err
}

// tellEvery is the least time between two Progress calls because of pieces.
const tellEvery = 100 * time.Millisecond

// glimpse reports progress: new shares, or nil, and the number of new pieces.
func (r *run) glimpse(s *sdk.Shares, pieces int) {
	r.glimpses.Lock()
	defer r.glimpses.Unlock()
	if r.handed += int64(pieces); s != nil {
		if r.last = s; r.objection(s) == "" {
			r.sound = s
		}
	}
	if r.o.Progress == nil {
		return
	}
	if pieces > 0 {
		if time.Since(r.told) < tellEvery {
			return
		}
		r.told = time.Now()
	}
	out := Progress{Sampled: r.report.Sampled, Rows: r.report.Rows, Pieces: r.handed, Elapsed: time.Since(r.start)}
	if s := r.sound; s != nil {
		out.Fair, out.Unfair, out.Boxes = s.Fair, s.Unfair, s.Boxes
	}
	if r.weights != nil && out.Fair != nil {
		out.Fair, out.Unfair = r.shares()
	}
	r.o.Progress(out)
}

// pieces checks pieces against the evaluated individuals, adds them up and passes them on.
func (r *run) pieces(list []sdk.Piece) error {
	for i := range list {
		p := &list[i]
		if !r.sane(p) {
			return fmt.Errorf("solver %s: one of its pieces is not a box of the region, or has an unknown claim", r.o.Description.Name)
		}
		if r.weights != nil {
			r.glimpses.Lock()
			r.weigh(p)
			r.glimpses.Unlock()
		}
		if fault := r.mapped(p); fault != "" && !slices.Contains(r.faults, fault) {
			r.faults = append(r.faults, fault)
		}
	}
	r.glimpse(nil, len(list))
	if r.tally == nil {
		return nil
	}
	return r.o.Pieces(list)
}

// mapped adds a piece to the map, if there is one, and returns what is wrong with its claims.
func (r *run) mapped(p *sdk.Piece) (fault string) {
	if r.tally == nil {
		return r.against(p)
	}
	fault, one := r.counted(p)
	if !one {
		fault = r.against(p)
		r.tally.add(p)
	}
	return fault
}

// counted evaluates the points of a small mixed piece, adds it to the map and checks its
// numbers. ok is false for other pieces, and if time is over.
func (r *run) counted(p *sdk.Piece) (fault string, ok bool) {
	most, ok := r.tally.mixed(p)
	if !ok {
		return "", false
	}
	xs, ok := r.points(p.Box, most)
	if !ok {
		return "", false
	}
	verdicts, ok := r.all(r.ctx, xs)
	if !ok {
		return "", false
	}
	r.tally.addEach(p, xs, verdicts)
	numbers := map[individual.Verdict]int64{}
	for _, v := range verdicts {
		numbers[v]++
	}
	if p.Fair.Cmp(big.NewInt(numbers[individual.Fair])) > 0 || p.Unfair.Cmp(big.NewInt(numbers[individual.Unfair])) > 0 {
		fault = fmt.Sprintf("solver %s: it counts more fair or more unfair individuals in a box than evaluation finds", r.o.Description.Name)
	}
	return fault, true
}

// sane reports whether a piece is a box of the region and its claim is known.
func (r *run) sane(p *sdk.Piece) bool {
	region := r.q.RegionOrWhole()
	if len(p.Box) != len(region.Box) || p.Claim < sdk.PieceFair || p.Claim > sdk.PieceOutside {
		return false
	}
	for _, i := range r.free {
		side := p.Box[i]
		if !(side.Lo <= side.Hi && region.Box[i].Contains(side.Lo) && region.Box[i].Contains(side.Hi)) {
			return false
		}
		if r.q.Space.Features[i].Discrete() && (side.Lo != math.Floor(side.Lo) || side.Hi != math.Floor(side.Hi)) {
			return false
		}
	}
	return true
}

// against checks a piece against the evaluated individuals, and names one that refutes it.
func (r *run) against(p *sdk.Piece) string {
	if p.Claim == sdk.PieceUndecided {
		return ""
	}
	for i := range r.witnesses {
		w := &r.witnesses[i]
		if !within(r.free, p.Box, w.x) {
			continue
		}
		if p.Claim == sdk.PieceOutside || (p.Claim == sdk.PieceUnfair) != w.unfair {
			return fmt.Sprintf("solver %s: it claims of a box that it is %s; an individual in it, evaluated exactly, is %s", r.o.Description.Name, p.Claim, w.word())
		}
	}
	return ""
}

// conclude adopts the solver's claims, unless something contradicts them.
func (r *run) conclude(ctx context.Context, res *sdk.Result) {
	rep := r.report
	if res.Status != sdk.Optimal {
		rep.Reason = cmp.Or(engine.Over(ctx), res.Reason.String())
	}
	s := res.Shares
	if s == nil && r.weights != nil && r.weights.n > 0 { // pieces alone prove something
		s = &sdk.Shares{Fair: new(big.Rat), Unfair: new(big.Rat)}
	}
	if s == nil {
		return
	}
	rep.Boxes = s.Boxes
	if fault := r.objection(s); fault != "" {
		rep.contradicted("%s", fault)
		return
	}
	rep.Fair, rep.Unfair, rep.Individuals = s.Fair, s.Unfair, s.Individuals
	if r.weights != nil && !rep.Nobody() {
		rep.Individuals = nil // the shares count people instead
		if rep.Fair, rep.Unfair = r.shares(); r.overlap() {
			rep.contradicted("solver %s: its pieces overlap", r.o.Description.Name)
			return
		}
		if fault := r.beyond(rep.Fair, rep.Unfair); fault != "" {
			rep.contradicted("%s", fault)
			return
		}
	}
	rep.rest()
	if rep.Complete = res.Status == sdk.Optimal; rep.Complete && rep.Nobody() {
		r.nobody()
		return
	}
	if open, _ := rep.Undecided.Float64(); rep.Complete && r.weights != nil && open > settledTo {
		rep.Reason = "a box that a constraint cuts is too large to be counted"
		if rep.Fair.Sign() == 0 && rep.Unfair.Sign() == 0 {
			rep.Reason = "the constraints may leave no people of the population, or " + rep.Reason
		}
	}
	if rep.Fair.Sign() > 0 || rep.Unfair.Sign() > 0 {
		rep.Grade = r.o.Description.Exactness
	}
	if r.tally != nil && rep.Map.Covered > 1+1e-6 {
		r.faults = append(r.faults, fmt.Sprintf("solver %s: its pieces overlap", r.o.Description.Name))
	}
	for _, f := range r.faults {
		rep.contradicted("%s", f)
	}
}
