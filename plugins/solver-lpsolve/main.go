// Command hyfair-solver-lpsolve answers mixed-integer linear programs with
// lp_solve 5.5, a library it binds at run time.
package main

import "github.com/hyfair/hyfair/sdk/serve"

func main() { serve.Solver(newSolver()) }
