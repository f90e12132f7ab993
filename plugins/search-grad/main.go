// Command hyfair-search-grad is a strategy plugin that follows gradients, in
// the spirit of ADF (P. Zhang et al., White-box Fairness Testing through
// Adversarial Sampling, ICSE 2020) and EIDIG (L. Zhang, Y. Zhang, M. Zhang,
// Efficient White-box Fairness Testing through Gradient Search, ISSTA 2021).
//
// From the papers: seeds are taken in turn from clusters of the data set's rows. From
// each seed, the global phase makes some iterations. An iteration takes two of the
// individual's copies and computes the gradient of the output with respect to the
// inputs at both, summed up with momentum (EIDIG). The features that are not protected
// then take a step in the direction that increases the copies' difference. The local
// phase (preset grad+local) perturbs the individual found in one feature at a time,
// those with small gradients more often, since they change the score least.
//
// Unlike in the papers, the two copies are those with the largest and the smallest
// score of all. The gradient is that of the difference of their scores, with 1/(4 + logit²)
// in place of the sigmoid's slope: it falls more slowly and is the same on every
// machine. A step of an ordered feature is a share of its range, at least 1 for
// integers; a feature with a table of values (categories, one-hot inputs) takes the
// best value by first order, one such feature in a step. Iterations continue after an
// individual with gap > ε is found: the local phase starts from the best individual since
// the seed, by k and then by Shannon entropy, and keeps a move that is no worse.
//
// The walks, one per chain of the host, evaluate by themselves: a round trip to the
// host takes longer than a step.
package main

import "github.com/hyfair/hyfair/sdk/serve"

func main() { serve.Strategy(strategy{}) }
