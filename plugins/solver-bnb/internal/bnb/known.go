package bnb

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/goal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
)

// earlier is what was known before the search restarted, or from probes.
type earlier struct {
	bound float64
	grid.Tally
}

// Size returns the number of open nodes and parts.
func (s *Search) Size() int { return s.queue.size + len(s.dives.parts) }

// Share returns the decided share of the region, before constraints; rounded. It is 0 while
// dives run, because their parts overlap.
func (s *Search) Share() float64 {
	if s.Nodes == 0 || len(s.dives.parts) > 0 {
		return 0
	}
	return max(0, min(1, 1-s.mass/s.Grid.Size(s.Grid.Whole())))
}

// Known returns the masses that the search has decided so far. After a restart it returns those decided
// before, as long as they are the larger share.
func (s *Search) Known() grid.Tally {
	if s.earlier.Share(s.Total) > s.Tally.Share(s.Total) {
		return s.earlier.Tally
	}
	return s.Tally
}

// Settled reports whether it is known for every individual of the region whether the query
// asks about it. Then the number of individuals is exact.
func (s *Search) Settled() bool { return s.Rules == nil || s.queue.size == 0 && s.Stuck == 0 }

// cutoff returns the value that a node's bound must beat to stay in the search.
func (s *Search) cutoff() float64 {
	if s.probe.on && !s.Decides() {
		return max(s.probe.at, s.Above(s.Best))
	}
	return s.Cutoff()
}

// Bound returns a bound on every individual's value, for goals with values: from above,
// or from below if the goal is the least value. It is infinite until the first node is
// bounded.
func (s *Search) Bound() float64 {
	bound := max(s.left, s.cutoff())
	if s.queue.size > 0 {
		bound = max(bound, s.open(s.values, s.Binned))
	}
	if len(s.dives.parts) > 0 {
		bound = max(bound, s.dives.parts[0].value)
	}
	if s.Nodes == 0 {
		bound = math.Inf(1)
	}
	bound = min(bound, s.earlier.bound)
	if s.Least {
		return -bound
	}
	return bound
}

// open bounds the values in open nodes, by the queue's highest bucket.
func (p *pass) open(values [2]float64, binned bool) float64 {
	for b := p.queue.top; b >= 0; b-- {
		if len(p.queue.buckets[b]) == 0 {
			continue
		}
		switch v := valueOf(b, values); {
		case binned:
			return math.Floor(v)
		case b == numBuckets-1:
			return max(v, p.beyond)
		default:
			return v
		}
	}
	return math.Inf(-1)
}

// bucketOf returns the bucket for nodes whose values are at most v; in is the range that the
// buckets divide.
func bucketOf(v float64, in [2]float64) int {
	lo, hi := in[0], in[1]
	if !(v > lo) {
		return 0
	}
	return min(int(math.Ceil((v-lo)/(hi-lo)*(numBuckets-1))), numBuckets-1)
}

// valueOf returns the largest value of nodes in a bucket. The last bucket may also have
// nodes with larger values.
func valueOf(bucket int, in [2]float64) float64 {
	lo, hi := in[0], in[1]
	v := lo + (hi-lo)*float64(bucket)/(numBuckets-1)
	return v + 0x1p-40*(math.Abs(lo)+math.Abs(hi))
}

// setValues sets the approximate range of values, for the queue's buckets. Values beyond
// it go into the first or the last bucket.
func (s *Search) setValues() {
	most := 1.0 // scores
	switch {
	case s.Binned:
		most = float64(s.Bins.Count())
	case s.Query.Notion.Linear() && !s.Query.Notion.Binned():
		most = rootBound(s.workers[0])
	}
	if s.values = [2]float64{0, most}; s.Least {
		s.values = [2]float64{-most, 0}
	}
}

