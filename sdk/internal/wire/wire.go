// Package wire holds what both sides of a plugin's connection must agree on:
// the handshake, the sizes, and how errors travel.
package wire

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// Version is the version of the protocol. Changes within a version are additions.
const Version = 1

// Name is the only plugin that a process offers, in go-plugin's terms.
const Name = "hyfair"

// Handshake makes sure that a program started as a plugin is a hyfair plugin. It is
// not a security measure.
var Handshake = plugin.HandshakeConfig{
	MagicCookieKey:   "HYFAIR_PLUGIN",
	MagicCookieValue: "8f0c7d5e-individual-fairness-v1",
}

const (
	// MaxMessage bounds a message from the host, such as a problem, in bytes.
	MaxMessage = 1 << 30
	// MaxAnswer bounds a message from a plugin, such as a batch of moves, in bytes.
	MaxAnswer = 1 << 28
	// StreamWindow is the HTTP/2 flow control window of a call; gRPC's
	// default of 64 KiB makes large tables three times slower.
	StreamWindow = 4 << 20
	// ConnWindow is the flow control window of a connection.
	ConnWindow = 16 << 20
	// ProgressEvery is the least time between two progress events.
	ProgressEvery = 50 * time.Millisecond
)

// Service adapts one gRPC service to go-plugin, on either side.
type Service struct {
	plugin.NetRPCUnsupportedPlugin
	// Register adds the service to a plugin's server; unused by hosts.
	Register func(*grpc.Server)
}

// GRPCServer is called by go-plugin in the plugin.
func (s *Service) GRPCServer(_ *plugin.GRPCBroker, server *grpc.Server) error {
	if s.Register == nil {
		return errors.New("nothing to serve: Register is nil")
	}
	s.Register(server)
	return nil
}

// GRPCClient is called by go-plugin in the host, and returns the connection.
func (s *Service) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return conn, nil
}

// Plugins is the set of plugins by protocol version, for either side.
func Plugins(s *Service) map[int]plugin.PluginSet {
	return map[int]plugin.PluginSet{Version: {Name: s}}
}
