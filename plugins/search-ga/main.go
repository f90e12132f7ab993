// Command hyfair-search-ga is a strategy plugin: a genetic algorithm on two islands.
//
// As in ExpGA (M. Fan, W. Wei, W. Jin, Z. Yang, T. Liu, Explanation-Guided Fairness
// Testing through Genetic Algorithm, ICSE 2022) individuals are vectors of the features'
// values. Selection, crossover, and mutation to random values of the domain improve them
// from generation to generation. ExpGA's individuals start near inputs for which an
// explanation of the model names a protected feature, and its fitness is the difference
// between two copies' scores. Here they start from random rows of the data set. Fitness
// is first k, then the Shannon entropy of the counterfactuals over the bins; the host
// computes both, so the network is not needed.
//
// The two islands are not from ExpGA. Each has half of the population, and while the
// individuals of one are evaluated, the other breeds; from time to time the best ones
// migrate. A generation of an island is
//
//   - its elite, the best individuals so far, which are not evaluated again;
//   - fresh rows, a small share, which keep the population diverse;
//   - children: two parents are drawn by tournament or roulette, crossed over uniformly or at
//     one point, and mutated. A child that was proposed before is mutated until it is new.
//
// Individuals that the host refuses have no fitness and no children.
package main

import "github.com/hyfair/hyfair/sdk/serve"

func main() { serve.Strategy(strategy{}) }
