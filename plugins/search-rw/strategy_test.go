package main

import (
	"context"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// The walk moves to every candidate, however bad, by changing one feature.
func TestWalkAcceptsEverything(t *testing.T) {
	s := &space.Space{Features: []space.Feature{
		{Name: "a", Kind: space.Integer, Lo: 0, Hi: 9},
		{Name: "b", Kind: space.Integer, Lo: 0, Hi: 9},
		{Name: "group", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}},
	}}
	o := sdk.StartOptions{Seed: 3, Rows: [][]float64{{4, 4, 1}}}
	session, err := strategy{}.Start(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	var told []sdk.Trial
	var last []float64
	for i := range 200 {
		moves, err := session.Next(context.Background(), told, 1)
		if err != nil {
			t.Fatal(err)
		}
		m := moves[0]
		if last != nil {
			changed := 0
			for j := range m.Point {
				if m.Point[j] != last[j] {
					changed++
				}
			}
			if want := map[sdk.MoveKind]int{sdk.MovePoint: 1, sdk.MoveSeedFrom: 0}[m.Kind]; changed != want {
				t.Fatalf("move %d (kind %d) goes from %v to %v", i, m.Kind, last, m.Point)
			}
		}
		last = m.Point
		told = []sdk.Trial{{ID: m.ID, Status: sdk.TrialEvaluated, Point: m.Point, K: 1 + 1000/(i+1)}}
	}
}
