package chain_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/chain"
	"github.com/hyfair/hyfair/sdk/space"
)

// applicants is a space of two features: an income, and the protected sex.
var applicants = &space.Space{Inputs: 2, Features: []space.Feature{
	{Name: "income", Kind: space.Integer, Hi: 9, Inputs: []space.Input{{Index: 0, Scale: 1}}},
	{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"female", "male"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
}}

// climb proposes a neighbour, and accepts what is no worse.
type climb struct{ *chain.Domain }

func (c climb) Propose(rng *rand.Rand, current []float64) []float64 { return c.Neighbour(rng, current) }

func (climb) Accept(_ *rand.Rand, current, candidate int, _ int64) bool { return candidate >= current }

func Example() {
	d := chain.NewDomain(applicants, sdk.StartOptions{Region: applicants.Whole(), Rows: [][]float64{{4, 0}}})
	c := chain.New(d, climb{d}, 1)
	moves, err := c.Next(context.Background(), nil, 1)
	fmt.Println(moves[0].Kind == sdk.MoveSeedFrom, moves[0].Point, err)
	// The host answers: an individual was found here, whose copies get 1 outcome. The chain proposes a neighbour.
	moves, err = c.Next(context.Background(), []sdk.Trial{{ID: moves[0].ID, Status: sdk.TrialEvaluated, Point: moves[0].Point, K: 1}}, 1)
	fmt.Println(moves[0].Kind == sdk.MovePoint, len(moves[0].Point), err)
	// Output:
	// true [4 0] <nil>
	// true 2 <nil>
}
