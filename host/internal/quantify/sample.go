package quantify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// Confidence of the interval beside a sampled share, and Method that it is
// computed by.
const (
	Confidence = 0.95
	Method     = "clopper-pearson"
)

// Sampled is what individuals drawn uniformly say: of those that have a
// counterfactual and fulfil what the query requires.
type Sampled struct {
	// Unfair of N are discriminated against.
	Unfair, N int
	// Lo and Hi enclose the true share with the Confidence.
	Lo, Hi float64
}

// Share is the sample's; 0 for no sample.
func (s *Sampled) Share() float64 { return shareOf(s.Unfair, s.N) }

// Rows is the same of the data set's rows: each is the individual that the row's
// non-protected values make, however many rows make the same.
type Rows struct {
	// Unfair of N rows are discriminated against, by exact evaluation.
	Unfair, N int
	// Outside counts rows that are no individuals of the region, which N does not
	// count.
	Outside int
}

// Share of the rows; 0 for none.
func (r *Rows) Share() float64 { return shareOf(r.Unfair, r.N) }

func shareOf(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

const (
	// batch individuals are evaluated between two looks at the context.
	batch = 1024
	// maxTries bounds the draws an individual may cost, where most points of the
	// box are no individuals.
	maxTries = 1000
	// maxWitnesses bounds the individuals, of the sample and of the rows, that are
	// tried on every piece.
	maxWitnesses = 256
	// certain is the confidence at which a sample contradicts a proof.
	certain = 1 - 1e-9
)

// settled is an individual of which the truth is known.
type settled struct {
	x      []float64
	unfair bool
}

func (s *settled) word() string {
	if s.unfair {
		return "unfair"
	}
	return "fair"
}

// sample draws and evaluates individuals.
func (r *run) sample(ctx context.Context) {
	s, region := r.q.Space, r.q.RegionOrWhole()
	rng := rand.New(rand.NewPCG(uint64(r.o.Seed), 0x5a4d))
	out := &Sampled{}
	xs, verdicts := make([][]float64, 0, batch), make([]verdict, batch)
	for tries := 0; out.N < r.o.Samples && tries < r.o.Samples*maxTries && ctx.Err() == nil; tries += len(xs) {
		xs = xs[:0]
		for range min(batch, r.o.Samples-out.N) {
			xs = append(xs, draw(s, region, rng))
		}
		r.judge.all(xs, verdicts)
		for i, x := range xs {
			if verdicts[i] == outside {
				continue
			}
			out.N++
			if verdicts[i] == unfair {
				out.Unfair++
			}
			r.know(x, verdicts[i], maxWitnesses)
		}
	}
	out.Lo, out.Hi = ClopperPearson(out.Unfair, out.N, Confidence)
	r.report.Sampled = out
}

// draw is a point of the region's box, uniformly.
func draw(s *space.Space, region space.Region, rng *rand.Rand) []float64 {
	x := make([]float64, len(s.Features))
	for _, i := range s.Free() {
		iv := region.Box[i]
		if s.Features[i].Discrete() {
			x[i] = iv.Lo + float64(rng.Int64N(int64(iv.Hi-iv.Lo)+1))
		} else {
			x[i] = math.Min(iv.Lo+rng.Float64()*(iv.Hi-iv.Lo), iv.Hi)
		}
	}
	return x
}

// rows evaluates the data set's.
func (r *run) rows(ctx context.Context) {
	s, region := r.q.Space, r.q.RegionOrWhole()
	out := &Rows{}
	verdicts := make([]verdict, batch)
	var xs [][]float64
	for from := 0; from < len(r.o.Rows) && ctx.Err() == nil; from += batch {
		xs = xs[:0]
		for _, row := range r.o.Rows[from:min(from+batch, len(r.o.Rows))] {
			if x := s.Canonical(row); inBox(s, region, x) {
				xs = append(xs, x)
			} else {
				out.Outside++
			}
		}
		r.judge.all(xs, verdicts)
		for i, x := range xs {
			switch verdicts[i] {
			case outside:
				out.Outside++
				continue
			case unfair:
				out.Unfair++
			}
			out.N++
			r.know(x, verdicts[i], 2*maxWitnesses)
		}
	}
	if ctx.Err() == nil {
		r.report.Rows = out
	}
}

// know keeps some individuals to hold claims against.
func (r *run) know(x []float64, v verdict, limit int) {
	if len(r.witnesses) < limit {
		r.witnesses = append(r.witnesses, settled{x, v == unfair})
	}
}

// objection says what is wrong with shares that a solver claims: they are none, or
// they are not what was evaluated, single individuals where everybody is said to
// be alike, and the whole sample. Empty for nothing.
func (r *run) objection(claim *sdk.Shares) string {
	name, one := r.o.Description.Name, big.NewRat(1, 1)
	if claim.Fair == nil || claim.Unfair == nil || claim.Fair.Sign() < 0 || claim.Unfair.Sign() < 0 || new(big.Rat).Add(claim.Fair, claim.Unfair).Cmp(one) > 0 {
		return fmt.Sprintf("solver %s: its shares are no shares", name)
	}
	if !r.q.Space.HasReals() { // there, single individuals are of no volume
		for i := range r.witnesses {
			w := &r.witnesses[i]
			if w.unfair && claim.Fair.Cmp(one) == 0 || !w.unfair && claim.Unfair.Cmp(one) == 0 {
				return fmt.Sprintf("solver %s: it claims that nobody is %s; an individual evaluated exactly is", name, w.word())
			}
		}
	}
	if s := r.report.Sampled; s != nil && s.N > 0 {
		lo, hi := ClopperPearson(s.Unfair, s.N, certain)
		least, _ := claim.Unfair.Float64()
		most, _ := new(big.Rat).Sub(one, claim.Fair).Float64()
		if lo > most || hi < least {
			return fmt.Sprintf("solver %s: it claims that between %.6g and %.6g of all individuals are discriminated against; a sample of %d, evaluated exactly, has %.6g",
				name, least, most, s.N, s.Share())
		}
	}
	return ""
}

// within reports that an individual lies in a box.
func within(free []int, box space.Box, x []float64) bool {
	for _, i := range free {
		if !box[i].Contains(x[i]) {
			return false
		}
	}
	return true
}

// parallel calls do for 0 to n−1 on GOMAXPROCS goroutines.
func parallel(n int, do func(i int)) {
	const chunk = 32
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+chunk-1)/chunk) {
		wait.Go(func() {
			for {
				from := int(next.Add(chunk)) - chunk
				if from >= n {
					return
				}
				for i := from; i < min(from+chunk, n); i++ {
					do(i)
				}
			}
		})
	}
	wait.Wait()
}
