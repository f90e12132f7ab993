// Command hyfair finds, certifies, measures, explains and mitigates discrimination clusters in
// neural networks and trees.
package main

import (
	"os"

	"github.com/hyfair/hyfair/host/internal/cli"
	"github.com/hyfair/hyfair/host/internal/system/streams"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], streams.Input(), streams.Output(), os.Stderr))
}
