package model_test

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/linear"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
)

// A family has one reader: a second one is a mistake of the program's.
func TestRegisterPanics(t *testing.T) {
	for name, read := range map[string]func([]byte) (model.Model, error){
		linear.Family: func([]byte) (model.Model, error) { return nil, nil }, "unread": nil,
	} {
		func() {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.Contains(text, name) {
					t.Errorf("%s: %v", name, text)
				}
			}()
			model.Register(name, read)
		}()
	}
	content, err := (&linear.Unit{Weights: []float64{1}}).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if m, known, err := model.Read(linear.Family, content); err != nil || !known || m.Family() != linear.Family {
		t.Errorf("%v, %v, %v", m, known, err)
	}
	if _, known, _ := model.Read("unread", nil); known {
		t.Error("a family without a function is known")
	}
}

// Less is smaller by exactly what is asked for, and Bits bounds what logits are multiples of.
func TestLowering(t *testing.T) {
	for seed := range 60 {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		q := known.Query(r, fairness.Decision)
		if seed%2 == 1 {
			forest := known.Trees(r, q.Space)
			q.Model = forest
			if seed%4 == 3 {
				known.Shares(r, forest)
			}
		}
		m := q.Model.(model.Lowering)
		inputs := make([]int, m.Inputs())
		for i := range inputs {
			inputs[i] = 1100 // whatever a float64 is a multiple of
		}
		if bits, ok := m.Bits(inputs); ok && m.Family() != "trees" { // whose leaves alone add up
			t.Errorf("seed %d: logits are multiples of 2^-%d", seed, bits)
		}
		by := new(big.Rat).SetFrac(big.NewInt(r.Int64()-1<<62), new(big.Int).Lsh(big.NewInt(1), uint(r.IntN(300))))
		less, err := m.Less(model.Constant(by))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		before, after := m.Exact(), less.Exact()
		for x := range q.Space.Individuals(q.Region.Box) {
			for _, point := range q.Space.Counterfactuals(q.Region, x) {
				in := q.Space.ExactInputs(point)
				if want := new(big.Rat).Sub(before.Logit(in), by); want.Cmp(after.Logit(in)) != 0 {
					t.Fatalf("seed %d, %v: %v, want %v", seed, point, after.Logit(in), want)
				}
			}
		}
	}
	if _, err := (model.Split(big.NewRat(1, 3))); err == nil {
		t.Error("a third is a sum of float64 numbers")
	}
}
