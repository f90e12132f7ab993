package certify

import (
	"math/big"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// counted is a model with logit input minus a constant; it counts conversions to exact form.
type counted struct {
	model.Model
	less int64
	made int
}

func (c *counted) Exact() model.Exact {
	c.made++
	return less(c.less)
}

type less int64

func (l less) Logit(inputs []*big.Rat) *big.Rat {
	return new(big.Rat).Sub(inputs[0], big.NewRat(int64(l), 1))
}

// The class of a copy is that of the one model with a positive logit; without one it is nil.
// Each model is made exact once, for any number of copies.
func TestClassOfCopies(t *testing.T) {
	a := &asker{query: &problem.Query{Space: &space.Space{Inputs: 1, Features: []space.Feature{
		{Name: "p", Kind: space.Integer, Hi: 9, Protected: []float64{0, 9}, Inputs: []space.Input{{Index: 0, Scale: 1}}},
	}}}}
	models := []*counted{{less: 7}, {less: 3}}
	for i, m := range models {
		a.asked = append(a.asked, &question.Question{Study: &study.Study{Model: m, Class: &i}})
	}
	for v, want := range map[float64]int{9: 0, 5: 1, 0: -1} {
		got := -1
		if c := a.class([]float64{v}); c != nil {
			got = *c
		}
		if got != want {
			t.Errorf("%v: class %d, want %d", v, got, want)
		}
	}
	for i, m := range models {
		if m.made != 1 {
			t.Errorf("model %d was made exact %d times", i, m.made)
		}
	}
}
