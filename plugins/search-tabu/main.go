// Command hyfair-search-tabu is a strategy plugin: tabu search (F. Glover, Tabu
// Search – Part I, ORSA Journal on Computing 1, 1989). A walk looks at some random
// neighbours, each with one feature changed, and goes to the best of them, better or
// worse than where it is. A value that a feature has left is tabu for it for a while,
// so that the walk does not fall back where it came from; the tabu is lifted for an
// individual above all since the walk began. There are as many walks as chains.
package main

import "github.com/hyfair/hyfair/sdk/serve"

func main() { serve.Strategy(strategy{}) }
