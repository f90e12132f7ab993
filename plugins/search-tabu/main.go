// Command hyfair-search-tabu is a strategy plugin: tabu search (F. Glover, Tabu Search –
// Part I, ORSA Journal on Computing 1, 1989). A walk evaluates some random neighbours,
// each with one feature changed, and moves to the best of them, better or worse than the
// current individual. A value that a feature has left is tabu for it for some steps, so
// that the walk does not return. Aspiration lifts the tabu for an individual better than
// all since the walk's start. Each of the host's chains is a walk.
package main

import "github.com/hyfair/hyfair/sdk/serve"

func main() { serve.Strategy(strategy{}) }
