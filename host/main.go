// Command hyfair finds, certifies, measures and explains discrimination
// clusters in neural networks.
package main

import (
	"os"

	"github.com/hyfair/hyfair/host/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
