package checker

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/space"
)

// grid is a statement about a space of integer features of the given sizes.
func grid(sizes ...int) *certificate.Statement {
	s := &space.Space{}
	for k, n := range sizes {
		s.Features = append(s.Features, space.Feature{Name: string(rune('a' + k)), Kind: space.Integer, Hi: float64(n - 1)})
	}
	return &certificate.Statement{Space: s}
}

func covers(t interface{ Fatal(...any) }, st *certificate.Statement, boxes []space.Box) error {
	c := newCover(st)
	for _, b := range boxes {
		if err := c.add(b); err != nil {
			t.Fatal(err)
		}
	}
	return c.check(context.Background(), func(int) {})
}

// cutUp cuts a box at random into about n boxes.
func cutUp(r *rand.Rand, box space.Box, n int) []space.Box {
	k := r.IntN(len(box))
	for range box {
		if box[k].Lo == box[k].Hi {
			k = (k + 1) % len(box)
		}
	}
	if n <= 1 || box[k].Lo == box[k].Hi {
		return []space.Box{box}
	}
	at := box[k].Lo + float64(r.IntN(int(box[k].Hi-box[k].Lo)))
	low, high := append(space.Box(nil), box...), append(space.Box(nil), box...)
	low[k].Hi, high[k].Lo = at, at+1
	return append(cutUp(r, low, n/2), cutUp(r, high, n-n/2)...)
}

// TestCoverAgainstCounting changes some boxes of a cover at random and compares with a
// count at every point.
func TestCoverAgainstCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		st := grid(1+r.IntN(6), 1+r.IntN(7), 1+r.IntN(5))
		boxes := cutUp(r, st.Space.Whole().Box, 1+r.IntN(20))
		for range r.IntN(3) {
			b := boxes[r.IntN(len(boxes))]
			k := r.IntN(3)
			if r.IntN(2) == 0 && b[k].Hi < st.Space.Features[k].Hi {
				b[k].Hi++
			} else if b[k].Lo < b[k].Hi {
				b[k].Lo++
			}
		}
		if r.IntN(8) == 0 {
			boxes = append(boxes, boxes[0])
		}
		r.Shuffle(len(boxes), func(i, j int) { boxes[i], boxes[j] = boxes[j], boxes[i] })
		want := true
		f := st.Space.Features
		for a := 0.0; a <= f[0].Hi; a++ {
			for b := 0.0; b <= f[1].Hi; b++ {
				for c := 0.0; c <= f[2].Hi; c++ {
					n := 0
					for _, box := range boxes {
						if box[0].Contains(a) && box[1].Contains(b) && box[2].Contains(c) {
							n++
						}
					}
					want = want && n == 1
				}
			}
		}
		if err := covers(t, st, boxes); (err == nil) != want {
			t.Fatalf("%v: %v, want %v", boxes, err, want)
		}
	})
}

// TestPinwheel is a cover that no straight cut divides.
func TestPinwheel(t *testing.T) {
	box := func(a0, a1, b0, b1 float64) space.Box { return space.Box{{Lo: a0, Hi: a1}, {Lo: b0, Hi: b1}} }
	wheel := []space.Box{box(0, 1, 0, 0), box(2, 2, 0, 1), box(1, 2, 2, 2), box(0, 0, 1, 2), box(1, 1, 1, 1)}
	if err := covers(t, grid(3, 3), wheel); err != nil {
		t.Errorf("the wheel: %v", err)
	}
	var missing *hole
	if err := covers(t, grid(3, 3), wheel[:4]); !errors.As(err, &missing) || missing.part != "a=1,b=1" {
		t.Errorf("without its hub: %v", err)
	}
	var two *overlap
	if err := covers(t, grid(3, 3), append(wheel[:4:4], box(1, 1, 1, 2))); !errors.As(err, &two) || two.first != 2 || two.second != 4 {
		t.Errorf("with too long a hub: %v", err)
	}
}

// TestManyLeaves: a cover of many boxes is checked quickly, also with one point missing.
func TestManyLeaves(t *testing.T) {
	tier.NeedUsual(t)
	r := rand.New(rand.NewPCG(1, 2))
	st := grid(80, 60, 90, 10, 20)
	boxes := cutUp(r, st.Space.Whole().Box, 200_000)
	if len(boxes) < 100_000 {
		t.Fatalf("%d boxes", len(boxes))
	}
	r.Shuffle(len(boxes), func(i, j int) { boxes[i], boxes[j] = boxes[j], boxes[i] })
	if err := covers(t, st, boxes); err != nil {
		t.Error(err)
	}
	if err := covers(t, st, boxes[1:]); err == nil || !strings.Contains(err.Error(), "no leaf covers") {
		t.Errorf("one missing: %v", err)
	}
	if err := covers(t, st, append(boxes, boxes[77_777])); err == nil || !strings.Contains(err.Error(), "77778 and") {
		t.Errorf("one twice: %v", err)
	}
}
