//go:build !amd64

package batch

var variants = []*lanes{&scalar}
