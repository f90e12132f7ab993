// Package serve runs the queue of a fleet: a NATS server with JetStream within this program.
package serve

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/hyfair/hyfair/host/internal/experiment/fleet/access"
	"github.com/hyfair/hyfair/host/internal/system/filelock"
)

// Options are the settings of a queue.
type Options struct {
	// Listen is host:port; port 0 selects a free port.
	Listen string
	// Store is the queue's folder, Limit its maximum size in bytes.
	Store string
	Limit int64
	// Keys is the folder server that hyfair fleet keys wrote; empty: clients need no keys.
	Keys string
	// Monitor is the host:port that serves /metrics; empty: none.
	Monitor string
	// Log receives the server's messages; nil: discarded.
	Log io.Writer
}

// Server is a running queue.
type Server struct {
	*server.Server
	monitor *http.Server
	// store is the folder's lock file, locked while the queue runs.
	store *os.File
}

// claim locks a folder: two NATS servers with one folder would damage it.
func claim(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	free, err := filelock.Try(f, 0)
	if err == nil && !free {
		err = fmt.Errorf("--store %s: a running queue uses this folder: stop it or give another folder", dir)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Start starts a queue. Without keys, it accepts only an address that no other machine reaches.
func Start(o Options) (_ *Server, err error) {
	host, text, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: want HOST:PORT", o.Listen)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: want HOST:PORT, with a port from 0 to 65535", o.Listen)
	}
	if o.Keys == "" && !access.Loopback(host) {
		return nil, fmt.Errorf("--listen %s: other machines can reach it, so it needs keys: write them with hyfair fleet keys DIR --host NAME, and give --keys DIR/server", o.Listen)
	}
	options := &server.Options{}
	if o.Keys != "" {
		file := filepath.Join(o.Keys, access.ConfigFile)
		if options, err = server.ProcessConfigFile(file); err != nil {
			return nil, fmt.Errorf("--keys: %w", err)
		}
		if options.TLSConfig == nil || len(options.Nkeys) == 0 || options.NoAuthUser != "" {
			return nil, fmt.Errorf("--keys: %s has no certificate, no users, or a user without keys: use the folder server that hyfair fleet keys wrote", file)
		}
	}
	if port != 0 { // if the port is taken, the NATS server would retry forever
		l, err := net.Listen("tcp", o.Listen)
		if err != nil {
			return nil, fmt.Errorf("--listen: %w", err)
		}
		l.Close()
	}
	store, err := claim(o.Store)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			store.Close()
		}
	}()
	options.ServerName = "hyfair"
	options.Host, options.Port = host, int(port)
	if port == 0 {
		options.Port = server.RANDOM_PORT
	}
	options.JetStream, options.StoreDir, options.SyncAlways = true, o.Store, true
	options.JetStreamMaxStore, options.JetStreamMaxMemory = o.Limit, 64<<20
	options.MaxPayload, options.MaxConn = 1<<20, 64<<10
	options.NoSigs, options.NoLog = true, o.Log == nil
	options.LameDuckDuration = 0
	s, err := server.NewServer(options)
	if err != nil {
		return nil, err
	}
	if o.Log != nil {
		s.SetLoggerV2(&logger{to: o.Log}, false, false, false)
	}
	go s.Start()
	if !s.ReadyForConnections(20 * time.Second) {
		s.Shutdown()
		return nil, fmt.Errorf("the queue at %s did not start within 20 s in the folder %s: does another server use the folder?", o.Listen, o.Store)
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("the queue could not be opened in %s; the messages of the server say why", o.Store)
	}
	out := &Server{Server: s, store: store}
	if o.Monitor != "" {
		if out.monitor, err = watch(o.Monitor, s); err != nil {
			out.End()
			return nil, fmt.Errorf("--monitor: %w", err)
		}
	}
	return out, nil
}

// Wait waits until ctx ends, then stops the queue.
func (s *Server) Wait(ctx context.Context) error {
	<-ctx.Done()
	s.End()
	return nil
}

// End stops the queue.
func (s *Server) End() {
	if s.monitor != nil {
		s.monitor.Close()
	}
	s.Shutdown()
	s.WaitForShutdown()
	s.store.Close()
}

// logger writes the server's warnings and errors.
type logger struct{ to io.Writer }

func (l *logger) Noticef(string, ...any) {}
func (l *logger) Warnf(format string, v ...any) {
	fmt.Fprintf(l.to, "hyfair-fleet: "+format+"\n", v...)
}
func (l *logger) Fatalf(format string, v ...any) { l.Warnf(format, v...) }
func (l *logger) Errorf(format string, v ...any) { l.Warnf(format, v...) }
func (l *logger) Debugf(string, ...any)          {}
func (l *logger) Tracef(string, ...any)          {}
