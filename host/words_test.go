package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "lower the ceilings in testdata/words.txt to today's numbers")

const (
	ceilings = "testdata/words.txt"
	header   = "# Ceilings of TestWords (words_test.go): marker words a package or page.\n# Lower them with: go test ./host -run TestWords -update\n"
	relower  = "go test ./host -run TestWords -update"
)

// Marker words stand where a sentence avoids its subject, its verb or its quantity. Each has a
// plainer substitute, so a match is a sentence to rewrite, not a word to replace:
//
//	"so many columns"        n columns, by name
//	"has none", "is none"    has no bound; is invalid
//	"what there is"          the remaining boxes
//	"does without"           skips, omits
//	"tell apart"             distinguish, split
//	"goes on with"           continues, resumes
//	"hears", "deaf"          receives, polls, ignores its context
//	"is told", "told of"     receives, is notified
//	"what becomes of"        the result of
//	"hardly", "all but"      few, rarely; except, almost
//	"nobody", "whom"         no point, no worker; that
var (
	idioms = words(`so (?:many|few)|(?:as|than|what|all|all that) there (?:is|are|was|were)|(?:has|have|had|is|are|was|were) none` +
		`|(?:does|do|did|doing|done) without|(?:tell|tells|told|telling)(?: [\w'’]+){0,4} apart|put(?:s|ting)? right|(?:go|goes|going|gone|went) on` +
		`|hear|hears|heard|hearing|hark|harks|deaf|hardly|all but|anew|(?:begin|begins|began|begun|beginning) again` +
		`|(?:is|are|was|were|be|been|being) told|(?:tell|tells|told) of|(?:become|becomes|became|come|comes|came) of|(?:is|to be) had`)
	// persons are counted in comments, where a pronoun mostly stands for a point, a box or a
	// process. Messages and pages speak about people.
	persons = words(`nobody|somebody|anybody|everybody|whoever|whomever|whom`)
	// fine is taken out before counting: "there is none" and a person's "whom".
	fine = words(`there (?:is|are|was|were) none|(?:individuals?|persons?|people|applicants?|counterfactuals?)\b[^.;:]*\bwhom`)
)

