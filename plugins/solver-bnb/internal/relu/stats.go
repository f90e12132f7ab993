package relu

// Stats are the results of ReLU branching. They adapt which nodes it is tried on: those whose linear programs have at most
// Columns columns.
type Stats struct {
	Columns int
	// For nodes near the limit: how many were tried and proved, summed with more weight on recent rounds.
	tried, proved float64
	// Work is the number of coefficients of tableaus computed.
	Work int64
	ways [3]rate
}

// rate says how often a way to prove was tried and how often it sufficed, both summed
// with more weight on recent rounds.
type rate struct{ tried, proved float64 }

// The ways to prove a node: by one copy alone, the one with the larger score or the other, which takes programs of half the
// size, or by both.
const (
	higher = iota
	lower
	both
)

const (
	// The limit begins at firstColumns, and moves by columnStep per round. Nodes count as near it within nearLimit
	// columns.
	firstColumns, leastColumns, mostColumns, columnStep, nearLimit = 48, 8, 256, 4, 12
	fading                                                         = 0.7
	// A way that proves less than the share oftenEnough of its tries is tried only with a task's first node, if another way
	// proves twice that share.
	oftenEnough = 0.125
)

// Start returns the stats at the start of a search.
func Start() Stats { return Stats{Columns: firstColumns} }

// Add includes the results of a task, with full weight.
func (s *Stats) Add(d *Stats) {
	s.tried, s.proved, s.Work = s.tried+d.tried, s.proved+d.proved, s.Work+d.Work
	for i, w := range d.ways {
		s.ways[i].tried, s.ways[i].proved = s.ways[i].tried+w.tried, s.ways[i].proved+w.proved
	}
}

// seldom reports whether a way suffices too seldom while another suffices more often.
func (s *Stats) seldom(way int) bool {
	if w := s.ways[way]; w.proved >= oftenEnough*w.tried {
		return false
	}
	for _, w := range s.ways {
		if w.proved > 2*oftenEnough*w.tried {
			return true
		}
	}
	return false
}

// Adapt moves the limit towards the size at which about half of the nodes are proved, and up if few near it were tried. It
// is called once per round.
func (s *Stats) Adapt() {
	switch {
	case s.tried < 1 || s.proved >= 0.6*s.tried:
		s.Columns = min(s.Columns+columnStep, mostColumns)
	case s.proved <= 0.4*s.tried:
		s.Columns = max(s.Columns-columnStep, leastColumns)
	}
	s.tried, s.proved = fading*s.tried, fading*s.proved
	for i, w := range s.ways {
		s.ways[i] = rate{fading * w.tried, fading * w.proved}
	}
}
