// Command fakesolver serves reference.Enumerator, so that the suite can be run
// over the wire on a solver that is plainly right.
package main

import (
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/sdk/serve"
)

func main() { serve.Solver(reference.Enumerator{}) }
