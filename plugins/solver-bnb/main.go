// Command hyfair-solver-bnb answers questions about networks and trees by branch and
// bound over boxes of individuals, with bounds that cover every rounding. It needs no
// library.
package main

import "github.com/hyfair/hyfair/sdk/serve"

func main() { serve.Solver(solver{}) }
