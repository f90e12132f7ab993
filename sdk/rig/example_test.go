package rig_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/rig"
)

// counter is a session that proposes the points 0, 1, 2, ….
type counter struct{ last float64 }

func (c *counter) Next(_ context.Context, told []sdk.Trial, want int) (moves []sdk.Move, err error) {
	for range want {
		c.last++
		moves = append(moves, sdk.Move{ID: int64(c.last), Kind: sdk.MovePoint, Point: []float64{c.last - 1}})
	}
	return moves, nil
}

func (*counter) Close() error { return nil }

// inTest stands for the *testing.T of a test.
type inTest struct{ testing.TB }

func (inTest) Helper() {}

func (inTest) Context() context.Context { return context.Background() }

// A host that finds as many outcomes as the point says.
func Example() {
	t := inTest{}
	host := rig.Host{Want: 2, Answer: func(m sdk.Move) sdk.Trial {
		return sdk.Trial{Status: sdk.TrialEvaluated, Point: m.Point, K: int(m.Point[0])}
	}}
	for _, m := range host.Drive(t, &counter{}, 2) {
		fmt.Println(m.ID, m.Point)
	}
	// Output:
	// 1 [0]
	// 2 [1]
	// 3 [2]
	// 4 [3]
}
