package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/conformance"
	"github.com/hyfair/hyfair/sdk/rig"
	"github.com/hyfair/hyfair/sdk/serve"
)

// scorecard is a plain model, right in everything that the liars are not told to do.
type scorecard struct {
	describe func(*sdk.Description)
	// ask takes the place of Score, which it is handed.
	ask func(ctx context.Context, rows [][]float64, score scoring) ([]float64, error)
	// say changes the scores.
	say func([]float64) []float64
}

type scoring func(context.Context, [][]float64) ([]float64, error)

func (c scorecard) Describe(context.Context) (sdk.Description, error) {
	d := sdk.Description{
		Name: "scorecard", Version: "1.0.0", Summary: "points for three features", Concurrent: true,
		Features: []string{"income", "job", "sex"}, Scale: sdk.ScaleShare, Identity: "3 -2 1",
	}
	if c.describe != nil {
		c.describe(&d)
	}
	return d, nil
}

func (c scorecard) Score(ctx context.Context, rows [][]float64) ([]float64, error) {
	if c.ask != nil {
		return c.ask(ctx, rows, c.score)
	}
	return c.score(ctx, rows)
}

func (c scorecard) score(_ context.Context, rows [][]float64) ([]float64, error) {
	out := make([]float64, len(rows))
	for i, row := range rows {
		if len(row) != 3 || slices.ContainsFunc(row, func(v float64) bool { return v-v != 0 }) {
			return nil, fmt.Errorf("%w: row %d is %v, want three finite numbers", sdk.ErrInvalidProblem, i, row)
		}
		out[i] = 1 / (1 + math.Exp(2*row[1]-3*row[0]-row[2]))
	}
	if c.say != nil {
		out = c.say(out)
	}
	return out, nil
}

// TestMain lets the tests' own program serve the scorecard.
func TestMain(m *testing.M) { rig.Main(m, func() { serve.Model(scorecard{}) }) }

func TestGoodModelPasses(t *testing.T) {
	t.Run("here", func(t *testing.T) { conformance.Model(t, scorecard{}, conformance.Options{}) })
	t.Run("wire", func(t *testing.T) {
		rig.Conformance(t, client.Model)
		report, err := conformance.CheckModel(t.Context(), rig.Launch(t, client.Model).Model(), conformance.Options{}, nil)
		if n := len(conformance.ModelCases()); err != nil || report.Count(conformance.Passed) != n {
			t.Errorf("%v, not all %d passed: %+v", err, n, report.Outcomes)
		}
	})
	// Scores in single precision depend on the size of the batch.
	rounded := scorecard{say: func(s []float64) []float64 {
		for i := range s {
			s[i] = float64(math.Nextafter32(float32(s[i]), float32(len(s)%2)))
		}
		return s
	}}
	t.Run("single", func(t *testing.T) { conformance.Model(t, rounded, conformance.Options{}) })
}

// Without features, only the caller knows what a row has.
func TestModelWithoutFeatures(t *testing.T) {
	nameless := scorecard{describe: func(d *sdk.Description) { d.Features = nil }}
	report, err := conformance.CheckModel(t.Context(), nameless, conformance.Options{}, nil)
	if err != nil || report.Count(conformance.Passed) != 2 || report.Count(conformance.Inconclusive) != len(conformance.ModelCases())-2 {
		t.Errorf("%v, %+v", err, report.Outcomes)
	}
	report, err = conformance.CheckModel(t.Context(), nameless, conformance.Options{Rows: [][]float64{{1, 2, 3}, {0.5, 0, 1}}}, nil)
	if err != nil || report.Count(conformance.Passed) != len(conformance.ModelCases()) {
		t.Errorf("%v, %+v", err, report.Outcomes)
	}
}

// modelLiar is a model with one thing wrong, which the conformance case named must catch.
type modelLiar struct {
	Case, Lie string
	Model     scorecard
}

// described changes the description, and said the scores.
func described(change func(*sdk.Description)) scorecard { return scorecard{describe: change} }

func said(change func([]float64) []float64) scorecard { return scorecard{say: change} }

