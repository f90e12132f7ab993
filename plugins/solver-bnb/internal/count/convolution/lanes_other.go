//go:build !amd64

package convolution

var variants = []*lanes{&scalar}
