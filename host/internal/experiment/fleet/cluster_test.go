//go:build unix

package fleet

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// node is a server of a cluster of one's own.
type node struct {
	*process
	config string
}

// ports are free.
func (b *table) ports(n int) (out []int) {
	b.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		defer l.Close()
		out = append(out, l.Addr().(*net.TCPAddr).Port)
	}
	return out
}

// cluster starts two of three servers as docs/user/fleet.md says, with what hyfair fleet keys wrote: c
// is not up yet.
func (b *table) cluster() map[string]*node {
	b.Helper()
	if err := os.Link(plugintest.Program(b, "host/internal/experiment/fleet/testdata/nats-server"), filepath.Join(b.dir, "nats-server")); err != nil {
		b.Fatal(err)
	}
	if code, _, stderr := b.run("asks", "fleet", "keys", filepath.Join(b.dir, "keys"), "--host", "127.0.0.1"); code != 0 {
		b.Fatal(code, stderr)
	}
	clients, routes := b.ports(3), b.ports(3)
	var urls, others []string
	for i := range clients {
		urls = append(urls, fmt.Sprintf("tls://127.0.0.1:%d", clients[i]))
		others = append(others, fmt.Sprintf("nats://127.0.0.1:%d", routes[i]))
	}
	b.url = strings.Join(urls, ",")
	nodes := map[string]*node{}
	for i, name := range []string{"a", "b", "c"} {
		n := &node{config: filepath.Join(b.dir, name+".conf")}
		text := fmt.Sprintf(`server_name: %s
listen: 127.0.0.1:%d
jetstream { store_dir: %q, sync_interval: always }
cluster { name: own, listen: 127.0.0.1:%d, routes: [%s] }
include keys/server/fleet.conf
`, name, clients[i], filepath.Join(b.dir, "store", name), routes[i], strings.Join(others, ", "))
		if err := os.WriteFile(n.config, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		nodes[name] = n
	}
	b.up(nodes["a"])
	b.up(nodes["b"])
	return nodes
}

// up starts a node, also again.
func (b *table) up(n *node) {
	b.Helper()
	n.process = b.launch(exec.Command(filepath.Join(b.dir, "nats-server"), "-c", n.config))
}

// A cluster of three has everything three times, and loses one of its servers without
// anything being lost.
func TestAClusterLosesANode(t *testing.T) {
	tier.NeedLong(t)
	b := lay(t)
	b.wait = "10s" // a cluster needs a few to agree on who leads
	grid := b.grid(12, 8_000)
	want := b.alone(grid)
	nodes := b.cluster()
	keys := filepath.Join(b.dir, "keys", RoleCoordinator)
	experiment := func(home string) *process {
		return b.start(home, "ablate", grid, "--fleet", b.url, "--fleet-keys", keys, "--tidy", filepath.Join(b.dir, home+".jsonl"))
	}
	check := func(home string) {
		if d := cmp.Diff(want, b.rows(filepath.Join(b.dir, home+".jsonl"))); d != "" {
			t.Error(d)
		}
	}

	coordinator := experiment("first")
	b.until("refusal of three replicas", func() bool {
		return strings.Contains(coordinator.said(), "waiting up to 1m0s for its servers to join")
	})
	b.up(nodes["c"])
	b.until("cluster", func() bool {
		code, _, _ := b.run("asks", "fleet", "status", b.url, "--keys", keys)
		return code == 0
	})
	workers := []string{"--keys", filepath.Join(b.dir, "keys", RoleWorker)}
	b.join(workers...)
	b.join(workers...)
	l, err := dial(Address{b.url, keys}, RoleCoordinator, "looks")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	b.until("first result", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		results, err := l.js.Stream(ctx, resultsStream)
		return b.over(coordinator) || err == nil && results.CachedInfo().State.LastSeq > 0
	})
	leader := ""
	for _, name := range []string{tasksStream, resultsStream, "OBJ_" + contentBucket} {
		s, err := l.js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		info := s.CachedInfo()
		if info.Config.Replicas != 3 || info.Cluster == nil || len(info.Cluster.Replicas) != 2 {
			t.Errorf("%s has %d replicas: %+v", name, info.Config.Replicas, info.Cluster)
		}
		if name == tasksStream {
			leader = info.Cluster.Leader
		}
	}
	nodes[leader].kill()
	b.over(coordinator) // in the middle
	b.ends(coordinator)
	check("first")

	b.up(nodes[leader])
	coordinator = experiment("second")
	b.ends(coordinator)
	check("second")
}
