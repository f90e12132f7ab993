// Command hyfair-search-grad is a strategy plugin that follows gradients, in
// the spirit of ADF (P. Zhang et al., White-box Fairness Testing through
// Adversarial Sampling, ICSE 2020) and EIDIG (L. Zhang, Y. Zhang, M. Zhang,
// Efficient White-box Fairness Testing through Gradient Search, ISSTA 2021).
//
// The papers': seeds are taken in turn from clusters of the data set's rows. The
// global phase makes some iterations from each: of the individual's copies two
// are taken, the gradient of the output with respect to the inputs is
// computed at both, summed up with momentum (EIDIG), and the features that are
// not protected go a step in the direction in which the two grow apart. The
// local phase (preset grad+local) perturbs the individual found in one feature
// at a time, those with small gradients more often, since they disturb least
// what was found.
//
// Ours: the two copies are those with the largest and the smallest score of
// all. What is followed is the gradient of the difference of their scores, the
// slope of the sigmoid being replaced by 1/(4 + logit²), which falls more
// slowly and is the same on every machine. A step of an ordered feature is a
// share of its range, at least 1 for integers; a feature with a table of values
// (categories, one-hot inputs) goes to the value that promises most by first
// order, one such feature in a step. An iteration goes on after an individual
// with gap > ε is found: the best of a walk, by k and then by Shannon entropy,
// is what the local phase starts from, and that phase keeps what is no worse.
//
// The walks, as many as the host wants chains, evaluate by themselves: a step
// follows what it sees at once, and a round trip to the host for each takes longer.
package main

import "github.com/hyfair/hyfair/sdk/serve"

func main() { serve.Strategy(strategy{}) }
