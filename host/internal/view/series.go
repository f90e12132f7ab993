package view

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// colours are those of M. Okabe and K. Ito (Color Universal Design, 2008) that contrast with
// white; people with any colour vision distinguish them.
var colours = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff},
}

// dashes and marks distinguish lines without colours: five and twelve are coprime, so only
// every 60th series looks the same in grey.
var (
	dashes = [][]vg.Length{nil, {7, 3}, {2, 2}, {7, 2, 2, 2}, {12, 4}}
	marks  = []mark{
		{corners: 0}, {corners: 4, turn: 45}, {corners: 3, turn: 90}, {corners: 4, turn: 90},
		{corners: 0, hollow: true}, {corners: 4, turn: 45, hollow: true}, {corners: 3, turn: -90}, {corners: 3, turn: 90, hollow: true},
		{corners: 4, turn: 90, hollow: true}, {legs: 4}, {corners: 3, turn: -90, hollow: true}, {legs: 6, turn: 90},
	}
)

type tone struct{ fill, text color.Gray }

// tones are the fills of bars by look, from dark to light, with the colour of text on them.
var tones = []tone{{color.Gray{0x40}, color.Gray{0xff}}, {color.Gray{0x98}, color.Gray{0}}, {color.Gray{0xdc}, color.Gray{0}}}

// shades go from light to dark, also in grey (Oranges of C. Brewer).
var shades = []color.NRGBA{{0xfe, 0xed, 0xde, 0xff}, {0xfd, 0xae, 0x6b, 0xff}, {0xe6, 0x55, 0x0d, 0xff}, {0x7f, 0x27, 0x04, 0xff}}

// shade returns the colour of a share.
func shade(share float64) color.NRGBA {
	at := min(max(share, 0), 1) * float64(len(shades)-1)
	i := min(int(at), len(shades)-2)
	a, b, t := shades[i], shades[i+1], at-float64(i)
	mix := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + t*(float64(y)-float64(x)))) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// fill returns the colour of a series' boxes.
func (s *Series) fill() color.Color {
	if s.Look == Ideal {
		return color.Gray{0xb0}
	}
	return shade(s.Shade)
}

// mark is a shape: a polygon, a circle if it has no corners, or strokes from its middle.
type mark struct {
	corners, legs int
	turn          float64 // degrees
	hollow        bool
}

const markSize = 3 // radius of a circle, in points

// draw draws the mark in a colour.
func (m mark) draw(c *draw.Canvas, at vg.Point, colour color.Color) {
	around := func(i, of int, r vg.Length) vg.Point {
		sin, cos := math.Sincos((m.turn + 360*float64(i)/float64(of)) * math.Pi / 180)
		return vg.Point{X: at.X + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)}
	}
	c.SetColor(colour)
	c.SetLineStyle(draw.LineStyle{Color: colour, Width: 1.3})
	var path vg.Path
	switch {
	case m.legs > 0:
		for i := range m.legs {
			path.Move(at)
			path.Line(around(i, m.legs, 1.3*markSize))
		}
		c.Stroke(path)
		return
	case m.corners == 0:
		const k = 0.5523 * markSize // of Bézier curves around a quarter of a circle
		path.Move(vg.Point{X: at.X + markSize, Y: at.Y})
		for i := range 4 {
			sin, cos := vg.Length([]int{0, 1, 0, -1}[i]), vg.Length([]int{1, 0, -1, 0}[i])
			to := vg.Point{X: at.X - sin*markSize, Y: at.Y + cos*markSize}
			path.CubeTo(vg.Point{X: at.X + cos*markSize - sin*k, Y: at.Y + sin*markSize + cos*k}, vg.Point{X: to.X + cos*k, Y: to.Y + sin*k}, to)
		}
	default:
		path.Move(around(0, m.corners, 1.3*markSize))
		for i := 1; i < m.corners; i++ {
			path.Line(around(i, m.corners, 1.3*markSize))
		}
	}
	path.Close()
	if m.hollow {
		c.SetColor(color.White)
		c.Fill(path)
		c.SetColor(colour)
		c.Stroke(path)
		return
	}
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: color.White, Width: 0.5}) // separates it from others
	c.Stroke(path)
}

