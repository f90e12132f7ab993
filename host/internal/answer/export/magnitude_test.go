package export_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/export"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/native"
	"github.com/hyfair/hyfair/sdk/problem"
)

// steep is a random query whose layers' weights are up to nine orders of
// magnitude larger or smaller, with its largest logit gap.
func steep(r *rand.Rand) (q *problem.Query, gap float64) {
	q = random(r, fairness.Logit)
	for k := range q.Model.(*relu.Network).Layers {
		l, by := &q.Model.(*relu.Network).Layers[k], math.Pow(10, float64(r.IntN(13)-3))
		for _, weights := range [][]float64{l.Weights, l.Bias} {
			for i := range weights {
				weights[i] *= by * (1 + r.Float64())
			}
		}
	}
	eachPair(q, func(_, _ []float64, a, b *big.Rat) {
		d, _ := new(big.Rat).Sub(a, b).Float64()
		gap = max(gap, d)
	})
	return q, gap
}

// TestWhatIsWrittenHasTheAnswer has other solvers read files and solve them:
// either the optimum is the one that enumeration finds, or nothing is written.
func TestWhatIsWrittenHasTheAnswer(t *testing.T) {
	tier.NeedUsual(t)
	var h struct {
		create    func() uintptr                     `symbol:"Highs_create"`
		destroy   func(uintptr)                      `symbol:"Highs_destroy"`
		silent    func(uintptr, string, int32) int32 `symbol:"Highs_setBoolOptionValue"`
		read      func(uintptr, string) int32        `symbol:"Highs_readModel"`
		run       func(uintptr) int32                `symbol:"Highs_run"`
		status    func(uintptr) int32                `symbol:"Highs_getModelStatus"`
		objective func(uintptr) float64              `symbol:"Highs_getObjectiveValue"`
	}
	library(t, native.Spec{Name: "HiGHS", Files: []string{"libhighs.so"}, Hint: "make setup"}, &h)
	const optimal = 7
	highs := func(path string) (float64, bool) {
		model := h.create()
		defer h.destroy(model)
		h.silent(model, "output_flag", 0)
		ok := h.read(model, path) == 0 && h.run(model) == 0 && h.status(model) == optimal
		return h.objective(model), ok
	}
	var lp struct {
		read      func(string, int32) uintptr `symbol:"read_freeMPS"`
		solve     func(uintptr) int32         `symbol:"solve"`
		objective func(uintptr) float64       `symbol:"get_objective"`
		free      func(uintptr)               `symbol:"delete_lp"`
	}
	library(t, native.Spec{Name: "lp_solve", Files: []string{"liblpsolve55.so"}, Hint: "make setup"}, &lp)
	readers := []struct {
		name, format string
		optimum      func(path string) (float64, bool)
	}{
		{"HiGHS", "lp", highs}, {"HiGHS", "mps", highs}, {"lp_solve", "mps", func(path string) (float64, bool) {
			p := lp.read(path, 1)
			if p == 0 {
				return 0, false
			}
			defer lp.free(p)
			ok := lp.solve(p) == 0
			return lp.objective(p), ok
		}},
	}
	written, refused := 0, 0
	for i := range 120 {
		q, gap := steep(rand.New(rand.NewPCG(uint64(i), 31)))
		b := bound.Methods[0].Bound(q.Model, bound.Inputs(q.Space, q.RegionOrWhole()))
		low, err := encode.BigM(q, b)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range readers {
			f, err := export.Lookup(r.format)
			if err != nil {
				t.Fatal(err)
			}
			list, err := export.Lower(q, f, export.Options{Encoding: "bigm", Bounds: bound.Methods[0].Name, Maximise: true})
			if err != nil {
				if refused++; !errors.Is(err, sdk.ErrUnsupported) || !strings.Contains(err.Error(), "beyond 2³⁰") {
					t.Fatalf("%d: %v", i, err)
				}
				continue
			}
			written++
			path := filepath.Join(t.TempDir(), "model."+r.format)
			if err := os.WriteFile(path, []byte(write(t, r.format, list[0].Problem)), 0o600); err != nil {
				t.Fatal(err)
			}
			// Their tolerance, and the relative gap at which HiGHS stops.
			allowed := 2e-6*low.Sensitivity + 2e-4*gap
			if got, ok := r.optimum(path); !ok || math.Abs(got-gap) > allowed {
				t.Errorf("%d, %s from %s: optimum %v %v, the largest gap is %v ± %.3g (magnitude %.3g)", i, r.name, r.format, got, ok, gap, allowed, low.Problem.MILP.Magnitude())
			}
		}
	}
	if t.Logf("%d files written, %d refused", written, refused); written < 80 || refused < 80 {
		t.Error("the sample is one-sided")
	}
}
