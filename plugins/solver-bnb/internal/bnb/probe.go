package bnb

import (
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/primal"
)

// probe is a search for a bound between the incumbent and the dual bound, in a pass of its own, whose queue is nil if no
// probe runs. A weaker bound is often far cheaper to prove than optimality: the nearer a cutoff is to the incumbent, the
// more nodes contain individuals that are almost as good.
type probe struct {
	*Search
	pass
	at   float64 // the bound to prove, which rises with the incumbent
	on   bool    // the search is in the probe's pass
	work int64   // work of all probes, in coefficients of tableaus
	vain bool    // a probe proved nothing new, or took too much memory: no other follows
}

// swap switches the search to the probe's pass, or back to its own.
func (p *probe) swap() {
	s, work := p.Search, p.Search.lp.Work
	s.pass, p.pass = p.pass, s.pass
	s.lp.Work, p.on = work, !p.on
}

// due reports whether the next round is one of a probe.
func (p *probe) due(w *primal.Work) bool {
	s, with := p.Search, &p.Params.Probe
	if s.Off(params.Probes) || !w.Escalated(s.Store) || s.Pieces != nil || p.vain || !w.Affords(with.Share, p.work) {
		return false
	}
	return p.pass.queue != nil || with.Part*(s.Bound()-s.cutoff()) > with.Nearest
}

// round continues the probe, or begins the next one.
func (p *probe) round(l Limits, memory int64) {
	s := p.Search
	before, nodes := s.lp.Work, s.Nodes
	begins := p.pass.queue == nil || p.at >= s.Bound() // the search itself has proved it meanwhile
	if begins {
		p.pass = newPass(s.Problem, s.queue.setWords)
	}
	if memory > 0 && s.bytes() > memory {
		p.vain, p.pass.queue = true, nil
		return
	}
	if begins {
		p.at = 0
	}
	p.at = max(p.at, s.cutoff()+p.Params.Probe.Part*(s.Bound()-s.cutoff()))
	p.swap()
	if plan := planOf(s, l); begins {
		s.round(nil, plan)
	} else {
		s.round(s.queue.take(roundSize(s, l, plan)), plan)
	}
	bound := max(s.left, s.cutoff())
	p.swap()
	p.work += s.lp.Work - before + (s.Nodes-nodes)*primal.WorkOfOctet
	if p.pass.queue.size == 0 {
		p.vain, p.pass.queue = bound >= s.Bound(), nil
		s.earlier.bound = min(s.earlier.bound, bound)
	}
}
