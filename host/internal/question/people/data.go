package people

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk/space"
)

// Data is an encoded data set. It is read-only and safe for concurrent use.
type Data struct {
	// Points are the kept rows, in the order of the files, with one entry per feature of the
	// space, in order. They may lie outside a feature's domain: see Outside.
	Points [][]float64
	// Labels has 1 or 0 per point; nil without labels.
	Labels []int
	// Unlabelled is the reason why rows outside the data set have no labels although their file has
	// the label's column; otherwise empty.
	Unlabelled string
	// Weights has the weight of each point, at least one of them above 0; nil without weights.
	Weights []float64
	// Test lists the points held back, increasing.
	Test []int
	// Read counts the rows of the files, Dropped those omitted for a missing value.
	Read, Dropped int
	// SHA256 is the hash of the concatenated files, in hexadecimal.
	SHA256 string

	spec   *Spec
	places []place // by point
}

// place says where a point was read; row counts the rows of all files, from 0.
type place struct{ file, line, row int }

// Train lists the points not held back, increasing.
func (d *Data) Train() []int {
	out := make([]int, 0, len(d.Points)-len(d.Test))
	test := d.Test
	for i := range d.Points {
		if len(test) > 0 && test[0] == i {
			test = test[1:]
			continue
		}
		out = append(out, i)
	}
	return out
}

// Spec returns the declaration with the ends of every bin fitted, by which further rows can be
// encoded in the same way.
func (d *Data) Spec() *Spec { return d.spec }

// Where is the file and line of point i.
func (d *Data) Where(i int) (path string, line int) {
	p := d.places[i]
	return d.spec.Files[p.file].Path, p.line
}

// Row is the row number of point i across all files, from 0, with omitted rows counted.
func (d *Data) Row(i int) int { return d.places[i].row }

// Outside counts the points whose value of one feature lies outside its domain.
type Outside struct {
	Feature int
	// Points is the number of points outside; First is the first of them.
	Points, First int
}

// Outside compares the points with the domains of s, which has the points' features. It
// returns one entry per feature with points outside. outside counts the points that are outside
// some domain; forbidden counts those that are inside every domain, but that a constraint forbids.
func (d *Data) Outside(s *space.Space) (features []Outside, outside, forbidden int) {
	at := make([]int, len(s.Features)) // index in features, plus 1
	for k, p := range d.Points {
		inside := true
		for i := range s.Features {
			if s.Features[i].Contains(p[i]) {
				continue
			}
			inside = false
			if at[i] == 0 {
				features = append(features, Outside{Feature: i, First: k})
				at[i] = len(features)
			}
			features[at[i]-1].Points++
		}
		switch {
		case !inside:
			outside++
		case !s.Allowed(p):
			forbidden++
		}
	}
	return features, outside, forbidden
}

// InsideTables rejects data with a value that has no entry in its feature's table. Features with
// one-hot inputs, for example, have tables.
func (d *Data) InsideTables(s *space.Space) error {
	for i := range s.Features {
		f := &s.Features[i]
		for row, point := range d.Points {
			if f.HasTable() && !f.Contains(point[i]) {
				file, line := d.Where(row)
				return fmt.Errorf("%s:%d: %s is %v, outside its domain %v..%v: widen the domain in the study, or drop the row",
					file, line, f.Name, point[i], f.Lo, f.Hi)
			}
		}
	}
	return nil
}
