package export

import (
	"math/big"

	"github.com/hyfair/hyfair/sdk/problem"
)

// Outputs are values of a query's outputs that lie within the sides asked for.
func Outputs(q *problem.Query) ([]*big.Rat, error) {
	p, err := newProduct(q)
	if err != nil {
		return nil, err
	}
	out := make([]*big.Rat, len(p.outputs))
	for i, o := range p.outputs {
		out[i] = new(big.Rat)
		for _, side := range []string{o.lo, o.hi} {
			if side != "" {
				out[i].SetString(side)
			}
		}
	}
	return out, nil
}