// words compiles alternatives that match whole words, in any case, across line breaks.
func words(alternatives string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:` + strings.ReplaceAll(alternatives, " ", `\s+`) + `)\b`)
}

// marked are the marker words of one package or page.
type marked struct {
	comments, messages, page int
	lines                    int // of comments
	found                    []string
}

// TestWords counts marker words in comments, string literals and pages, and compares each
// package and page with its row in testdata/words.txt. A row may only fall: a rise fails, and
// so does a row above today's number.
func TestWords(t *testing.T) {
	now := map[string]*marked{}
	root := ".."
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && name != root || d.Name() == "bin" {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		of := path.Dir(rel)
		switch page := rel == "README.md" || strings.HasPrefix(of, "docs/") && path.Ext(rel) == ".md"; {
		case rel == "docs/developer/glossary.md": // which lists names that do not hold
			return nil
		case page:
			of = rel
		case path.Ext(rel) != ".go" || rel == "host/words_test.go": // which lists the markers
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if now[of] == nil {
			now[of] = new(marked)
		}
		if of == rel {
			now[of].read(rel, string(text))
		} else {
			now[of].scan(rel, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	was, err := readCeilings()
	if err != nil {
		t.Fatal(err)
	}
	fell := false
	names := slices.Sorted(maps.Keys(now))
	for _, name := range names {
		m, ceiling := now[name], was[name]
		if m.comments > ceiling[0] || m.messages > ceiling[1] || m.page > ceiling[2] {
			t.Errorf("%s: %s, the ceiling is %s. Rewrite yours of these sentences (substitutes: host/words_test.go), or after a move of files run %s:\n\t%s",
				name, describe(m.counts()), describe(ceiling), relower, strings.Join(m.found, "\n\t"))
		}
	}
	for name, ceiling := range was {
		m := now[name]
		if m == nil {
			m = new(marked)
		}
		for i, n := range m.counts() {
			fell = fell || n < ceiling[i]
		}
	}
	if *update {
		if err := os.WriteFile(ceilings, lower(was, now), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if fell {
		t.Errorf("some ceilings are above today's numbers; lower them: %s", relower)
	}
	var lines, comments int
	for _, name := range names {
		m := now[name]
		lines, comments = lines+m.lines, comments+m.comments
		if testing.Verbose() && m.lines > 0 {
			t.Logf("%5.1f %% of %5d comment lines, %3d messages: %s", share(m), m.lines, m.messages, name)
		}
	}
	t.Logf("%d of %d comment lines in all", comments, lines)
	if len(names) < 150 {
		t.Errorf("only %d packages and pages seen: the walk does not cover the tree", len(names))
	}
}

func TestMarkers(t *testing.T) {
	for text, want := range map[string]int{
		"The gap has many local maxima.":                          0,
		"The result is nil where there is none.":                  0,
		"Mean score of the people whom no rule refuses.":          0,
		"Keeps the incumbent; requeues the nodes whom it has.":    1,
		"The limit begins with so\n\tmany columns.":               1,
		"Tells the two copies apart,\nand goes on with the next.": 2,
		"Nobody hears it.":                                        1, // lines, not words
	} {
		if got := len(lineOf(strings.Split(text, "\n"), idioms, persons)); got != want {
			t.Errorf("%q: %d lines with a marker, want %d", text, got, want)
		}
	}
	now := map[string]*marked{"a": {comments: 1}, "moved": {comments: 2}, "b": {comments: 9}}
	got := string(lower(map[string][3]int{"a": {3, 1, 0}, "b": {1, 0, 0}, "gone": {1, 0, 0}}, now))
	if want := header + "a: 1 comments\nb: 1 comments\nmoved: 2 comments\n"; got != want {
		t.Errorf("lowered:\n%s\nwant:\n%s", got, want)
	}
}

// lower makes the table of ceilings: each row the smaller of what it was and is now. A package
// without a row gets one if the sum of all rows does not rise, as when files move.
func lower(was map[string][3]int, now map[string]*marked) []byte {
	rows := map[string][3]int{}
	var before, after [3]int
	for name, ceiling := range was {
		for i, n := range ceiling {
			before[i] += n
		}
		if m := now[name]; m != nil {
			counts := m.counts()
			for i := range counts {
				counts[i] = min(counts[i], ceiling[i])
				after[i] += counts[i]
			}
			rows[name] = counts
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if _, has := was[name]; has {
			continue
		}
		sum := after
		for i, n := range now[name].counts() {
			sum[i] += n
		}
		if sum[0] <= before[0] && sum[1] <= before[1] && sum[2] <= before[2] {
			after, rows[name] = sum, now[name].counts()
		}
	}
	out := bytes.NewBufferString(header)
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		if rows[name] != [3]int{} {
			fmt.Fprintf(out, "%s: %s\n", name, describe(rows[name]))
		}
	}
	return out.Bytes()
}

var rowUnits = [3]string{"comments", "messages", "in the page"}

// describe writes the counts that are not zero: "3 comments, 1 messages".
func describe(counts [3]int) string {
	var parts []string
	for i, n := range counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, rowUnits[i]))
		}
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, ", ")
}

func readCeilings() (map[string][3]int, error) {
	file, err := os.Open(ceilings)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows := map[string][3]int{}
	lines := bufio.NewScanner(file)
	for at := 1; lines.Scan(); at++ {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		name, rest, _ := strings.Cut(lines.Text(), ": ")
		var counts [3]int
		for part := range strings.SplitSeq(rest, ", ") {
			number, unit, _ := strings.Cut(part, " ")
			n, err := strconv.Atoi(number)
			i := slices.Index(rowUnits[:], unit)
			if err != nil || i < 0 {
				return nil, fmt.Errorf("%s:%d: got %q, want a name, a colon and counts such as %q", ceilings, at, lines.Text(), describe([3]int{3, 1, 0}))
			}
			counts[i] = n
		}
		rows[name] = counts
	}
	return rows, lines.Err()
}

func (m *marked) counts() [3]int { return [3]int{m.comments, m.messages, m.page} }

// share is the percentage of comment lines with a marker.
func share(m *marked) float64 { return 100 * float64(m.comments) / float64(m.lines) }

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// scan counts a Go file. A match that spans lines counts for its first one.
func (m *marked) scan(rel string, text []byte) {
	if generated.Match(text) {
		return
	}
	test := strings.HasSuffix(rel, "_test.go") || strings.Contains(rel, "/testdata/")
	fset := token.NewFileSet()
	file := fset.AddFile(rel, fset.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	var block []string // comment lines that follow each other
	first := 0
	flush := func() {
		for _, i := range lineOf(block, idioms, persons) {
			m.comments++
			m.found = append(m.found, fmt.Sprintf("%s:%d: %s", rel, first+i, strings.TrimSpace(block[i])))
		}
		m.lines += len(block)
		block = nil
	}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		line := file.Line(pos)
		if tok != token.COMMENT || len(block) > 0 && line != first+len(block) {
			flush()
		}
		switch tok {
		case token.EOF:
			return
		case token.COMMENT:
			if strings.HasPrefix(lit, "//go:") {
				continue
			}
			if len(block) == 0 {
				first = line
			}
			block = append(block, strings.Split(strings.TrimPrefix(lit, "//"), "\n")...)
		case token.STRING:
			if value, err := strconv.Unquote(lit); err == nil && !test && len(lineOf([]string{value}, idioms)) > 0 {
				m.messages++
				m.found = append(m.found, fmt.Sprintf("%s:%d: %s", rel, line, lit))
			}
		}
	}
}

// read counts a page, by lines of its paragraphs. Code blocks are left out.
func (m *marked) read(rel, text string) {
	code := false
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		code = code != fence
		if code || fence {
			line = ""
		}
		lines = append(lines, line)
	}
	joined := strings.Join(lines, "\n")
	for _, at := range idioms.FindAllStringIndex(blank(joined), -1) {
		m.page++
		m.found = append(m.found, fmt.Sprintf("%s:%d: %s", rel, 1+strings.Count(joined[:at[0]], "\n"), joined[at[0]:at[1]]))
	}
}

// lineOf lists the lines on which a match begins, ascending.
func lineOf(lines []string, markers ...*regexp.Regexp) []int {
	if len(lines) == 0 {
		return nil
	}
	joined := blank(strings.Join(lines, "\n"))
	var on []int
	for _, r := range markers {
		for _, at := range r.FindAllStringIndex(joined, -1) {
			on = append(on, strings.Count(joined[:at[0]], "\n"))
		}
	}
	slices.Sort(on)
	return slices.Compact(on)
}

// blank overwrites what is fine with dots; offsets and lines stay.
func blank(text string) string {
	b := []byte(text)
	for _, at := range fine.FindAllStringIndex(text, -1) {
		for i := at[0]; i < at[1]; i++ {
			if b[i] != '\n' {
				b[i] = '.'
			}
		}
	}
	return string(b)
}
