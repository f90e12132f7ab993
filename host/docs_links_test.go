package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// TestLinksOfTheDocs checks that every relative link in every Markdown file leads to an
// existing file and, after a #, to a heading in it.
func TestLinksOfTheDocs(t *testing.T) {
	root := ".."
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	files, links := 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		for _, m := range link.FindAllStringSubmatch(prose(string(text)), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			links++
			file, heading, _ := strings.Cut(m[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), filepath.FromSlash(file))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", path, m[1])
			} else if heading != "" && !hasHeading(t, target, heading) {
				t.Errorf("%s links to %s, which has no such heading", path, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 || links < 20 {
		t.Fatalf("only %d files with %d links seen: the walk does not cover the docs", files, links)
	}
}

// prose returns a Markdown text without its code, in which brackets are not links.
func prose(text string) string {
	text = regexp.MustCompile("(?s)```.*?```").ReplaceAllString(text, "")
	return regexp.MustCompile("`[^`\n]*`").ReplaceAllString(text, "`")
}

// hasHeading reports whether a file has a heading with this anchor: lower
// case, hyphens for blanks, punctuation left out.
func hasHeading(t *testing.T, file, anchor string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(regexp.MustCompile("(?s)```.*?```").ReplaceAllString(string(text), "")) {
		title := strings.TrimLeft(line, "#")
		if len(title) == len(line) {
			continue
		}
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title))
		if slug == anchor {
			return true
		}
	}
	return false
}
