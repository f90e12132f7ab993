package soundness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/clock"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Ask asks one solver a question of a bench. It is plain data.
type Ask struct {
	question.Spec
	Goal    string            `json:"goal"`
	Solver  string            `json:"solver"`
	Set     map[string]string `json:"set,omitempty"`
	Timeout time.Duration     `json:"timeout"`
	Seed    int64             `json:"seed"`
}

// Ask returns the request that puts a question about an instance in a folder to a solver.
func (t *Truth) Ask(folder string, q *Question, solver string) Ask {
	return Ask{Spec: t.Spec(folder, q), Goal: q.Goal, Solver: solver}
}

// Claim is a solver's answer to a question without the host's help: the host does not climb
// or enumerate, and checks claims only.
type Claim struct {
	// Declined says why the solver is not asked this.
	Declined string `json:"declined,omitempty"`
	// Verdict, the Grade and Tolerance of a proof, and Gap, which is the replayed witness's,
	// answer questions for witnesses and gaps.
	Verdict   string   `json:"verdict,omitempty"`
	Grade     string   `json:"grade,omitempty"`
	Tolerance float64  `json:"tolerance,omitempty"`
	Gap       *float64 `json:"gap,omitempty"`
	// Bound + BoundTolerance bounds the largest gap. Closed: nothing is open.
	Bound          *float64 `json:"bound,omitempty"`
	BoundTolerance float64  `json:"bound_tolerance,omitempty"`
	Closed         bool     `json:"closed,omitempty"`
	// K has the k that an individual reaches, and the k that no individual exceeds.
	K *[2]int `json:"k,omitempty"`
	// Fair and Unfair are proved shares of People individuals, as fractions and decimals.
	Fair   string `json:"fair,omitempty"`
	Unfair string `json:"unfair,omitempty"`
	People string `json:"people,omitempty"`
	// Copies are two copies of the individual found: the witness, or the two farthest apart of
	// the individual that reaches K.
	Copies *[2][]float64 `json:"copies,omitempty"`
	// Refuted are claims that an evaluated individual refutes, Faults are other errors in
	// answers. Spurious counts points that the replay refused.
	Refuted  []string `json:"refuted,omitempty"`
	Faults   []string `json:"faults,omitempty"`
	Spurious int      `json:"spurious,omitempty"`
	// Reason says why the question stays open, Error what ended the solver.
	Reason string `json:"reason,omitempty"`
	Error  string `json:"error,omitempty"`
}

// replayTime, or a tenth of the limit if that is less, is reserved for replaying the last answer.
const replayTime = 250 * time.Millisecond

// Answer asks the solver. An error is a mistake in the request, or says that the solver did
// not start.
func Answer(ctx context.Context, s *session.Session, r Ask) (*Claim, error) {
	budget := cmp.Or(s.Clock, clock.Wall(s.Begun))
	ctx, cancel := budget.Until(ctx, r.Timeout-min(replayTime, r.Timeout/10))
	defer cancel()
	asked, err := question.Open(r.Spec)
	if err != nil {
		return nil, session.Mistake(err)
	}
	q, err := asked.Query(GoalOf(r.Goal))
	if err != nil {
		return nil, session.Mistake(err)
	}
	p, err := engine.OpenSolver(ctx, s, r.Solver, "", r.Set)
	if err != nil {
		return nil, session.TooLate(ctx, r.Timeout, err)
	}
	defer p.Close()
	return Put(ctx, q, r.Goal, engine.Options{
		Solver: p.Solver(), Description: p.Description(), Threads: s.Threads, Memory: s.Memory, Seed: r.Seed, Set: p.Options,
		Progress: func(p engine.Progress) { s.Show(p.String()) },
	})
}

// GoalOf converts a question's goal to a query's.
func GoalOf(goal string) problem.Goal {
	switch goal {
	case MaxK:
		return problem.MaxK
	case Share:
		return problem.Quantify
	}
	return problem.Decide
}

// Put puts a question to a solver, which answers without the host's help. The solver
// determines the encoding. An error is a mistake in the question.
func Put(ctx context.Context, q *problem.Query, goal string, o engine.Options) (c *Claim, err error) {
	o.Encoding = engine.DefaultEncoding(&o.Description)
	o.Bounds, o.SolverOnly, o.Maximise = engine.BoundsFor(o.Encoding), true, goal == Gap
	c = &Claim{}
	switch goal {
	case MaxK:
		err = c.most(ctx, q, o)
	case Share:
		err = c.shares(ctx, q, o)
	default:
		err = c.verdict(ctx, q, o)
	}
	switch {
	case err == nil:
	case errors.Is(err, sdk.ErrUnsupported):
		c.Declined = view.FirstLine(err.Error())
	case engine.Unanswered(err) == nil:
		c.Error = view.FirstLine(err.Error())
	default:
		return nil, err
	}
	return c, nil
}

