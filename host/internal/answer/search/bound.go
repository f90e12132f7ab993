package search

import (
	"fmt"

	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Bound is an upper bound of k that a solver proved; searches only find individuals.
type Bound struct {
	// No individual of the searched space reaches more bins.
	MaxK int `json:"max_k"`
	// An individual that was found reaches the bound.
	Certified bool `json:"certified"`
	// The grade of the proof.
	Grade string `json:"grade"`
	// The solver that gave the proof.
	Solver string `json:"solver"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
	// The reason why the solver stopped early: it was lost, or contradicted an evaluated individual, on
	// which the bound does not rest.
	Error string `json:"error,omitempty"`
}

// Hold compares the bound with the largest k that was found, 0 for none. An error means that
// an individual refutes the solver, and the bound is void.
func (b *Bound) Hold(found int) error {
	if b.Certified = b.MaxK == found && found > 0; found > b.MaxK {
		return session.Refuted([]string{fmt.Sprintf("solver %s: it claims that no individual reaches more than %d bins; a search found one that reaches %d", b.Solver, b.MaxK, found)})
	}
	return nil
}

// String returns the bound as a sentence.
func (b *Bound) String() string {
	text := fmt.Sprintf("No individual reaches more than k = %d, proved (%s) by %s in %s", b.MaxK, b.Grade, b.Solver, view.Seconds(b.Seconds))
	if b.Certified {
		text += fmt.Sprintf(": Max.K = %d, certified", b.MaxK)
	}
	return text + "."
}
