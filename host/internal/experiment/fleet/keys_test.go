//go:build unix

package fleet

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/internal/program"
	"github.com/hyfair/hyfair/internal/tier"
)

// deployed are the arguments of a worker in Kubernetes, with the address of this queue in the variable that has it.
func (b *table) deployed(keys string) (args []string) {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(program.Root(), "deploy", "kubernetes-workers.yaml"))
	if err != nil {
		b.Fatal(err)
	}
	var m struct {
		Spec struct {
			Template struct {
				Spec struct {
					Containers []struct {
						Args []string
						Env  []struct{ Name, Value string }
					}
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &m); err != nil {
		b.Fatal(err)
	}
	values := map[string]string{"HYFAIR_FLEET": b.url, "HYFAIR_FLEET_KEYS": keys}
	c := m.Spec.Template.Spec.Containers[0]
	for _, e := range c.Env {
		b.Setenv(e.Name, values[e.Name])
	}
	for _, a := range c.Args {
		args = append(args, strings.ReplaceAll(a, "$(HYFAIR_FLEET)", b.url))
	}
	return args
}

// Beyond this machine there are keys, or nothing; a worker is started as in Kubernetes.
func TestKeys(t *testing.T) {
	tier.NeedUsual(t)
	b := lay(t)
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"serve":  {[]string{"fleet", "serve", "--listen", "0.0.0.0:0", "--store", filepath.Join(b.dir, "s")}, "hyfair fleet keys"},
		"join":   {[]string{"fleet", "join", "nats://192.0.2.1:4222"}, "--keys"},
		"status": {[]string{"fleet", "status", "nats://192.0.2.1:4222"}, "--keys"},
		"keys":   {[]string{"fleet", "keys", filepath.Join(b.dir, "k")}, "--host"},
		"ablate": {[]string{"ablate", b.grid(1, 1000), "--fleet", "nats://192.0.2.1:4222"}, "--fleet-keys"},
	} {
		if code, _, stderr := b.run("asks", c.args...); code != 2 || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: %d, %s", name, code, stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(b.dir, "s")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a refused server left a folder")
	}
	keys := func(name string) string {
		dir := filepath.Join(b.dir, name)
		if code, _, stderr := b.run("asks", "fleet", "keys", dir, "--host", "127.0.0.1"); code != 0 {
			t.Fatal(code, stderr)
		}
		return dir
	}
	own, others := keys("own"), keys("others")
	b.serve("--keys", filepath.Join(own, "server"))
	for name, args := range map[string][]string{
		"none":            {"fleet", "status", b.url},
		"of others":       {"fleet", "status", b.url, "--keys", filepath.Join(others, "coordinator")},
		"join, none":      {"fleet", "join", b.url},
		"join, of others": {"fleet", "join", b.url, "--keys", filepath.Join(others, "worker")},
	} {
		if code, _, stderr := b.run("asks", args...); code != 2 {
			t.Errorf("%s: %d, %s", name, code, stderr)
		}
	}
	_, listen, _ := strings.Cut(b.url, "://")
	_, port, _ := strings.Cut(listen, ":")
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"a worker asks":      {[]string{"fleet", "status", b.url, "--keys", filepath.Join(own, "worker")}, "folder coordinator"},
		"a worker hands out": {[]string{"ablate", b.grid(1, 1000), "--fleet", b.url, "--fleet-keys", filepath.Join(own, "worker")}, "folder coordinator"},
		"another host":       {[]string{"fleet", "status", "tls://localhost:" + port, "--keys", filepath.Join(own, "coordinator")}, "--host"},
		"an address in use":  {[]string{"fleet", "serve", "--listen", listen, "--store", filepath.Join(b.dir, "s")}, "in use"},
		"a store in use":     {[]string{"fleet", "serve", "--listen", "127.0.0.1:0", "--store", filepath.Join(b.dir, "store")}, "a running queue uses this folder"},
	} {
		if code, _, stderr := b.run("asks", c.args...); code != 2 || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: %d, %s", name, code, stderr)
		}
	}
	b.start("worker", b.deployed(filepath.Join(own, "worker"))...)
	grid := b.grid(2, 3_000)
	want := b.alone(grid)
	tidy := filepath.Join(b.dir, "fleet.jsonl")
	if code, _, stderr := b.run("coordinator", "ablate", grid, "--fleet", b.url, "--fleet-keys", filepath.Join(own, "coordinator"), "--tidy", tidy); code != 0 {
		t.Fatal(code, stderr)
	}
	if d := cmp.Diff(want, b.rows(tidy)); d != "" {
		t.Error(d)
	}
	if code, _, stderr := b.run("asks", "fleet", "drain", b.url, "--keys", filepath.Join(own, "worker")); code == 0 {
		t.Errorf("a worker drains others: %s", stderr)
	}
	if code, _, stderr := b.run("asks", "fleet", "drain", b.url, "--keys", filepath.Join(own, "coordinator")); code != 0 {
		t.Errorf("%d, %s", code, stderr)
	}
	b.until("end of the drained worker", func() bool {
		return len(b.status("--keys", filepath.Join(own, "coordinator")).Workers) == 0
	})
}
