package grid

// Matching is what the rules say of the pairs of a box, or of a pair.
type Matching struct {
	// One and Two are by lane whether it may be a first copy and a second.
	One, Two []bool
	// Any: some lane may be either.
	Any bool
	// Cut is a dimension to cut where something holds in a part of the box; −1 for
	// none.
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

// allow enters what is known of a lane: it may be a copy of its side, and where
// there are no sides, a second one always, and a first one if the query asks
// about it.
func (m *Matching) allow(g *Grid, lane int, asked bool) {
	first := lane < len(g.Combinations)
	m.One[lane] = first && asked
	m.Two[lane] = !first || len(g.Relaxed) == 0
	m.Any = m.Any || m.One[lane]
}

// Match finds out which pairs a box may have; m is overwritten.
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

// asked tells where in a box the query's own conditions hold.
func (r *Rules) asked(box Box, lane int, cut *int) Truth {
	t := Everywhere
	for _, p := range r.require {
		t = min(t, r.holds(p, box, lane, cut))
	}
	for _, p := range r.forbid {
		t = min(t, Everywhere-r.holds(p, box, lane, cut))
	}
	return t
}

// Pairs finds out which pairs two individuals, one and two, have. They are the
// same one where no features are relaxed.
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
