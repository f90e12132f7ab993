package view

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
)

// HTML is the format of browsers and printers: one self-contained file without scripts.
const HTML = "html"

func init() { formats[HTML] = writeHTML }

//go:embed page.css
var pageStyle string

// pageTemplate is a page. All names and values go through its escaping.
//
//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// MostHTML is the largest size of a page in bytes: figures and rows of tables that do not
// fit are left out, which the page says.
const MostHTML = 1 << 20

const (
	// roomForBlocks is the limit in bytes for blocks; style, heads and embedded results share
	// the rest.
	roomForBlocks = MostHTML * 3 / 5
	// roomForData is for embedded results.
	roomForData = MostHTML / 5
	// A table with more than manyRows rows is folded, one with manyColumns columns or more is
	// printed on wide paper.
	manyRows, manyColumns = 60, 10
)

// page is the data of the template.
type page struct {
	Title    string
	Lead     *Lead // nil for none
	Style    template.CSS
	Policy   string
	Sections []*section
	Contents bool
	Made     []string
	Data     template.JS
}

// First is what stands above the contents: the blocks before the first heading. Rest is all else.
func (p *page) First() []*section { return p.Sections[:p.above()] }

// Rest is what stands below the contents.
func (p *page) Rest() []*section { return p.Sections[p.above():] }

func (p *page) above() int {
	if len(p.Sections) > 0 && p.Sections[0].ID == "" {
		return 1
	}
	return 0
}

// section is a heading, empty in the first section, and its blocks.
type section struct {
	ID, Title string
	Blocks    []block
}

// block has the fields of its kind set.
type block struct {
	Lead    *Lead
	Lines   []string
	Warning bool
	List    *List
	Table   *htmlTable
	Figure  *htmlFigure
	Tree    *htmlTree
}

type htmlTable struct {
	Title         string
	Heads         []htmlCell // nil for none
	Bodies        [][][]htmlCell
	Notes         []string
	Rows          int
	LeftOut       string
	Folded, Plain bool
	Wide          bool
}

type htmlCell struct {
	Text               string
	Scope              string // of a heading cell: col or row
	Right, Bold, Alarm bool
}

// drawings are a picture in different widths, which the style chooses from.
type drawings struct{ Page, Narrow, Full template.HTML }

type htmlFigure struct {
	drawings
	Title, Caption string
	Of             string // label of the Y axis
	Numbers        *htmlTable
}

type htmlTree struct {
	drawings
	Title  string
	Folded string
	Text   string
}

// writeHTML writes a page. Equal documents give equal pages.
func writeHTML(w io.Writer, d *Document, o Options) error {
	sum := sha256.Sum256([]byte(pageStyle))
	p := &page{
		Title: plainLine(o.Title), Style: template.CSS(pageStyle), Made: plainLines(o.Made),
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'",
	}
	made := blocks(d.Blocks)
	current := &section{}
	p.Sections = append(p.Sections, current)
	for i, b := range d.Blocks {
		b, _, _ = bare(b)
		if h, ok := b.(Heading); ok {
			current = &section{ID: fmt.Sprintf("part-%d", len(p.Sections)), Title: plainLine(string(h))}
			p.Sections = append(p.Sections, current)
		} else if made[i] != nil {
			current.Blocks = append(current.Blocks, *made[i])
		}
	}
	p.Contents = len(p.Sections) > 3
	p.Title = cmp.Or(p.Title, title1(p.Sections))
	if first := p.Sections[0].Blocks; len(first) > 0 && first[0].Lead != nil {
		p.Lead, p.Sections[0].Blocks = first[0].Lead, first[1:]
	}
	if len(p.Sections[0].Blocks) == 0 {
		p.Sections = p.Sections[1:]
	}
	data, err := o.data()
	if err != nil {
		return err
	}
	p.Data = data
	out := bufio.NewWriter(w)
	if err := pageTemplate.Execute(out, p); err != nil {
		return err
	}
	return out.Flush()
}

// title1 returns the title of a page that was given none: its first line or table title.
func title1(sections []*section) string {
	for _, s := range sections {
		for _, b := range s.Blocks {
			if len(b.Lines) > 0 {
				return b.Lines[0]
			}
			if b.Table != nil && b.Table.Title != "" {
				return b.Table.Title
			}
		}
	}
	return "hyfair"
}

// data returns the result to embed; empty if there is none, or no room for it.
func (o *Options) data() (template.JS, error) {
	if o.Result == nil {
		return "", nil
	}
	var text strings.Builder
	if err := o.Result(&text); err != nil {
		return "", err
	}
	if text.Len() > roomForData {
		return "", nil
	}
	// Characters that could end a script or begin a comment are escaped, as JSON allows.
	escaped := strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(text.String())
	return template.JS(strings.TrimSpace(escaped)), nil
}

// plainLine returns a text on one line, without control characters.
func plainLine(text string) string {
	return Steerless(strings.NewReplacer("\n", " ", "\t", " ", "\r", " ").Replace(text))
}

func plainLines(texts []string) []string {
	out := make([]string, 0, len(texts))
	for _, text := range texts {
		for line := range strings.SplitSeq(text, "\n") {
			if line = strings.TrimSpace(plainLine(line)); line != "" {
				out = append(out, line)
			}
		}
	}
	return out
}
