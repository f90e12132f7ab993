package relax

import "github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"

// Subset holds the lanes' combinations for boxes that need not have all of them.
type Subset struct {
	combinations   []int // by lane
	counts         []int // by slot: number of lanes in use
	possible, sure []bool
}

// Assign assigns the combinations of a box to the lanes of a slot; slots are assigned in order. Unused lanes repeat another
// lane's combination and are impossible.
func (w *Workspace) Assign(c grid.Copies, slot int) {
	s := w.Subset
	if s == nil {
		return
	}
	from := slot * w.Lanes
	lanes := s.combinations[from : from+w.Lanes]
	n := 0
	for z := range w.Grid.Combinations {
		if c.Has(z) {
			lanes[n] = z
			n++
		}
	}
	for i := n; i < w.Lanes; i++ {
		lanes[i] = lanes[0]
	}
	for i, z := range lanes {
		for _, f := range w.Grid.Combinations[z].Inputs {
			w.Batch.Centre(f.Input)[from+i], w.Batch.HalfWidth(f.Input)[from+i] = f.Centre, f.HalfWidth
		}
	}
	s.counts = append(s.counts, n)
}

// Clear empties all slots.
func (w *Workspace) Clear() {
	if w.N = 0; w.Subset != nil {
		w.Subset.counts = w.Subset.counts[:0]
	}
}

// Combination returns the index of the combination that a lane holds, with or without a
// Subset.
func (w *Workspace) Combination(lane int) int {
	if w.Subset != nil {
		return w.Subset.combinations[lane]
	}
	return lane % w.Lanes
}

// ByLane converts possible and sure from combinations to a slot's lanes; nil means all.
func (w *Workspace) ByLane(slot int, possible, sure []bool) (_, _ []bool) {
	s := w.Subset
	if s == nil {
		return possible, sure
	}
	for i, z := range s.combinations[slot*w.Lanes : (slot+1)*w.Lanes] {
		real := i < s.counts[slot]
		s.possible[i], s.sure[i] = real && (possible == nil || possible[z]), real && (sure == nil || sure[z])
	}
	return s.possible, s.sure
}

// Keep adds the combinations of a slot's kept lanes to c; nil means all lanes.
func (w *Workspace) Keep(c grid.Copies, slot int, kept []bool) {
	for i := range w.Lanes {
		if kept == nil || kept[i] {
			c.Add(w.Combination(slot*w.Lanes + i))
		}
	}
}
