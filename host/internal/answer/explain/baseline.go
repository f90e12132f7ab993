package explain

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/explain/lime"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/space"
)

// LIME is LIME's explanation of the worst-treated individual.
type LIME struct {
	// The number of explained counterfactuals.
	Explanations int `json:"explanations"`
	// The number of samples of each explanation.
	Samples int `json:"samples"`
	// The mean R² of the explanations.
	R2 float64 `json:"r2"`
	// The individual's k.
	K int `json:"k"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
	// The features among the strongest three of any explanation.
	Union LIMESet `json:"union"`
	// The features among the strongest three of every explanation.
	Intersection LIMESet `json:"intersection"`
}

// LIMESet is a set of features with the paper's measures of an explanation.
type LIMESet struct {
	// The number of features, protected ones included.
	Size int `json:"size"`
	// The mean of the features' k; null if no feature has one.
	PertK *float64 `json:"pert_k"`
	// The standard deviation of k over the features; null if fewer than two have one.
	PertKSD *float64 `json:"pert_k_sd"`
	// The individual's k less pert_k; null if pert_k is.
	Diff *float64 `json:"diff"`
	// The features in the study's order.
	Features []LIMEFeature `json:"features"`
}

// LIMEFeature is one feature of a LIMESet.
type LIMEFeature struct {
	// The feature.
	Name string `json:"name"`
	// The feature is protected.
	Protected bool `json:"protected"`
	// The number of explanations that have it among their strongest three.
	Explanations int `json:"explanations"`
	// The mean k over the feature's other values; null for a protected feature, and without another value.
	K *float64 `json:"k"`
}

// baseline explains x by LIME, drawing from the study's rows.
func (j *job) baseline(ctx context.Context, r *Result, x []float64, rows [][]float64) error {
	begin, q := time.Now(), j.query
	c := lime.Config{
		Model: j.question.Study.Model, Space: q.Space, Region: q.Region, Evaluator: j.evaluator, Rows: rows,
		Individual: x, Samples: j.request.LIMESamples, Seed: j.request.Seed,
		Progress: func(done, total int) { j.progress(fmt.Sprintf("LIME, counterfactual %d of %d", done, total)) },
	}
	b, err := lime.Explain(ctx, c)
	if err != nil {
		return fmt.Errorf("--lime: %w", err)
	}
	r.LIME = newLIME(b, q.Space)
	r.LIME.Samples, r.LIME.Seconds = c.Samples, time.Since(begin).Seconds()
	return nil
}

func newLIME(b *lime.Baseline, s *space.Space) *LIME {
	set := func(from *lime.Set) LIMESet {
		to := LIMESet{Size: len(from.Features), PertK: from.Mean, PertKSD: from.SD, Features: []LIMEFeature{}}
		if from.Mean != nil {
			diff := float64(b.K) - *from.Mean
			to.Diff = &diff
		}
		for _, f := range from.Features {
			feature := &s.Features[f.Index]
			to.Features = append(to.Features, LIMEFeature{Name: feature.Name, Protected: feature.IsProtected(), Explanations: f.Times, K: f.K})
		}
		return to
	}
	return &LIME{Explanations: b.Explanations, R2: b.R2, K: b.K, Union: set(&b.Union), Intersection: set(&b.Intersection)}
}

// show appends the explanation to a document.
func (r *LIME) show(d *view.Document) {
	d.Say("LIME on the worst-treated individual: %d counterfactuals, %s samples each, R² %.2f on average.", r.Explanations, view.Count(r.Samples), r.R2)
	features := &view.Table{Columns: view.Columns("feature", "explanations", "k"), Notes: []string{
		fmt.Sprintf("explanations: how many of the %d have the feature among their strongest three. k: mean over the feature's other values, all else equal.", r.Explanations),
	}}
	for _, f := range r.Union.Features {
		k := "–"
		if f.Protected {
			k = "protected"
		} else if f.K != nil {
			k = view.Number(f.K, 1)
		}
		features.Add(f.Name, strconv.Itoa(f.Explanations), k)
	}
	sets := &view.Table{Columns: view.Columns("", "Size", "K", "Pert.K", "Diff")}
	sets.Add(append([]string{"union"}, r.Union.cells(r.K)...)...)
	sets.Add(append([]string{"intersection"}, r.Intersection.cells(r.K)...)...)
	d.Add(features, sets)
}

// cells are Size, K, Pert.K and Diff.
func (s *LIMESet) cells(k int) []string {
	return []string{strconv.Itoa(s.Size), strconv.Itoa(k), view.MeanSD(s.PertK, s.PertKSD, 1), view.Number(s.Diff, 1)}
}

// cells are Size, K, Pert.K, Diff and Cov of the union, for the table of several studies.
// An explanation covers one individual. Always five texts, also for nil.
func (r *LIME) cells() []string {
	if r == nil {
		return []string{view.NA, view.NA, view.NA, view.NA, view.NA}
	}
	return append(r.Union.cells(r.K), "1")
}
