// Package bnb is the branch and bound (Land and Doig, "An automatic method of solving discrete programming problems",
// Econometrica 1960; docs/developer/solver-bnb.md): it branches on nodes, bounds and proves them, the most promising first,
// until none is open or a limit is reached.
//
// It works in rounds. A round takes nodes from the top of the queue, splits each in two, and processes the halves on all
// threads, in tasks that share nothing. Then it merges the tasks' results in their order. So the search depends neither on
// the number of threads nor on time, and bounding needs no locks.
package bnb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hyfair/hyfair/internal/batch"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/ensemble"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/goal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/primal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relax"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relu"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	networks "github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/problem"
)

// ErrEmpty is wrapped by errors about regions without individuals.
var ErrEmpty = errors.New("empty region")

// Search is a branch and bound. Not safe for concurrent use.
type Search struct {
	*goal.Store
	setup
	pass
	Report
	// Total is the mass of the region, before constraints.
	Total grid.Mass
	// Nodes is the number of nodes bounded.
	Nodes      int64
	earlier    earlier
	probe      probe
	dives      diving
	joint      relax.Yield
	heuristics heuristics
	workers    []*worker // by thread; nil until needed, except the first
	stop       atomic.Bool
	moments    bool // individuals of trees are counted by moments
}

// setup is the part of a search that does not change once it runs.
type setup struct {
	goal   goal.Goal
	trees  *ensemble.Plan // nil for a network
	ideas  ideas
	values [2]float64 // the range of values, for the queue's buckets
}

// ideas are the optional methods that apply to the query and are not switched off.
type ideas struct {
	clips  bool // shrink boxes to where values above the cutoff may be
	copies bool // keep only the copies that may belong to a value above the cutoff
	pairs  bool // bound the two copies of boxes together
	joint  bool // bound the score gap of the two copies by both logits at once
	relu   bool // prove nodes by branching on ReLUs
	// moments: count individuals of open nodes of trees
	moments bool
}

// pass is one search through the region: its open nodes, and what is known of the rest.
type pass struct {
	queue *nodeQueue
	grid.Tally
	// Stuck is the number of nodes that could neither be proved nor branched on.
	Stuck  int64
	mass   float64 // mass of open and stuck nodes
	left   float64 // the largest bound of a stuck node, for goals with values
	beyond float64 // the largest bound of a node beyond the range of values
	lp     relu.Stats
}

func newPass(of *relax.Problem, setWords int) pass {
	p := pass{queue: newNodeQueue(of.Grid), left: math.Inf(-1), beyond: math.Inf(-1), lp: relu.Start()}
	p.queue.setWords, p.queue.keepPaths = setWords, of.Params.KeepPaths
	return p
}

// Report says how a search reports finished nodes.
type Report struct {
	// Pieces receives the finished boxes; nil if they are not wanted.
	Pieces func([]Piece)
	// Proofs makes pieces carry their slopes.
	Proofs bool
	// held holds Pieces until it is known whether the search restarts: each box is
	// reported once.
	held func([]Piece)
}

// heuristics look for individuals between rounds.
type heuristics struct {
	start     primal.Heuristic
	every     primal.Heuristic // after each round
	escalated primal.Heuristic // in place of a round
}

// New prepares a query for a number of threads. Heuristics draw from the seed.
func New(q *problem.Query, seed int64, threads int, with params.Params) (*Search, error) {
	if err := goal.Askable(q); err != nil {
		return nil, err
	}
	g, err := grid.New(q)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEmpty, err)
	}
	p := &relax.Problem{
		Query: q, Grid: g, Rules: grid.NewRules(g, q), Notion: notion.New(q.Notion, q.Epsilon), Exact: sync.OnceValue(q.Model.Exact),
		Pairs: len(g.Relaxed) > 0 || q.TellsCopiesApart(), Params: with,
	}
	s := &Search{earlier: earlier{bound: math.Inf(1)}, dives: diving{depth: firstDepth}}
	if s.trees, err = planModel(p); err != nil {
		return nil, err
	}
	if s.goal, err = goal.Of(p); err != nil {
		return nil, err
	}
	s.Store = &goal.Store{Margins: &goal.Margins{Problem: p, Traits: s.goal.Traits()}}
	s.dives.Search, s.probe.Search = s, s
	s.ideas = ideasOf(s.Margins)
	s.ideas.moments = s.trees != nil && s.trees.CountsByMoments() && s.Goal == problem.Quantify && !s.Binned && s.Notion.Signs() && !s.Off(params.Moments)
	words := 0
	if s.ideas.copies {
		words = (g.Lanes() + 63) / 64
	}
	s.pass = newPass(p, words)
	s.workers = make([]*worker, max(1, threads))
	s.workers[0] = newWorker(s)
	env := &primal.Env{Points: s.workers[0].points, Random: rand.New(rand.NewPCG(uint64(seed), 0x626e62)), Stop: &s.stop}
	local := &primal.LocalSearch{Env: env}
	s.heuristics = heuristics{&primal.Sampling{LocalSearch: local}, local, &primal.Annealing{Env: env, Run: s.follow}}
	var fits bool
	if s.Total, fits = g.Exactly(g.Whole()); !fits && q.Goal == problem.Quantify {
		return nil, fmt.Errorf("%w: shares of a region of 2¹²⁷ individuals or more, with 2¹⁶ values for each real feature; narrow the domains or ask about a part", sdk.ErrUnsupported)
	}
	return s, nil
}