// look is how a series is drawn.
type look struct {
	draw.LineStyle
	mark *mark
}

func (f *Figure) look(i int) look {
	s := &f.Series[i]
	n := s.Look - 1
	switch {
	case s.Look == Ideal:
		return look{LineStyle: draw.LineStyle{Color: color.Gray{0xb0}, Width: 4}}
	case s.Look == Alarm:
		return look{LineStyle: draw.LineStyle{Color: color.NRGBA{0xc0, 0, 0, 0xff}, Width: 1.5}, mark: &mark{legs: 4, turn: 45}}
	case s.Name == "":
		return look{LineStyle: draw.LineStyle{Color: color.Gray{0x80}, Width: 0.75, Dashes: []vg.Length{3, 3}}}
	case s.Look == 0:
		n = i
	}
	return look{draw.LineStyle{Color: colours[n%len(colours)], Width: 1.5, Dashes: dashes[n%len(dashes)]}, &marks[n%len(marks)]}
}

// tone returns how a series' bars are drawn.
func (f *Figure) tone(i int) tone {
	if look := f.Series[i].Look; look > 0 {
		i = look - 1
	}
	return tones[i%len(tones)]
}

// drawn is a series of a figure as gonum/plot draws it.
type drawn struct {
	*layout
	i int
}

// DataRange implements plot.DataRanger.
func (d drawn) DataRange() (xmin, xmax, ymin, ymax float64) {
	s := &d.Series[d.i]
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	corners := make([]Point, 0, 2*len(s.Boxes))
	for _, b := range s.Boxes {
		corners = append(corners, b.From, b.To)
	}
	for _, points := range append([][]Point{s.Steps, s.Dots, corners}, s.Lines...) {
		for _, p := range points {
			x, y := d.X.place(p.X), d.Y.place(p.Y)
			xmin, xmax, ymin, ymax = min(xmin, x), max(xmax, x), min(ymin, y), max(ymax, y)
		}
	}
	return xmin, xmax, ymin, ymax
}

// at returns a function from points to their positions on the canvas.
func (f *Figure) at(c *draw.Canvas, p *plot.Plot) func(x, y float64) vg.Point {
	toX, toY := p.Transforms(c)
	return func(x, y float64) vg.Point { return vg.Point{X: toX(f.X.place(x)), Y: toY(f.Y.place(y))} }
}

// bands draws the bands of all series, under all lines.
type bands struct{ *layout }

// Plot implements plot.Plotter.
func (b bands) Plot(c draw.Canvas, p *plot.Plot) {
	for i := range b.Series {
		if s := &b.Series[i]; len(s.Low) > 0 {
			red, green, blue, _ := b.look(i).Color.RGBA()
			faint := color.NRGBA{uint8(red >> 8), uint8(green >> 8), uint8(blue >> 8), 0x30}
			c.FillPolygon(faint, c.ClipPolygonXY(s.outline(b.at(&c, p))))
		}
	}
}

// Plot implements plot.Plotter.
func (d drawn) Plot(c draw.Canvas, p *plot.Plot) {
	s, look, at := &d.Series[d.i], d.look(d.i), d.at(&c, p)
	for _, b := range s.Boxes {
		free := s.Apart * (b.To.X - b.From.X)
		from, to := at(b.From.X+free, b.From.Y), at(b.To.X-free, b.To.Y)
		c.FillPolygon(s.fill(), c.ClipPolygonXY(corners(vg.Rectangle{Min: from, Max: to})))
	}
	var places []vg.Point
	if len(s.Steps) > 0 {
		line := stairs(s.Steps, at)
		c.StrokeLines(look.LineStyle, c.ClipLinesXY(line)...)
		places = d.along(&c, line)
	}
	// Marks at all of many points would merge into a blot, and hide those of another series
	// on the same line.
	n, every := d.place(), max(1+len(slices.Concat(s.Lines...))/15, min(len(d.legend), 3))
	for _, points := range s.Lines {
		line := make([]vg.Point, len(points))
		for i, p := range points {
			line[i] = at(p.X, p.Y)
			if n++; len(points) == 1 || n%every == 0 {
				places = append(places, line[i])
			}
		}
		c.StrokeLines(look.LineStyle, c.ClipLinesXY(line)...)
	}
	for _, p := range s.Dots {
		places = append(places, at(p.X, p.Y))
	}
	if look.mark != nil {
		for _, place := range places {
			if c.Contains(place) {
				look.mark.draw(&c, place, look.Color)
			}
		}
	}
	for _, p := range s.Bars {
		d.bar(&c, p, at)
	}
}

