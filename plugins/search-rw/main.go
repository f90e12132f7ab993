// Command hyfair-search-rw is a strategy plugin: the random walk, the baseline of every
// comparison.
package main

import "github.com/hyfair/hyfair/sdk/serve"

func main() { serve.Strategy(strategy{}) }
