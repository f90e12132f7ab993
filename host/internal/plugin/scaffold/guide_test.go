package scaffold

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/internal/program"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/client"
)

// block is a piece of code in the guide for authors.
type block struct{ section, language, text string }

// guide are the pieces of code in the guide's tutorial and reference, in order.
func guide(t *testing.T) []block {
	t.Helper()
	var out []block
	for _, page := range []string{"plugin-authors.md", "plugin-reference.md"} {
		text, err := os.ReadFile(filepath.Join(root(t), "docs", "author", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range strings.Split(string(text), "\n## ") {
			title, _, _ := strings.Cut(section, "\n")
			for _, m := range regexp.MustCompile("(?sm)^```([a-z]*)\n(.*?)^```$").FindAllStringSubmatch(section, -1) {
				out = append(out, block{title, m[1], m[2]})
			}
		}
	}
	return out
}

// Every piece of code in the guide is a command that is run, a program that
// sdk/conformance builds and tests, or a quotation from a new project.
func TestGuideQuotesNewProjects(t *testing.T) {
	dir := t.TempDir()
	var texts []string
	for _, language := range []Language{Go, Python} {
		for _, kind := range kinds {
			p := written(t, Request{Kind: kind, Name: "my-idea", Language: language, Dir: filepath.Join(dir, string(language))})
			for _, name := range p.Files {
				text, err := os.ReadFile(filepath.Join(p.Path, name))
				if err != nil {
					t.Fatal(err)
				}
				texts = append(texts, string(text))
			}
		}
	}
	projects, quoted := strings.Join(texts, "\n"), 0
	for _, b := range guide(t) {
		switch {
		case b.language == "sh" || b.language == "go" && strings.HasPrefix(b.text, "// Command hyfair-"):
		case strings.Contains(projects, b.text):
			quoted++
		default:
			t.Errorf("%s: this is nowhere in a new project:\n%s", b.section, b.text)
		}
	}
	if quoted < 5 {
		t.Errorf("only %d quotations", quoted)
	}
}

// vetted is what go test vets: nothing below the long tier. Vetting the new project
// looks through all that it is built of, which make vet has looked through in its
// own way.
func vetted() string {
	if tier.Long() {
		return ""
	}
	return "-vet=off"
}

// The guide's walks work. Each section's commands run in one shell, in a new folder.
func TestGuideCommands(t *testing.T) {
	tier.NeedLong(t)
	tools := t.TempDir()
	for from, to := range map[string]string{"host": "hyfair", "plugins/search-sa": "plugins/hyfair-search-sa", "plugins/search-rw": "plugins/hyfair-search-rw"} {
		if err := program.Build(from, filepath.Join(tools, filepath.FromSlash(to))); err != nil {
			t.Fatal(err)
		}
	}
	scripts := map[string]string{}
	for _, b := range guide(t) {
		if b.language == "sh" {
			scripts[b.section] += b.text
		}
	}
	for section, says := range map[string][]string{
		"Ten minutes in Go":         {" 0 failed, 2 skipped", "my-idea on loan", "downhill", "ranking", "installed: ", "pinned", "uninstalled: "},
		"Ten minutes in Python":     {" 0 failed, 2 skipped", "my-idea on loan", "ranking"},
		"Ten minutes with a solver": {" 0 failed, ", "FAIR"},
		"A model plugin":            {" 0 failed, 0 skipped", "Audit of my-model"},
	} {
		t.Run(section, func(t *testing.T) {
			script := scripts[section]
			delete(scripts, section)
			if strings.Contains(section, "Python") {
				needPython(t)
			}
			cmd := exec.Command("sh", "-eu", "-c", script)
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"), "HYFAIR="+root(t),
				"HYFAIR_PLUGIN_DIR=", "XDG_DATA_HOME="+t.TempDir(), "GOPROXY=off", "GOFLAGS="+vetted())
			began := time.Now()
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, want := range says {
				if !strings.Contains(string(out), want) {
					t.Errorf("nothing says %q:\n%s", want, out)
				}
			}
			t.Logf("it took %.0f s", time.Since(began).Seconds())
		})
	}
	for section := range scripts {
		t.Errorf("the commands of %q are not run", section)
	}
}

// needPython skips a test where setup has brought no Python, and fails it where
// CI is set.
func needPython(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root(t), ".deps", "python", "bin", "python")); err == nil {
		return
	} else if os.Getenv("CI") != "" {
		t.Fatalf("no Python to run plugins with: %v; make setup-python brings it", err)
	} else {
		t.Skipf("SKIPPED %s: no Python to run plugins with (%v); make setup-python brings it", t.Name(), err)
	}
}

// What the README of each project says to do is what Steps say.
func TestReadmeTellsTheSteps(t *testing.T) {
	for _, language := range []Language{Go, Python} {
		for _, kind := range kinds {
			p := written(t, Request{Kind: kind, Name: "x", Language: language, Dir: t.TempDir()})
			text, err := os.ReadFile(filepath.Join(p.Path, "README.md"))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range p.Steps {
				if !strings.Contains(string(text), "\n"+s.Command+"\n") {
					t.Errorf("%s in %s: %q is not in\n%s", kind, language, s.Command, text)
				}
				if kind != client.Strategy && strings.Contains(s.Command, " ablate ") {
					t.Errorf("the steps of a %s have %q", kind, s.Command)
				}
			}
			if strings.Contains(string(text), "«") || strings.Contains(string(text), "\n\n\n") {
				t.Errorf("%s", text)
			}
		}
	}
}
