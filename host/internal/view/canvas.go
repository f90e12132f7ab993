package view

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Formats of figures.
const (
	SVG = "svg"
	PNG = "png"
	PDF = "pdf"
)

// FigureFormats lists the formats of figures.
var FigureFormats = []string{SVG, PNG, PDF}

const dotsPerInch = 150 // of PNG

// PDFs have a fixed date, so that equal figures are equal files.
func init() {
	fpdf.SetDefaultCatalogSort(true)
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
}

// Picture is a drawing: a *Figure or a *Tree.
type Picture interface {
	Block
	// FileName returns the name of the picture's files, without the extension.
	FileName() string
	// Write draws the picture in one of FigureFormats.
	Write(w io.Writer, format string) error
	// write draws the picture on a sheet, in one of FigureFormats.
	write(w io.Writer, format string, on sheet) error
}

// FileName implements Picture.
func (f *Figure) FileName() string { return f.Name }

// Write implements Picture.
func (f *Figure) Write(w io.Writer, format string) error {
	return f.write(w, format, sheet{width: width})
}

func (f *Figure) write(w io.Writer, format string, on sheet) error {
	l := f.layout(textsOf(format), on)
	return paint(w, format, l.title, on.width, l.height, l.draw)
}

// textsOf returns the function that prepares texts for a format.
func textsOf(format string) func(string) string {
	if format == SVG { // shown in any font that has the characters
		return Printable
	}
	return drawable
}

// paint writes a drawing of this size.
func paint(w io.Writer, format, title string, width, height vg.Length, picture func(draw.Canvas)) error {
	switch format {
	case SVG:
		c := &measured{Canvas: vgsvg.New(width, height)}
		picture(draw.New(c))
		return c.write(w, title)
	case PNG:
		c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch))
		picture(draw.New(c))
		_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
		return err
	case PDF:
		c := outlined{vgpdf.New(width, height)}
		picture(draw.New(c))
		_, err := c.WriteTo(w)
		return err
	}
	return fmt.Errorf("no format %q: want %s", format, strings.Join(FigureFormats, ", "))
}

// measured is an SVG whose texts keep their measured width in any font.
type measured struct {
	*vgsvg.Canvas
	widths []float64
}

// FillString implements vg.Canvas.
func (c *measured) FillString(f font.Face, at vg.Point, text string) {
	c.widths = append(c.widths, f.Width(text).Points())
	c.Canvas.FillString(f, at, text)
}

var styled = regexp.MustCompile(`style="[^"]*"`)

// write writes an element svg with a title: a file by itself, or a part of a page.
func (c *measured) write(w io.Writer, title string) error {
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	_, text, _ := strings.Cut(b.String(), "<svg ")
	// Readers without Liberation fonts have one of those with the same widths.
	text = strings.ReplaceAll(text, "font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")
	// Separate attributes: a page's policy may forbid styles and allow these.
	text = styled.ReplaceAllStringFunc(text, func(style string) string {
		style = strings.TrimSuffix(strings.TrimPrefix(style, `style="`), `"`)
		return strings.ReplaceAll(strings.ReplaceAll(style, ":", `="`), ";", `" `) + `"`
	})
	parts := strings.Split(text, "<text ") // no name contains this: names are escaped
	head, rest, _ := strings.Cut(parts[0], ">")
	parts[0] = fmt.Sprintf("<svg role=\"img\" %s>\n<title>%s</title>%s", head, html.EscapeString(title), rest)
	for i, width := range c.widths {
		parts[i+1] = fmt.Sprintf(`<text textLength="%.5g" lengthAdjust="spacingAndGlyphs" %s`, width, parts[i+1])
	}
	_, err := io.WriteString(w, strings.Join(parts, ""))
	return err
}

// outlined is a PDF whose texts are shapes: gonum's PDF fonts have few characters.
type outlined struct{ *vgpdf.Canvas }

// FillString implements vg.Canvas.
func (c outlined) FillString(f font.Face, at vg.Point, text string) {
	var path vg.Path
	var buffer sfnt.Buffer
	size := f.Font.Size.Points()
	place := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: at.X + vg.Length(p.X)/64/scale, Y: at.Y - vg.Length(p.Y)/64/scale}
	}
	for _, r := range text {
		glyph, _ := f.Face.GlyphIndex(&buffer, r)
		segments, err := f.Face.LoadGlyph(&buffer, glyph, fixed.Int26_6(size*64*scale), nil)
		if err != nil {
			continue // the font has no shape for it
		}
		for _, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				path.Move(place(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(place(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(place(s.Args[0]), place(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(place(s.Args[0]), place(s.Args[1]), place(s.Args[2]))
			}
		}
		at.X += f.Width(string(r))
	}
	if len(path) > 0 {
		c.Fill(path)
	}
}

// scale is the factor by which glyphs are loaded larger than drawn, for precise positions.
const scale = 16
