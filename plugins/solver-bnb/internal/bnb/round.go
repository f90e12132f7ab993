package bnb

import (
	"sync"
	"sync/atomic"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/primal"
)

const (
	// Least and most nodes of a round, and the most if linear programs or moments, which may take long, treat nodes.
	minRound, maxRound, lpRound = 64, 1 << 15, 128
	// Nodes per task: usually, and if linear programs or moments treat nodes.
	taskSize, lpTask = 64, 4
	// While joint bounds do not pay, their yield is measured from time to time: probes is the number of nodes
	// bounded jointly each time, probed the number of tasks from one time to the next.
	probes, probed = 4, 16
)

// plan says how the tasks of a round treat their nodes.
type plan struct {
	short bool // without methods that pay off only later
	twice bool // halves are branched on again before counting
	relu  bool // nodes may be proved by branching on ReLUs
	tails bool // bounds may exclude a small mass
	joint bool // all nodes are bounded jointly
	all   bool // optima of all linear programs are rounded
	// moments: nodes of trees are counted, and split so that they can be counted well.
	moments bool
}

// planOf plans the next round.
//
// Counting takes most of a node's time, and is wasted on nodes that are branched on, which are half of all in the end. So
// with twice, a third of all nodes is not counted. Nodes come in pages, so twice is off if few nodes are left until the
// limit.
func planOf(s *Search, l Limits) plan {
	p := plan{short: short(s), all: s.lp.Work >= s.Params.EscalateAfter}
	few := l.Nodes > 0 && l.Nodes-s.Nodes < 12*pageSize
	p.moments = s.moments
	p.twice = s.Counts && s.Network != nil && !s.ReLU && !few && !p.short && !s.Off(params.Twice)
	p.relu = s.ideas.relu && s.Nodes >= s.Params.RestartAfter && (s.Values || s.ReLU)
	p.tails = !s.Off(params.Tails) && !(s.ideas.relu && s.ReLU) // linear programs hold for all individuals
	return p
}

// roundSize returns the number of nodes that a round branches on: few at first, which soon orders the queue well, and at
// most what the limit leaves.
func roundSize(s *Search, l Limits, p plan) int {
	n := min(maxRound, max(minRound, s.queue.size/4))
	if p.moments || s.branchesOnReLUs() {
		n = min(n, lpRound)
	}
	left := l.Nodes - s.Nodes
	switch {
	case l.Nodes == 0:
	case p.twice:
		n = min(n, int(left/6)-pageSize)
	default:
		n = min(n, int((left+1)/2))
	}
	return n
}

// task is one unit of a thread's work: to branch on nodes of a page, to bound the root if the page is nil, or to follow an
// annealing chain.
type task struct {
	plan
	p        *page
	from, to int
	probes   int // number of nodes to bound jointly if not all are
	chain    *primal.Chain
}

// round branches on the nodes of the pages; with nil it bounds the root.
func (s *Search) round(pages []*page, p plan) {
	tasks := []task{{}}
	if pages != nil {
		tasks = tasks[:0]
	}
	size := taskSize
	if p.twice {
		size /= 4 // at the deadline the search waits for running tasks
	}
	if p.moments {
		size = lpTask
	}
	if s.branchesOnReLUs() {
		size = lpTask
		s.lp.Adapt()
	}
	for _, page := range pages {
		for from := 0; from < page.len(); from += size {
			tasks = append(tasks, task{p: page, from: from, to: min(from+size, page.len())})
		}
	}
	p.joint = s.joint.Pays()
	s.Joint = s.Joint || p.joint
	for i := range tasks {
		if tasks[i].plan = p; i*size%(probed*taskSize) == 0 {
			tasks[i].probes = probes
		}
	}
	s.joint.Fade()
	s.do(tasks, pages)
}

// follow continues annealing chains in a round without nodes.
func (s *Search) follow(chains []*primal.Chain) {
	tasks := make([]task, len(chains))
	for i, c := range chains {
		tasks[i].chain = c
	}
	s.do(tasks, nil)
}

// parallel calls its argument do with each i from 0 to n−1, on all threads.
func (s *Search) parallel(n int, do func(w *worker, i int)) {
	var next atomic.Int64
	work := func(w *worker) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(w, i)
		}
	}
	var others sync.WaitGroup
	for i := 1; i < min(len(s.workers), n); i++ {
		others.Go(func() { work(s.worker(i)) })
	}
	work(s.workers[0])
	others.Wait()
}

// worker returns the worker of thread i. It is made when first needed; small questions need one.
func (s *Search) worker(i int) *worker {
	if s.workers[i] == nil {
		s.workers[i] = newWorker(s)
		if s.Proofs {
			s.workers[i].showProofs()
		}
	}
	return s.workers[i]
}

// nodes is the source of an individual that was found while nodes were processed: by enumeration, as the midpoint of
// an open node, or near the optimum of a linear program.
const nodes = "nodes"

// do runs a round's tasks on all threads, and merges their results in the order of the tasks. Afterwards it
// releases the pages, which hold the tasks' nodes.
func (s *Search) do(tasks []task, pages []*page) {
	outs, broken := make([]*output, len(tasks)), make([]bool, len(tasks))
	s.parallel(len(tasks), func(w *worker, i int) {
		if s.stop.Load() && (tasks[i].p != nil || tasks[i].chain != nil) {
			return // its nodes go back; the root is always bounded
		}
		outs[i] = w.run(tasks[i])
		broken[i] = w.broken()
	})
	for i, o := range outs {
		switch {
		case tasks[i].chain != nil:
			if o != nil {
				s.Take(o.best, params.Annealing.String())
				o.free()
			}
		case o == nil:
			s.queue.putBack(tasks[i])
		case !broken[i]:
			s.merge(o)
		default: // keeps the incumbent; requeues the nodes
			if s.Take(o.best, nodes); tasks[i].p == nil {
				s.requeueRoot()
			} else {
				s.queue.putBack(tasks[i])
			}
		}
	}
	s.queue.release(pages)
	s.heuristics.every.Improve(workOf(s))
}

// merge adds a task's results.
func (s *Search) merge(o *output) {
	s.Tally.Add(o.Tally)
	s.Nodes += o.bounded
	s.mass += o.mass
	s.Stuck += o.stuck
	s.joint.Add(o.yield)
	s.lp.Add(&o.lp)
	s.left, s.beyond = max(s.left, o.left), max(s.beyond, o.beyond)
	s.Take(o.best, nodes)
	for i := range o.open {
		s.queue.push(&o.open[i])
	}
	o.free()
	if s.Pieces != nil && len(o.pieces) > 0 {
		s.Pieces(o.pieces)
	}
}
