// Package train fits small fully connected ReLU networks with one sigmoid
// output: enough to make the shipped example and to retrain a network of the
// size this field studies, in plain Go and in seconds.
//
// The same seed, data and configuration give the same network bit for bit, on
// any machine and with any number of cores. Three rules ensure this:
//
//   - One goroutine does all the arithmetic, in one fixed order.
//   - Every random choice comes from a seeded PCG (math/rand/v2).
//   - No product is ever fused with a sum. The language allows x*y + z to be
//     rounded once, and Go's compiler does that on arm64, ppc64 and others but
//     not on amd64; an explicit float64(x*y) forbids it. For the same reason
//     exp and log are this package's own: those of package math differ in
//     their last bits between processors. (Square roots and divisions are
//     correctly rounded everywhere.)
package train
