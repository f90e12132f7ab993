// Hyfair-fleet serves the queue of a fleet; hyfair fleet serve starts it. It is a separate
// program because the queue's library is large and few users need it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/hyfair/hyfair/host/internal/experiment/fleet/serve"
)

func main() {
	o := serve.Options{Log: os.Stderr}
	flag.StringVar(&o.Listen, "listen", "127.0.0.1:4222", "host:port")
	flag.StringVar(&o.Store, "store", "", "folder of the queue")
	flag.Int64Var(&o.Limit, "limit", 16<<30, "largest size of the queue on disk, in bytes")
	flag.StringVar(&o.Keys, "keys", "", "folder of keys")
	flag.StringVar(&o.Monitor, "monitor", "", "host:port of /metrics")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := serve.Start(o)
	if err != nil {
		fmt.Fprintf(os.Stderr, "hyfair: %v\n", err)
		os.Exit(2)
	}
	fmt.Fprintf(os.Stderr, "hyfair: the queue of a fleet is at %s, in %s; use that address with hyfair fleet join and --fleet\n", s.ClientURL(), o.Store)
	s.Wait(ctx)
}
