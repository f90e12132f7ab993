package view

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Figure is a plot of several series, distinguishable without colours. Equal figures give
// equal files, byte for byte.
type Figure struct {
	// Name is the name of its files, without the extension.
	Name string
	// Title is above the figure, Caption below: what readers must know.
	Title, Caption string
	X, Y           Axis
	Series         []Series
	// Square makes both axes equally long.
	Square bool
	// Full: on a page with room for it, the figure is as wide as the page.
	Full bool
}

// Series is a set of marks with one look and one entry in the legend. Without a name it is
// a thin grey line without an entry.
type Series struct {
	Name string
	// Look selects colour, dash and mark: a number from 1, with the same look in every figure,
	// or Ideal, or Alarm. 0: by the series' index in the figure.
	Look int
	// Steps are the points of a step function by ascending X: each Y holds from its X to the next.
	Steps []Point
	// Low and High, of the length of Steps, are the borders of a band around the steps;
	// empty: no band.
	Low, High []float64
	// Lines go through their points, straight from one to the next.
	Lines [][]Point
	// Dots are single points.
	Dots []Point
	// Bars lie at whole Y and are X long; those of later series are stacked on earlier ones.
	Bars []Point
	// Boxes are filled rectangles, as in histograms and maps: light at Shade 0, dark at 1,
	// grey if Look is Ideal.
	Boxes []Box
	Shade float64
	// Apart is the share of a box's width left free on either side.
	Apart float64
}

// Box is a rectangle between two corners.
type Box struct{ From, To Point }

// Looks besides the numbered ones.
const (
	// Ideal is a bound that cannot be passed: broad and grey, behind all others.
	Ideal = -1
	// Alarm is what must not be overlooked.
	Alarm = -2
)

// Point is a point of a series, in the axes' units.
type Point struct{ X, Y float64 }

// The dimensions of a figure, which grows with its legend and the names at its axis. No text
// is smaller than small, which is 12 pixels on a screen.
const (
	// width is that of files and of most drawings of a page, full that of the page (960 pixels), and
	// narrow that of a telephone's page (328 pixels).
	width, full, narrow = 17 * vg.Centimeter, vg.Length(720), vg.Length(246)
	low, flat, square   = 9.5 * vg.Centimeter, 6.5 * vg.Centimeter, 11.5 * vg.Centimeter
	margin              = 3 * vg.Millimeter
	small               = 9
	lineHeight          = 13
	rowHeight           = 20
	sampleWidth         = 34 // width of a line in the legend
	// Texts have room for fonts that are wider than the one they are measured by.
	slack = 1.2
	// Shares of the width.
	mostLegend, mostNames = 0.36, 0.3
)

// sheet is the target of a drawing: a file, or a page, which shows the title and the caption
// outside the drawing.
type sheet struct {
	width  vg.Length
	onPage bool
}

// textStyle returns the style of text of a size.
func textStyle(size float64) text.Style {
	return text.Style{
		Color: color.Black, Handler: plot.DefaultTextHandler,
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)},
	}
}

// fits returns a function that reports whether a text fits a width.
func fits(style text.Style, width vg.Length) func(string) bool {
	return func(s string) bool { return slack*style.Width(s) <= width }
}

