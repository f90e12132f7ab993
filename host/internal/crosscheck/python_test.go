package crosscheck

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/program"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// TestRefereeInPython is TestReferee for the solvers that are written in Python,
// with fewer questions: each costs a process a start, and some a package.
func TestRefereeInPython(t *testing.T) {
	tier.NeedLong(t)
	number, first := environment(t, "HYFAIR_REFEREE", 8), environment(t, "HYFAIR_REFEREE_SEED", 0)
	files, err := filepath.Glob(filepath.Join(program.Root(), "plugins", "solver-*", "main.py"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, path := range files {
		name := strings.TrimPrefix(filepath.Base(filepath.Dir(path)), "solver-")
		t.Run(name, func(t *testing.T) {
			solver, d := plugintest.Solver(t, name)
			s := &panelist{name: name, solver: solver, description: d}
			counts := map[string]int{}
			for seed := first; seed < first+number; seed++ {
				r := rand.New(rand.NewPCG(uint64(seed), 13))
				q := known.Query(r, fairness.Notions[seed%4])
				c := &refereed{T: t, q: q, truth: known.Enumerate(q), r: r, seed: seed, counts: counts}
				c.name = fmt.Sprintf("seed %d, %s", seed, q.Notion)
				c.verdict(s)
				c.relaxed(s)
				if q.Notion == fairness.Score {
					c.bins(s)
				}
			}
			t.Logf("%v", counts)
		})
	}
}