// planModel prepares the model: it sets p.Network for a network, and returns the plan of
// trees, nil for a network.
func planModel(p *relax.Problem) (*ensemble.Plan, error) {
	if e, ok := p.Query.Model.(*trees.Ensemble); ok {
		plan, err := ensemble.New(e, p.Grid)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", sdk.ErrUnsupported, err)
		}
		p.Error = plan.Error()
		return plan, nil
	}
	n, err := networks.Of(p.Query.Model, "the bounds of many boxes")
	if err != nil {
		return nil, err
	}
	if p.Network, err = batch.New(n, p.Grid.Inputs); err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrUnsupported, err)
	}
	protected := make([]bool, n.Inputs())
	for _, f := range p.Grid.Combinations[0].Inputs {
		protected[f.Input] = true
	}
	p.Error, p.Overlooks = p.Network.Error(), n.Overlooks(protected)
	return nil, nil
}

// fewestCopies is the least number of copies for which nodes keep a set of them.
const fewestCopies = 16

// ideasOf returns the methods that suit the query and are not switched off.
func ideasOf(m *goal.Margins) (i ideas) {
	n := m.Query.Notion
	decides := m.Decides() && !m.Binned // the first violation ends the search; a clipped box may be proved free of violations
	two := !m.Pairs && m.Grid.Lanes() == 2
	clips := m.Network != nil && (m.Goal == problem.MaxK || !m.Binned && (m.Goal == problem.Maximise || m.Goal == problem.Decide))
	i.clips = clips && !m.Off(params.Clipping)
	i.pairs = i.clips && two && (n == fairness.Logit || n == fairness.Share) && !m.Off(params.Pairs)
	i.joint = clips && two && n == fairness.Score && m.Values && !m.Off(params.Joint)
	i.copies = i.clips && !m.Pairs && m.Grid.Lanes() >= fewestCopies && !m.Off(params.Copies)
	i.relu = !m.Off(params.ReLU) && (clips && !m.Pairs && (m.Values && n == fairness.Score || decides && (n == fairness.Score || m.Notion.Signs())) ||
		m.Counts && two && m.Notion.Signs())
	return i
}

// Limits end a search; zero values set no limit.
type Limits struct {
	Deadline time.Time
	Nodes    int64
	Memory   int64 // bytes of the process: see available
	// Done, if not nil, is called between rounds; true ends the search.
	Done func() bool
}

// End is why a search ended.
type End uint8

// Reasons for which a search ends. Only Complete means that no node is left to branch
// on.
const (
	Complete End = iota // every node is proved or stuck
	Enough              // Limits.Done returned true, or the first witness was found
	OutOfTime
	OutOfNodes
	OutOfMemory
	Cancelled
)