// Printable returns a text without control characters and marks of direction.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// drawable returns a printable text for formats that embed one font: characters that the
// font lacks, such as Chinese ones, become their code points.
func drawable(s string) string {
	face, buffer := font.DefaultCache.Lookup(textStyle(small).Font, small), sfnt.Buffer{}
	var b strings.Builder
	for _, r := range Printable(s) {
		if glyph, err := face.Face.GlyphIndex(&buffer, r); err != nil || glyph == 0 {
			fmt.Fprintf(&b, "\\u%04X", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// layout is a figure with its texts as drawn.
type layout struct {
	*Figure
	sheet
	text   func(string) string // as drawn
	height vg.Length
	title  string
	// legend lists the series that have an entry, and names has the text of each entry.
	legend  []int
	names   []string
	caption []string
	// rows and columns are names at the axes.
	rows, columns []string
}

func (f *Figure) layout(text func(string) string, on sheet) *layout {
	l := &layout{Figure: f, sheet: on, text: text, height: low}
	body := textStyle(small)
	l.title = shortened(text(f.Title), fits(textStyle(12), on.width-2*margin))
	for _, name := range f.Y.Names {
		l.rows = append(l.rows, text(name))
	}
	for _, name := range f.X.Names {
		l.columns = append(l.columns, text(name))
	}
	for i, s := range f.Series {
		if s.Name != "" && !slices.Contains(f.Y.Names, s.Name) {
			l.legend, l.names = append(l.legend, i), append(l.names, text(s.Name))
		}
	}
	beside := vg.Length(mostLegend)
	if l.below() {
		beside = 0
		l.names = shortNames(l.names, fits(body, on.width-2*margin-sampleWidth))
	} else {
		l.names = ShortNames(l.names)
	}
	l.rows = shortNames(l.rows, fits(body, mostNames*on.width))
	l.columns = spaced(l.columns, func(columns int) func(string) bool {
		return fits(body, (1-beside-mostNames/2)*on.width*vg.Length(columns)/vg.Length(len(l.columns)))
	})
	if !on.onPage {
		l.caption = wrapped(text(f.Caption), fits(body, on.width-2*margin))
	}
	legend := vg.Length(len(l.names) * lineHeight)
	switch {
	case f.Square && !l.below():
		l.height = square
	case on.onPage:
		l.height = flat
	}
	if l.below() {
		l.height = max(l.height, vg.Length(len(l.rows)*rowHeight)+5*lineHeight) + legend
	} else {
		l.height = max(l.height, legend+4*lineHeight, vg.Length(len(l.rows)*rowHeight)+5*lineHeight)
	}
	l.height += vg.Length(len(l.caption) * lineHeight)
	return l
}

// below reports that the legend stands below the plot, for lack of room beside it.
func (l *layout) below() bool { return l.width <= narrow }

// framed draws the background and, where the drawing has it, the title, and returns what is within the margins.
func (on sheet) framed(c draw.Canvas, title string) draw.Canvas {
	c.FillPolygon(color.White, corners(c.Rectangle))
	c = draw.Crop(c, margin, -margin, margin, -margin)
	if !on.onPage {
		style := textStyle(12)
		style.YAlign = draw.YTop
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y}, title)
	}
	return c
}

// captioned draws lines at the bottom, and returns what is above them.
func captioned(c draw.Canvas, caption []string) draw.Canvas {
	for _, line := range slices.Backward(caption) {
		c.FillText(textStyle(small), c.Min, line)
		c.Min.Y += lineHeight
	}
	return c
}

func (l *layout) draw(c draw.Canvas) {
	c, body := captioned(l.framed(c, l.title), l.caption), textStyle(small)
	if !l.onPage {
		c.Max.Y -= 1.6 * lineHeight
	}
	if len(l.caption) > 0 {
		c.Min.Y += lineHeight / 2
	}
	beside, below := vg.Length(0), vg.Length(0)
	if l.below() {
		below = vg.Length(len(l.names) * lineHeight)
	} else {
		for _, name := range l.names {
			beside = max(beside, 2*margin+sampleWidth+slack*body.Width(name))
		}
	}
	at := draw.Crop(c, 0, -beside, below, 0)
	p := l.plot(at)
	if l.Square {
		data := p.DataCanvas(at).Size()
		at.Max.X -= max(0, data.X-data.Y)
		at.Min.Y += max(0, data.Y-data.X)
	}
	p.Draw(at)
	// The legend is to the right of the plot, where it hides nothing: each entry where its line
	// ends, if it has one, else one below the other.
	x, places := at.Max.X+margin, []place(nil)
	if l.below() {
		x = c.Min.X
		for i := range l.legend {
			y := at.Min.Y - (vg.Length(i)+0.5)*lineHeight
			places = append(places, place{y, y})
		}
	} else {
		places = l.entries(p, at)
	}
	for i, series := range l.legend {
		y := places[i].at
		row := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: y - lineHeight/2}, Max: vg.Point{X: x + sampleWidth, Y: y + lineHeight/2}}}
		if end := places[i].end; end != y {
			row.StrokeLine2(draw.LineStyle{Color: color.Gray{0xa0}, Width: 0.5}, p.DataCanvas(at).Max.X, end, x-1, y)
		}
		l.entry(row, series)
		style := body
		style.YAlign = draw.YCenter
		c.FillText(style, vg.Point{X: x + sampleWidth + margin/2, Y: y}, l.names[i])
	}
}

