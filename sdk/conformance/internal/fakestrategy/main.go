// Command fakestrategy serves reference.Wanderer, so that the suite can be run
// over the wire on a strategy that is plainly right.
package main

import (
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/sdk/serve"
)

func main() { serve.Strategy(reference.Wanderer{}) }
