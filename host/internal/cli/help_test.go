package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hyfair/hyfair/internal/simd"
)

// TestHelpFitsAScreen: the help of a command is its own; what all have in common stands in one place.
func TestHelpFitsAScreen(t *testing.T) {
	help := func(args ...string) string {
		var out bytes.Buffer
		if code := Main(args, strings.NewReader(""), &out, &out); code != ExitDone {
			t.Fatalf("hyfair %s: exit code %d\n%s", strings.Join(args, " "), code, &out)
		}
		return out.String()
	}
	common := help("help", "flags")
	root := newRoot(&App{})
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(common, "--"+f.Name+" ") {
			t.Errorf("hyfair help flags has no --%s", f.Name)
		}
	})
	every(root, func(cmd *cobra.Command) {
		if cmd == root || cmd.Hidden || cmd.IsAdditionalHelpTopicCommand() {
			return
		}
		text := help(append(strings.Fields(cmd.CommandPath())[1:], "--help")...)
		if n := strings.Count(text, "\n"); n >= 60 {
			t.Errorf("the help of %s has %d lines", cmd.CommandPath(), n)
		}
		if strings.Contains(text, "--log-level") || !strings.Contains(text, "hyfair help flags") {
			t.Errorf("the help of %s:\n%s", cmd.CommandPath(), text)
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(text, "--"+f.Name) && !strings.Contains(common, "--"+f.Name) {
				t.Errorf("no help says anything of %s --%s", cmd.CommandPath(), f.Name)
			}
		})
	})
}

// TestCompletion: a shell completes values that the program knows.
func TestCompletion(t *testing.T) {
	plugins, study := shippedStrategies(t, "sa", "climb"), tenureStudy(t)
	kept := filepath.Join(t.TempDir(), "journal.db")
	if code, _, stderr := command(t, plugins, "search", study, "--solver", "none", "--budget", "10it", "--journal", kept); code != ExitDone {
		t.Fatal(stderr)
	}
	models := filepath.Join(t.TempDir(), "study.yaml")
	text := "name: several\nmodels: .\nfeatures:\n  x: {integer: 0..1}\nprotected:\n  x: all\n"
	if err := os.WriteFile(models, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"B-10.json", "B-2.json"} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(models), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"search", study, "--strategy", ""}, []string{"climb", "sa", "sa+knn"}},
		{[]string{"search", study, "--solver", ""}, []string{"none"}},
		{[]string{"certify", study, "--notion", ""}, []string{"score", "logit", "decision", "decision-strict"}},
		{[]string{"certify", study, "--check", ""}, []string{"fair", "unfair"}},
		{[]string{"audit", models, "--model", ""}, []string{"B-2", "B-10"}},
		{[]string{"explain", study, "--journal", kept, "--from", ""}, []string{onlyRun(t, kept).Name}},
		{[]string{"runs", "show", "--journal", kept, ""}, []string{onlyRun(t, kept).Name}},
	} {
		_, stdout, _ := command(t, plugins, append([]string{"__complete"}, c.args...)...)
		var got []string
		for line := range strings.Lines(stdout) {
			if word, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); !strings.HasPrefix(word, ":") {
				got = append(got, word)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("hyfair %s: %q, want %q", strings.Join(c.args, " "), got, c.want)
		}
	}
}

// A variant of the vector loops that the machine does not have ends every command with one error.
func TestAnUnknownKernelEndsEveryCommand(t *testing.T) {
	for _, kernel := range []string{"bad", "AVX2", " "} {
		t.Setenv(simd.Variable, kernel)
		for _, args := range [][]string{{"certify", "../../../studies/loan"}, {"search", "../../../studies/loan", "--solver", "none"}, {"inspect", "../../../studies/loan"}, {"plugins"}} {
			code, stdout, stderr := hyfair(args...)
			if want := simd.Variable + "=" + kernel + ": this machine has"; code != ExitUsage || stdout != "" || strings.Count(stderr, want) != 1 {
				t.Errorf("%v with the kernel %q: exit code %d, %q, %q", args, kernel, code, stdout, stderr)
			}
		}
	}
}
