package relu

// Stats are what ReLU branching has brought, by which the sizes of nodes it is tried on adapt: those whose linear programs have at
// most Columns columns.
type Stats struct {
	Columns int
	// Of nodes near the limit: how many were tried and proved, in sums of which the latest rounds make up the most.
	tried, proved float64
	// Work is how many coefficients of tableaus were worked out.
	Work int64
	ways [3]rate
}

// rate is how often a way to prove was tried, and was enough, in such sums.
type rate struct{ tried, proved float64 }

// The ways to prove a node: by one copy alone, the one with the larger score or the other, which are programs of half the size, and by both.
const (
	higher = iota
	lower
	both
)

const (
	// The limit begins with firstColumns, and moves by columnStep a round; nearLimit columns below it nodes count.
	firstColumns, leastColumns, mostColumns, columnStep, nearLimit = 48, 8, 256, 4, 12
	fading                                                         = 0.7
	// A way that proves fewer than oftenEnough of what it is tried on is tried with a task's first node only, where another one proves twice as many.
	oftenEnough = 0.125
)

// Start are the stats of a search that begins.
func Start() Stats { return Stats{Columns: firstColumns} }

// Add adds what a task brought.
func (s *Stats) Add(d *Stats) {
	s.tried, s.proved, s.Work = s.tried+d.tried, s.proved+d.proved, s.Work+d.Work
	for i, w := range d.ways {
		s.ways[i].tried, s.ways[i].proved = s.ways[i].tried+w.tried, s.ways[i].proved+w.proved
	}
}

// seldom reports that a way is seldom enough where another one is more often.
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

// Adapt moves the limit to where about half of the nodes are proved, and up where few near it were tried. Call it once a round.
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
