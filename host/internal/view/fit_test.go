package view

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// wide is a table of ten columns of numbers, and columns of texts.
func wide() *Table {
	t := &Table{Title: "A table", Columns: []Column{{Title: "who"}}, Notes: []string{"A note of some words that goes on for longer than the terminal of forty characters is wide."}}
	for _, title := range []string{"first", "second", "third", "fourth", "fifth", "lowest", "with", "highest", "with"} {
		t.Columns = append(t.Columns, Column{Title: title, Right: title != "with"})
	}
	for _, who := range []string{"ann", "bob"} {
		t.Add(who, "1,234,567", "2,345,678", "3,456,789", "4,567,890", "5,678,901", "0.1234", "sex = female, age = 20, origin = north", "0.9876", "sex = male, age = 65, origin = east")
	}
	return t
}

// A table wider than the terminal is split into parts, with every number whole and every row
// named; without a terminal it stays in one part.
func TestTablesFitTheTerminal(t *testing.T) {
	write := func(width int) string {
		var b strings.Builder
		facts := &Facts{}
		facts.Add("accuracy", strings.Repeat("word ", 30))
		if err := Of(wide(), facts, &List{Items: []string{strings.Repeat("word ", 30)}}).Write(&b, Text, Options{Width: width}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	full := write(0)
	if strings.Count(full, "ann") != 1 || write(1000) != full {
		t.Errorf("without a terminal, or in a wide one:\n%s", full)
	}
	for _, width := range []int{40, 60, 80, 100, 150} {
		text := write(width)
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("width %d: a line of %d: %q", width, n, line)
			}
		}
		for _, whole := range []string{"1,234,567", "2,345,678", "3,456,789", "4,567,890", "5,678,901", "0.1234", "0.9876"} {
			if strings.Count(text, whole) != strings.Count(full, whole) {
				t.Errorf("width %d: %s is there %d times:\n%s", width, whole, strings.Count(text, whole), text)
			}
		}
		if strings.Count(text, "ann") != strings.Count(text, "who") || strings.Count(text, "A table") != 1 || strings.Count(text, "A note") != 1 {
			t.Errorf("width %d:\n%s", width, text)
		}
		for line := range strings.Lines(text) { // a score and who has it
			if strings.Contains(line, "highest") && !strings.Contains(line, "with") {
				t.Errorf("width %d: %q", width, line)
			}
		}
	}
}

// If two columns are needed to identify the rows, each part has both.
func TestPartsNameTheirRows(t *testing.T) {
	table := &Table{Title: strings.Repeat("title ", 20), Columns: []Column{{Title: "model"}, {Title: "arm"}, {Title: "found", Right: true}, {Title: "seconds", Right: true}, {Title: "proved", Right: true}, {Title: "asked", Right: true}}}
	for _, arm := range []string{"one", "other"} {
		table.Add("network", arm, "1,234,567", "2,345,678", "3,456,789", "4,567,890")
	}
	var b strings.Builder
	if err := Of(table).Write(&b, Text, Options{Width: 40}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "found") + strings.Count(b.String(), "asked"); n != 2 || strings.Count(b.String(), "one") != 2 || strings.Count(b.String(), "arm") != 2 {
		t.Error(b.String())
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 40 {
			t.Errorf("a line of %d: %q", n, line)
		}
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"one two three", 7, "one two|three"},
		{"one two three", 0, "one two three"},
		{"  one two", 5, "  one|  two"},
		{"averylongword is", 5, "averylongword|is"},
		{"größer ist", 6, "größer|ist"},
		{"", 5, ""},
	} {
		if got := strings.Join(linesOf(c.text, c.width), "|"); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// A tree wider than the terminal is wrapped between words.
func TestTreesFitTheTerminal(t *testing.T) {
	leaf := func(head string) Node { return Node{Head: head, Detail: "k is high for 3115 of 3689 (84 %)"} }
	deep := Node{Head: "country in {Portugal, England, Yugoslavia, Thailand, Germany}", Detail: "k is high for 4 of 5 (80 %)",
		Branches: []Branch{{"yes", leaf("HIGH")}, {"no", leaf("low")}}}
	d := Of(&Tree{Root: Node{Head: "a <= 1", Branches: []Branch{{"yes", deep}, {"no", deep}}}})
	var wide, narrow strings.Builder
	for width, out := range map[int]*strings.Builder{0: &wide, 44: &narrow} {
		if err := d.Write(out, Text, Options{Width: width}); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(narrow.String()) {
		if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 44 {
			t.Errorf("%q", line)
		}
	}
	words := func(text string) string {
		return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("│├└─ \n", r) }), " ")
	}
	if words(wide.String()) != words(narrow.String()) {
		t.Errorf("%s\n%s", &wide, &narrow)
	}
}
