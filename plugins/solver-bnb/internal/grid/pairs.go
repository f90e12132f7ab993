package grid

// Matching is what the rules say about the pairs of a box, or about a pair.
type Matching struct {
	// One and Two say, by lane, whether it may be a first copy and a second copy.
	One, Two []bool
	// Any is set if some lane may be a first copy.
	Any bool
	// Cut is a dimension to split if a rule holds in a part of the box only; −1 if there
	// is none.
	Cut int
}

func (m *Matching) reset(lanes int) {
	if m.One == nil {
		m.One, m.Two = make([]bool, lanes), make([]bool, lanes)
	}
	clear(m.One)
	clear(m.Two)
	m.Any, m.Cut = false, -1
}

// allow records that a lane is allowed: as a copy of its side or, if there are no sides,
// always as a second copy. As a first copy it is allowed only if the query asks about it.
func (m *Matching) allow(g *Grid, lane int, asked bool) {
	first := lane < len(g.Combinations)
	m.One[lane] = first && asked
	m.Two[lane] = !first || len(g.Relaxed) == 0
	m.Any = m.Any || m.One[lane]
}

// Match determines which pairs a box may have; it overwrites m.
func (r *Rules) Match(box Box, m *Matching) {
	lanes := r.g.Lanes()
	m.reset(lanes)
	for i := range r.g.Relaxed {
		if _, _, ok := r.g.Relaxed[i].Reach(r.g, box); !ok {
			return
		}
	}
	for lane := range lanes {
		forbidden, asked := Nowhere, Everywhere
		for _, p := range r.forbidden {
			forbidden = max(forbidden, r.holds(p, box, lane, &m.Cut))
		}
		if forbidden == Everywhere {
			continue
		}
		if lane < len(r.g.Combinations) {
			asked = r.asked(box, lane, &m.Cut)
		}
		m.allow(r.g, lane, asked != Nowhere)
	}
}

// asked returns where in a box the query's own conditions hold.
func (r *Rules) asked(box Box, lane int, cut *int) Truth {
	t := Everywhere
	if r.within != nil {
		if t = r.near(box, cut); t == Nowhere {
			return t
		}
	}
	for _, p := range r.require {
		t = min(t, r.holds(p, box, lane, cut))
	}
	for _, p := range r.forbid {
		t = min(t, Everywhere-r.holds(p, box, lane, cut))
	}
	return t
}

// Pairs determines which pairs two individuals have; they are the same one if no features
// are relaxed.
func (r *Rules) Pairs(one, two []float64, m *Matching) {
	m.reset(r.g.Lanes())
	for lane := range m.One {
		point, z := one, lane
		if lane >= len(r.g.Combinations) {
			point, z = two, lane-len(r.g.Combinations)
		}
		if point = r.g.Complete(point, z); r.g.Space.Allowed(point) {
			m.allow(r.g, lane, r.Asks(point))
		}
	}
}
