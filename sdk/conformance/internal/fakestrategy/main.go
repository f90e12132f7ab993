// Command fakestrategy serves sdktest.Wanderer, so that the suite can be run
// over the wire on a strategy that is plainly right.
package main

import (
	"github.com/hyfair/hyfair/sdk/sdktest"
	"github.com/hyfair/hyfair/sdk/serve"
)

func main() { serve.Strategy(sdktest.Wanderer{}) }
