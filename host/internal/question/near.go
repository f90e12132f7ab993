package question

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Nearby says near which rows the individuals of an answer are. It is zero if the answer is about all individuals.
type Nearby struct {
	// The largest Gower distance from a row of the data, with --near.
	Near string `json:"near,omitempty"`
	// With --near: the number of different rows of the data, --where or not; rows with a value outside its domain are left out.
	NearRows int `json:"near_rows,omitempty"`
}

// NearbyOf returns the vicinity of an answer to a query of the spec.
func (s *Spec) NearbyOf(q *problem.Query) Nearby {
	if q.Within == nil {
		return Nearby{}
	}
	return Nearby{s.Near, len(q.Within.Rows)}
}

// WhichAre describes the individuals, after that word; empty if they are all.
func (n Nearby) WhichAre() string {
	if n.Near == "" {
		return ""
	}
	return fmt.Sprintf(" within a Gower distance of %s of one of all %s different rows of the data", n.Near, view.Count(int64(n.NearRows)))
}

// within restricts a query to individuals near rows of the data. Rows with a value outside its feature's domain are left out.
func (q *Question) within(of *problem.Query) (err error) {
	if q.Spec.Near == "" {
		return nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("--near: %w", err)
		}
	}()
	distance, ok := new(big.Rat).SetString(q.Spec.Near)
	if !ok {
		return fmt.Errorf("got %q, want a decimal or a fraction from 0 to 1", q.Spec.Near)
	}
	data, err := q.Study.Data()
	if err != nil {
		return err
	}
	inside := slices.DeleteFunc(slices.Clone(data.Points), func(x []float64) bool { return !of.Space.ContainsIndividual(x) })
	of.Within, err = space.NewVicinity(of.Space, inside, distance)
	return err
}
