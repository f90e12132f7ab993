//go:build !unix

package serve

// divertStdout leaves standard output as it is: no native library is bound here
// that could print into the handshake.
func divertStdout() error { return nil }
