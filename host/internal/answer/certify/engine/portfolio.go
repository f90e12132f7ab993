package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// OptionsFor returns the options for a question to a solver or a portfolio, with the given
// encoding and bounds (empty: defaults) and the plugins' own options. A member that does not
// take the encoding's form gets its own default.
func OptionsFor(plugins discover.Solvers, encoding, bounds string) Options {
	all := make([]Options, len(plugins))
	for i, p := range plugins {
		m := Options{Solver: p.Solver(), Description: p.Description(), Encoding: encoding, Bounds: bounds, Set: p.Options}
		e, err := LookupEncoding(encoding)
		if encoding == "" || len(plugins) > 1 && err == nil && !m.Description.Answers(e.Form, problem.Decide) {
			m.Encoding = DefaultEncoding(&m.Description)
		}
		m.Bounds = cmp.Or(bounds, BoundsFor(m.Encoding))
		all[i] = m
	}
	if len(all) == 1 {
		return all[0]
	}
	return Options{Portfolio: all}
}

// as returns the options with the solver, encoding, bounds and plugin options of one member of a
// portfolio.
func (o Options) as(m Options) Options {
	o.Portfolio, o.Solver, o.Description, o.Encoding, o.Bounds, o.Set = nil, m.Solver, m.Description, m.Encoding, m.Bounds, m.Set
	return o
}

// Members returns the options of each member of the portfolio, or of the single solver.
func (o *Options) Members() []Options {
	if len(o.Portfolio) > 0 {
		return o.Portfolio
	}
	return []Options{*o}
}

// joined joins the members' values of a property with "+", each value once.
func (o *Options) joined(of func(*Options) string) string {
	if len(o.Portfolio) == 0 {
		return of(o)
	}
	var words []string
	for i := range o.Portfolio {
		if w := of(&o.Portfolio[i]); w != "" && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return strings.Join(words, "+")
}

// Encodings names the lowering, or those of a portfolio's members.
func (o *Options) Encodings() string { return o.joined(func(m *Options) string { return m.Encoding }) }

// Bounding names the method that bounds the model, or those of a portfolio's members.
func (o *Options) Bounding() string { return o.joined(func(m *Options) string { return m.Bounds }) }

// team is what the members of a portfolio share. It is nil for a single solver. Safe for
// concurrent use.
type team struct {
	mu   sync.Mutex
	best *individual.Witness
	// latest holds the last progress report of each member.
	latest []Progress
}

// tell makes a replayed witness the best of all members, unless another has at least its margin. t
// may be nil.
func (t *team) tell(w *individual.Witness) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.best == nil || w.Margin > t.best.Margin {
		t.best = w
	}
}

// bestWitness returns the best witness of all members; nil if none.
func (t *team) bestWitness() *individual.Witness {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.best
}

// progress merges a report of member i into the progress of all members.
func (t *team) progress(i int, p Progress) Progress {
	t.latest[i] = p
	p.Open, p.Decided, p.Nodes, p.Settled, p.HasBound = 0, 0, 0, 0, false
	for _, m := range t.latest {
		p.Open, p.Decided, p.Nodes = max(p.Open, m.Open), max(p.Decided, m.Decided), p.Nodes+m.Nodes
		p.Settled = max(p.Settled, m.Settled)
		if m.Witness != nil && (p.Witness == nil || m.Witness.Margin > p.Witness.Margin) {
			p.Witness = m.Witness
		}
		if m.HasBound && (!p.HasBound || m.Bound < p.Bound) {
			p.Bound, p.HasBound = m.Bound, true
		}
	}
	return p
}

// adopt takes over another member's better witness while the largest margin is sought, and reports
// whether it did.
func (r *run) adopt() bool {
	w := r.o.team.bestWitness()
	if w == nil || r.deciding || r.report.Witness != nil && w.Margin <= r.report.Witness.Margin {
		return false
	}
	r.report.Witness = w
	r.raise(w)
	r.note()
	return true
}

// adopt calls run.adopt, and makes a witness that it takes over the solver's next start.
func (a *ask) adopt() {
	if a.run.adopt() {
		w := a.report.Witness
		a.begin = [][]float64{w.Copy1, w.Copy2}
	}
}

// asked is one member's answer to a question.
type asked[T any] struct {
	member int
	out    *T
	err    error
}

