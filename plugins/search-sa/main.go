// Command hyfair-search-sa is a strategy plugin: simulated annealing, plain
// (preset sa) and with nearest neighbours (preset sa+knn).
package main

import "github.com/hyfair/hyfair/sdk/serve"

func main() { serve.Strategy(strategy{}) }
