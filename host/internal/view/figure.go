package view

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Formats of figures.
const (
	SVG = "svg"
	PNG = "png"
)

// FigureFormats lists them.
var FigureFormats = []string{SVG, PNG}

// Point is a point of a series, in the axes' units.
type Point struct{ X, Y float64 }

// Axis is one of a figure's axes. The range is that of the data where Min and
// Max are equal.
type Axis struct {
	Label    string
	Min, Max float64
	// Log: logarithmic, for values and a range above 0 only.
	Log bool
	// Whole: ticks are at whole numbers only.
	Whole bool
	// Names are those of 1, 2 and so on, where ticks are then.
	Names []string
}

// Figure is a plot: steps over time and bars over whole numbers, several series
// each, told apart by colour and, where they are lines, by dashes. Equal figures give
// equal files, byte for byte.
type Figure struct {
	Title  string
	X, Y   Axis
	Series []Series
}

// Series is one line, or one kind of bars, of a figure.
type Series struct {
	Name string
	// Steps, by ascending X: from each point on the series has its Y.
	Steps []Point
	// Low and High, as long as Steps, are the borders of a band around it; empty
	// for none.
	Low, High []float64
	// Bars stand at whole X, beside those of other series.
	Bars []Point
}

// Size of a figure.
const (
	width, height = 17 * vg.Centimeter, 9.5 * vg.Centimeter
	dotsPerInch   = 150
	margin        = 3 * vg.Millimeter
)

// colours are those of M. Okabe and K. Ito (Color Universal Design, 2008) that
// stand out on white: people with any colour vision tell them apart.
var colours = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x00, 0x00, 0x00, 0xff},
}

// dashes tell lines apart without colours, and those of one colour with them:
// their numbers have no common divisor.
var dashes = [][]vg.Length{
	nil, {vg.Points(7), vg.Points(3)}, {vg.Points(2), vg.Points(2)}, {vg.Points(7), vg.Points(2), vg.Points(2), vg.Points(2)},
}

// Write draws the figure in one of FigureFormats.
func (f *Figure) Write(w io.Writer, format string) error {
	switch format {
	case SVG:
		c := vgsvg.New(width, height)
		if err := f.draw(draw.New(c)); err != nil {
			return err
		}
		var text bytes.Buffer
		if _, err := c.WriteTo(&text); err != nil {
			return err
		}
		// Who has no Liberation has one of those it was drawn after.
		_, err := w.Write(bytes.ReplaceAll(text.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")))
		return err
	case PNG:
		c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch))
		if err := f.draw(draw.New(c)); err != nil {
			return err
		}
		_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
		return err
	}
	return fmt.Errorf("no format %q: want %s or %s", format, SVG, PNG)
}