// Run searches. It may be called once.
func (s *Search) Run(ctx context.Context, l Limits) End {
	defer watch(ctx, l, &s.stop)()
	s.ideas.moments = s.ideas.moments && s.Pieces == nil // each box is reported once
	s.ideas.relu = s.ideas.relu && (s.Pieces == nil || s.Proofs && s.Values)
	if s.ideas.relu && s.Params.RestartAfter < 0 {
		s.Params.RestartAfter = firstNodes(s.Margins)
	}
	if s.ideas.relu && s.Params.RestartAfter > 0 { // until it is known whether the search restarts
		s.held, s.Pieces = s.Pieces, nil
	}
	if s.Proofs {
		showProofs(s)
	}
	s.setValues()
	s.heuristics.start.Improve(workOf(s))
	switch {
	case s.Enough(s.Best):
	case s.dives.applies():
		s.dives.start()
	default:
		s.round(nil, planOf(s, l))
	}
	end := s.search(ctx, l)
	if s.held == nil {
		return end
	}
	// Bounds alone were enough, or there was no time for more. With ReLU branching, a checker has fewer leaves to
	// check.
	if s.restart(l); end == Complete || end == Enough {
		end = s.search(ctx, l)
	}
	return end
}

// showProofs makes the search bound nodes in a way that a checker can follow.
func showProofs(s *Search) {
	s.ideas.copies, s.queue.setWords = false, 0 // a checker needs every copy
	if s.Binned {                               // and cannot follow clips for bins
		s.ideas.clips = false
	}
	s.workers[0].showProofs()
}

// showProofs makes a worker bound nodes in a way that a checker can follow.
func (w *worker) showProofs() {
	if w.ws == nil {
		return
	}
	if w.counter != nil {
		w.counter.ForAll()
	}
	if w.ws.Lanes != 2 && !w.Notion.Signs() {
		w.ws.Differences = nil // a checker uses differences of two copies only, except for decisions
	}
	w.ws.Batch.Shown, w.clipper.ByCell, w.do = true, true, stepsOf(w)
	if w.relu != nil {
		w.relu.Prover.Shown = true
	}
}

// search runs rounds until every node is finished, or a limit is reached.
func (s *Search) search(ctx context.Context, l Limits) End {
	memory := available(l.Memory)
	for {
		switch {
		case s.Enough(s.Best):
			return Enough
		case s.Size() == 0:
			return Complete
		case ctx.Err() != nil:
			return Cancelled
		case s.stop.Load():
			return OutOfTime
		case l.Nodes > 0 && s.Nodes >= l.Nodes:
			return OutOfNodes
		case memory > 0 && s.bytes() > memory+memory/4:
			return OutOfMemory
		case l.Done != nil && l.Done():
			return Enough
		}
		plan := planOf(s, l)
		switch w := workOf(s); {
		case len(s.dives.parts) > 0:
			s.dives.round(max(0, l.Nodes-s.Nodes))
		case !s.ReLU && s.branchesOnReLUs():
			s.restart(l)
		case startsMoments(s):
			restartWithMoments(s, l)
		case s.heuristics.escalated.Due(w):
			s.heuristics.escalated.Improve(w)
		case s.probe.due(w):
			s.probe.round(l, memory)
		case memory > 0 && s.queue.bytes() > memory:
			s.round(s.queue.takeLast(minRound), plan) // depth first, which needs little memory
		default:
			s.round(s.queue.take(roundSize(s, l, plan)), plan)
		}
	}
}

// workOf returns a search's counters in the form that heuristics take.
func workOf(s *Search) *primal.Work {
	return &primal.Work{Nodes: s.Nodes, Leaves: s.dives.leaves, LP: s.lp.Work, Open: s.Size() > 0, Branch: s.lp.Work - s.Params.EscalateAfter}
}

// available returns how much of a process's memory limit nodes may take. The rest of the
// program takes some 50 MiB, and the heap grows to twice its live size before it is
// collected.
func available(memory int64) int64 {
	const rest, least = 48 << 20, 4 << 20
	if memory == 0 {
		return 0
	}
	return max((memory-rest)/2, least)
}

// bytes returns the memory of nodes and parts.
func (s *Search) bytes() int64 {
	probes := int64(0)
	if s.probe.queue != nil {
		probes = s.probe.queue.bytes()
	}
	return s.queue.bytes() + probes + int64(len(s.dives.parts))*int64(80+8*len(s.Query.Space.Features))
}

// watch sets stop at the deadline or when ctx ends.
func watch(ctx context.Context, l Limits, stop *atomic.Bool) (end func()) {
	cancel := context.CancelFunc(func() {})
	if !l.Deadline.IsZero() {
		ctx, cancel = context.WithDeadline(ctx, l.Deadline)
	}
	off := context.AfterFunc(ctx, func() { stop.Store(true) })
	return func() { off(); cancel() }
}
