package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/libraries"
	"github.com/hyfair/hyfair/internal/tier"
)

// excerpt is a command of a page's code block, with the output that the page shows.
type excerpt struct {
	command string
	output  []string
}

// commandsOf are the commands of the code blocks of a page, in order: lines that begin with "$ ". What comes before
// the first command that begins with from, such as an installation, is left out.
func commandsOf(t *testing.T, page, from string) (out []excerpt) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile("(?ms)^```(?:console)?\n(\\$ .*?)^```").FindAllStringSubmatch(string(text), -1) {
		for line := range strings.SplitSeq(strings.TrimSuffix(strings.ReplaceAll(block[1], "\\\n", " "), "\n"), "\n") {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				out = append(out, excerpt{command: command})
			} else {
				last := &out[len(out)-1]
				last.output = append(last.output, line)
			}
		}
	}
	first := slices.IndexFunc(out, func(e excerpt) bool { return strings.HasPrefix(e.command, from) })
	if first < 0 {
		t.Fatalf("%s: got %d commands, want one that begins with %q", page, len(out), from)
	}
	return out[first:]
}

// differs says which line of the page the output lacks. "…" stands for any lines, or for the rest of its
// line. Both are compared after the mask.
func differs(page []string, output string, mask func(string) string) error {
	rest := strings.Split(strings.TrimSuffix(mask(output), "\n"), "\n")
	gap := false
	for _, line := range page {
		if strings.TrimSpace(line) == "…" {
			gap = true
			continue
		}
		start, _, cut := strings.Cut(mask(line), "…")
		at := 0
		for gap && at < len(rest) && rest[at] != start && !(cut && strings.HasPrefix(rest[at], start)) {
			at++
		}
		if at == len(rest) || rest[at] != start && !(cut && strings.HasPrefix(rest[at], start)) {
			return fmt.Errorf("got the output below, want the page's line %q in it, after those before; correct the page\n%s", line, output)
		}
		rest, gap = rest[at+1:], false
	}
	if !gap && len(page) > 0 && len(rest) > 0 {
		return fmt.Errorf("the page ends before the line %q of the output; show it, or end with …", rest[0])
	}
	return nil
}

var (
	varying = regexp.MustCompile(`[0-9.]+ s\b|[0-9,]+ (nodes|boxes)\b`)
	numbers = regexp.MustCompile(`[+-]?[0-9][0-9.,]*(e[+-][0-9]+)?`)
	blanks  = regexp.MustCompile(`[ ─]+`)
)

// maskTimes hides times and the work of parallel threads, which vary from run to run.
func maskTimes(text string) string { return varying.ReplaceAllString(text, "#") }

// maskNumbers hides numbers and the widths of columns, for models that a library trains: another processor or release
// may round otherwise.
func maskNumbers(text string) string {
	return blanks.ReplaceAllString(numbers.ReplaceAllString(text, "#"), " ")
}

// show runs the page's commands one after another in the working directory, and holds what each prints against the page.
// A command exits with 0, or with the code that "$ echo $?" shows after it.
func show(t *testing.T, page []excerpt, plugins string, mask func(string) string) {
	t.Helper()
	for i, s := range page {
		if s.command == "echo $?" {
			continue
		}
		want := "0"
		if i+1 < len(page) && page[i+1].command == "echo $?" {
			want = page[i+1].output[0]
		}
		var code int
		var output string
		switch name, rest, _ := strings.Cut(s.command, " "); filepath.Base(name) {
		case "hyfair":
			var stdout, stderr string
			code, stdout, stderr = command(t, plugins, splitLine(rest)...)
			output = stdout + stderr
		case "python":
			cmd := libraries.Command(t, libraries.Sklearn, splitLine(rest)...)
			text, err := cmd.Output()
			if err != nil {
				t.Fatalf("%s: %v", s.command, err)
			}
			output = string(text)
		default:
			text, err := exec.Command("sh", "-c", s.command).CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", s.command, err, text)
			}
			output = string(text)
		}
		if got := fmt.Sprint(code); got != want {
			t.Errorf("%s: exit code %s, want %s\n%s", s.command, got, want, output)
		} else if err := differs(s.output, output, mask); err != nil {
			t.Errorf("%s: %v", s.command, err)
		}
	}
}

// splitLine splits a command line at blanks outside double quotes.
func splitLine(line string) (out []string) {
	for _, m := range regexp.MustCompile(`[^\s"]+|"([^"]*)"`).FindAllStringSubmatch(line, -1) {
		if m[1] != "" {
			m[0] = m[1]
		}
		out = append(out, m[0])
	}
	return out
}

const pages = "../../.."

// shippedPlugins are the plugins that pages about the shipped example use.
func shippedPlugins(t *testing.T) string {
	t.Helper()
	programs := map[string]string{"hyfair-solver-bnb": "plugins/solver-bnb"}
	for _, name := range []string{"sa", "climb"} {
		programs["hyfair-search-"+name] = "plugins/search-" + name
	}
	return plugintest.Folder(t, programs)
}

// TestPagesShow runs the commands of pages on a copy of the shipped example.
func TestPagesShow(t *testing.T) {
	for _, page := range []struct {
		name, from string
		long       bool
	}{
		{"README.md", "", false}, {"docs/user/install.md", "hyfair ", false}, {"docs/user/certify.md", "", false}, {"docs/user/partition.md", "", false},
		{"docs/user/ci.md", "", false}, {"docs/user/audit.md", "", false}, {"docs/user/quantify.md", "", true},
	} {
		t.Run(page.name, func(t *testing.T) {
			if tier.NeedUsual(t); page.long {
				tier.NeedLong(t)
			}
			commands, plugins := commandsOf(t, filepath.Join(pages, page.name), page.from), shippedPlugins(t)
			folder := t.TempDir()
			if err := os.CopyFS(filepath.Join(folder, "studies", "loan"), os.DirFS(loanStudy)); err != nil {
				t.Fatal(err)
			}
			t.Chdir(folder)
			show(t, commands, plugins, maskTimes)
		})
	}
}

// TestTutorial goes through docs/user/tutorial.md, behind its installation.
func TestTutorial(t *testing.T) {
	tier.NeedLong(t)
	page := filepath.Join(pages, "docs", "user", "tutorial.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	script := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(text)
	if script == nil {
		t.Fatal("got no block of Python, want train.py")
	}
	commands, plugins := commandsOf(t, page, "cp "), shippedPlugins(t)
	root, err := filepath.Abs(pages)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "lender")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, filepath.Join(filepath.Dir(folder), "hyfair")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "train.py"), script[1], 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	show(t, commands, plugins, maskNumbers)
	report, err := os.ReadFile("report.html")
	if err != nil || !strings.Contains(string(report), "Provenance") {
		t.Errorf("got %d bytes of report.html (%v), want the page with its last part", len(report), err)
	}
}
