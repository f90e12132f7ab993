package runs

import (
	"math/rand/v2"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk/space"
)

// Told summarises the events of one search.
type Told struct {
	// The measures by name; null: no individual was found.
	Measures map[string]*float64 `json:"measures"`
	// One entry for each k from 2 (a gap above ε makes two bins) to the largest found; empty if none was
	// found.
	K []Step `json:"k"`
	// The Shannon entropy of the counterfactuals' distribution over the bins, in bits.
	Shannon Entropy `json:"shannon"`
	// The min-entropy of that distribution, in bits.
	MinEntropy Entropy `json:"min_entropy"`
	// The number of individuals whose events are in the journal in full. Long fast runs only count the
	// others.
	Kept int64 `json:"kept"`
	// The mean Gower distance, 0 to 1, over the non-protected features of all pairs of sampled
	// individuals; null for fewer than two, and if the journal lacks the features' domains.
	Spread *float64 `json:"spread"`
	// The number of individuals in that sample, at most 10,000.
	Sampled int `json:"sampled"`
	// The individual with the largest k, then the largest gap, the first such; null if none was found.
	Best *Individual `json:"best"`
	// Mistakes of plugins, the first ten.
	Faults []string `json:"faults,omitempty"`
}

// Step is one k of a search's histogram.
type Step struct {
	// A number of bins.
	K int `json:"k"`
	// The number of individuals with this k.
	Individuals int64 `json:"individuals"`
	// The number of individuals with this k or a larger one.
	AtLeast int64 `json:"at_least"`
	// The seconds to the first individual with this k or a larger one.
	Seconds float64 `json:"seconds"`
}

// Entropy is one of the two measures that DICE (ICSE 2023) reports of a
// distribution of outcomes, over individuals; nil if no event has it.
type Entropy struct {
	// The mean over all individuals found; null if the journal lacks it.
	Mean *float64 `json:"mean"`
	// The value of the best individual; null if the journal lacks it.
	Best *float64 `json:"best"`
}

// Individual is an individual that was found.
type Individual struct {
	// The values of its features that are not protected.
	X map[string]float64 `json:"x"`
	// Its k.
	K int `json:"k"`
	// Its score gap.
	Gap float64 `json:"gap"`
	// The round that found it.
	Round int64 `json:"round"`
	// The seconds after which it was found.
	Seconds float64 `json:"seconds"`
	// The solver found it, not the strategy.
	Solver bool `json:"solver"`
}

const (
	// sampleSize bounds the individuals that the spread is measured on.
	sampleSize = 10_000
	// sampleSeed seeds the sample. It is fixed, so that reports are reproducible.
	sampleSeed = 1
	// leastK is the least k of an individual with a gap above ε.
	leastK = 2
	// mostFaults is the largest number of faults in a report.
	mostFaults = 10
)

// Maker folds the events of a run, in their order, into a report. It keeps at
// most sampleSize individuals. Not safe for concurrent use.
type Maker struct {
	told     Told
	features []string
	domains  []record.Domain
	meter    search.Meter

	best                *record.Found
	bestSeconds         float64
	shannon, minEntropy sum

	random *rand.Rand
	sample [][]float64
}

// sum adds up the entropies in events.
type sum struct {
	total float64
	n     int64
}

// add adds the entropies of n individuals, given by their sum in bits. A sum of 0 means unknown, as
// in old journals: individuals with a gap above ε have larger ones.
func (s *sum) add(bits float64, n int64) {
	if bits > 0 {
		s.total += bits
		s.n += n
	}
}

func (s *sum) entropy(best float64) Entropy {
	if s.n == 0 {
		return Entropy{}
	}
	mean := s.total / float64(s.n)
	e := Entropy{Mean: &mean}
	if best > 0 {
		e.Best = &best
	}
	return e
}

// NewMaker starts a report without events.
func NewMaker() *Maker {
	return &Maker{random: rand.New(rand.NewPCG(sampleSeed, 0x5eed5))}
}

