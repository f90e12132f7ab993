// Package program compiles this repository's programs for tests that start them.
package program

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Root returns the repository's folder.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Fresh is the environment variable that make sets to a nonempty value for the tests that
// it runs. It says that the programs in bin are up to date.
const Fresh = "HYFAIR_FRESH"

// Build compiles the program in a folder of the repository, such as "host" or
// "plugins/search-rw", into a file, and creates the file's folder.
//
// It first copies what make left in bin, and returns if make runs the tests. Otherwise it
// runs the go command, which links nothing if the copy is up to date. No import tells go
// test that a test depends on the program. But go test records the files that a test reads,
// and runs the test again once make has changed them.
func Build(folder, file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := copyFile(made(folder), file); err != nil {
		os.Remove(file)
	} else if os.Getenv(Fresh) != "" {
		return nil
	}
	if _, err := os.ReadDir(filepath.Join(Root(), folder)); err != nil {
		return err
	}
	flags := "-s -w" // as the Makefile has them
	if folder == "host" && runtime.GOOS == "linux" && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64") {
		flags += " -E hyfair_entry"
	}
	build := exec.Command("go", "build", "-ldflags="+flags, "-o", file, "./"+folder)
	build.Dir = Root()
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as the Makefile has it
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", folder, err, out)
	}
	return nil
}

// made returns where make puts the program.
func made(folder string) string {
	switch folder {
	case "host":
		return filepath.Join(Root(), "bin", "hyfair")
	case "host/fleet":
		return filepath.Join(Root(), "bin", "hyfair-fleet")
	}
	if name, ok := strings.CutPrefix(folder, "plugins/"); ok {
		return filepath.Join(Root(), "bin", "plugins", "hyfair-"+name)
	}
	return filepath.Join(Root(), "bin", "tests", filepath.Base(folder))
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
