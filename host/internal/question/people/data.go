package people

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk/space"
)

// Data is a data set, encoded. It is read-only and safe for concurrent use.
type Data struct {
	// Points are the rows kept, in the order of the files, one entry a feature
	// in the order of the space. They may lie outside a feature's domain: see
	// Outside.
	Points [][]float64
	// Labels has 1 or 0 for each point; nil without labels.
	Labels []int
	// Test lists the points held back, increasing.
	Test []int
	// Read counts the rows of the files, Dropped those left out because a value
	// was missing.
	Read, Dropped int
	// SHA256 is the hash of the files, one after the other, in hexadecimal.
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

// Spec is what was read, with the ends of every bin: further rows can be encoded
// in the same way.
func (d *Data) Spec() *Spec { return d.spec }

// Where says where point i was read.
func (d *Data) Where(i int) (path string, line int) {
	p := d.places[i]
	return d.spec.Files[p.file].Path, p.line
}

// Row is which row point i was, counted through all files from 0, those left out included.
func (d *Data) Row(i int) int { return d.places[i].row }

// Outside counts the points whose value of one feature lies outside its domain.
type Outside struct {
	Feature int
	// Points is how many there are; First is the first of them.
	Points, First int
}

// Outside holds the points against the domains of s, whose features are those
// of the points: one entry for each feature with points outside. outside
// counts the points concerned; forbidden counts those inside every domain
// that a constraint forbids. Protected features are held against their whole
// domain.
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

// InsideTables refuses data that the features' tables, such as one-hot inputs,
// have no entry for.
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
