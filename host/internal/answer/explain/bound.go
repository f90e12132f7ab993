package explain

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Prover describes the solver that proved floors and ceiling.
type Prover struct {
	// The solver.
	Solver string `json:"solver"`
	// Wall time of all its questions, in seconds.
	Seconds float64 `json:"seconds"`
	// The reason why the solver stopped early.
	Error string `json:"error,omitempty"`
}

// prove asks a solver for floors and ceiling of the kept predicates within --bound. The
// explanation remains valid if it fails; a signal keeps what is proved so far.
func (j *job) prove(ctx context.Context, r *Result, known [][]float64) error {
	if j.request.Bound == 0 || len(r.Predicates) == 0 {
		return nil
	}
	begin := time.Now()
	solver, err := engine.OpenProver(ctx, j.session, j.request.Seed, problem.MinK, problem.Minimise, problem.MaxK, problem.Maximise)
	if err != nil {
		return err
	}
	defer solver.Close()
	proving := Proving{
		Query: *j.query, Time: j.request.Bound, Known: known, Ask: solver.Enclose, Progress: j.progress,
	}
	r.Ceiling, err = proving.Run(ctx, r.Predicates)
	r.Prover = &Prover{Solver: solver.Plugin.Description().Name, Seconds: time.Since(begin).Seconds()}
	r.Interrupted = session.Interrupted(ctx)
	if err != nil {
		r.Prover.Error = err.Error()
		return fmt.Errorf("--bound: %w", err)
	}
	return nil
}

// proved is the table of floors and ceiling.
func (r *Result) proved() *view.Table {
	t := &view.Table{
		Title:   fmt.Sprintf("Proved for every individual, by %s in %s", r.Prover.Solver, view.Seconds(r.Prover.Seconds)),
		Columns: view.Columns("where", "k", "found", "gap", "found", "grade"),
		Notes: []string{
			"inside a predicate no individual has less; outside all predicates none has more. found: the extreme value of the individuals evaluated.",
		},
	}
	t.Columns[5].Right = false
	for i := range r.Predicates {
		t.Add(proved(fmt.Sprintf("inside %d", i+1), atLeast, r.Predicates[i].Floor)...)
	}
	t.Add(proved("outside", atMost, r.Ceiling)...)
	return t
}

// proved returns the cells of one part of the region for the table of floors and ceiling.
func proved(where, sign string, p *Proved) []string {
	switch {
	case p == nil:
		return []string{where, "–", "–", "–", "–", ""}
	case p.Nobody:
		return []string{where, "nobody", "–", "–", "–", ""}
	}
	k, foundK := limit(p.K, sign, 0)
	gap, foundGap := limit(p.Gap, sign, 3)
	var grades []string
	for _, l := range []*Limit{p.K, p.Gap} {
		if l != nil && !slices.Contains(grades, l.Grade) {
			grades = append(grades, l.Grade)
		}
	}
	return []string{where, k, foundK, gap, foundGap, strings.Join(grades, ", ")}
}

// limit formats a bound and the value found, "= 9" if they are equal. The bound is rounded to
// the side on which it still holds.
func limit(l *Limit, sign string, decimals int) (bound, found string) {
	if l == nil {
		return "–", "–"
	}
	if found = "–"; l.Found != nil {
		found = strconv.FormatFloat(*l.Found, 'f', decimals, 64)
	}
	if l.Certified {
		return "= " + found, found
	}
	unit := math.Pow10(decimals)
	v := math.Floor(l.Proved*unit) / unit
	if v > l.Proved { // the product was rounded up
		v -= 1 / unit
	}
	if sign == atMost {
		if v = math.Ceil(l.Proved*unit) / unit; v < l.Proved {
			v += 1 / unit
		}
	}
	return sign + strconv.FormatFloat(v, 'f', decimals, 64), found
}

// Signs in front of a bound: of a floor, and of a ceiling.
const (
	atLeast = "≥ "
	atMost  = "≤ "
)

// provedCells returns a network's cells in the table of several networks: k inside the first
// predicate and outside all.
func (r *Result) provedCells() []string {
	if r.Prover == nil {
		return []string{"–", "–"}
	}
	cell := func(p *Proved, sign string) string {
		switch {
		case p == nil:
			return "–"
		case p.Nobody:
			return "nobody"
		}
		k, found := limit(p.K, sign, 0)
		if p.K == nil || p.K.Certified {
			return k
		}
		return fmt.Sprintf("%s (%s)", k, found)
	}
	return []string{cell(r.Predicates[0].Floor, atLeast), cell(r.Ceiling, atMost)}
}
