// Command deaf is an unresponsive strategy plugin. Its option "in" selects the call that hangs for
// an hour: start, next (the first Next), later (the eleventh) or close. Consecutive individuals
// differ in the first feature.
package main

import (
	"context"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/serve"
	"github.com/hyfair/hyfair/sdk/space"
)

func main() { serve.Strategy(deaf{}) }

type deaf struct{}

func (deaf) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{Name: "deaf", Version: "0.1.0", Options: []sdk.Option{{Name: "in", Default: "next", Help: "call that hangs: start, next, later or close"}}}, nil
}

func (deaf) Start(_ context.Context, s *space.Space, o sdk.StartOptions) (sdk.Session, error) {
	t := &session{space: s, in: o.Options["in"]}
	t.hang("start")
	return t, nil
}

type session struct {
	space *space.Space
	in    string
	moves int64
}

func (t *session) hang(in string) {
	if t.in == in {
		time.Sleep(time.Hour)
	}
}

func (t *session) Next(context.Context, []sdk.Trial, int) ([]sdk.Move, error) {
	if t.moves++; t.moves > 10 {
		t.hang("later")
	}
	t.hang("next")
	x := make([]float64, len(t.space.Features))
	x[0] = t.space.Features[0].Lo + float64(t.moves%2)
	return []sdk.Move{{ID: t.moves, Round: t.moves - 1, Point: x, Kind: sdk.MovePoint}}, nil
}

func (t *session) Close() error {
	t.hang("close")
	return nil
}
