//go:build !amd64

package batch

// supported lists the variants this machine can run, the fastest first.
func supported() []*lanes { return []*lanes{&scalar} }
