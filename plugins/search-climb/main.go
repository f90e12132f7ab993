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
// If the host asks for more moves than climbs make, other individuals with as large a
// k as the best local optimum are added. In a network so large that a step cannot try
// all features, climbs hand over the best of those tried, and continue there.
//
// Better is a larger k, and of equal k a larger Shannon entropy of the
// distribution of the counterfactuals over the bins. Both come from exact
// counts, so that the climb is the same on every machine.
package main

import "github.com/hyfair/hyfair/sdk/serve"

func main() { serve.Strategy(strategy{}) }
