// Package serve is the queue of a fleet: a NATS server with JetStream within this program.
package serve

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/hyfair/hyfair/host/internal/experiment/fleet/access"
	"github.com/hyfair/hyfair/host/internal/system/filelock"
)

// Options say how the queue is served.
type Options struct {
	// Listen is host:port; port 0 is one that is free.
	Listen string
	// Store is the folder that the queue is kept in, Limit how many bytes it may have there.
	Store string
	Limit int64
	// Keys is the folder server of hyfair fleet keys; empty: none are asked for.
	Keys string
	// Monitor is host:port of pages about the server, and of /metrics; empty: none.
	Monitor string
	// Log receives the server's messages; nil: discarded.
	Log io.Writer
}

// Server is a queue that is served.
type Server struct {
	*server.Server
	monitor *monitor
	// store is a file in the folder that is locked while the queue is served.
	store *os.File
}

// claim locks a folder, which the server itself would share with another and spoil.
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
		err = fmt.Errorf("--store %s: another queue is kept there, and is being served", dir)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Start starts a queue. It refuses to be reached from other machines without keys.
func Start(o Options) (_ *Server, err error) {
	host, text, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: want HOST:PORT", o.Listen)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: want HOST:PORT", o.Listen)
	}
	if o.Keys == "" && !access.Loopback(host) {
		return nil, fmt.Errorf("--listen %s is reached from other machines, and there are no keys: hyfair fleet keys DIR --host NAME writes some, and --keys DIR/server uses them", o.Listen)
	}
	options := &server.Options{}
	if o.Keys != "" {
		file := filepath.Join(o.Keys, access.ConfigFile)
		if options, err = server.ProcessConfigFile(file); err != nil {
			return nil, fmt.Errorf("--keys: %w", err)
		}
		if options.TLSConfig == nil || len(options.Nkeys) == 0 || options.NoAuthUser != "" {
			return nil, fmt.Errorf("--keys: %s has no certificate, or no users", file)
		}
	}
	if port != 0 { // the server itself would retry without end
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
		return nil, fmt.Errorf("the queue at %s did not start within 20 s in the folder %s: is it another server's?", o.Listen, o.Store)
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("the queue could not be opened in %s", o.Store)
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

// Wait waits until ctx ends, and closes the queue then.
func (s *Server) Wait(ctx context.Context) error {
	<-ctx.Done()
	s.End()
	return nil
}

// End closes the queue.
func (s *Server) End() {
	if s.monitor != nil {
		s.monitor.close()
	}
	s.Shutdown()
	s.WaitForShutdown()
	s.store.Close()
}

// logger writes what a server says.
type logger struct{ to io.Writer }

func (l *logger) Noticef(string, ...any) {}
func (l *logger) Warnf(format string, v ...any) {
	fmt.Fprintf(l.to, "hyfair-fleet: "+format+"\n", v...)
}
func (l *logger) Fatalf(format string, v ...any) { l.Warnf(format, v...) }
func (l *logger) Errorf(format string, v ...any) { l.Warnf(format, v...) }
func (l *logger) Debugf(string, ...any)          {}
func (l *logger) Tracef(string, ...any)          {}
