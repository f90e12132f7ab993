// Command hyfair-solver-z3 solves SMT-LIB 2 scripts with Z3, a library that it binds at
// run time.
package main

import (
	"sync"

	"github.com/hyfair/hyfair/plugins/solver-z3/internal/z3"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/native"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/serve"
)

func main() { serve.Solver(solver) }

var solver = &native.Incremental[*z3.Lib]{
	Plugin: native.Plugin[*z3.Lib]{
		About: sdk.Description{
			Name:      "z3",
			Version:   "1.0.0",
			Summary:   "SMT-LIB 2 scripts with Z3 (satisfiability modulo theories, exact rational arithmetic)",
			Options:   options.Options(),
			Exactness: sdk.GradeExact,
		},
		Form:    problem.FormSMT,
		Library: z3.Spec.Name,
		Open:    sync.OnceValues(z3.Open),
	},
	Keep: load,
}
