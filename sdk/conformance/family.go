package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
)

// strange is the name of a family that no plugin takes.
const strange = "conformance-stranger"

// stranger is a network that passes for a model of that family.
type stranger struct{ model.Model }

func (stranger) Family() string { return strange }

// MarshalBinary implements model.Portable.
func (stranger) MarshalBinary() ([]byte, error) { return []byte(strange), nil }

func checkSolverFamily(ctx context.Context, e *SolverEnv) error {
	q := stepQuery("1/20")
	q.Model = stranger{q.Model}
	r, err := e.solve(ctx, &problem.Problem{Name: "a model of another family", Query: q}, sdk.SolveOptions{})
	return refusedByName(answer(r, err), err)
}

func checkStrategyFamily(ctx context.Context, e *StrategyEnv) error {
	st := mixedStudy()
	s, err := e.startWith(ctx, e.Strategy, st, sdk.StartOptions{
		Model: stranger{randomNetwork(rand.New(rand.NewPCG(4, 4)), st.space.Inputs, 5)},
	})
	if err == nil {
		s.Close()
	}
	return refusedByName(fmt.Sprint("a session; ", err), err)
}

func refusedByName(got string, err error) error {
	if !errors.Is(err, sdk.ErrUnsupported) || !strings.Contains(err.Error(), strange) {
		return fmt.Errorf("models of the family %s are not claimed: want ErrUnsupported that names it, got %s", strange, got)
	}
	return nil
}
