package search

import (
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/statistics"
)

// Names lists the measures in the order of the tables' columns.
var Names = []string{"Iter", "#ID", "T.1st", "#K.1st", "Max.K", "Avg.K", "Succ.rate", "#ID.maxK", "T.maxK"}

// Measures are the columns of the tables for one run, or their means over
// several. nil is N/A: nothing was found.
type Measures struct {
	// The number of closed rounds. Over several runs all measures are means; null: no individual was
	// found.
	Iter *float64 `json:"Iter"`
	// The number of distinct individuals with a gap above ε.
	ID *float64 `json:"#ID"`
	// Seconds from the start of the clock to the first of them.
	T1st *float64 `json:"T.1st"`
	// The k of the first.
	K1st *float64 `json:"#K.1st"`
	// The largest k among them.
	MaxK *float64 `json:"Max.K"`
	// The mean k among them.
	AvgK *float64 `json:"Avg.K"`
	// #ID divided by Iter, in per cent; null without a closed round.
	SuccRate *float64 `json:"Succ.rate"`
	// The number of individuals whose k is Max.K.
	IDMaxK *float64 `json:"#ID.maxK"`
	// Seconds to the first of those.
	TMaxK *float64 `json:"T.maxK"`
}

// Cells are the fields in the order of Names.
func (m *Measures) Cells() []**float64 {
	return []**float64{&m.Iter, &m.ID, &m.T1st, &m.K1st, &m.MaxK, &m.AvgK, &m.SuccRate, &m.IDMaxK, &m.TMaxK}
}

// RateNotes explains a Succ.rate above 100 below the table that shows it; nil
// if no rate is above 100.
func RateNotes(rates ...*float64) []string {
	for _, rate := range rates {
		if rate != nil && *rate > 100 {
			return []string{"Succ.rate: individuals found in 100 rounds. It can exceed 100, because a round can bring several."}
		}
	}
	return nil
}

// Map returns the measures by name.
func (m *Measures) Map() map[string]*float64 {
	out := map[string]*float64{}
	for i, cell := range m.Cells() {
		out[Names[i]] = *cell
	}
	return out
}

// Measure computes the measures of one run from its events alone. For a run
// that was killed, Iter is that of the last snapshot.
func Measure(events []record.Event) Measures {
	var m Meter
	for i := range events {
		m.Add(&events[i])
	}
	return m.Measures()
}

// Meter folds a run's events, in their order, into its measures.
type Meter struct {
	// ByK counts the individuals by k, MaxK is the largest k, and Seconds has the
	// time of the first event for each k.
	ByK     map[int]int64
	Seconds map[int]float64
	MaxK    int

	iter  int64
	found int64
	sumK  int64
	first mark
}

type mark struct {
	seconds float64
	k       int
}

// Add takes the next event. It ignores kinds that no measure uses.
func (m *Meter) Add(e *record.Event) {
	switch e.Kind {
	case record.KindProgress:
		m.iter = e.Progress.Iter
	case record.KindFinished:
		m.iter = e.Finished.Iter
	case record.KindTally:
		for k, n := range e.Tally.K {
			if n < 0 || m.ByK == nil {
				continue // invalid: the first find has an event of its own
			}
			m.ByK[k] += n
			m.found += n
			m.sumK += n * int64(k)
		}
	case record.KindFound:
		k := e.Found.K
		if m.found == 0 {
			m.first = mark{e.Seconds, k}
			m.ByK, m.Seconds = map[int]int64{}, map[int]float64{}
		}
		if _, known := m.Seconds[k]; !known {
			m.Seconds[k] = e.Seconds
		}
		m.ByK[k]++
		m.found++
		m.sumK += int64(k)
		m.MaxK = max(m.MaxK, k)
	}
}

// Measures returns the measures of the events so far.
func (m *Meter) Measures() Measures {
	out := Measures{Iter: new(float64(m.iter)), ID: new(float64(m.found))}
	if m.iter > 0 {
		out.SuccRate = new(100 * float64(m.found) / float64(m.iter))
	}
	if m.found == 0 {
		return out
	}
	out.T1st, out.K1st = new(m.first.seconds), new(float64(m.first.k))
	out.MaxK, out.AvgK = new(float64(m.MaxK)), new(float64(m.sumK)/float64(m.found))
	out.IDMaxK, out.TMaxK = new(float64(m.ByK[m.MaxK])), new(m.Seconds[m.MaxK])
	return out
}

// Summary has the measures over several runs, each over the runs in which it is
// not N/A.
type Summary struct {
	Mean Measures
	// SD is the sample standard deviation (n − 1); nil below two values.
	SD Measures
	// Runs is the number of runs, Found the number of those that found something.
	Runs, Found int
}

// Summarise takes mean and standard deviation over runs.
func Summarise(runs []Measures) Summary {
	s := Summary{Runs: len(runs)}
	columns := make([][]float64, len(Names))
	for i := range runs {
		for c, cell := range runs[i].Cells() {
			if *cell != nil {
				columns[c] = append(columns[c], **cell)
			}
		}
		if runs[i].MaxK != nil {
			s.Found++
		}
	}
	means, sds := s.Mean.Cells(), s.SD.Cells()
	for c, values := range columns {
		*means[c], *sds[c] = statistics.Finite(statistics.Mean(values)), statistics.Finite(statistics.SD(values))
	}
	return s
}