// race asks all members at once and interrupts the others when one settles the question. All
// have ended when it returns. They share threads and memory; each gets at least one thread.
func race[T any](ctx context.Context, o Options, ask func(context.Context, Options) (*T, error), settles func(*T) bool) []asked[T] {
	ctx, end := context.WithCancel(ctx)
	defer end()
	t := &team{latest: make([]Progress, len(o.Portfolio))}
	var telling sync.Mutex
	answers := make(chan asked[T])
	for i, m := range o.Portfolio {
		one := o.as(m)
		one.team, one.Threads = t, max(1, o.Threads/len(o.Portfolio))
		if o.Memory > 0 {
			one.Memory = max(1, o.Memory/int64(len(o.Portfolio)))
		}
		if o.Progress != nil {
			one.Progress = func(p Progress) {
				telling.Lock()
				defer telling.Unlock()
				o.Progress(t.progress(i, p))
			}
		}
		go func() {
			out, err := ask(ctx, one)
			answers <- asked[T]{i, out, err}
		}()
	}
	all := make([]asked[T], len(o.Portfolio))
	for range all {
		a := <-answers
		if all[a.member] = a; a.out != nil && settles(a.out) {
			end()
		}
	}
	return all
}

// failures returns the texts of the members' errors. err joins the errors if all members
// failed; else it is nil.
func failures[T any](all []asked[T], o *Options) (faults []string, err error) {
	failed := 0
	for _, a := range all {
		if a.err == nil {
			continue
		}
		failed++
		err = errors.Join(err, a.err)
		faults = append(faults, fmt.Sprintf("solver %s: %s", o.Portfolio[a.member].Description.Name, FailureReason(a.err)))
	}
	if failed < len(all) {
		err = nil
	}
	return faults, err
}

// runAll is Run for a portfolio. Every member answers the entire question; the first to settle
// it ends the race. While maximising, each raises its target to the best witness of all. The
// report holds the witness with the largest margin, and the bound that closed the question,
// else the least bound, with the grade of its proof. A bound or proof that another member's
// witness exceeds counts as refuted.
func runAll(ctx context.Context, q *problem.Query, o Options) (*Report, error) {
	all := race(ctx, o, func(ctx context.Context, m Options) (*Report, error) { return Run(ctx, q, m) }, func(r *Report) bool {
		return r.Closed || !o.Maximise && r.Verdict != Undecided
	})
	faults, err := failures(all, &o)
	out := &Report{Regions: map[Method]int{}}
	var best *asked[Report] // has the largest margin
	for i := range all {
		if r := all[i].out; r != nil && r.Witness != nil && (best == nil || r.Witness.Margin > best.out.Witness.Margin) {
			best = &all[i]
		}
	}
	name := func(a *asked[Report]) string { return o.Portfolio[a.member].Description.Name }
	var proof, bound, closed *asked[Report] // the best proof of fairness; the least bound; one that closed the maximum
	none := true
	for i := range all {
		a := &all[i]
		r := a.out
		if r == nil {
			continue
		}
		none = false
		out.Spurious, out.Refinements, out.Splits = out.Spurious+r.Spurious, out.Refinements+r.Refinements, out.Splits+r.Splits
		out.Solves, out.Nodes, out.Nobody = out.Solves+r.Solves, out.Nodes+r.Nodes, out.Nobody || r.Nobody
		for _, f := range r.Faults {
			if a.err == nil || f != a.err.Error() { // else it is among the failures
				faults = append(faults, f)
			}
		}
		out.Refuted = append(out.Refuted, r.Refuted...)
		if best != nil && r.contradicts(best.out) {
			claim := "that no individual violates the notion"
			limit, _ := q.Notion.Threshold(q.Epsilon).Float64()
			if r.HasBound {
				limit = r.Bound + r.BoundTolerance
				claim = fmt.Sprintf("that nothing exceeds %.9g", r.Bound)
			}
			text := fmt.Sprintf("solver %s: it claims %s; a replayed witness of solver %s has %.9g", name(a), claim, name(best), best.out.Witness.Margin)
			faults = append(faults, text)
			out.Refuted = append(out.Refuted, Refutation{text, o.Portfolio[a.member].Description.Exactness, q.RegionOrWhole(), best.out.Witness, limit})
			continue
		}
		if r.Verdict == Fair && (proof == nil || sdk.Weakest(r.Grade, proof.out.Grade) == proof.out.Grade && r.Grade != proof.out.Grade) {
			proof = a
		}
		if r.Closed {
			closed = a
		}
		if r.HasBound && (bound == nil || r.Bound+r.BoundTolerance < bound.out.Bound+bound.out.BoundTolerance) {
			bound = a
		}
	}
	if none {
		return nil, err
	}
	out.Faults = faults
	counted := best
	if best != nil {
		out.Witness = best.out.Witness
	}
	switch {
	case slices.ContainsFunc(all, func(a asked[Report]) bool { return a.out != nil && a.out.Verdict == Unfair }):
		out.Verdict = Unfair
	case proof != nil:
		p := proof.out
		out.Verdict, out.Grade, out.Tolerance, out.ToleranceFormula = Fair, p.Grade, p.Tolerance, p.ToleranceFormula
		counted = proof
	}
	if closed != nil && closed.out.HasBound {
		bound = closed // a smaller bound with a smaller tolerance may not close the question
	}
	if bound != nil {
		b := bound.out
		out.Bound, out.HasBound, out.BoundGrade, out.BoundTolerance = b.Bound, true, b.BoundGrade, b.BoundTolerance
		if w := out.Witness; closed == nil && o.Maximise && w != nil && b.Bound <= w.Margin+apart(w.Margin, b.BoundTolerance, o.Gap) {
			closed = bound
		}
	}
	if closed != nil {
		out.Closed, counted = true, closed
	}
	if counted != nil {
		out.Regions, out.By = counted.out.Regions, name(counted)
	}
	if out.Verdict == Undecided || o.Maximise && !out.Closed {
		out.Reason = Over(ctx)
		for i := range all {
			if r := all[i].out; r != nil && out.Reason == "" {
				out.Reason = r.Reason
			}
		}
	}
	return out, err
}

