//go:build !amd64

package lattice

var variants = []*lanes{&scalar}
