// Package batch bounds the logits of a network over many boxes at once.
//
// Each box, together with one protected combination, takes a lane: a place in
// vectors that go through the network together, so that eight or more boxes cost
// about what one would. What comes out is, for each lane, a linear form in the
// network inputs and how far the logit may be from it anywhere in the box:
//
//	logit(x) ∈ Σ Slope[i]·x[i] + Base ± Slack.
//
// The forms are those of Fast-Lin (Weng et al., "Towards Fast Computation of
// Certified Robustness for ReLU Networks", ICML 2018, section 3.3), which bound a
// ReLU between two parallel lines: on l ≤ y ≤ u and for any λ in [0, 1],
//
//	λ·y ≤ max(0, y) ≤ λ·y + μ,  μ = max(−λ·l, (1−λ)·u).
//
// λ = u/(u−l) makes the strip narrowest, but a λ that is rounded, or any other,
// is sound as long as μ is not rounded down. Upper and lower form of the logit
// have the same slopes, which halves the work, lets lattice points be counted
// along one direction, and loses less in a branch and bound than it does for
// a single box.
//
// Every bound is rigorous: see rounding.go.
package batch
