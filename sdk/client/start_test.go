//go:build unix

package client_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

// soon is a start timeout for plugins that are meant to miss it.
const soon = 700 * time.Millisecond

func TestLaunchFailures(t *testing.T) {
	for _, c := range []struct {
		mode string
		kind client.Kind
		is   error
		says []string
	}{
		{"exit", client.Solver, sdk.ErrPluginExited, []string{"ended at its start (exit status 3)", "libsolver.so.9 is missing"}},
		{"panic", client.Solver, sdk.ErrPluginExited, []string{"ended at its start (exit status 2)", "panic: no such luck"}},
		{"hang", client.Solver, sdk.ErrPluginExited, []string{"printed nothing in 700ms"}},
		{"stop", client.Solver, sdk.ErrPluginExited, []string{"printed nothing in 700ms"}},
		{"print", client.Solver, sdk.ErrIncompatible, []string{`printed "Welcome to the solver" where its handshake should be`}},
		{"version", client.Solver, sdk.ErrIncompatible, []string{"speaks version 9 of the plugin protocol, this program version 1"}},
		{"dead-socket", client.Solver, sdk.ErrPluginExited, []string{"cannot be reached", "/nowhere/to/be/found"}},
		{"tcp", client.Solver, sdk.ErrIncompatible, []string{"tcp without TLS", "PLUGIN_UNIX_SOCKET_DIR"}},
		{"describe-error", client.Solver, sdk.ErrIncompatible, []string{"libtiny 2 is needed, 1 was found"}},
		{"liar:nameless", client.Solver, client.ErrGarbage, []string{"answered garbage to describe: description without a name"}},
		{"strategy", client.Solver, sdk.ErrIncompatible, []string{"does not serve the solver interface"}},
		{"good", client.Strategy, sdk.ErrIncompatible, []string{"does not serve the strategy interface"}},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			cfg := config(c.kind, c.mode)
			cfg.StartTimeout = 10 * time.Second
			if c.mode == "hang" || c.mode == "stop" {
				cfg.StartTimeout = soon
			}
			p, err := client.Launch(t.Context(), cfg)
			if err == nil {
				p.Close()
				t.Fatal("launched")
			}
			if !errors.Is(err, c.is) {
				t.Errorf("%v is not %v", err, c.is)
			}
			for _, text := range append(c.says, c.kind.String()+" testplugin") {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%v\ndoes not say %q", err, text)
				}
			}
			if strings.Contains(err.Error(), "architecture") {
				t.Errorf("%v\nis go-plugin's text", err)
			}
		})
	}
}

func TestLaunchOfNothing(t *testing.T) {
	text := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(text, []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/nowhere/plugin", text} {
		_, err := client.Launch(t.Context(), client.Config{Path: path, Kind: client.Solver})
		if !errors.Is(err, sdk.ErrPluginExited) || !strings.Contains(err.Error(), "could not be started") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	t.Run("TMPDIR", func(t *testing.T) { // the program is there, and the folder for its socket is not
		t.Setenv("TMPDIR", filepath.Join(shortTemp(t), "gone"))
		_, err := client.Launch(t.Context(), client.Config{Path: "/bin/echo", Kind: client.Solver})
		if !errors.Is(err, sdk.ErrPluginExited) || !strings.Contains(err.Error(), "no such file or directory") || !strings.Contains(err.Error(), "set TMPDIR") {
			t.Error(err)
		}
	})
	// A program that is no plugin at all.
	_, err := client.Launch(t.Context(), client.Config{Path: "/bin/echo", Args: []string{"hello"}, Kind: client.Solver})
	if !errors.Is(err, sdk.ErrIncompatible) || !strings.Contains(err.Error(), `printed "hello"`) {
		t.Errorf("echo: %v", err)
	}
	if _, err := client.Launch(t.Context(), client.Config{Path: "/bin/echo"}); err == nil {
		t.Error("launched without a kind")
	}
}

func TestLaunchIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	_, err := client.Launch(ctx, config(client.Solver, "hang"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v; want %v", err, context.Canceled)
	}
}

func TestWithoutTLS(t *testing.T) {
	c := config(client.Solver, "no-tls")
	p := launch(t, c)
	wantBest(t, solve(t, p, sdk.SolveOptions{}), 33)
	c.NoTLS = true
	wantBest(t, solve(t, launch(t, c), sdk.SolveOptions{}), 33)
}

// Run by hand, a plugin says what it is.
func TestByHand(t *testing.T) {
	out, code := runByHand(t)
	if code != 1 || !strings.Contains(out, "is a solver plugin of hyfair") || !strings.Contains(out, "hyfair plugins") {
		t.Errorf("exit code %d and %q", code, out)
	}
}

// sockets are the folders of sockets in the temporary folder.
func sockets(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(os.TempDir(), "plugin-dir*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestRelaunchLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", shortTemp(t))
	p := launch(t, config(client.Solver, "deaf"))
	for range 2 {
		solve(t, p, sdk.SolveOptions{Seed: 13, TimeLimit: time.Millisecond})
		wantBest(t, solve(t, p, sdk.SolveOptions{}), 33)
		if left := sockets(t); len(left) != 1 {
			t.Errorf("for one process: %v", left)
		}
	}
	p.Close()
	if left := sockets(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", shortTemp(t))
	for _, mode := range []string{"good", "grandchild:5", "stop-in-solve", "deaf"} {
		t.Run(mode, func(t *testing.T) {
			p := launch(t, config(client.Solver, mode))
			done := make(chan error, 1)
			if mode == "stop-in-solve" || mode == "deaf" {
				go func() {
					_, err := p.Solver().Solve(t.Context(), box(), sdk.SolveOptions{Seed: 13})
					done <- err
				}()
				time.Sleep(200 * time.Millisecond) // now it is in the call
			} else {
				wantBest(t, solve(t, p, sdk.SolveOptions{}), 33)
				done <- sdk.ErrPluginExited
			}
			if len(sockets(t)) == 0 {
				t.Error("the socket is not where this test looks")
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if err := <-done; !errors.Is(err, sdk.ErrPluginExited) {
				t.Errorf("the call under way: %v", err)
			}
			if !p.Exited() {
				t.Error("still there")
			}
			if err := syscall.Kill(p.Pid(), 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("process %d: %v", p.Pid(), err)
			}
			if left := sockets(t); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if err := p.Close(); err != nil {
				t.Errorf("second Close: %v", err)
			}
			if _, err := p.Solver().Solve(t.Context(), box(), sdk.SolveOptions{}); !errors.Is(err, sdk.ErrPluginExited) {
				t.Errorf("solve after Close: %v", err)
			}
		})
	}
}
