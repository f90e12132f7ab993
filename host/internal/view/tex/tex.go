// Package tex compiles LaTeX in tests, as a paper of two columns.
package tex

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The widths of text and columns are those of conference papers with two columns.
const paper = `\documentclass[twocolumn]{article}
\usepackage[a4paper,textwidth=506pt,textheight=680pt,columnsep=24pt]{geometry}
\usepackage{booktabs}
\begin{document}
Text before the tables.

%s
\end{document}
`

// faults match the lines of a log about tables that no paper accepts.
var faults = regexp.MustCompile(`(?m)^(Overfull .*|Missing character.*|! .*|LaTeX Warning: (Float too large|Label .* multiply defined).*)$`)

// Check fails the test if the text does not compile, or does not fit the page. HYFAIR_PICTURES
// names a folder that gets the paper as PDF. Without pdflatex or tectonic it skips the test, by
// name, or fails it if CI is set.
func Check(t testing.TB, name, text string) {
	t.Helper()
	var command *exec.Cmd
	if path, err := exec.LookPath("pdflatex"); err == nil {
		command = exec.Command(path, "-interaction=nonstopmode", "-halt-on-error", "paper.tex")
	} else if path, err := exec.LookPath("tectonic"); err == nil {
		command = exec.Command(path, "--keep-logs", "paper.tex")
	} else {
		const missing = "there is no pdflatex and no tectonic: make setup-tex installs Debian's texlive-latex-recommended"
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip("SKIPPED, " + missing)
	}
	command.Dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(command.Dir, "paper.tex"), []byte(strings.Replace(paper, "%s", text, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := command.CombinedOutput()
	log, unread := os.ReadFile(filepath.Join(command.Dir, "paper.log"))
	if err != nil || unread != nil {
		t.Errorf("%s: %v, %v\n%s", name, err, unread, out)
	}
	for _, fault := range faults.FindAll(log, -1) {
		t.Errorf("%s: %s", name, fault)
	}
	if folder := os.Getenv("HYFAIR_PICTURES"); folder != "" {
		pdf, err := os.ReadFile(filepath.Join(command.Dir, "paper.pdf"))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name+".pdf"), pdf, 0o644)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
