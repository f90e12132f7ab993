package compare

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Result is what one task came to: all that the tables need, so that they can
// be made again from the journal alone.
type Result struct {
	// Individuals are the distinct ones whose witnesses were replayed, in the
	// order in which they were found.
	Individuals []Individual `json:"individuals,omitempty"`
	// Proofs are the regions in which the arm proved a limit.
	Proofs []Proof `json:"proofs,omitempty"`
	// Refuting are individuals that the host found against Proofs, when the task had
	// ended.
	Refuting []Individual `json:"refuting,omitempty"`
	// Diversity is the mean Gower distance between two of those found, over
	// non-protected features; nil for fewer than two. Regions counts the regions
	// of the yardstick partition that they lie in.
	Diversity *float64 `json:"diversity,omitempty"`
	Regions   int      `json:"regions"`
	// Certified is the share of the space proved fair.
	Certified float64 `json:"certified"`
	// Fair, Unfair and Undecided count regions, Asked the questions about them,
	// Solves those that reached the solver, with Nodes of work. Spurious counts
	// points that the replay refused.
	Fair      int64 `json:"fair"`
	Unfair    int64 `json:"unfair"`
	Undecided int64 `json:"undecided"`
	Asked     int64 `json:"asked"`
	Solves    int64 `json:"solves"`
	Nodes     int64 `json:"nodes"`
	Spurious  int64 `json:"spurious"`
	// Open counts the regions' verdicts that left them undecided, by the reason.
	Open experiment.Unsolved `json:"open,omitempty"`
	experiment.Cost
	// Killed: the worker did not end by itself soon after its budget. What it had told by
	// then counts, as it does where memory ended it.
	Killed bool `json:"killed,omitempty"`
	// Error ended the task before its budget.
	Error string `json:"error,omitempty"`
	// Faults of the solver, the first few, and those of them that are claims which the host
	// refuted in the task: they are no Proofs.
	Faults  []string  `json:"faults,omitempty"`
	Refuted []Refuted `json:"refuted,omitempty"`
}

// Refuted is a claim that the host refuted.
type Refuted struct {
	Text string `json:"text"`
	// Claimed by the solver, and By an individual above its Limit; nil, and without a Limit,
	// where the claim is of another kind.
	Claimed Proof       `json:"claimed"`
	By      *Individual `json:"by,omitempty"`
}

// Individual is one who was found.
type Individual struct {
	X []float64 `json:"x"`
	// Seconds from the start of the task.
	Seconds float64 `json:"t"`
	K       int     `json:"k"`
	// Gap is the exact gap, rounded, of an individual that counts: above ε. 0 for
	// one that only another notion calls a witness.
	Gap float64 `json:"gap,omitempty"`
	// The logits of the replayed pair.
	Logit1 float64 `json:"l1"`
	Logit2 float64 `json:"l2"`
}

// counts reports whether the individual's gap exceeds ε: a 2-discriminant.
func (i *Individual) counts() bool { return i.Gap > 0 }

// Proof says that no individual of a box has a larger margin.
type Proof struct {
	Box   Box     `json:"box,omitempty"`
	Limit float64 `json:"limit"`
	Grade string  `json:"grade"`
}

// fold makes a result of a task's events as they come in.
type fold struct {
	subject *question.Question
	query   *problem.Query
	// epsilon is the limit that the verdict fair stands for, in the notion's unit.
	epsilon  float64
	result   Result
	finished bool
	// interrupted: the worker was interrupted before its budget.
	interrupted bool
}

func newFold(s *Subject, arm *Arm) (*fold, error) {
	q, err := s.query(arm)
	if err != nil {
		return nil, err
	}
	f := &fold{subject: s.asked, query: q}
	if q.Notion.UsesEpsilon() {
		f.epsilon, _ = q.Epsilon.Float64()
	}
	return f, nil
}

