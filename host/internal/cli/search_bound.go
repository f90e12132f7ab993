package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/hyfair/hyfair/host/internal/certify"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// searchBound is what a solver proves of k beside the search, which only finds.
type searchBound struct {
	// MaxK: nobody of the space that was searched reaches more bins.
	MaxK int `json:"max_k"`
	// Certified: somebody whom the search found reaches as many.
	Certified bool    `json:"certified"`
	Grade     string  `json:"grade"`
	Solver    string  `json:"solver"`
	Seconds   float64 `json:"seconds"`
	// Error says why the solver had no more to say; empty where it ended well.
	Error string `json:"error,omitempty"`
}

// bound asks a solver for the largest k, within the limit.
func (j *searchJob) bound(ctx context.Context, limit time.Duration, best *searchBest) (*searchBound, error) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	memory, err := j.app.memoryBytes()
	if err != nil {
		return nil, usage(err)
	}
	catalogue, err := j.app.catalogue()
	if err != nil {
		return nil, err
	}
	// Without options: those of --set are the search's own plugins'.
	plugin, err := catalogue.DefaultSolver(ctx, nil, problem.FormNetwork, problem.Decide, problem.MaxK)
	if err != nil {
		return nil, fmt.Errorf("--bound: %w", err)
	}
	defer plugin.Close()
	d := plugin.Description()
	q := &problem.Query{Network: j.query.Network, Space: j.query.Space, Region: j.query.Region, Notion: fairness.Score, Epsilon: j.query.Epsilon, Goal: problem.MaxK}
	hi, grade, err := certify.MaxKBound(ctx, q, certify.Options{
		Solver: plugin.Solver(), Description: d, Threads: j.app.Threads, Memory: memory, Seed: j.app.Seed,
	})
	if grade == 0 {
		return nil, err
	}
	out := &searchBound{MaxK: hi, Grade: grade.String(), Solver: d.Name, Seconds: time.Since(start).Seconds()}
	if err != nil {
		out.Error = err.Error()
	}
	if best != nil {
		if best.K > hi {
			return nil, fmt.Errorf("--bound: solver %s claims that nobody reaches more than %d bins; the search found somebody who reaches %d", d.Name, hi, best.K)
		}
		out.Certified = best.K == hi
	}
	return out, nil
}

// print tells a person.
func (b *searchBound) print(w io.Writer) {
	if b == nil {
		return
	}
	fmt.Fprintf(w, "\nNobody reaches more than k = %d, proved (%s) by %s in %.1f s", b.MaxK, b.Grade, b.Solver, b.Seconds)
	if b.Certified {
		fmt.Fprintf(w, ": Max.K = %d, certified", b.MaxK)
	}
	fmt.Fprintln(w, ".")
}
