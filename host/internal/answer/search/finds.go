package search

import (
	"math"
	"math/bits"
	"slices"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/evaluate"
)

// finds remembers the individuals found, so that each counts once.
type finds struct {
	seen map[[2]uint64]struct{}
	// pending sums up finds without events of their own.
	pending record.Tally
}

// MaxDistinct bounds the individuals that a run remembers, and so #ID: beyond
// it only new bests are counted.
const MaxDistinct = 1 << 24

// found counts an individual that violates the notion, unless it was found
// before. x is canonical.
func (r *run) found(m *sdk.Move, x []float64, out evaluate.Outcome) {
	best := r.result.Best
	better := best == nil || out.K > best.K || out.K == best.K && out.Gap > best.Gap
	full := len(r.finds.seen) >= MaxDistinct
	if full && !better {
		return
	}
	key := identity(x)
	if _, again := r.finds.seen[key]; again {
		return
	}
	if !full {
		r.finds.seen[key] = struct{}{}
	}
	if !better && !r.keeps(key) {
		r.finds.pending.Add(out.K, out.Shannon, out.MinEntropy)
		return
	}
	f := &record.Found{
		X: slices.Clone(x), K: out.K, Gap: out.Gap, Shannon: out.Shannon, MinEntropy: out.MinEntropy,
		Round: m.Round, Chain: m.Chain, Seed: m.Kind == sdk.MoveSeedFrom,
		Evals: r.result.Evaluations + r.own, Iter: r.rounds.closed + 1,
	}
	r.emit(record.Event{Kind: record.KindFound, Found: f})
	if better {
		r.result.Best = f
		r.emit(record.Event{Kind: record.KindBest, Best: f})
	}
}

// keeps reports whether the individual just found gets an event of its own: the
// first Keep of a fast run do, and the n-th with probability Keep/n. Its key
// decides, so that a repeated run keeps the same individuals.
func (r *run) keeps(key [2]uint64) bool {
	if r.Fast == nil || r.Fast.Keep < 0 {
		return true
	}
	n := uint64(len(r.finds.seen))
	keep := uint64(r.Fast.Keep)
	if n <= keep {
		return true
	}
	share, _ := bits.Mul64(key[0]^key[1], n) // uniform over 0 to n−1
	return share < keep
}

// sumUp emits an event for the pending finds.
func (r *run) sumUp() {
	if t := r.finds.pending; len(t.K) > 0 {
		r.finds.pending = record.Tally{}
		r.emit(record.Event{Kind: record.KindTally, Tally: &t})
	}
}

// identity is a canonical individual's key: 128 bits, two chains of the
// multiply-and-fold step of wyhash, so that a long run's memory stays small and
// no collision is expected.
func identity(x []float64) [2]uint64 {
	a, b := uint64(0xa0761d6478bd642f), uint64(0xe7037ed1a0b428db)
	for _, v := range x {
		bit := math.Float64bits(v + 0) // −0 is 0
		a = fold(a^bit, 0x8ebc6af09c88c6e3)
		b = fold(b^bits.RotateLeft64(bit, 32), 0x589965cc75374cc3)
	}
	return [2]uint64{fold(a, b^0x1d8e4e27c47d124f), fold(b, a^0xeb44accab455d165)}
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
