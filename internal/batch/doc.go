// Package batch bounds the logits of a network over many boxes at once.
//
// Each box, together with one protected combination, takes a lane: a place in vectors
// that go through the network together, so that eight or more boxes cost about as much as
// one. The result is, for each lane, a linear form of the network inputs and a bound of
// the logit's distance from it in the box:
//
//	logit(x) ∈ Σ Slope[i]·x[i] + Base ± Slack.
//
// The forms are those of Fast-Lin (Weng et al., "Towards Fast Computation of Certified
// Robustness for ReLU Networks", ICML 2018, section 3.3), which bound a ReLU between two
// parallel lines: on l ≤ y ≤ u and for any λ in [0, 1],
//
//	λ·y ≤ max(0, y) ≤ λ·y + μ,  μ = max(−λ·l, (1−λ)·u).
//
// λ = u/(u−l) makes the strip narrowest, but any λ, rounded or not, is sound if μ is not
// rounded down. The logit's upper and lower form have the same slopes. This halves the
// work and lets lattice points be counted along one direction; branch and bound loses
// less by it than a single box does.
//
// Every bound is rigorous: see rounding.go.
package batch
