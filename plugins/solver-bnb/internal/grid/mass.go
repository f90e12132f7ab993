package grid

import (
	"math"
	"math/big"
	"math/bits"
)

// Mass encloses a number of individuals, from Least to Most. At present all masses are exact, so both ends are equal. The
// zero value stands for no individuals.
type Mass struct{ Least, Most Count }

// Counted returns an exact number of individuals; v must be an integer from 0 to below
// 2¹²⁸.
func Counted(v float64) Mass {
	hi := math.Floor(v * 0x1p-64)
	return exactly(Count{uint64(hi), uint64(v - hi*0x1p64)})
}

func exactly(n Count) Mass { return Mass{n, n} }

// Add returns m + n.
func (m Mass) Add(n Mass) Mass { return Mass{m.Least.add(n.Least), m.Most.add(n.Most)} }

// Without returns m less n; n must be a part of m.
func (m Mass) Without(n Mass) Mass { return Mass{m.Least.sub(n.Least), m.Most.sub(n.Most)} }

// Float returns Least, rounded.
func (m Mass) Float() float64 { return m.Least.float() }

// Big returns Least.
func (m Mass) Big() *big.Int { return m.Least.big() }

// Count is a number of individuals, modulo 2¹²⁸, so that subtracting before adding gives the right result.
type Count struct{ hi, lo uint64 }

func (c Count) add(d Count) Count {
	lo, carry := bits.Add64(c.lo, d.lo, 0)
	hi, _ := bits.Add64(c.hi, d.hi, carry)
	return Count{hi, lo}
}

func (c Count) sub(d Count) Count {
	lo, borrow := bits.Sub64(c.lo, d.lo, 0)
	hi, _ := bits.Sub64(c.hi, d.hi, borrow)
	return Count{hi, lo}
}

func (c Count) float() float64 { return float64(c.hi)*0x1p64 + float64(c.lo) }

func (c Count) big() *big.Int {
	out := new(big.Int).SetUint64(c.hi)
	return out.Or(out.Lsh(out, 64), new(big.Int).SetUint64(c.lo))
}

// times returns c·n; ok is false if that does not fit.
func (c Count) times(n uint64) (product Count, ok bool) {
	over, lo := bits.Mul64(c.lo, n)
	beyond, hi := bits.Mul64(c.hi, n)
	hi, carry := bits.Add64(hi, over, 0)
	return Count{hi, lo}, beyond == 0 && carry == 0 && hi < 1<<63
}

// Exactly returns the number of individuals of a box before constraints; for real
// features it counts cells. ok is false if it does not fit.
func (g *Grid) Exactly(b Box) (_ Mass, ok bool) {
	n := Count{0, 1}
	for d := range g.Dims {
		if n, ok = n.times(b[2*d+1] - b[2*d] + 1); !ok {
			return exactly(Count{math.MaxUint64, math.MaxUint64}), false
		}
	}
	return exactly(n), true
}

// Mass returns the exact mass of a box; size is its Size.
func (g *Grid) Mass(b Box, size float64) Mass {
	if size < 1<<53 {
		return Counted(size)
	}
	m, _ := g.Exactly(b)
	return m
}

// Tally is what is decided: the mass that the query does not ask about, and what is proved fair and unfair.
type Tally struct{ Outside, Fair, Unfair Mass }

// Add sets t to the sum of t and u, which are about disjoint sets of individuals.
func (t *Tally) Add(u Tally) {
	t.Outside, t.Fair, t.Unfair = t.Outside.Add(u.Outside), t.Fair.Add(u.Fair), t.Unfair.Add(u.Unfair)
}

// Take subtracts the individuals that were counted for a node, before the node is
// processed again.
func (t *Tally) Take(n *Node) {
	t.Fair, t.Unfair = t.Fair.Without(Counted(n.Fair)), t.Unfair.Without(Counted(n.Unfair))
}

// Count adds numbers of individuals that are fair and unfair.
func (t *Tally) Count(fair, unfair float64) {
	t.Fair, t.Unfair = t.Fair.Add(Counted(fair)), t.Unfair.Add(Counted(unfair))
}

// Of returns an upper bound of the mass that the query asks about, in a region with the mass total. It is exact when no
// node is open.
func (t Tally) Of(total Mass) Mass { return total.Without(t.Outside) }

// Share returns the decided share of total; 1 if total is 0.
func (t Tally) Share(total Mass) float64 {
	if of := t.Of(total).Float(); of > 0 {
		return t.Fair.Add(t.Unfair).Float() / of
	}
	return 1
}
