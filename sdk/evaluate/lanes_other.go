//go:build !amd64

package evaluate

var variants = []*lanes{&scalar}
