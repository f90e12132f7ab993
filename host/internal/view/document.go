// Package view shows results to people and to programs: documents in every
// format, uniform numbers, figures, and JSON. The caller decides what is shown.
package view

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Document is a result for people: blocks, one below the other.
type Document struct {
	Blocks []Block
	// Data is the entire result for programs, as one table with exact numbers. If it is
	// nil, formats for programs take the blocks' own tables.
	Data *Table
}

// Block is a part of a document: a *Lead, Heading, Paragraph, Warning, *List, *Facts, *Table,
// *Tree or *Figure, or one of them that stands Close to the one before it or Aside.
type Block interface{ block() }

// Heading begins a section, which ends at the next Heading.
type Heading string

// Paragraph holds sentences or other short texts, each on its own line in a terminal.
type Paragraph []string

// Warning is a Paragraph that must not be overlooked.
type Warning []string

// List is a bulleted list.
type List struct {
	Title string
	Items []string
}

// Facts are values with names.
type Facts struct {
	// Title is the heading; facts with a title are indented in a terminal.
	Title    string
	Indented bool
	Rows     []Fact
}

// Fact is one line of Facts. Without a name it continues the fact before, without values it
// is a line of text. A newline in a value continues it on another line.
type Fact struct {
	Name   string
	Values []string
}

// Add appends a fact.
func (f *Facts) Add(name string, values ...string) {
	f.Rows = append(f.Rows, Fact{name, values})
}

// table returns the facts as a table: a column of names, and columns for the values.
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

// Close is a block that in a terminal follows the one before it without an empty line.
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
// It may contain a Close block.
type Aside struct{ Block Block }

func (Aside) block() {}

// bare returns the block without Close and Aside; isClose and isAside report which of them enclosed it.
func bare(b Block) (_ Block, isClose, isAside bool) {
	aside, isAside := b.(Aside)
	if isAside {
		b = aside.Block
	}
	if c, ok := b.(Close); ok {
		return c.Block, true, isAside
	}
	return b, false, isAside
}

// Of returns a document of these blocks.
func Of(blocks ...Block) *Document { return &Document{Blocks: blocks} }

// Add appends blocks.
func (d *Document) Add(blocks ...Block) { d.Blocks = append(d.Blocks, blocks...) }

// Disagree appends a warning with the texts of refuted claims, if there are any.
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
	// Colour allows escape sequences in a terminal; they add no information. Width is the
	// terminal's, 0 without one: wider tables and texts are wrapped.
	Colour bool
	Width  int
	// Title is the title of a page, Made the lines at its end that say how it was made.
	// Result writes the result as JSON, which the page embeds if it is not too large; nil: none.
	Title  string
	Made   []string
	Result func(io.Writer) error
}

// Pictures returns the document's drawings, in the order of their blocks.
func (d *Document) Pictures() (out []Picture) {
	for _, b := range d.Blocks {
		b, _, _ = bare(b)
		if p, ok := b.(Picture); ok {
			out = append(out, p)
		}
	}
	return out
}

// formats is the registry: each format's file adds it in init.
var formats = map[string]func(io.Writer, *Document, Options) error{}

// Formats lists the formats of documents, first the one for terminals.
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
	if format != HTML {
		d = d.withoutLead()
	}
	return write(w, d, o)
}
