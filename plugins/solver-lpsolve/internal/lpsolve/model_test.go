package lpsolve

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/sdk/native"
)

func openOrSkip(t *testing.T) *Lib {
	t.Helper()
	if os.Getenv(native.EnvDir) == "" {
		if dir, err := filepath.Abs("../../../../.deps/lib"); err == nil {
			t.Setenv(native.EnvDir, dir)
		}
	}
	l, err := Open()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("lp_solve is missing: %v", err)
		}
		t.Skipf("SKIPPED, lp_solve (liblpsolve55) is missing: %v", err)
	}
	return l
}

var inf = math.Inf(1)

// shuffled has rows whose columns are not in ascending order: lp_solve sorts its arrays
// in place.
func shuffled() *Problem {
	return &Problem{
		Cost: []float64{-3, -2, -4}, Lo: []float64{0, 0, 0}, Hi: []float64{9, 9, inf}, Integer: []bool{true, true, false},
		Rows: []Row{
			{Lo: -inf, Hi: 20, Index: []int32{2, 0, 1}, Value: []float64{3, 5, 7}},
			{Lo: 1, Hi: 4, Index: []int32{1, 2}, Value: []float64{-1, 2}},
			{Lo: 1, Hi: 1, Index: []int32{1}, Value: []float64{1}},
		},
	}
}

func TestProblemIsLeftAsItIs(t *testing.T) {
	l := openOrSkip(t)
	p := shuffled()
	var first Outcome
	for i := range 3 {
		o, err := l.Run(p, Settings{Scaling: 4, Simplex: 6}, func(Event) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = o
		}
		if diff := cmp.Diff(first, o); diff != "" {
			t.Errorf("run %d differs from the first:\n%s", i, diff)
		}
		if diff := cmp.Diff(shuffled(), p); diff != "" {
			t.Fatalf("run %d changed the problem:\n%s", i, diff)
		}
	}
	// 5x + 3z ≤ 13, 2 ≤ 2z ≤ 5: x = 1 and z = 5/2.
	if want := []float64{1, 1, 2.5}; first.Status != 0 || !cmp.Equal(first.Values, want) {
		t.Errorf("status %d at %v, want the optimum at %v", first.Status, first.Values, want)
	}
	if !first.Relaxed || first.Relaxation > -15 {
		t.Errorf("relaxation %v (%v), want at most -15", first.Relaxation, first.Relaxed)
	}
}

// Every run ends soon after the handler asks for it, at any point, and does not affect
// the next one.
func TestStopAnywhere(t *testing.T) {
	l := openOrSkip(t)
	full := func() (Outcome, int64) {
		var calls int64
		o, err := l.Run(shuffled(), Settings{Scaling: 4, Simplex: 6}, func(e Event) bool { calls = e.Calls; return false })
		if err != nil {
			t.Fatal(err)
		}
		return o, calls
	}
	want, calls := full()
	if calls < 3 {
		t.Fatalf("%d calls; too few to stop at", calls)
	}
	for stop := int64(1); stop <= calls; stop++ {
		var after int64
		if _, err := l.Run(shuffled(), Settings{Scaling: 4, Simplex: 6}, func(e Event) bool {
			if e.Calls > stop {
				after++
			}
			return e.Calls >= stop
		}); err != nil {
			t.Fatal(err)
		}
		if after > 20 {
			t.Errorf("stopped at call %d, and %d more came", stop, after)
		}
		if got, n := full(); !cmp.Equal(want, got) || n != calls {
			t.Errorf("after a stop at call %d: %+v with %d calls, want %+v with %d", stop, got, n, want, calls)
		}
	}
}
