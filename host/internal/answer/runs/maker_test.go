package runs

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk/space"
)

// people is a space in which a is ordered, b categorical, and p protected.
func people() *space.Space {
	return &space.Space{Features: []space.Feature{
		{Name: "a", Kind: space.Integer, Lo: 10, Hi: 20},
		{Name: "p", Kind: space.Integer, Lo: 0, Hi: 9, Protected: []float64{0, 5}},
		{Name: "b", Kind: space.Categorical, Hi: 2, Categories: []string{"x", "y", "z"}},
	}}
}

func started() record.Event {
	s := people()
	return record.Event{Kind: record.KindStarted, Started: &record.Started{Features: s.Names(), Domains: record.Domains(s)}}
}

func found(seconds float64, f record.Found) record.Event {
	return record.Event{Kind: record.KindFound, Seconds: seconds, Found: &f}
}

func reportOn(events ...record.Event) *Told {
	m := NewMaker()
	for _, e := range events {
		m.Add(e)
	}
	return m.Told()
}

func TestReport(t *testing.T) {
	r := reportOn(started(),
		found(1, record.Found{X: []float64{10, 0, 0}, K: 3, Gap: 0.2, Shannon: 1, MinEntropy: 0.5, Round: 4, Seed: true}),
		record.Event{Kind: record.KindProgress, Progress: &record.Progress{Iter: 5}},
		found(2, record.Found{X: []float64{15, 0, 0}, K: 6, Gap: 0.3, Shannon: 2, MinEntropy: 1, Round: 5}),
		found(3, record.Found{X: []float64{20, 0, 1}, K: 6, Gap: 0.4, Shannon: 1.5, MinEntropy: 1.25, Round: 6}),
		record.Event{Kind: "of a later version"},
		record.Event{Kind: record.KindFault, Fault: &record.Fault{Plugin: "solver", Error: "gone"}},
		found(4, record.Found{X: []float64{20, 0, 2}, K: 5, Gap: 0.9, Shannon: 0.5, MinEntropy: 0.25, Round: 7}),
		record.Event{Kind: record.KindFinished, Finished: &record.Finished{Iter: 8}},
	)
	v := func(x float64) *float64 { return &x }
	want := &Told{
		K: []Step{
			{2, 0, 4, 1}, {3, 1, 4, 1}, {4, 0, 3, 2}, {5, 1, 3, 2}, {6, 2, 2, 2},
		},
		Shannon:    Entropy{v(1.25), v(1.5)},
		MinEntropy: Entropy{v(0.75), v(1.25)},
		Kept:       4, Sampled: 4,
		// By a: ½, 1, 1, ½, ½, 0; by b: 0, 1, 1, 1, 1, 1; the protected p counts for nothing.
		Spread: v((3.5/6 + 5./6) / 2),
		Best:   &Individual{X: map[string]float64{"a": 20, "b": 1}, K: 6, Gap: 0.4, Round: 6, Seconds: 3},
		Faults: []string{"solver: gone"},
	}
	if d := cmp.Diff(want, r, cmpopts.EquateApprox(0, 1e-12), cmpopts.IgnoreFields(Told{}, "Measures")); d != "" {
		t.Error(d)
	}
	for name, want := range map[string]float64{"Iter": 8, "#ID": 4, "T.1st": 1, "#K.1st": 3, "Max.K": 6, "Avg.K": 5, "Succ.rate": 50, "#ID.maxK": 2, "T.maxK": 2} {
		if got := r.Measures[name]; got == nil || *got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestTallies: individuals that are only counted are counted.
func TestTallies(t *testing.T) {
	r := reportOn(started(),
		found(1, record.Found{X: []float64{10, 0, 0}, K: 5, Gap: 0.5, Shannon: 2, MinEntropy: 1}),
		record.Event{Kind: record.KindTally, Seconds: 2, Tally: &record.Tally{K: map[int]int64{3: 4, 5: 1}, Shannon: 4, MinEntropy: 2.5}},
		found(3, record.Found{X: []float64{20, 0, 0}, K: 6, Gap: 0.5, Shannon: 2, MinEntropy: 1}),
		record.Event{Kind: record.KindTally, Seconds: 4, Tally: &record.Tally{K: map[int]int64{6: 1}, Shannon: 4, MinEntropy: 3}},
		record.Event{Kind: record.KindTally, Seconds: 4, Tally: &record.Tally{K: map[int]int64{3: 1, 1 << 40: 1}}}, // damaged
	)
	want := []Step{{2, 0, 8, 1}, {3, 4, 8, 1}, {4, 0, 4, 1}, {5, 2, 4, 1}, {6, 2, 2, 3}}
	if d := cmp.Diff(want, r.K); d != "" {
		t.Error(d)
	}
	if r.Kept != 2 || r.Sampled != 2 || *r.Shannon.Mean != 12./8 || *r.Shannon.Best != 2 || *r.MinEntropy.Mean != 7.5/8 {
		t.Errorf("%+v, entropies %v %v", r, *r.Shannon.Mean, *r.MinEntropy.Mean)
	}
}

// TestLittleToReport: runs without finds, runs of earlier versions, and a run without
// events.
func TestLittleToReport(t *testing.T) {
	for name, events := range map[string][]record.Event{
		"no event":      nil,
		"nothing found": {started(), {Kind: record.KindProgress, Progress: &record.Progress{Iter: 3}}},
	} {
		r := reportOn(events...)
		if len(r.K) != 0 || r.K == nil || r.Best != nil || r.Spread != nil || r.Shannon != (Entropy{}) || r.Measures["Max.K"] != nil || *r.Measures["#ID"] != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	old := record.Event{Kind: record.KindStarted, Started: &record.Started{Features: []string{"a", "b"}}}
	r := reportOn(old, found(1, record.Found{X: []float64{1, 2}, K: 2, Gap: 0.1}), found(2, record.Found{X: []float64{2, 2}, K: 2, Gap: 0.1}))
	if r.Spread != nil || r.Sampled != 0 || r.Kept != 2 || r.Shannon != (Entropy{}) || r.Best.X["b"] != 2 || *r.Measures["#ID"] != 2 {
		t.Errorf("a journal without domains: %+v", r)
	}
	if r := reportOn(started(), found(1, record.Found{X: []float64{11, 0, 1}, K: 4})); r.Spread != nil || len(r.K) != 3 {
		t.Errorf("one individual has no distance: %+v", r)
	}
	if r := reportOn(started(), found(1, record.Found{K: 1 << 40}), found(1, record.Found{K: -1})); len(r.K) != 0 || r.Kept != 0 {
		t.Errorf("a damaged journal: %+v", r)
	}
}

// TestStepsAgree compares the curve and the histogram with their definitions.
func TestStepsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ks := rapid.SliceOfN(rapid.IntRange(2, 20), 1, 60).Draw(t, "k")
		m := NewMaker()
		m.Add(started())
		for i, k := range ks {
			m.Add(found(float64(i), record.Found{X: []float64{10, 0, 0}, K: k}))
		}
		steps := m.Told().K
		for i, step := range steps {
			exactly, atLeast, first := int64(0), int64(0), math.Inf(1)
			for n, k := range ks {
				if k == step.K {
					exactly++
				}
				if k >= step.K {
					atLeast++
					first = min(first, float64(n))
				}
			}
			if want := (Step{i + 2, exactly, atLeast, first}); step != want {
				t.Fatalf("%+v, want %+v, of %v", step, want, ks)
			}
		}
		if last := steps[len(steps)-1]; last.AtLeast == 0 || last.K != *asInt(m.Told().Measures["Max.K"]) {
			t.Fatalf("the curve ends at %+v", last)
		}
	})
}

func asInt(v *float64) *int {
	n := int(*v)
	return &n
}

// TestSampleIsFairAndBounded: a bounded sample represents many individuals, and is the
// same every time.
func TestSampleIsFairAndBounded(t *testing.T) {
	const n = 3 * sampleSize
	sampled := func() (*Maker, *Told) {
		m := NewMaker()
		m.Add(started())
		for i := range n {
			// The first half are all alike, the second half as well.
			m.Add(found(0, record.Found{X: []float64{10 + 10*math.Floor(float64(2*i)/n), 0, 0}, K: 2}))
		}
		return m, m.Told()
	}
	m, r := sampled()
	if len(m.sample) != sampleSize || r.Sampled != sampleSize || r.Kept != n {
		t.Fatalf("%d sampled, %d kept", r.Sampled, r.Kept)
	}
	// Half of all pairs differ in a, at distance 1, and none in b.
	if math.Abs(*r.Spread-0.25) > 0.01 {
		t.Errorf("spread %v, want about ¼", *r.Spread)
	}
	if _, again := sampled(); *again.Spread != *r.Spread {
		t.Errorf("spread %v, and then %v", *r.Spread, *again.Spread)
	}
}
