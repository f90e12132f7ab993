// Command hyfair-search-climb is a strategy plugin: iterated local search with
// steepest ascent over single features, recombination and restarts (H. R. Lourenço,
// O. Martin, T. Stützle, Iterated Local Search, Handbook of Metaheuristics, 2003).
//
// It evaluates by itself, with the network and sdk/evaluate, and hands the host the
// individuals that its climbs visit. Several climbs run in parallel, each with random
// numbers from its own seed. A climb
//
//  1. starts from the best of some random rows of the data set, or of random
//     individuals if there are no rows;
//  2. local search: takes the features in random order and tries all values of each
//     (of a wide domain, selected values), moving to the best value if it is
//     better, until no single feature helps;
//  3. perturbation: at a local optimum, some random features get random values, and
//     the local search is repeated. The new local optimum is kept if it is no worse;
//  4. restart: after a number of perturbations without success it restarts, from
//     rows, from a random individual, or from a uniform crossover of two of the best
//     local optima of all climbs.
//
// If the host asks for more moves than the number of climbs, they also hand over other
// individuals whose k is at least that of the best local optimum. If the model is so large
// that a step cannot try all features, a climb hands over the best individual tried, and
// tries the remaining features in its next step.
//
// An individual is better if its k is larger or, for equal k, if the distribution of its
// counterfactuals over the bins has the larger Shannon entropy. Both come from exact
// counts, so that the climb is the same on every machine.
package main

import "github.com/hyfair/hyfair/sdk/serve"

func main() { serve.Strategy(strategy{}) }
