//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// walk proposes rows of the data set, or random points if it gets no rows.
// The seed 13 makes it misbehave as the option "trouble" says.
type walk struct{}

func (walk) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{
		Name: "walk", Version: "1.0.0", Summary: "for tests",
		Options:   []sdk.Option{{Name: "moves", Default: "100"}, {Name: "trouble"}},
		Presets:   []sdk.Preset{{Name: "walk+short", Summary: "ten moves", Options: map[string]string{"moves": "10"}}},
		NeedsRows: true, Lag: 2,
	}, nil
}

func (walk) Start(_ context.Context, s *space.Space, o sdk.StartOptions) (sdk.Session, error) {
	left := 100
	if text := o.Options["moves"]; text != "" {
		if _, err := fmt.Sscan(text, &left); err != nil {
			return nil, fmt.Errorf("moves: %w: %w", err, sdk.ErrInvalidOption)
		}
	}
	return &stroll{space: s, rows: o.Rows, left: left, trouble: o.Options["trouble"], random: rand.New(rand.NewPCG(uint64(o.Seed), 1))}, nil
}

type stroll struct {
	space   *space.Space
	rows    [][]float64
	left    int
	id      int64
	told    int
	trouble string
	random  *rand.Rand
}

func (t *stroll) Next(ctx context.Context, told []sdk.Trial, want int) ([]sdk.Move, error) {
	t.told += len(told)
	switch t.trouble {
	case "exit":
		fmt.Fprintln(os.Stderr, "out of ideas")
		os.Exit(5)
	case "panic":
		panic("out of luck")
	case "none":
		return nil, nil
	case "many":
		want += 3
	case "narrow":
		return []sdk.Move{{ID: 1, Kind: sdk.MovePoint, Point: []float64{1}}}, nil
	case "backwards":
		return []sdk.Move{{ID: -t.id, Kind: sdk.MovePoint, Point: t.point()}}, nil
	case "kindless":
		return []sdk.Move{{ID: 1, Point: t.point()}}, nil
	case "hang":
		<-ctx.Done()
		time.Sleep(time.Hour)
	}
	if t.left == 0 {
		return nil, io.EOF
	}
	var moves []sdk.Move
	for ; want > 0 && t.left > 0; want-- {
		t.left--
		t.id++
		moves = append(moves, sdk.Move{ID: t.id, Round: int64(t.told), Kind: sdk.MovePoint, Point: t.point()})
	}
	return moves, nil
}

func (t *stroll) point() []float64 {
	if len(t.rows) > 0 {
		return t.rows[(len(t.rows)-1+int(t.id))%len(t.rows)]
	}
	out := make([]float64, len(t.space.Features))
	for i := range out {
		f := &t.space.Features[i]
		out[i] = f.Lo + float64(t.random.IntN(int(f.Hi-f.Lo)+1))
	}
	return out
}

func (t *stroll) Close() error {
	if t.trouble == "close" {
		return fmt.Errorf("could not close: %w", sdk.ErrUnsupported)
	}
	return nil
}