func (f *Figure) draw(c draw.Canvas) error {
	p := plot.New()
	legend := plot.NewLegend()
	f.dress(p, &legend)
	p.Add(plotter.NewGrid())
	for i := range f.Series {
		thumbs, err := f.add(p, i)
		if err != nil {
			return fmt.Errorf("figure %q, series %q: %w", f.Title, f.Series[i].Name, err)
		}
		legend.Add(f.Series[i].Name, thumbs...)
	}
	f.X.apply(&p.X)
	f.Y.apply(&p.Y)
	c.FillPolygon(color.White, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	c = draw.Crop(c, margin, -margin, margin, -margin)
	// The legend stands beside the plot, where it hides nothing.
	beside := legend.Rectangle(c).Size().X
	p.Draw(draw.Crop(c, 0, -beside-2*margin, 0, 0))
	legend.Draw(draw.Crop(c, 0, 0, 0, -2*margin))
	return nil
}

// dress sets texts and their fonts.
func (f *Figure) dress(p *plot.Plot, legend *plot.Legend) {
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.Title, f.X.Label, f.Y.Label
	for text, size := range map[*font.Font]float64{
		&p.Title.TextStyle.Font: 12, &p.X.Label.TextStyle.Font: 10, &p.Y.Label.TextStyle.Font: 10,
		&p.X.Tick.Label.Font: 9, &p.Y.Tick.Label.Font: 9, &legend.TextStyle.Font: 9,
	} {
		*text = font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
	}
	p.Title.Padding = vg.Points(6)
	legend.Top = true
	legend.Padding = vg.Points(3)
	legend.ThumbnailWidth = vg.Points(26)
}

// add draws series i and returns what the legend shows of it.
func (f *Figure) add(p *plot.Plot, i int) ([]plot.Thumbnailer, error) {
	s := &f.Series[i]
	colour := colours[i%len(colours)]
	var thumbs []plot.Thumbnailer
	if len(s.Low) > 0 {
		band, err := plotter.NewPolygon(f.outline(s))
		if err != nil {
			return nil, err
		}
		faint := colour
		faint.A = 0x30
		band.Color, band.LineStyle.Width = faint, 0
		p.Add(band)
	}
	if len(s.Steps) > 0 {
		line, err := plotter.NewLine(f.xys(s.Steps))
		if err != nil {
			return nil, err
		}
		line.StepStyle = plotter.PostStep
		line.LineStyle = draw.LineStyle{Color: colour, Width: vg.Points(1.5), Dashes: dashes[i%len(dashes)]}
		p.Add(line)
		thumbs = append(thumbs, line)
	}
	if len(s.Bars) > 0 {
		bars, err := plotter.NewPolygon(f.bars(i)...)
		if err != nil {
			return nil, err
		}
		bars.Color, bars.LineStyle.Width = colour, 0
		p.Add(bars)
		thumbs = append(thumbs, bars)
	}
	return thumbs, nil
}

// place is a point as it is drawn.
func (f *Figure) place(x, y float64) plotter.XY { return plotter.XY{X: f.X.place(x), Y: f.Y.place(y)} }

func (f *Figure) xys(points []Point) plotter.XYs {
	out := make(plotter.XYs, len(points))
	for i, p := range points {
		out[i] = f.place(p.X, p.Y)
	}
	return out
}

// outline is that of a series' band, with its steps.
func (f *Figure) outline(s *Series) plotter.XYs {
	var out plotter.XYs
	for i, p := range s.Steps {
		if i > 0 {
			out = append(out, f.place(p.X, s.High[i-1]))
		}
		out = append(out, f.place(p.X, s.High[i]))
	}
	for i := len(s.Steps) - 1; i >= 0; i-- {
		out = append(out, f.place(s.Steps[i].X, s.Low[i]))
		if i > 0 {
			out = append(out, f.place(s.Steps[i].X, s.Low[i-1]))
		}
	}
	return out
}

// bars are series i's as rectangles: those of one X share four fifths of its
// unit.
func (f *Figure) bars(i int) []plotter.XYer {
	wide := 0.8 / float64(len(f.Series))
	var out []plotter.XYer
	for _, p := range f.Series[i].Bars {
		left := p.X - 0.4 + wide*float64(i)
		out = append(out, plotter.XYs{f.place(left, f.Y.Min), f.place(left, p.Y), f.place(left+wide, p.Y), f.place(left+wide, f.Y.Min)})
	}
	return out
}

// place is where a value is drawn: the library's own logarithmic scale puts
// labels in the wrong place.
func (a *Axis) place(v float64) float64 {
	if a.Log {
		return math.Log10(v)
	}
	return v
}

// apply sets an axis' range and ticks.
func (a *Axis) apply(to *plot.Axis) {
	if a.Min < a.Max {
		to.Min, to.Max = a.place(a.Min), a.place(a.Max)
	}
	switch {
	case a.Log:
		to.Tick.Marker = plot.TickerFunc(logTicks)
	case len(a.Names) > 0:
		var ticks plot.ConstantTicks
		for i, name := range a.Names {
			ticks = append(ticks, plot.Tick{Value: float64(i + 1), Label: name})
		}
		to.Tick.Marker = ticks
	case a.Whole:
		to.Tick.Marker = plot.TickerFunc(wholeTicks)
	}
}

// logTicks are at powers of ten, with labels, and at their multiples; where
// there are few powers, some or all of these have labels, too. lo and hi are
// exponents.
func logTicks(lo, hi float64) []plot.Tick {
	const most = 30 // powers, beyond which the rest is not looked at
	var out []plot.Tick
	for e := math.Floor(lo); e <= min(hi, lo+most); e++ {
		for m := 1.0; m < 10; m++ {
			v, _ := strconv.ParseFloat(fmt.Sprintf("%ve%v", m, e), 64) // 0.3, and not 0.30000000000000004
			at := math.Log10(v)
			if at < lo-1e-9 || at > hi+1e-9 {
				continue
			}
			t := plot.Tick{Value: at}
			if m == 1 || hi-lo < 2.5 && (m == 2 || m == 5) || hi-lo < 0.7 {
				t.Label = tickText(v)
			}
			out = append(out, t)
		}
	}
	return out
}

// tickText writes a value without an exponent where that is short.
func tickText(v float64) string {
	if v >= 1e-4 && v < 1e7 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// wholeTicks are at whole numbers, every one or as many as fit.
func wholeTicks(lo, hi float64) []plot.Tick {
	const most = 20
	step := 1.0
	for _, next := range []float64{2, 5, 10, 20, 50, 100, 1000, 1e4, 1e5, 1e6, 1e9} {
		if (hi-lo)/step <= most {
			break
		}
		step = next
	}
	var out []plot.Tick
	for v := math.Ceil(lo/step) * step; v <= hi && len(out) <= 2*most; v += step {
		out = append(out, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', -1, 64)})
	}
	return out
}