// add takes in one event; what a worker of this program cannot have sent is an
// error.
func (f *fold) add(e *record.Event) error {
	switch e.Kind {
	case record.KindWitness:
		w := e.Witness
		if len(w.Copy1) != len(f.subject.Space.Features) {
			return fmt.Errorf("a witness has %d values", len(w.Copy1))
		}
		f.result.Individuals = append(f.result.Individuals, Individual{
			X: f.subject.Space.Canonical(w.Copy1), Seconds: e.Seconds, K: w.K, Logit1: w.Logit1, Logit2: w.Logit2,
		})
	case record.KindFound:
		if len(f.result.Individuals) == 0 {
			return fmt.Errorf("an individual was found without a witness")
		}
		f.result.Individuals[len(f.result.Individuals)-1].Gap = e.Found.Gap
	case record.KindVerdict:
		return f.verdict(e.Verdict)
	case record.KindFault:
		f.result.Faults = append(f.result.Faults, e.Fault.Error)
		return f.refuted(e.Fault)
	case record.KindFinished:
		f.finished, f.interrupted = true, e.Finished.Interrupted
		f.result.Error, f.result.Seconds = e.Finished.Error, e.Seconds
		f.measures(e.Finished.Measures)
	}
	return nil
}

// verdict keeps what a region's verdict proves.
func (f *fold) verdict(v *record.Verdict) error {
	limit := f.epsilon
	switch {
	case v.Verdict == engine.Fair.String():
	case v.Bound != nil:
		limit = *v.Bound
	default:
		if v.Verdict == engine.Undecided.String() {
			f.result.Open.Count(experiment.Reason(v.Reason))
		}
		return nil
	}
	box, err := boxOf(f.subject.Space, f.subject.Region, v.Region)
	if err != nil {
		return fmt.Errorf("region %q: %w", v.Region, err)
	}
	f.result.Proofs = append(f.result.Proofs, Proof{Box: box, Limit: limit + v.Tolerance, Grade: v.Grade})
	return nil
}

// refuted keeps a claim that was refuted.
func (f *fold) refuted(of *record.Fault) error {
	r := of.Refuted
	if r == nil {
		return nil
	}
	box, err := boxOf(f.subject.Space, f.subject.Region, r.Region)
	if err != nil {
		return fmt.Errorf("region %q: %w", r.Region, err)
	}
	out := Refuted{Text: of.Error, Claimed: Proof{Box: box, Limit: r.Limit, Grade: r.Grade}}
	if w := r.Witness; w != nil {
		if len(w.Copy1) != len(f.subject.Space.Features) {
			return fmt.Errorf("a witness has %d values", len(w.Copy1))
		}
		out.By = &Individual{X: f.subject.Space.Canonical(w.Copy1), Logit1: w.Logit1, Logit2: w.Logit2}
	}
	f.result.Refuted = append(f.result.Refuted, out)
	return nil
}

func (f *fold) measures(m map[string]*float64) {
	for name, to := range map[string]*int64{
		measureFair: &f.result.Fair, measureUnfair: &f.result.Unfair, measureUndecided: &f.result.Undecided, measureAsked: &f.result.Asked,
		measureSolves: &f.result.Solves, measureNodes: &f.result.Nodes, measureSpurious: &f.result.Spurious,
	} {
		if v := m[name]; v != nil {
			*to = int64(*v)
		}
	}
	if v := m[measureCertified]; v != nil {
		f.result.Certified = *v
	}
}

// doubt tries to refute the proofs, of which those that are not the arm's only word
// stand anyway. The task has ended: none of its time is spent.
func (f *fold) doubt(ctx context.Context, seed int64) {
	d := engine.NewDoubt(f.query, seed)
	for _, p := range f.result.Proofs {
		claimed := new(big.Rat).SetFloat64(p.Limit + slack(p.Limit))
		w := d.Refute(ctx, p.Box.region(f.subject.Region), engine.DoubtCopies/len(f.result.Proofs), claimed)
		if w != nil {
			f.result.Refuting = append(f.result.Refuting, Individual{X: f.subject.Space.Canonical(w.Copy1), Logit1: w.Logit1, Logit2: w.Logit2})
		}
	}
}

// end completes the result with what follows from all individuals together.
func (f *fold) end(yardstick string) (*Result, error) {
	c, err := chunksOf(f.subject.Space, yardstick)
	if err != nil {
		return nil, err
	}
	var found [][]float64
	cells := map[string]bool{}
	for i := range f.result.Individuals {
		if one := &f.result.Individuals[i]; one.counts() {
			found = append(found, one.X)
			cells[c.Cell(f.subject.Space, f.subject.Region, one.X)] = true
		}
	}
	f.result.Regions = len(cells)
	f.result.Diversity = search.Diversity(f.subject.Space, found)
	return &f.result, nil
}
