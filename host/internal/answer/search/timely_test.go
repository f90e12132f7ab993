package search

import (
	"context"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/system/clock"
	"github.com/hyfair/hyfair/sdk/evaluate"
)

// endless evaluates for ever.
type endless struct{ Evaluator }

func (endless) EvaluateCopies([][]float64, []evaluate.Outcome, evaluate.Detail) []evaluate.Copies {
	select {}
}

// TestABudgetEndsAnEvaluation: an individual whose evaluation never ends does
// not keep a search from ending with its budget, and is not counted.
func TestABudgetEndsAnEvaluation(t *testing.T) {
	budget := Budget{Time: 50 * time.Millisecond}
	paper, _ := config(t, count())
	paper.Budget = budget
	fast, _ := fastConfig(t, strolling(20), budget)
	for name, c := range map[string]Config{"paper": paper, "fast": fast} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.Evaluator, c.Stream.Clock = endless{}, clock.Wall(time.Now())
			ended := make(chan *Outcome, 1)
			go func() { ended <- Run(context.Background(), c) }()
			select {
			case r := <-ended:
				if r.Err != nil || r.Evaluations != 0 || r.Outside != 0 {
					t.Errorf("error %v, %d evaluations, %d outside", r.Err, r.Evaluations, r.Outside)
				}
			case <-time.After(30 * time.Second):
				t.Fatal("the budget did not hold")
			}
		})
	}
}
