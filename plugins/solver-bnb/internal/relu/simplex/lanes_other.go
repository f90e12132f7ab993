//go:build !amd64

package simplex

var variants = []*lanes{&scalar}