// modelLiars lists at least one liar for every case of models. They keep state: take a
// fresh list for every run.
func modelLiars() []modelLiar {
	calls := 0.0
	kept := map[*float64]float64{}
	return []modelLiar{
		{"describe", "it has no scale", described(func(d *sdk.Description) { d.Scale = 0 })},
		{"describe", "a feature appears twice", described(func(d *sdk.Description) { d.Features[1] = "income" })},
		{"describe", "it claims to solve problems", described(func(d *sdk.Description) { d.Serves = make([]sdk.Service, 1) })},
		{"describe", "it has an option", described(func(d *sdk.Description) { d.Options = []sdk.Option{{Name: "a", Help: "b"}} })},
		{"describe", "its batch is negative", described(func(d *sdk.Description) { d.Batch = -1 })},
		{"none", "it has a score for nothing", said(func(s []float64) []float64 { return append(s, 0.5) })},
		{"scores", "it has one score for all", said(func(s []float64) []float64 { return s[:1] })},
		{"scores", "a score is not a number", said(func(s []float64) []float64 { s[len(s)-1] = math.NaN(); return s })},
		{"scores", "a score is infinite", said(func(s []float64) []float64 { s[0] = math.Inf(1); return s })},
		{"scores", "its shares are percentages", said(func(s []float64) []float64 { s[0] *= 100; return s })},
		{"scores", "it cannot score one row alone", scorecard{ask: func(ctx context.Context, rows [][]float64, score scoring) ([]float64, error) {
			if len(rows) == 1 {
				return nil, errors.New("expected 2 dimensions")
			}
			return score(ctx, rows)
		}}},
		{"batch", "it takes fewer rows than it says", scorecard{ask: func(ctx context.Context, rows [][]float64, score scoring) ([]float64, error) {
			if len(rows) > 1000 {
				return nil, errors.New("out of memory")
			}
			return score(ctx, rows)
		}}},
		{"again", "its scores drift", said(func(s []float64) []float64 { calls++; s[0] = min(1, s[0]+1e-5*calls); return s })},
		{"order", "it takes the place for a feature", said(func(s []float64) []float64 { s[0] /= 2; return s })},
		{"alone", "it centres scores on those of the call", said(func(s []float64) []float64 {
			mean := 0.0
			for _, v := range s {
				mean += v / float64(len(s))
			}
			for i := range s {
				s[i] = (s[i] + 1 - mean) / 2
			}
			return s
		})},
		{"untouched", "it scales rows in place", scorecard{ask: func(ctx context.Context, rows [][]float64, score scoring) ([]float64, error) {
			scores, err := score(ctx, rows)
			for _, row := range rows {
				row[0] = (row[0] - 1) / 2
			}
			return scores, err
		}}},
		{"untouched", "it knows rows by where they are", scorecard{ask: func(ctx context.Context, rows [][]float64, score scoring) ([]float64, error) {
			scores, err := score(ctx, rows)
			for i, row := range rows {
				if v, ok := kept[&row[0]]; ok {
					scores[i] = v
				}
				kept[&row[0]] = scores[i]
			}
			return scores, err
		}}},
		{"bad-rows", "it fills short rows up", scorecard{ask: func(ctx context.Context, rows [][]float64, score scoring) ([]float64, error) {
			if len(rows) == 1 && len(rows[0]) < 3 {
				return []float64{0.5}, nil
			}
			return score(ctx, rows)
		}}},
		{"bad-rows", "it takes NaN for 0", scorecard{ask: func(ctx context.Context, rows [][]float64, score scoring) ([]float64, error) {
			if len(rows) == 1 && math.IsNaN(rows[0][0]) {
				return []float64{0.5}, nil
			}
			return score(ctx, rows)
		}}},
		{"bad-rows", "it panics on rows of another width", scorecard{ask: func(_ context.Context, rows [][]float64, _ scoring) ([]float64, error) {
			return []float64{rows[0][2] / 2}, nil
		}}},
		{"cancelled", "it ignores a cancel", scorecard{ask: func(ctx context.Context, rows [][]float64, score scoring) ([]float64, error) {
			if ctx.Err() != nil {
				time.Sleep(stubborn)
			}
			return score(ctx, rows)
		}}},
		{"cancelled", "a cancel is the end of it", func() scorecard {
			over := false
			return scorecard{ask: func(ctx context.Context, rows [][]float64, score scoring) ([]float64, error) {
				if over = over || ctx.Err() != nil; over {
					return nil, context.Canceled
				}
				return score(ctx, rows)
			}}
		}()},
		{"concurrent", "its calls share a buffer", sharing()},
	}
}

// sharing is a model whose second call, after the one that the case makes alone, waits for a third and
// returns the third's scores.
func sharing() scorecard {
	var calls atomic.Int32
	third := make(chan []float64, 1)
	return scorecard{ask: func(ctx context.Context, rows [][]float64, score scoring) ([]float64, error) {
		scores, err := score(ctx, rows)
		switch calls.Add(1) {
		case 2:
			return <-third, err
		case 3:
			third <- scores
		}
		return scores, err
	}}
}

func TestEveryModelCaseCatchesItsLiars(t *testing.T) {
	missing := map[string]bool{}
	for _, c := range conformance.ModelCases() {
		missing[c.Name] = true
	}
	for _, l := range modelLiars() {
		delete(missing, l.Case)
		t.Run(l.Case+"/"+l.Lie, func(t *testing.T) {
			r, err := conformance.CheckModel(context.Background(), l.Model, conformance.Options{Only: []string{l.Case}, Grace: grace}, nil)
			caught(t, r, err)
		})
	}
	for name := range missing {
		t.Errorf("no liar for the case %s", name)
	}
}

// A model that draws its parameters at its start is found out by a second process.
func TestModelsOfTwoProcesses(t *testing.T) {
	o := conformance.Options{Only: []string{"again"}, NewModel: func(context.Context) (sdk.Model, error) {
		return said(func(s []float64) []float64 { s[0] /= 2; return s }), nil
	}}
	r, err := conformance.CheckModel(t.Context(), scorecard{}, o, nil)
	caught(t, r, err)
	if why := r.Outcomes[0].Why; !strings.Contains(why, "asked again") {
		t.Error(why)
	}
}