// Add takes the next event. It ignores kinds that the report does not use.
func (m *Maker) Add(e record.Event) {
	switch e.Kind {
	case record.KindStarted:
		m.features, m.domains = e.Started.Features, e.Started.Domains
	case record.KindFound:
		m.found(&e)
	case record.KindTally:
		m.tally(&e)
	case record.KindFault:
		if len(m.told.Faults) < mostFaults {
			m.told.Faults = append(m.told.Faults, e.Fault.Plugin+": "+e.Fault.Error)
		}
	case record.KindProgress, record.KindFinished:
		m.meter.Add(&e)
	}
}

// tally adds individuals without events of their own.
func (m *Maker) tally(e *record.Event) {
	var people int64
	for k, n := range e.Tally.K {
		if n < 0 || !possible(k) {
			return // no search writes this
		}
		people += n
	}
	m.meter.Add(e)
	m.shannon.add(e.Tally.Shannon, people)
	m.minEntropy.add(e.Tally.MinEntropy, people)
}

// possible reports whether an individual with a gap above ε can have this k.
func possible(k int) bool { return k >= leastK && k <= space.MaxCombinations }

func (m *Maker) found(e *record.Event) {
	f := e.Found
	if !possible(f.K) {
		return // no search writes this
	}
	m.told.Kept++
	m.meter.Add(e)
	m.shannon.add(f.Shannon, 1)
	m.minEntropy.add(f.MinEntropy, 1)
	if m.best == nil || f.K > m.best.K || f.K == m.best.K && f.Gap > m.best.Gap {
		m.best, m.bestSeconds = f, e.Seconds
	}
	m.draw(f.X)
}

// draw keeps a uniform sample of its arguments (reservoir sampling: Vitter,
// Random sampling with a reservoir, ACM TOMS 11, 1985, algorithm R).
func (m *Maker) draw(x []float64) {
	if len(x) != len(m.domains) {
		return // the journal lacks the features' domains
	}
	if len(m.sample) < sampleSize {
		m.sample = append(m.sample, x)
	} else if at := m.random.Int64N(m.told.Kept); at < sampleSize {
		m.sample[at] = x
	}
}

// Measures returns the measures of search.Names, by name; nil is N/A.
func (m *Maker) Measures() map[string]*float64 {
	measures := m.meter.Measures()
	return measures.Map()
}

// Told returns the summary of the events so far.
func (m *Maker) Told() *Told {
	r := m.told
	r.Measures = m.Measures()
	r.K = m.steps()
	r.Sampled = len(m.sample)
	r.Spread = search.Diversity(record.Space(m.domains), m.sample)
	if m.best == nil {
		return &r
	}
	r.Shannon, r.MinEntropy = m.shannon.entropy(m.best.Shannon), m.minEntropy.entropy(m.best.MinEntropy)
	r.Best = &Individual{X: map[string]float64{}, K: m.best.K, Gap: m.best.Gap, Round: m.best.Round, Seconds: m.bestSeconds, Solver: m.best.Seed}
	for i, name := range m.features {
		if i < len(m.best.X) && !(i < len(m.domains) && m.domains[i].Protected) {
			r.Best.X[name] = m.best.X[i]
		}
	}
	return &r
}

// steps returns an entry for each k from 2 to the largest. The times of individuals without
// events of their own do not matter: none has a larger k than all before it.
func (m *Maker) steps() []Step {
	steps := []Step{}
	for k := leastK; k <= m.meter.MaxK; k++ {
		steps = append(steps, Step{K: k, Individuals: m.meter.ByK[k]})
	}
	var atLeast int64
	for i := len(steps) - 1; i >= 0; i-- {
		s := &steps[i]
		atLeast += s.Individuals
		s.AtLeast = atLeast
		seconds, known := m.meter.Seconds[s.K]
		if i+1 < len(steps) && (!known || steps[i+1].Seconds < seconds) {
			seconds = steps[i+1].Seconds
		}
		s.Seconds = seconds
	}
	return steps
}
