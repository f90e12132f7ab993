// Command hyfair-solver-bnb answers questions about networks by branch and bound
// over boxes of people, with bounds in which every rounding is covered. It needs
// no library.
package main

import "github.com/hyfair/hyfair/sdk/serve"

func main() { serve.Solver(solver{}) }
