// Package access is what the queue of a fleet and those who use it agree on about who may.
package access

import "net"

// ConfigFile is what a server reads of its folder of keys: NATS' own format, for a cluster
// of one's own as well.
const ConfigFile = "fleet.conf"

// Loopback reports a host that no other machine reaches.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
