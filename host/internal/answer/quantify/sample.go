package quantify

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Confidence and Method of the interval of a sampled share.
const (
	Confidence = 0.95
	Method     = "clopper-pearson"
)

// Sampled is the result of a sample: of the drawn individuals that have a
// counterfactual and meet the query's requirements.
type Sampled struct {
	// Unfair of N are discriminated against.
	Unfair, N int
	// Lo and Hi enclose the true share with the Confidence.
	Lo, Hi float64
	// All: the sample is all individuals of the region, each once, and Lo and Hi are
	// the share itself.
	All bool
}

// Share is the unfair share of the sample; 0 without individuals.
func (s *Sampled) Share() float64 { return shareOf(s.Unfair, s.N) }

// Rows is the result for the data set's rows. Each row counts as the individual with its
// non-protected values, even if several rows share them.
type Rows struct {
	// Unfair of N rows are discriminated against, by exact evaluation.
	Unfair, N int
	// Outside counts rows that are not individuals of the region; N leaves them
	// out.
	Outside int
}

// Share is the unfair share of the rows; 0 without rows.
func (r *Rows) Share() float64 { return shareOf(r.Unfair, r.N) }

func shareOf(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

const (
	// batch is the largest number of individuals evaluated together.
	batch = 1024
	// maxTries bounds the mean number of draws per individual, in case few points of
	// the box are individuals.
	maxTries = 100
	// Sampling, and then the rows, each take at most 1/asides of the time that is left,
	// and at most maxAside: most of the time is for the solver.
	asides   = 10
	maxAside = time.Minute
	// maxWitnesses bounds the individuals of the sample, and then those of the rows,
	// that every piece is checked against.
	maxWitnesses = 256
	// maxExamples bounds the individuals of Report.Examples.
	maxExamples = 64
	// certain is the confidence at which a sample contradicts a proof.
	certain = 1 - 1e-9
)

// settled is an exactly evaluated individual.
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

// aside limits the time of work other than the solver's, if there is a solver.
func (r *run) aside(ctx context.Context) (context.Context, context.CancelFunc) {
	limit, part := maxAside, time.Duration(asides)
	deadline, limited := ctx.Deadline()
	if r.o.Solver == nil && r.o.Start == nil {
		if limit, part = math.MaxInt64, 2; !limited {
			return context.WithCancel(ctx)
		}
	}
	if limited {
		limit = min(limit, time.Until(deadline)/part)
	}
	return context.WithTimeout(ctx, limit)
}

// inBatches evaluates points until next, which returns at most n points, returns none. It calls
// learn with each verdict, and reports whether all were evaluated in time.
func (r *run) inBatches(ctx context.Context, next func(n int) [][]float64, learn func(x []float64, v individual.Verdict)) bool {
	for n := 16; ; n = min(2*n, batch) { // a batch that outlasts the time is lost
		xs := next(n)
		if len(xs) == 0 {
			return true
		}
		verdicts, ok := r.all(ctx, xs)
		if !ok {
			return false
		}
		for i, x := range xs {
			learn(x, verdicts[i])
		}
	}
}

// sample evaluates all individuals of the region if its box has few enough points for
// o.Samples and maxListed, else individuals that it draws.
func (r *run) sample(ctx context.Context) {
	ctx, cancel := r.aside(ctx)
	defer cancel()
	s, region := r.q.Space, r.q.RegionOrWhole()
	rng := rand.New(rand.NewPCG(uint64(r.o.Seed), 0x5a4d))
	out, tries := &Sampled{}, 0
	next := func(n int) (xs [][]float64) {
		for n = min(n, r.o.Samples-out.N); len(xs) < n && tries < r.o.Samples*maxTries; tries++ {
			x := s.Draw(region.Box, rng)
			if r.weights != nil {
				if x = r.weights.of.Draw(rng); !within(r.free, region.Box, x) {
					continue
				}
			}
			xs = append(xs, x)
		}
		return xs
	}
	few, ok := [][]float64(nil), false
	if r.weights == nil {
		few, ok = r.points(region.Box, min(r.o.Samples, maxListed))
	}
	if ok {
		rng.Shuffle(len(few), func(i, j int) { few[i], few[j] = few[j], few[i] }) // so that any prefix is a sample
		next = func(n int) (xs [][]float64) {
			n = min(n, len(few))
			xs, few = few[:n], few[n:]
			return xs
		}
	}
	complete := r.inBatches(ctx, next, func(x []float64, v individual.Verdict) {
		if v == individual.Outside {
			return
		}
		if out.N++; v == individual.Unfair {
			if out.Unfair++; r.weights != nil && len(r.report.Examples) < maxExamples {
				r.report.Examples = append(r.report.Examples, x)
			}
		}
		r.know(x, v, maxWitnesses)
	})
	out.Lo, out.Hi = ClopperPearson(out.Unfair, out.N, Confidence)
	if out.All = ok && complete; out.All && out.N > 0 {
		out.Lo, out.Hi = out.Share(), out.Share()
	}
	r.report.Sampled = out
}

// maxListed bounds the points of a box that are listed.
const maxListed = 1 << 17

// points lists the points of a box; ok is false if their number exceeds most or is infinite.
func (r *run) points(box space.Box, most int) (xs [][]float64, ok bool) {
	if _, few := r.q.Space.CountIndividuals(box, most); !few {
		return nil, false
	}
	for x := range r.q.Space.Individuals(box) {
		xs = append(xs, slices.Clone(x))
	}
	return xs, true
}

// rows evaluates the data set's rows.
func (r *run) rows(ctx context.Context) {
	ctx, cancel := r.aside(ctx)
	defer cancel()
	s, region := r.q.Space, r.q.RegionOrWhole()
	out, left := &Rows{}, r.o.Rows
	next := func(n int) (xs [][]float64) {
		for ; len(xs) < n && len(left) > 0; left = left[1:] {
			if x := s.Canonical(left[0]); s.RegionContains(region, x) {
				xs = append(xs, x)
			} else {
				out.Outside++
			}
		}
		return xs
	}
	complete := r.inBatches(ctx, next, func(x []float64, v individual.Verdict) {
		switch v {
		case individual.Outside:
			out.Outside++
			return
		case individual.Unfair:
			out.Unfair++
		}
		out.N++
		r.know(x, v, 2*maxWitnesses)
	})
	if complete {
		r.report.Rows = out
	}
}

// evaluated evaluates the sample and the rows exactly. If none is unfair, it searches for an
// unfair individual.
func (r *run) evaluated(ctx context.Context) {
	if r.o.Samples > 0 {
		r.sample(ctx)
	}
	if r.o.Rows != nil {
		r.rows(ctx)
	}
	if s := r.report.Sampled; ctx.Err() == nil && len(r.met) == 0 && (s == nil || !s.All) {
		r.look(ctx)
	}
	r.report.Met = len(r.met)
}

// look searches briefly for a discriminated individual, as certify does.
func (r *run) look(ctx context.Context) {
	q := *r.q
	q.Goal = problem.Decide
	w := engine.NewDoubt(&q, r.o.Seed).Refute(ctx, q.RegionOrWhole(), cmp.Or(r.o.doubt, engine.DoubtCopies), q.Notion.Threshold(q.Epsilon))
	if w != nil && r.judge.Of(w.Copy1) == individual.Unfair {
		r.know(r.q.Space.Canonical(w.Copy1), individual.Unfair, 2*maxWitnesses+1)
	}
}

// know records an evaluated individual: as a witness, up to the limit, and by its key if
// it is discriminated against.
func (r *run) know(x []float64, v individual.Verdict, limit int) {
	if v == individual.Unfair {
		var key []byte
		for _, i := range r.free {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x[i]))
		}
		if _, again := r.met[string(key)]; !again && len(r.met) < maxWitnesses {
			if e, err := r.judge.Evaluator(); err == nil {
				o := e.Evaluate(x)
				r.report.Found = append(r.report.Found, record.Found{X: x, K: o.K, Gap: o.Gap, Shannon: o.Shannon, MinEntropy: o.MinEntropy, Evals: int64(len(r.met) + 1)})
			}
		}
		r.met[string(key)] = struct{}{}
	}
	if len(r.witnesses) < limit {
		r.witnesses = append(r.witnesses, settled{x, v == individual.Unfair})
	}
}

