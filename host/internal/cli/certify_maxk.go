package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// certifyMaxK is what --max-k adds to the JSON object.
type certifyMaxK struct {
	// Lo bins are reached by the witness, and nobody reaches more than Hi.
	Lo int `json:"lo"`
	Hi int `json:"hi"`
	// Certified: the two are the same.
	Certified bool `json:"certified"`
	// Grade and Tolerance are of the proof behind Hi.
	Grade     string  `json:"grade"`
	Tolerance float64 `json:"tolerance"`
	Reason    string  `json:"reason,omitempty"`
}

// validateMaxK checks --max-k against the other flags.
func (f *certifyFlags) validateMaxK() error {
	switch {
	case !f.maxK:
	case f.question.K > 0:
		return errors.New("--max-k and --k exclude each other: the largest k answers for every k")
	case f.partition.chunks != "":
		return errors.New("--partition and --max-k exclude each other")
	case len(f.question.Relax) > 0:
		return errors.New("--relax and --max-k exclude each other: bins are of one individual's counterfactuals")
	}
	return nil
}

// binned refuses --max-k where there are no bins.
func (f *certifyFlags) binned(queries []*problem.Query) error {
	if n := queries[0].Notion; f.maxK && !n.Binned() {
		return fmt.Errorf("--max-k: the notion %s has no bins; --notion score has", n)
	}
	return nil
}

// boundMaxK asks for Max.K after the verdict, and lets its individual be the
// witness: with three bins or more, its gap exceeds ε. nil where there was no
// time left, or there is nobody.
func (j *certifyJob) boundMaxK(ctx context.Context, rep *certify.Report) (*certify.Extreme, error) {
	if !j.flags.maxK || rep.Nobody || ctx.Err() != nil {
		return nil, nil
	}
	line := newStatusLine(j.app)
	o := j.options()
	o.Maximise = false
	o.Progress = func(p certify.Progress) {
		if p.HasBound {
			line.show(fmt.Sprintf("Max.K: at most %.0f · %d nodes · %s", p.Bound, p.Nodes, p.Elapsed))
		}
	}
	q := *j.query
	q.Goal = problem.MaxK
	m, err := certify.Enclose(ctx, &q, o, nil)
	line.clear()
	if m == nil {
		return nil, err
	}
	rep.Solves += m.Solves
	rep.Nodes += m.Nodes
	rep.Spurious += m.Spurious
	rep.Faults = append(rep.Faults, m.Faults...)
	switch {
	case err == nil:
	case errors.Is(err, sdk.ErrUnsupported) && m.Reason != "":
		err = nil // the solver declined, which the reason says
	case certify.Unanswered(err) == nil && !slices.Contains(m.Faults, err.Error()):
		rep.Faults = append(rep.Faults, err.Error())
	}
	if w := m.Witness; w != nil && w.K > 2 && !j.flags.maximise {
		rep.Witness = w
		if rep.Verdict == certify.Undecided {
			rep.Verdict, rep.Reason = certify.Unfair, ""
		}
	}
	return m, err
}

func maxKJSON(m *certify.Extreme) *certifyMaxK {
	if m == nil {
		return nil
	}
	return &certifyMaxK{int(m.Found), int(m.Bound), m.Settled(), m.Grade.String(), m.Tolerance, m.Reason}
}

// print shows Max.K.
func (m *certifyMaxK) print(w io.Writer) {
	switch {
	case m == nil:
	case m.Certified:
		fmt.Fprintf(w, "Max.K = %d, certified (%s)", m.Lo, m.Grade)
	default:
		fmt.Fprintf(w, "Max.K between %d, evaluated exactly, and %d, proved (%s)", m.Lo, m.Hi, m.Grade)
	}
	if m == nil {
		return
	}
	if m.Tolerance > 0 {
		fmt.Fprintf(w, ", tolerance %.2g logits", m.Tolerance)
	}
	if m.Reason != "" {
		fmt.Fprintf(w, ": %s", m.Reason)
	}
	fmt.Fprintln(w)
}
