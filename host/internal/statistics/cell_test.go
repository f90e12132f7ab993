package statistics

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func pointers(values ...float64) []*float64 {
	out := make([]*float64, len(values))
	for i := range values {
		if !math.IsNaN(values[i]) {
			out[i] = &values[i]
		}
	}
	return out
}

func TestOf(t *testing.T) {
	na := math.NaN()
	if c := Of(pointers(na, na)); c.Mean != nil || c.SD != nil || len(c.Values) != 2 {
		t.Errorf("of nothing: %+v", c)
	}
	if c := Of(pointers(na, 3)); *c.Mean != 3 || c.SD != nil {
		t.Errorf("of one value: %+v", c)
	}
	if c := Of(pointers(1, na, 3)); *c.Mean != 2 || *c.SD != math.Sqrt2 {
		t.Errorf("of two values: %+v", c)
	}
}

// Five runs each, all of the first above all others: two-sided p is 2/C(10,5) =
// 2/252 for each pair, 6/252 after Holm's correction for three.
func TestTest(t *testing.T) {
	values := [][]float64{{11, 12, 13, 14, 15}, {1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}
	cells := make([]*Cell, 3)
	for i := range values {
		c := Of(pointers(values[i]...))
		cells[i] = &c
	}
	Test(cells, []string{"a", "b", "c"}, values, -1)
	if !cells[0].Bold || cells[1].Bold || cells[2].Bold {
		t.Errorf("bold: %v %v %v", cells[0].Bold, cells[1].Bold, cells[2].Bold)
	}
	want := []Against{{Arm: "b", P: 2.0 / 252, PHolm: 6.0 / 252, A12: 1}, {Arm: "c", P: 2.0 / 252, PHolm: 6.0 / 252, A12: 1}}
	if d := cmp.Diff(want, cells[0].Against, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })); d != "" {
		t.Error(d)
	}
	c := cells[2].Against
	if !c[0].Worse() || c[0].Better() || !c[1].Better() {
		t.Errorf("%+v", c)
	}
}

// Whatever the runs, ties and runs that are missing: a cell is better than another iff
// the other is worse than it, by the same p.
func TestBetterIsTheOthersWorse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(0, 20).Draw(t, "value")) })
		values := rapid.SliceOfN(rapid.SliceOfN(run, 0, 8), 2, 5).Draw(t, "values")
		cells, names := make([]*Cell, len(values)), make([]string, len(values))
		for i := range values {
			c := Of(pointers(values[i]...))
			cells[i], names[i] = &c, strconv.Itoa(i)
		}
		Test(cells, names, values, -1)
		for i := range cells {
			for _, a := range cells[i].Against {
				k, _ := strconv.Atoi(a.Arm)
				at := slices.IndexFunc(cells[k].Against, func(b Against) bool { return b.Arm == names[i] })
				b := cells[k].Against[at]
				if a.P != b.P || a.PHolm != b.PHolm || a.Better() != b.Worse() || a.Worse() != b.Better() {
					t.Fatalf("%v: %+v and %+v", values, a, b)
				}
			}
		}
	})
}

// Significance without five runs, or without another arm's runs, makes nothing
// bold.
func TestBoldNeedsRunsAndRivals(t *testing.T) {
	for name, values := range map[string][][]float64{
		"four runs":      {{5, 6, 7, 8}, {1, 2, 3, 4}},
		"four of others": {{11, 12, 13, 14, 15, 16, 17}, {1, 2, 3, 4}},
		"rival missing":  {{11, 12, 13, 14, 15}, {1, 2, 3, 4, 5}, nil},
		"alone":          {{1, 2, 3, 4, 5}},
	} {
		cells, names := make([]*Cell, len(values)), make([]string, len(values))
		for i := range values {
			c := Of(pointers(values[i]...))
			cells[i] = &c
		}
		Test(cells, names, values, -1)
		if cells[0].Bold {
			t.Errorf("%s: bold", name)
		}
	}
}

func TestRanks(t *testing.T) {
	for _, c := range []struct{ values, want []float64 }{
		{nil, []float64{}},
		{[]float64{7}, []float64{1}},
		{[]float64{3, 1, 2}, []float64{3, 1, 2}},
		{[]float64{5, 1, 5, 5, 0}, []float64{4, 2, 4, 4, 1}},
		{[]float64{math.Inf(-1), 0, math.Inf(-1)}, []float64{1.5, 3, 1.5}},
	} {
		if d := cmp.Diff(c.want, Ranks(c.values)); d != "" {
			t.Errorf("%v: %s", c.values, d)
		}
	}
}

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		values []float64
		q      float64
		want   float64
	}{
		{[]float64{4}, 0.25, 4},
		{[]float64{1, 2}, 0.5, 1.5},
		{[]float64{1, 2, 3, 4}, 0.25, 1.75}, // R: quantile(1:4, 0.25)
		{[]float64{1, 2, 3, 4}, 1, 4},
		{[]float64{1, 2, 3, 4}, 0, 1},
	} {
		if got := Quantile(c.values, c.q); got != c.want {
			t.Errorf("%v at %v: %v, want %v", c.values, c.q, got, c.want)
		}
	}
}

// Against a control each other arm has one test, by which it is better, worse or neither, and
// the correction counts those alone.
func TestControl(t *testing.T) {
	values := [][]float64{{11, 12, 13, 14, 15}, {1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}, {6, 7, 8, 9, 10}}
	cells := make([]*Cell, 4)
	for i := range values {
		cells[i] = new(Of(pointers(values[i]...)))
	}
	Test(cells, []string{"a", "b", "c", "d"}, values, 2)
	for i, want := range []Cell{{Bold: true}, {Worse: true}, {}, {}} {
		if c := cells[i]; c.Bold != want.Bold || c.Worse != want.Worse || i != 2 && (len(c.Against) != 1 || c.Against[0].Arm != "c") {
			t.Errorf("%d: %+v", i, c)
		}
	}
	if c := cells[2].Against; len(c) != 3 || math.Abs(c[0].PHolm-6.0/252) > 1e-12 || c[2].PHolm != 1 {
		t.Errorf("%+v", c)
	}
}
