//go:build !amd64

package evaluate

// supported lists the variants this machine can run, the fastest first.
func supported() []*lanes { return []*lanes{&scalar} }
