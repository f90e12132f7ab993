//go:build !unix

package serve

// divertStdout does nothing: on this system no native library is bound that could
// print into the handshake.
func divertStdout() error { return nil }
