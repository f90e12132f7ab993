package view

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// Axis is one of a figure's axes. If Min and Max are equal, its range is the data's.
type Axis struct {
	Label    string
	Min, Max float64
	// Log makes the axis logarithmic. Its range must be above 0; other values are drawn at Min.
	Log bool
	// Whole puts ticks at whole numbers only.
	Whole bool
	// Names label the values 1, 2 and so on; the axis then has ticks at these only.
	Names []string
}

// place returns where a value is drawn. gonum's logarithmic scale misplaces labels.
func (a *Axis) place(v float64) float64 {
	if a.Log {
		return math.Log10(max(v, a.Min))
	}
	return v
}

// apply sets an axis' label, range and ticks. names are its Names as they are drawn.
func (a *Axis) apply(to *plot.Axis, names []string) {
	to.Label.Text = a.Label
	if a.Min < a.Max {
		to.Min, to.Max = a.place(a.Min), a.place(a.Max)
	}
	switch {
	case a.Log:
		to.Tick.Marker = plot.TickerFunc(logTicks)
	case len(names) > 0:
		var ticks plot.ConstantTicks
		for i, name := range names {
			if name != "" {
				ticks = append(ticks, plot.Tick{Value: float64(i + 1), Label: name})
			}
		}
		to.Tick.Marker = ticks
	case a.Whole:
		to.Tick.Marker = plot.TickerFunc(wholeTicks)
	}
}

// logTicks returns labelled ticks at powers of ten and ticks at their multiples; if
// there are few powers, some or all multiples have labels, too. lo and hi are exponents.
func logTicks(lo, hi float64) []plot.Tick {
	const most = 30 // powers that get ticks
	var out []plot.Tick
	for e := math.Floor(lo); e <= min(hi, lo+most); e++ {
		for m := 1.0; m < 10; m++ {
			v, _ := strconv.ParseFloat(fmt.Sprintf("%ve%v", m, e), 64) // 0.3 instead of 0.30000000000000004
			at := math.Log10(v)
			if at < lo-1e-9 || at > hi+1e-9 {
				continue
			}
			t := plot.Tick{Value: at}
			if m == 1 || hi-lo < 2.5 && (m == 2 || m == 5) || hi-lo < 0.7 && (m == 3 || m == 7) || hi-lo < 0.35 {
				t.Label = tickText(v)
			}
			out = append(out, t)
		}
	}
	return out
}

// tickText writes a value, without an exponent if that is short.
func tickText(v float64) string {
	if v >= 1e-4 && v < 1e7 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// wholeTicks returns ticks at all whole numbers, or at as many as fit.
func wholeTicks(lo, hi float64) []plot.Tick {
	const most = 10
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
