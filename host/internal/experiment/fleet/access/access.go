// Package access holds the rules of access that a fleet's queue and its clients share.
package access

import "net"

// ConfigFile is the configuration in a server's folder of keys, in NATS' format, so that the
// user's NATS cluster can read it, too.
const ConfigFile = "fleet.conf"

// Loopback reports whether only this machine reaches the host.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
