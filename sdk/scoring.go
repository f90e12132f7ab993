package sdk

import (
	"context"
	"fmt"
	"math"

	"github.com/hyfair/hyfair/internal/named"
	"github.com/hyfair/hyfair/sdk/model"
)

// Model scores rows. The host knows a model by its scores only, so it proves nothing about it: results
// are observed.
type Model interface {
	Describe(ctx context.Context) (Description, error)
	// Score returns the score of each row, a finite number. A row has the values of the features that
	// Describe names, in that order: numbers in their own units, and categories by their place in the
	// study's list. The score of a row depends on that row alone. The host makes one call at a time.
	// Score must not keep or modify the rows.
	Score(ctx context.Context, rows [][]float64) ([]float64, error)
}

// Scale says what a model's scores are.
type Scale uint8

const (
	// ScaleShare is for shares and probabilities, from 0 to 1.
	ScaleShare Scale = iota + 1
	// ScaleLogit is for logits, whose sigmoid is the score.
	ScaleLogit
	// ScaleNumber is for any other finite numbers.
	ScaleNumber
)

// String gives the name used in listings and JSON.
func (s Scale) String() string { return named.Of(s, "share", "logit", "number") }

// Check returns an error that names the first score that is not on the scale, or says that there is not
// one score for each of the rows.
func (s Scale) Check(rows int, scores []float64) error {
	if len(scores) != rows {
		return fmt.Errorf("%d scores for %d rows, want one a row", len(scores), rows)
	}
	for i, v := range scores {
		switch {
		case v-v != 0: // NaN or infinite
			return fmt.Errorf("score %d of %d is %v, want a finite number", i+1, rows, v)
		case s == ScaleShare && (v < 0 || v > 1):
			return fmt.Errorf("score %d of %d is %v, want a share from 0 to 1, as its description says", i+1, rows, v)
		}
	}
	return nil
}

// ScoreRounding is the relative difference up to which two scores of a row count as equal: libraries sum in
// another order in batches of another size, some of them in single precision.
const ScoreRounding = 1e-6

// SameScore reports whether two scores of a row differ by no more than rounding; NaN differs from everything.
func SameScore(a, b float64) bool {
	return math.Abs(a-b) <= ScoreRounding*max(1, math.Abs(a), math.Abs(b))
}

// DefaultBatch is the largest number of rows of a call, unless Description.Batch says otherwise.
const DefaultBatch = 4096

// Provable returns nil if proofs about the model are possible, and otherwise the error of a request that
// needs one: what completes "… needs a model whose parameters are known".
func Provable(m model.Model, what string) error {
	o, ok := m.(model.Observed)
	if !ok {
		return nil
	}
	return fmt.Errorf("%w: %s needs a model whose parameters are known, but %s is known by its answers only (observed): "+
		"use audit, search, explain or quantify, or a model file that hyfair reads", ErrUnsupported, what, o.Source())
}
