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
	// Iter counts closed rounds.
	Iter *float64 `json:"Iter"`
	// ID counts the distinct individuals with gap > ε.
	ID *float64 `json:"#ID"`
	// T1st is the seconds from the start of the clock to the first of them, K1st
	// its k.
	T1st *float64 `json:"T.1st"`
	K1st *float64 `json:"#K.1st"`
	// MaxK is the largest k among them, AvgK the mean.
	MaxK *float64 `json:"Max.K"`
	AvgK *float64 `json:"Avg.K"`
	// SuccRate is ID over Iter in per cent; N/A for no closed round.
	SuccRate *float64 `json:"Succ.rate"`
	// IDMaxK counts those whose k is MaxK, TMaxK is the seconds to the first.
	IDMaxK *float64 `json:"#ID.maxK"`
	TMaxK  *float64 `json:"T.maxK"`
}

// Cells are the fields in the order of Names.
func (m *Measures) Cells() []**float64 {
	return []**float64{&m.Iter, &m.ID, &m.T1st, &m.K1st, &m.MaxK, &m.AvgK, &m.SuccRate, &m.IDMaxK, &m.TMaxK}
}

// RateNotes explain a Succ.rate above 100 below the table that shows it; there are none
// where no rate is.
func RateNotes(rates ...*float64) []string {
	for _, rate := range rates {
		if rate != nil && *rate > 100 {
			return []string{"Succ.rate: individuals found in 100 rounds. It can exceed 100, because a round can bring several."}
		}
	}
	return nil
}

// Map is the measures by name.
func (m *Measures) Map() map[string]*float64 {
	out := map[string]*float64{}
	for i, cell := range m.Cells() {
		out[Names[i]] = *cell
	}
	return out
}

// Measure computes the measures of one run from its events alone. Of a run
// that was killed, Iter is that of the last snapshot.
func Measure(events []record.Event) Measures {
	var t tally
	for i := range events {
		t.add(&events[i])
	}
	return t.measures()
}

// tally folds a run's events into its measures.
type tally struct {
	iter   int64
	found  int64
	sumK   int64
	first  mark
	counts map[int]int64   // individuals by k
	times  map[int]float64 // seconds to the first found event with this k
	maxK   int
}

type mark struct {
	seconds float64
	k       int
}

func (t *tally) add(e *record.Event) {
	switch e.Kind {
	case record.KindProgress:
		t.iter = e.Progress.Iter
	case record.KindFinished:
		t.iter = e.Finished.Iter
	case record.KindTally:
		for k, n := range e.Tally.K {
			if n < 0 || t.counts == nil {
				continue // no run says so: a first find has an event of its own
			}
			t.counts[k] += n
			t.found += n
			t.sumK += n * int64(k)
		}
	case record.KindFound:
		k := e.Found.K
		if t.found == 0 {
			t.first = mark{e.Seconds, k}
			t.counts, t.times = map[int]int64{}, map[int]float64{}
		}
		if _, known := t.times[k]; !known {
			t.times[k] = e.Seconds
		}
		t.counts[k]++
		t.found++
		t.sumK += int64(k)
		t.maxK = max(t.maxK, k)
	}
}

func (t *tally) measures() Measures {
	m := Measures{Iter: new(float64(t.iter)), ID: new(float64(t.found))}
	if t.iter > 0 {
		m.SuccRate = new(100 * float64(t.found) / float64(t.iter))
	}
	if t.found == 0 {
		return m
	}
	m.T1st, m.K1st = new(t.first.seconds), new(float64(t.first.k))
	m.MaxK, m.AvgK = new(float64(t.maxK)), new(float64(t.sumK)/float64(t.found))
	m.IDMaxK, m.TMaxK = new(float64(t.counts[t.maxK])), new(t.times[t.maxK])
	return m
}

// Summary is the measures of several runs, each cell over the runs in which it
// is not N/A.
type Summary struct {
	Mean Measures
	// SD is the sample standard deviation (n − 1); nil below two values.
	SD Measures
	// Runs is their number, Found the number of those that found something.
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
