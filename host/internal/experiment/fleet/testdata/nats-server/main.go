// Nats-server stands in for a user's NATS server in tests: it takes the flags and the
// configuration of the program of that name.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/nats-io/nats-server/v2/server"
)

func main() {
	fs := flag.NewFlagSet("nats-server", flag.ExitOnError)
	options, err := server.ConfigureOptions(fs, os.Args[1:], server.PrintServerAndExit, fs.Usage, server.PrintTLSHelpAndDie)
	if err != nil {
		fail(err)
	}
	s, err := server.NewServer(options)
	if err != nil {
		fail(err)
	}
	s.ConfigureLogger()
	if err := server.Run(s); err != nil {
		fail(err)
	}
	s.WaitForShutdown()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
