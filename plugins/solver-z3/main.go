// Command hyfair-solver-z3 answers SMT-LIB 2 scripts with Z3, a library it
// binds at run time.
package main

import "github.com/hyfair/hyfair/sdk/serve"

func main() { serve.Solver(newSolver()) }
