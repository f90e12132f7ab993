package engine_test

import (
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/problem"
)

func TestMain(m *testing.M) { plugintest.Main(m) }

// highs launches the real solver-highs plugin.
func highs(t *testing.T) (sdk.Incremental, sdk.Description) {
	t.Helper()
	return plugintest.Solver(t, "highs")
}

// panelist is a real solver and what it can be asked with.
type panelist struct {
	name        string
	solver      sdk.Incremental
	description sdk.Description
	encodings   []string
	bounds      []string
}

// solvers launches all three solvers of this repository that bind a library.
func solvers(t *testing.T) []panelist {
	t.Helper()
	var out []panelist
	for _, name := range []string{"highs", "lpsolve", "z3"} {
		s, d := plugintest.Solver(t, name)
		p := panelist{name: name, solver: s, description: d, bounds: engine.BoundsNames()}
		if !d.Answers(problem.FormMILP, problem.Maximise) {
			p.bounds = slices.DeleteFunc(p.bounds, func(b string) bool { return b == engine.BoundsLP })
		}
		for _, e := range encode.Encodings {
			if d.Answers(e.Form, problem.Decide) && (d.SOS1 || !e.SOS1) {
				p.encodings = append(p.encodings, e.Name)
			}
		}
		out = append(out, p)
	}
	return out
}
