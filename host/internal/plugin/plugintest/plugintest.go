// Package plugintest builds this repository's programs and launches its real
// plugins for tests of the host.
package plugintest

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"google.golang.org/grpc"

	"github.com/hyfair/hyfair/internal/program"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/serve"
)

var built struct {
	sync.Mutex
	dir   string
	paths map[string]string // by folder
}

// Main runs a package's tests and removes the programs that they built: call it from
// TestMain.
func Main(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// Program compiles the program in a folder of the repository, such as "host", once
// in a run of the package's tests, and returns the file. Do not write to it.
func Program(t testing.TB, folder string) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if path := built.paths[folder]; path != "" {
		return path
	}
	if built.dir == "" {
		dir, err := os.MkdirTemp("", "hyfair-programs-")
		if err != nil {
			t.Fatal(err)
		}
		built.dir, built.paths = dir, map[string]string{}
	}
	// One folder per program, so that no other plugin is found in it.
	path := filepath.Join(built.dir, strconv.Itoa(len(built.paths)), "hyfair-"+filepath.Base(folder))
	if err := program.Build(folder, path); err != nil {
		t.Fatal(err)
	}
	built.paths[folder] = path
	return path
}

// Build returns Program of plugins/<name>.
func Build(t testing.TB, name string) string {
	t.Helper()
	return Program(t, "plugins/"+name)
}

// Folder returns a new plugin folder with programs, each given as a file's name and the
// folder of the repository from which it is compiled.
func Folder(t testing.TB, programs map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, from := range programs {
		// A hard link, so that the process runs under the name in this folder.
		if err := os.Link(Program(t, from), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Solver launches the real plugin solver-<name> with this process's environment,
// overridden by env, "key=value": HYFAIR_SIMD=scalar selects a variant of the vector
// loops. A missing native library, or for a plugin in Python a missing .deps/python,
// skips the test by name, and fails it if CI is set. Tests that call it may run in
// parallel.
func Solver(t testing.TB, name string, env ...string) (sdk.Incremental, sdk.Description) {
	t.Helper()
	root := program.Root()
	if os.Getenv("HYFAIR_LIB_DIR") == "" {
		env = append([]string{"HYFAIR_LIB_DIR=" + filepath.Join(root, ".deps", "lib")}, env...)
	}
	config := client.Config{Kind: client.Solver, Env: env}
	if dir := filepath.Join(root, "plugins", "solver-"+name); exists(filepath.Join(dir, "main.py")) {
		config.Path, config.Args, config.Dir, config.NoTLS = filepath.Join(root, ".deps", "python", "bin", "python"), []string{"main.py"}, dir, true
		config.Env = append(config.Env, "PYTHONPATH="+filepath.Join(root, "sdk", "python"), "PYTHONDONTWRITEBYTECODE=1")
		if !exists(config.Path) {
			missing(t, config.Path+" is missing; make setup-python installs it")
		}
	} else {
		config.Path = Build(t, "solver-"+name)
	}
	p, err := client.Launch(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	d := p.Description()
	for _, lib := range d.Libraries {
		if !lib.Found {
			missing(t, fmt.Sprintf("library %s is missing (%s); %s installs it", lib.Name, lib.Problem, lib.Hint))
		}
	}
	return p.Solver(), d
}

// Attach serves a model in this process until the test ends, and returns the file with its address.
func Attach(t testing.TB, impl sdk.Model) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hyfair-") // short: a socket's path is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	a := client.Address{Protocol: "grpc", ProtocolVersion: 1, Network: "unix", Address: filepath.Join(dir, "socket"), Pid: os.Getpid()}
	listener, err := net.Listen(a.Network, a.Address)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(serve.ServerOptions()...)
	serve.RegisterModel(server, impl)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	text, err := json.Marshal(a)
	file := filepath.Join(dir, "address.json")
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// missing skips the test, and fails it if CI is set.
func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip("SKIPPED: " + what)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
