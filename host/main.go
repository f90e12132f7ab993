// Command hyfair finds, certifies, measures and explains discrimination
// clusters in neural networks.
package main

import (
	"os"

	"github.com/hyfair/hyfair/host/internal/cli"
	"github.com/hyfair/hyfair/host/internal/system/streams"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], streams.Input(), streams.Output(), os.Stderr))
}