// verdict asks for a witness, or for the largest gap.
func (c *Claim) verdict(ctx context.Context, q *problem.Query, o engine.Options) error {
	rep, err := engine.Run(ctx, q, o)
	if rep == nil {
		return err
	}
	c.Verdict, c.Closed, c.Reason = rep.Verdict.String(), rep.Closed, rep.Reason
	c.Refuted, c.Faults, c.Spurious = engine.Texts(rep.Refuted), rep.Faults, rep.Spurious
	if rep.Verdict == engine.Fair {
		c.Grade, c.Tolerance = rep.Grade.String(), rep.Tolerance
	}
	if rep.Witness != nil {
		c.Gap, c.Copies = new(view.Finite(rep.Witness.Margin)), copies(rep.Witness)
	}
	if o.Maximise && rep.HasBound && !math.IsInf(rep.Bound, 1) {
		c.Bound, c.BoundTolerance = new(max(rep.Bound, -1)), rep.BoundTolerance // no gap is below 0
	}
	return err
}

func copies(w *individual.Witness) *[2][]float64 { return &[2][]float64{w.Copy1, w.Copy2} }

// Replay evaluates the individuals that the claim shows, because it may come from another
// machine. The error names what is refuted.
func (c *Claim) Replay(spec question.Spec, goal string) error {
	shown := c.Verdict == engine.Unfair.String() || c.Gap != nil || c.K != nil && c.K[0] > 1
	switch {
	case !shown:
		return nil
	case c.Copies == nil:
		return errors.New("it says that an individual was found, but not which")
	}
	asked, err := question.Open(spec)
	if err != nil {
		return err
	}
	q, err := asked.Query(GoalOf(goal))
	if err != nil {
		return err
	}
	judge := individual.NewJudge(q)
	one, two := c.Copies[0], c.Copies[1]
	if c.K != nil {
		if !judge.Admits(one, two) {
			return fmt.Errorf("%v and %v are not copies of an individual of the question", one, two)
		}
		if k, err := judge.K(asked.Space.Canonical(one)); err != nil || k != c.K[0] {
			return errors.Join(err, fmt.Errorf("%v reaches %d bins, not %d", one, k, c.K[0]))
		}
		return nil
	}
	above := q.Notion.Threshold(q.Epsilon)
	if goal == Gap { // every gap above 0 counts
		above = new(big.Rat)
	}
	w := judge.Pair(one, two, above)
	if w == nil || c.Gap == nil || math.Abs(view.Finite(w.Margin)-*c.Gap) > slip(*c.Gap) {
		return fmt.Errorf("%v and %v are not a witness of the question, or their gap is not the one claimed", one, two)
	}
	return nil
}

// most asks for the largest k.
func (c *Claim) most(ctx context.Context, q *problem.Query, o engine.Options) error {
	m, err := engine.Enclose(ctx, q, o, nil)
	if m == nil {
		return err
	}
	c.K, c.Closed, c.Reason = &[2]int{int(m.Found), int(m.Bound)}, m.Settled(), m.Reason
	c.Refuted, c.Faults, c.Spurious = engine.Texts(m.Refuted), m.Faults, m.Spurious
	if m.Witness != nil && m.Found > 1 { // every individual reaches one bin
		c.Copies = copies(m.Witness)
	}
	return err
}

// shares asks for the share that is treated unfairly.
func (c *Claim) shares(ctx context.Context, q *problem.Query, o engine.Options) error {
	rep, err := quantify.Run(ctx, q, quantify.Options{
		Solver: o.Solver, Description: o.Description, Threads: o.Threads, Memory: o.Memory, Seed: o.Seed, Set: o.Set,
	})
	if rep == nil {
		return err
	}
	c.Fair, c.Unfair, c.Closed, c.Reason = rep.Fair.RatString(), rep.Unfair.RatString(), rep.Complete && rep.Undecided.Sign() == 0, rep.Reason
	c.Refuted, c.Faults = rep.Faults, rep.Faults
	if rep.Individuals != nil {
		c.People = rep.Individuals.String()
	}
	return err
}
