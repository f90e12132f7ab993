package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDecisions checks the form of each decision, its length of at most 350 words, and its line in the index.
func TestDecisions(t *testing.T) {
	const folder, most = "../docs/developer/decisions", 350
	index, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(folder, "0*.md"))
	if err != nil || len(pages) < 40 {
		t.Fatalf("%d decisions seen (%v), want at least 40", len(pages), err)
	}
	head := regexp.MustCompile(`^# ([0-9]+)\. (.+)\n`)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(page)
		title := head.FindStringSubmatch(string(text))
		if title == nil || fmt.Sprintf("%04s", title[1]) != name[:4] {
			t.Errorf("%s begins with %.60q, want its number and title", name, text)
			continue
		}
		at := 0
		for _, part := range []string{"Status", "Context", "Decision", "Consequences"} {
			next := strings.Index(string(text), "**"+part+".**")
			if next < at {
				t.Errorf("%s has no **%s.** in its place", name, part)
			}
			at = max(at, next)
		}
		if n := len(strings.Fields(string(text))); n > most {
			t.Errorf("%s has %d words, want at most %d", name, n, most)
		}
		if row := fmt.Sprintf("| [%s](%s) | %s |", title[1], name, title[2]); !strings.Contains(string(index), row) {
			t.Errorf("the index lacks %q", row)
		}
	}
}
