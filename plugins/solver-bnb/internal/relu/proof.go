package relu

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relu/simplex"
	"github.com/hyfair/hyfair/sdk"
)

// weight says what a row has of the arguments of ReLUs a and b, which are −1 where there are none: x of a's and y of b's. A row
// of neither is a tangent's, with x of the one logit and −y of the other.
type weight struct {
	a, b int
	x, y float64
}

// Proof is what Prove proved last, where Shown is set. Copies are left out, and instead of a feature a step that cuts tells the input, with the
// number of its Step up to which it goes.
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

// record keeps a step of the proof.
func (p *Prover) record(s sdk.CaseStep) {
	if p.Shown {
		p.steps = append(p.steps, s)
	}
}

// end tells the multipliers by which a case was refuted, as slopes. Let λᵢ be that of row i, which as stated has the value
// vᵢ and is at least sᵢ. A ReLU with the argument y and the value z has gᵢ·y in it, and its rows alone say that Σλᵢ(gᵢ·y + …) is not negative. So
// whatever multiple of z is wanted, it is at most Σλᵢgᵢ·y and what the same rows leave; a checker who finds the largest that is left of
// all y and z that there can be does not find more. Sums here round by less than the errors that each row counts.
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
	if most <= 0 { // no values do, whatever the logits are
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
