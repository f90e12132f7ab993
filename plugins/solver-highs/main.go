// Command hyfair-solver-highs answers mixed-integer linear programs with
// HiGHS, a library it binds at run time.
package main

import "github.com/hyfair/hyfair/sdk/serve"

func main() { serve.Solver(newSolver()) }
