// Command hyfair-search-ga is a strategy plugin: a genetic algorithm on two
// islands.
//
// As in ExpGA (M. Fan, W. Wei, W. Jin, Z. Yang, T. Liu, Explanation-Guided
// Fairness Testing through Genetic Algorithm, ICSE 2022) individuals are vectors
// of the features' values, which selection, crossover and mutation to random
// values of the domain improve from generation to generation. ExpGA's
// individuals start near inputs at which an explanation of the model names a
// protected feature, and its fitness is the difference between two copies'
// scores. Here they start from random rows of the data set, and fitness is
// first k, then the Shannon entropy of the counterfactuals over the bins, both
// of which the host computes; the network is not needed.
//
// Ours are also the two islands. Each is half of the population, and while the
// individuals of one are evaluated, the other breeds; from time to time the
// best ones swim over. A generation of an island is
//
//   - its elite, the best individuals so far, which are not evaluated again;
//   - fresh rows, a small share, which keep it from going stale;
//   - children: two parents are drawn by tournament or roulette, crossed over
//     uniformly or at one point, and mutated. A child that was there before is
//     mutated until it is new.
//
// Individuals that the host refuses have no fitness and no children.
package main

import "github.com/hyfair/hyfair/sdk/serve"

func main() { serve.Strategy(strategy{}) }
