// Package view shows results to people and to programs: documents in every
// format, numbers written one way, figures, and JSON. What is shown is its
// maker's business.
package view

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Document is a result as a person wants to see it: blocks, one below the other.
type Document struct {
	Blocks []Block
	// Data is all of it for programs, as one table with exact numbers. Formats for
	// programs take the blocks' own tables where it is nil.
	Data *Table
}

// Block is a part of a document: a Heading, Paragraph, Warning, *List, *Facts, *Table,
// *Tree or *Figure, or one of them that stands Close to the one before it or Aside.
type Block interface{ block() }

// Heading begins a section, which ends at the next Heading.
type Heading string

// Paragraph is sentences, or other short texts: each has its line in a terminal.
type Paragraph []string

// Warning is a Paragraph that must not be overlooked.
type Warning []string

// List is a list.
type List struct {
	Title string
	Items []string
}

// Facts are values with names.
type Facts struct {
	// Title heads them; those with a title are indented in a terminal.
	Title    string
	Indented bool
	Rows     []Fact
}

// Fact is one line of Facts. Without a name it continues the fact before, without values it
// is a line by itself. A newline in a value continues it on another line.
type Fact struct {
	Name   string
	Values []string
}

// Add appends a fact.
func (f *Facts) Add(name string, values ...string) {
	f.Rows = append(f.Rows, Fact{name, values})
}

// table has the facts in columns: names, and as many values as any of them has.
func (f *Facts) table() *Table {
	t := &Table{Title: f.Title, Columns: []Column{{Title: "name"}, {Title: "value"}}}
	for _, fact := range f.Rows {
		for len(t.Columns) <= len(fact.Values) {
			t.Columns = append(t.Columns, Column{})
		}
	}
	for _, fact := range f.Rows {
		cells := make([]string, len(t.Columns))
		cells[0] = strings.TrimSpace(fact.Name)
		copy(cells[1:], fact.Values)
		t.Add(cells...)
	}
	return t
}

// Close is a block that stands right below the one before it in a terminal, where
// an empty line parts others.
type Close struct{ Block Block }

func (Heading) block()   {}
func (Paragraph) block() {}
func (Warning) block()   {}
func (*List) block()     {}
func (*Facts) block()    {}
func (*Table) block()    {}
func (*Tree) block()     {}
func (*Figure) block()   {}
func (Close) block()     {}

// Aside is a block that papers leave out: LaTeX skips it, or writes its texts as comments.
// It may be Close.
type Aside struct{ Block Block }

func (Aside) block() {}

// bare is the block itself, be it Close or Aside or not.
func bare(b Block) Block {
	switch b := b.(type) {
	case Close:
		return bare(b.Block)
	case Aside:
		return bare(b.Block)
	}
	return b
}

// isClose reports whether a block is Close, and isAside whether it is Aside.
func isClose(b Block) bool {
	if aside, ok := b.(Aside); ok {
		b = aside.Block
	}
	_, ok := b.(Close)
	return ok
}

func isAside(b Block) bool {
	_, ok := b.(Aside)
	return ok
}

// Of is a document of some blocks.
func Of(blocks ...Block) *Document { return &Document{Blocks: blocks} }

// Add appends blocks.
func (d *Document) Add(blocks ...Block) { d.Blocks = append(d.Blocks, blocks...) }

// Disagree appends a warning of claims that were refuted, each by its text, where there are any.
func (d *Document) Disagree(claims []string) {
	var out Warning
	for _, text := range claims {
		out = append(out, "DISAGREEMENT "+text)
	}
	if out != nil {
		d.Add(out)
	}
}

// Say appends a paragraph of one line.
func (d *Document) Say(format string, args ...any) {
	d.Add(Paragraph{fmt.Sprintf(format, args...)})
}

// Options say how a document is written.
type Options struct {
	// Colour allows escape sequences in a terminal; what they show is there without
	// them, too. Width is the terminal's, 0 where there is none: tables and texts go to
	// more lines than they have where they are wider.
	Colour bool
	Width  int
	// Title is that of a page, Made says below how it was made; Result writes what is
	// shown as JSON, which a page has in it where that is not too large. Nil: none.
	Title  string
	Made   []string
	Result func(io.Writer) error
}

// Pictures are the document's drawings, as files and pages have them.
func (d *Document) Pictures() (out []Picture) {
	for _, b := range d.Blocks {
		if p, ok := bare(b).(Picture); ok {
			out = append(out, p)
		}
	}
	return out
}

// formats is the register: the file of each format adds it in init.
var formats = map[string]func(io.Writer, *Document, Options) error{}

// Formats lists the formats of documents, that of terminals first.
func Formats() []string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(formats)), func(name string) bool { return name == Text })
	return append([]string{Text}, names...)
}

// Write writes the document in one of Formats.
func (d *Document) Write(w io.Writer, format string, o Options) error {
	write := formats[format]
	if write == nil {
		return fmt.Errorf("no format %q: want %s", format, strings.Join(Formats(), ", "))
	}
	return write(w, d, o)
}
