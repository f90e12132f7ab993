package serve

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/hyfair/hyfair/host/internal/experiment/fleet/access"
)

// watch serves a queue's metrics in Prometheus' text format.
func watch(address string, s *server.Server) (*http.Server, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !access.Loopback(host) {
		return nil, fmt.Errorf("other machines can reach %s, and metrics need no keys: give an address of this machine only, such as 127.0.0.1:8222", address)
	}
	at, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	pages := http.NewServeMux()
	pages.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		metrics(w, s)
	})
	m := &http.Server{Handler: pages, ReadHeaderTimeout: 5 * time.Second}
	go m.Serve(at)
	return m, nil
}

func metrics(w http.ResponseWriter, s *server.Server) {
	number := func(name, kind, help string, v any) {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n%s %v\n", name, help, name, kind, name, v)
	}
	if v, err := s.Varz(nil); err == nil {
		number("hyfair_fleet_connections", "gauge", "Open connections.", v.Connections)
		number("hyfair_fleet_in_messages_total", "counter", "Messages received.", v.InMsgs)
		number("hyfair_fleet_in_bytes_total", "counter", "Bytes received.", v.InBytes)
		number("hyfair_fleet_out_bytes_total", "counter", "Bytes sent.", v.OutBytes)
		number("hyfair_fleet_memory_bytes", "gauge", "Memory of the server.", v.Mem)
	}
	js, err := s.Jsz(&server.JSzOptions{Streams: true, Consumer: true, Config: true})
	if err != nil {
		return
	}
	number("hyfair_fleet_stored_bytes", "gauge", "Bytes in the queue's folder.", js.Store)
	for _, account := range js.AccountDetails {
		slices.SortFunc(account.Streams, func(a, b server.StreamDetail) int { return len(a.Name) - len(b.Name) })
		for _, stream := range account.Streams {
			fmt.Fprintf(w, "hyfair_fleet_messages{stream=%q} %d\n", stream.Name, stream.State.Msgs)
			for _, c := range stream.Consumer { // skip the consumers of results, one per experiment
				if stream.Config != nil && stream.Config.Retention != server.WorkQueuePolicy {
					continue
				}
				fmt.Fprintf(w, "hyfair_fleet_waiting{ground=%q} %d\nhyfair_fleet_under_way{ground=%q} %d\nhyfair_fleet_redelivered{ground=%q} %d\n",
					c.Name, c.NumPending, c.Name, c.NumAckPending, c.Name, c.NumRedelivered)
			}
		}
	}
}
