package relu

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relu/simplex"
	"github.com/hyfair/hyfair/sdk"
)

// weight is a row's coefficients of the arguments of ReLUs a and b: x for a's and y for b's; an index is −1 if there is
// none. A row with neither is a tangent's: its coefficients are x for the first copy's logit, −y for the second's.
type weight struct {
	a, b int
	x, y float64
}

// Proof returns the last proof of Prove, if Shown is set. Copies are left out. A cut names the input instead of a feature,
// and the number of its Step up to which the lower part goes.
func (p *Prover) Proof() sdk.CaseProof {
	c := sdk.CaseProof{Steps: slices.Clone(p.steps)}
	for _, r := range p.relus {
		side := &c.First
		if r.side == 1 {
			side = &c.Second
		}
		side.Neurons = append(side.Neurons, r.of)
	}
	return c
}

// record records a step of the proof, if Shown is set.
func (p *Prover) record(s sdk.CaseStep) {
	if p.Shown {
		p.steps = append(p.steps, s)
	}
}

// end records the multipliers that refuted a case, as slopes. Let λᵢ multiply row i, and let sᵢ be the side that it uses, so
// that λᵢ(rowᵢ − sᵢ) ≥ 0. Summed over the rows of a ReLU with argument y and value z only, this has the form
//
//	Σλᵢgᵢ·y + h·z + c ≥ 0,
//
// with gᵢ the coefficient of y in row i; a row about two ReLUs has such terms for both. The slope is Σλᵢgᵢ: −h·z is at most
// slope·y + c. A checker that maximises −h·z − slope·y over all possible y and z finds no more than c. The sums here round
// by less than the errors that each row includes.
func (p *Prover) end(t *simplex.Tableau) {
	if !p.Shown {
		return
	}
	s := sdk.CaseStep{Kind: sdk.CaseEnd, Slopes: make([]float64, len(p.relus))}
	for i, l := range t.Multipliers() {
		l *= p.scale[p.program.Columns+i]
		w := p.weights[i]
		if w.a < 0 {
			s.Up, s.Down = s.Up+l*w.x, s.Down+l*w.y
			continue
		}
		if s.Slopes[w.a] += l * w.x; w.b >= 0 {
			s.Slopes[w.b] += l * w.y
		}
	}
	most := max(s.Up, s.Down)
	if most <= 0 { // infeasible whatever the logits are
		s.Up, s.Down = 0, 0
		for _, v := range s.Slopes {
			most = max(most, math.Abs(v))
		}
	}
	unit := power(most)
	s.Up, s.Down = s.Up/unit, s.Down/unit
	for i := range s.Slopes {
		s.Slopes[i] /= unit
	}
	p.record(s)
}
