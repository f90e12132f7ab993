package conformance_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/conformance"
)

// The programs in docs/author/plugin-authors.md are whole: they build, gofmt leaves
// them as they are, and they pass the suite as plugins.
func TestProgramsOfTheAuthorsGuide(t *testing.T) {
	tier.NeedUsual(t)
	text, err := os.ReadFile("../../docs/author/plugin-authors.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := regexp.MustCompile("(?s)```go\n(// Command (hyfair-[a-z]+-[a-z]+) .*?)```").FindAllStringSubmatch(string(text), -1)
	if len(programs) != 2 {
		t.Fatalf("%d programs in the guide, want a strategy and a solver", len(programs))
	}
	for _, p := range programs {
		source, name := p[1], p[2]
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, name)
			if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("gofmt", "-l", file).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("gofmt: %v %s", err, out)
			}
			if out, err := exec.Command("go", "build", "-o", binary, file).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if strings.HasPrefix(name, "hyfair-solver-") {
				conformance.Solver(t, launch(t, binary, client.Solver).Solver(), conformance.Options{})
			} else {
				conformance.Strategy(t, launch(t, binary, client.Strategy).Strategy(), conformance.Options{})
			}
		})
	}
}
