package main

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Ideas are switched off by name. An unknown name is refused with a list of the known ones.
func TestOff(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 57))
	q := strip(r)
	q.Goal, q.Notion = problem.Maximise, fairness.Logit
	solve := func(off string) error {
		_, err := solver{}.Solve(t.Context(), &problem.Problem{Query: q}, sdk.SolveOptions{WorkLimit: 100, Options: map[string]string{"off": off}})
		return err
	}
	if err := solve(strings.Join(params.Names(), ",")); err != nil {
		t.Errorf("all of them: %v", err)
	}
	err := solve("annealing, luck")
	if !errors.Is(err, sdk.ErrInvalidOption) || !strings.Contains(err.Error(), `"luck"`) || !strings.Contains(err.Error(), "annealing, rounding") {
		t.Errorf("%v", err)
	}
}
