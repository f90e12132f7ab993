package relax

import (
	"math"

	"github.com/hyfair/hyfair/internal/batch"
)

// Aligned holds the logits' forms as t plus a remainder in mid ± rad; t has the same slopes for all lanes of a box.
type Aligned struct {
	Form     batch.Form
	slopes   []float64 // common slopes, by slot and feed
	mid, rad []float64 // by lane
	feeds    int
}

func newAligned(w *Workspace) *Aligned {
	n := w.Batch.Lanes()
	return &Aligned{slopes: make([]float64, w.Slots*len(w.Feeds)), mid: make([]float64, n), rad: make([]float64, n), feeds: len(w.Feeds)}
}

// Slopes returns the common slopes of a slot, by feed.
func (a *Aligned) Slopes(slot int) []float64 { return a.slopes[slot*a.feeds : (slot+1)*a.feeds] }

// alignMean aligns the logits' forms to their mean slopes.
func (a *Aligned) alignMean(w *Workspace) {
	a.Form = w.Batch.Logit()
	for b := range w.N {
		lane, slopes := b*w.Lanes, a.Slopes(b)
		for i := range w.Feeds {
			if !w.Feeds[i].apart {
				sum := 0.0
				for _, v := range a.Form.Slope(w.Feeds[i].Input)[lane : lane+w.Lanes] {
					sum += v
				}
				slopes[i] = sum / float64(w.Lanes)
			}
			row := w.Batch.CommonSlope(w.Feeds[i].Input)[lane : lane+w.Lanes]
			for z := range row {
				row[z] = slopes[i]
			}
		}
	}
	w.Batch.Align(&a.Form, w.Batch.Slack(), a.mid, a.rad)
}

// Remainders writes the enclosures of a slot's logits less t to Lo and Hi.
func (w *Workspace) Remainders(slot int) {
	w.put(w.Aligned.mid, w.Aligned.rad, slot, w.AlignError())
}

// Common encloses t over the box in a slot.
func (w *Workspace) Common(slot int) (from, to float64) {
	mid, rad := 0.0, w.AlignError()
	for i, slope := range w.Aligned.Slopes(slot) {
		input := w.Feeds[i].Input
		mid += slope * w.Batch.Centre(input)[slot*w.Lanes]
		rad += math.Abs(slope) * w.Batch.HalfWidth(input)[slot*w.Lanes]
	}
	return mid - rad, mid + rad
}
