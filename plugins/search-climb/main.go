// Command hyfair-search-climb is a strategy plugin: steepest ascent over single
// features with kicks, recombination and restarts.
//
// It evaluates by itself, with the network and sdk/evaluate, and hands the host
// the individuals that its climbs go to. Several climbs go on side by
// side, each with random numbers of its own. A climb
//
//  1. starts from the best of some random rows of the data set, or from random
//     individuals where there are no rows;
//  2. takes the features in random order and tries all values of each (of a
//     wide domain, a ladder of values); the best value is taken where it is
//     better than the current one. It goes on until no single feature helps;
//  3. on such a top, kicks: some features, drawn at random, get random values,
//     and the ascent is repeated. The new top is kept where it is no worse;
//  4. gives up after a number of kicks without success, and starts again: from rows, from
//     a random individual, or from a mixture of two of the best tops of all
//     climbs.
//
// Where the host wants more moves than there are climbs, whatever else they came
// across with as large a k as the best top goes along. A network so large that
// a step cannot try all features has its climbs hand over the best of what they
// tried, and go on there in the next step.
//
// Better is a larger k, and of equal k a larger Shannon entropy of the
// distribution of the counterfactuals over the bins. Both come from exact
// counts, so that the climb is the same on every machine.
//
// Kicking a local optimum and climbing again is iterated local search, or basin
// hopping (H. R. Lourenço, O. Martin, T. Stützle, Iterated Local Search,
// Handbook of Metaheuristics, 2003); the mixture is uniform crossover. The rest
// is plain coordinate ascent.
package main

import "github.com/hyfair/hyfair/sdk/serve"

func main() { serve.Strategy(strategy{}) }