// objection returns what refutes claimed shares: malformed numbers, one individual if all are
// claimed to be alike or none is claimed to exist, or the sample as a whole. Empty: nothing refutes
// them.
func (r *run) objection(claim *sdk.Shares) string {
	name, one := r.o.Description.Name, big.NewRat(1, 1)
	if claim.Fair == nil || claim.Unfair == nil || claim.Fair.Sign() < 0 || claim.Unfair.Sign() < 0 || new(big.Rat).Add(claim.Fair, claim.Unfair).Cmp(one) > 0 {
		return fmt.Sprintf("solver %s: its shares are missing, negative or sum to more than 1", name)
	}
	if !r.q.Space.HasReals() { // with reals, a single individual has no volume
		for i := range r.witnesses {
			w := &r.witnesses[i]
			if w.unfair && claim.Fair.Cmp(one) == 0 || !w.unfair && claim.Unfair.Cmp(one) == 0 {
				return fmt.Sprintf("solver %s: it claims that no individual is %s; an individual evaluated exactly is", name, w.word())
			}
		}
	}
	if claim.Individuals != nil && claim.Individuals.Sign() == 0 && len(r.witnesses) > 0 {
		return fmt.Sprintf("solver %s: it claims that there are no individuals; one was evaluated", name)
	}
	if r.weights != nil { // the sample is of the population
		return ""
	}
	return r.beyond(claim.Fair, claim.Unfair)
}

// beyond returns how the sample refutes claimed shares; empty if it does not.
func (r *run) beyond(fair, unfair *big.Rat) string {
	name, one := r.o.Description.Name, big.NewRat(1, 1)
	if s := r.report.Sampled; s != nil && s.N > 0 {
		lo, hi := ClopperPearson(s.Unfair, s.N, certain)
		if s.All {
			lo, hi = math.Nextafter(s.Lo, 0), math.Nextafter(s.Hi, 1)
		}
		least, _ := unfair.Float64()
		most, _ := new(big.Rat).Sub(one, fair).Float64()
		if lo > most || hi < least {
			who := "a sample of"
			if s.All {
				who = "all"
			}
			return fmt.Sprintf("solver %s: it claims that between %.6g and %.6g of all individuals are discriminated against; of %s %d, evaluated exactly, %.6g are",
				name, least, most, who, s.N, s.Share())
		}
	}
	return ""
}

// within reports whether an individual lies in a box.
func within(free []int, box space.Box, x []float64) bool {
	for _, i := range free {
		if !box[i].Contains(x[i]) {
			return false
		}
	}
	return true
}

// parallel calls do for 0 to n−1 on GOMAXPROCS goroutines, until ctx ends.
func parallel(ctx context.Context, n int, do func(i int)) {
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
				for i := from; i < min(from+chunk, n) && ctx.Err() == nil; i++ {
					do(i)
				}
			}
		})
	}
	wait.Wait()
}