// contradicts reports whether the other report's witness refutes what r claims as proved.
func (r *Report) contradicts(other *Report) bool {
	switch m := other.Witness.Margin; {
	case r.HasBound:
		return m > r.Bound+slip(r.Bound)+r.BoundTolerance && !math.IsInf(r.Bound, 1)
	default:
		return r.Verdict == Fair && other.Verdict == Unfair
	}
}

// encloseAll is Enclose for a portfolio. It returns the farthest individual and the tightest bound of
// all members; if the one refutes the other, the bound is dropped.
func encloseAll(ctx context.Context, q *problem.Query, o Options, known [][]float64) (*Extreme, error) {
	all := race(ctx, o, func(ctx context.Context, m Options) (*Extreme, error) { return Enclose(ctx, q, m, known) }, (*Extreme).Settled)
	faults, err := failures(all, &o)
	sign := 1.0
	if q.Goal == problem.MinK || q.Goal == problem.Minimise {
		sign = -1
	}
	var out *Extreme
	for _, a := range all {
		e := a.out
		if e == nil {
			continue
		}
		if out == nil {
			first := *e
			out = &first
			continue
		}
		out.Spurious, out.Solves, out.Nodes = out.Spurious+e.Spurious, out.Solves+e.Solves, out.Nodes+e.Nodes
		out.Faults, out.Refuted = append(out.Faults, e.Faults...), append(out.Refuted, e.Refuted...)
		if e.X != nil && (out.X == nil || sign*e.Found > sign*out.Found) {
			out.X, out.Found, out.Witness = e.X, e.Found, e.Witness
		}
		if e.Nobody || !out.Nobody && sign*e.Bound < sign*out.Bound {
			out.Nobody, out.Bound, out.Grade, out.Tolerance, out.ToleranceFormula = e.Nobody, e.Bound, e.Grade, e.Tolerance, e.ToleranceFormula
		}
	}
	if out == nil {
		return nil, err
	}
	out.Faults = append(out.Faults, faults...)
	if out.X != nil && (out.Nobody || sign*out.Found > sign*out.Bound+slip(out.Bound)+out.Tolerance) {
		text := fmt.Sprintf("a solver claims that nothing is beyond %.9g; a replayed individual has %.9g", out.Bound, out.Found)
		out.Faults, out.Refuted = append(out.Faults, text), append(out.Refuted, Refutation{Text: text, Grade: out.Grade, Region: q.RegionOrWhole()})
		out.Bound, out.Nobody, out.Grade, out.Tolerance, out.ToleranceFormula = widest(q), false, sdk.GradeExact, 0, ""
	}
	if out.Reason = cmp.Or(Over(ctx), out.Reason); out.Settled() {
		out.Reason = ""
	}
	return out, err
}
