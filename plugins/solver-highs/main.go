// Command hyfair-solver-highs solves mixed-integer linear programs with HiGHS, a library
// that it binds at run time.
package main

import (
	"sync"

	"github.com/hyfair/hyfair/plugins/solver-highs/internal/highs"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/native"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/serve"
)

func main() { serve.Solver(solver) }

var solver = &native.Incremental[*highs.Lib]{
	Plugin: native.Plugin[*highs.Lib]{
		About: sdk.Description{
			Name:      "highs",
			Version:   "1.0.0",
			Summary:   "mixed-integer linear programs with HiGHS (branch and cut, floating point)",
			Options:   options.Options(),
			Exactness: sdk.GradeNumerical,
		},
		Form:    problem.FormMILP,
		Library: highs.Spec.Name,
		Open:    sync.OnceValues(highs.Open),
	},
	Keep: load,
}