// place returns the series' index in the legend; negative: none.
func (d drawn) place() int { return slices.Index(d.legend, d.i) }

// stairs returns the line of a step function.
func stairs(steps []Point, at func(x, y float64) vg.Point) (line []vg.Point) {
	for i, p := range steps {
		if i > 0 {
			line = append(line, at(p.X, steps[i-1].Y))
		}
		line = append(line, at(p.X, p.Y))
	}
	return line
}

// outline returns the outline of a series' band.
func (s *Series) outline(at func(x, y float64) vg.Point) []vg.Point {
	var border [2][]Point
	for i, p := range s.Steps {
		border[0], border[1] = append(border[0], Point{p.X, s.High[i]}), append(border[1], Point{p.X, s.Low[i]})
	}
	back := stairs(border[1], at)
	slices.Reverse(back)
	return append(stairs(border[0], at), back...)
}

// along spreads marks over a line's width, with an offset per series, so that overlapping
// lines stay distinguishable.
func (d drawn) along(c *draw.Canvas, line []vg.Point) (places []vg.Point) {
	const marks = 5
	if d.place() < 0 { // its name is at the axis
		return nil
	}
	for k := range marks {
		x := c.X((float64(k) + (float64(d.place())+0.5)/float64(len(d.legend))) / marks)
		for i := 1; i < len(line); i++ {
			if a, b := line[i-1], line[i]; a.X <= x && x < b.X {
				places = append(places, vg.Point{X: x, Y: a.Y + (b.Y-a.Y)*(x-a.X)/(b.X-a.X)})
				break
			}
		}
	}
	if len(places) == 0 {
		places = line[len(line)-1:]
	}
	return places
}

// bar draws one of the series' bars, with its length in it if that fits.
func (d drawn) bar(c *draw.Canvas, p Point, at func(x, y float64) vg.Point) {
	before := 0.0
	for _, earlier := range d.Series[:d.i] {
		for _, other := range earlier.Bars {
			if other.Y == p.Y {
				before += other.X
			}
		}
	}
	from, to := at(before, p.Y-0.35), at(before+p.X, p.Y+0.35)
	tone := d.tone(d.i)
	c.FillPolygon(tone.fill, corners(vg.Rectangle{Min: from, Max: to}))
	style, length := textStyle(small), strconv.FormatFloat(p.X, 'f', -1, 64)
	style.Color, style.XAlign, style.YAlign = tone.text, draw.XCenter, draw.YCenter
	if fits(style, to.X-from.X)(length) {
		c.FillText(style, vg.Point{X: (from.X + to.X) / 2, Y: (from.Y+to.Y)/2 + 1}, length)
	}
}

// entry draws the sample of a series in the legend.
func (l *layout) entry(c draw.Canvas, series int) {
	s, look, middle, side := &l.Series[series], l.look(series), c.Center(), c.Size().X/4
	switch {
	case s.Boxes != nil:
		box := corners(draw.Crop(c, side, -side, 1, -1).Rectangle)
		c.FillPolygon(s.fill(), box)
		c.StrokeLines(draw.LineStyle{Color: color.Gray{0x80}, Width: 0.5}, append(box, box[0]))
		return
	case s.Bars != nil:
		c.FillPolygon(l.tone(series).fill, corners(draw.Crop(c, side, -side, 2, -2).Rectangle))
		return
	}
	if len(s.Dots) == 0 {
		c.StrokeLine2(look.LineStyle, c.Min.X, middle.Y, c.Max.X, middle.Y)
	}
	if look.mark != nil {
		look.mark.draw(&c, middle, look.Color)
	}
}