// rootBound returns the largest value that the region's own bounds allow.
func rootBound(w *worker) float64 {
	w.bounder.Place(w.Grid.Whole(), 0)
	if w.ws != nil {
		w.ws.N = 1
		w.ws.Bound()
		w.ws.N = 0
	}
	lo, hi := w.bounder.Enclosures(0)
	s := notion.Gather(lo, hi, nil, nil)
	most := max(s.Most-s.Least, s.Most, -s.Least) // gaps and margins
	if !w.Pairs {
		whole, spread := w.bounder.Spreads(0, nil, nil)
		most = min(most, w.Notion.Upper(&whole, &spread))
	}
	return max(most, 1e-9)
}

// short reports whether the search may end soon, so that methods that pay off only later
// are not used.
func short(s *Search) bool {
	return s.Network != nil && !s.ReLU && s.Nodes < s.Params.ShortSearch && s.Nodes < firstNodes(s.Margins)*3/4
}

// mostFirst is the number of nodes within which bounds alone close easy gaps.
const mostFirst = 1 << 13

// firstNodes returns about the number of nodes that one thread bounds in a second or less; if the goal is a gap, at most
// mostFirst.
func firstNodes(m *goal.Margins) int64 {
	weights := 0
	for _, l := range m.Network.Layers() {
		weights += l.In * l.Out
	}
	n := int64(0.6e9 / (5e3 + 1.2*float64(m.Grid.Lanes()*weights)))
	if m.Binned || !m.Values { // climbs often find the largest k meanwhile; shares need many nodes, see mostDecided
		return n
	}
	return min(n, mostFirst)
}

// mostDecided is the decided share above which counting does not branch on ReLUs, if bounds reach it in about a
// second.
const mostDecided = 0.4

// mostBounded is the decided share above which individuals of trees are not counted, if bounds reach it first.
const mostBounded = 0.8

// startsMoments reports whether individuals of open nodes of trees are counted from now on: after the nodes of about a
// second, unless bounds have decided most of them by then. Counting takes much longer than a bound, and never finishes a
// node.
func startsMoments(s *Search) bool {
	if !s.ideas.moments || s.Nodes*int64(s.trees.Size()) < s.Params.Count.MomentsAfter {
		return false
	}
	s.ideas.moments = false
	return s.Tally.Share(s.Total) < mostBounded
}

// restartWithMoments restarts the search at the root, to count individuals: boxes that are split for bounds are small and
// many, which counting does not need.
func restartWithMoments(s *Search, l Limits) {
	s.moments, s.earlier.Tally = true, s.Tally
	s.pass = newPass(s.Problem, s.queue.setWords)
	s.round(nil, planOf(s, l))
}

// branchesOnReLUs reports whether nodes may be proved by branching on ReLUs. It switches that off for good
// once bounds have decided more than mostDecided of what is counted.
func (s *Search) branchesOnReLUs() bool {
	if !s.ideas.relu || s.Nodes < s.Params.RestartAfter {
		return false
	}
	if s.Counts && !s.ReLU && s.Tally.Share(s.Total) > mostDecided {
		s.ideas.relu = false
		return false
	}
	return len(s.goal.Requirements(s.cutoff())) > 0
}

// restart restarts the search at the root, to branch on ReLUs while boxes are large: the open nodes are too small for that
// to be worth its time. It keeps the incumbent and, unless pieces have to prove it, the bound.
func (s *Search) restart(l Limits) {
	known := s.Bound() // by the cutoffs so far
	s.ReLU, s.earlier.Tally = true, s.Tally
	if s.Params.RestartAfter == 0 {
		return
	}
	if s.Restarted = true; s.Best != nil && s.Weighs(s.Best.Value) {
		s.Best = s.Exactly(*s.Best)
	}
	if s.held == nil {
		s.earlier.bound = known
	} else {
		s.Pieces, s.held, s.Params.RestartAfter = s.held, nil, 0
	}
	s.pass = newPass(s.Problem, s.queue.setWords)
	s.round(nil, planOf(s, l))
}