// place is the position of an entry of the legend, and of the end of its line.
type place struct{ at, end vg.Length }

// entries returns the places of the legend's entries. Entries of step lines are as near to
// the ends of the lines as the others allow.
func (l *layout) entries(p *plot.Plot, c draw.Canvas) []place {
	places, order := make([]place, len(l.legend)), make([]int, len(l.legend))
	direct, data := true, p.DataCanvas(c)
	_, toY := p.Transforms(&data)
	for i, series := range l.legend {
		steps := l.Series[series].Steps
		if order[i] = i; len(steps) > 0 {
			places[i].end = min(max(toY(l.Y.place(steps[len(steps)-1].Y)), data.Min.Y), data.Max.Y)
		}
		direct = direct && len(steps) > 0
	}
	if direct {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(places[b].end, places[a].end) })
	}
	top := c.Max.Y - lineHeight/2
	for n, i := range order {
		y := top
		if direct { // not so low that entries below leave the picture
			y = min(top, max(places[i].end, c.Min.Y+(vg.Length(len(order)-n)-0.5)*lineHeight))
		} else {
			places[i].end = y
		}
		places[i].at, top = y, y-lineHeight
	}
	return places
}

// mostSeries bounds the number of series per panel.
const mostSeries = 7

// Panels returns the figure, or if it has more than seven series with a positive Look, several
// figures with at most seven of these each and with everything else.
func (f *Figure) Panels() (panels []*Figure) {
	var lines []int
	for i := range f.Series {
		if f.Series[i].Look > 0 {
			lines = append(lines, i)
		}
	}
	n := (len(lines) + mostSeries - 1) / mostSeries
	if n < 2 {
		return []*Figure{f}
	}
	each := (len(lines) + n - 1) / n
	for part := range n {
		panel, shown := *f, lines[part*each:min((part+1)*each, len(lines))]
		panel.Series, panel.Title = nil, fmt.Sprintf("%s (%d of %d)", f.Title, part+1, n)
		if part > 0 {
			panel.Name = fmt.Sprintf("%s-%d", f.Name, part+1)
		}
		for i, s := range f.Series {
			if s.Look <= 0 || slices.Contains(shown, i) {
				panel.Series = append(panel.Series, s)
			}
		}
		panels = append(panels, &panel)
	}
	return panels
}

// plot returns the axes, grid and series for a canvas of this size.
func (l *layout) plot(c draw.Canvas) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.Add(plotter.NewGrid(), bands{l})
	for _, ideal := range []bool{true, false} {
		for i := range l.Series {
			if (l.Series[i].Look == Ideal) == ideal {
				p.Add(drawn{l, i})
			}
		}
	}
	l.X.apply(&p.X, l.columns)
	l.Y.apply(&p.Y, l.rows)
	for axis, room := range map[*plot.Axis]vg.Length{&p.X: c.Size().X, &p.Y: c.Size().Y} {
		axis.Label.Text = shortened(l.text(axis.Label.Text), fits(textStyle(10), room))
		axis.Label.TextStyle.Font, axis.Tick.Label.Font = textStyle(10).Font, textStyle(small).Font
	}
	return p
}
