package people

import (
	"fmt"
	"io"
	"os"

	"github.com/hyfair/hyfair/host/internal/system/files"
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

	spec    *Spec
	columns [][]string // by file
	places  []place    // by point
	block   []float64  // where the next points go
}

// place says where a point was read.
type place struct {
	file, line int
	offset     int64
}

// keep copies a point into a block: one allocation for many rows.
func (d *Data) keep(point []float64) []float64 {
	const rows = 256
	n := len(point)
	if len(d.block) < n {
		d.block = make([]float64, n*rows)
	}
	kept := d.block[:n:n]
	d.block = d.block[n:]
	copy(kept, point)
	return kept
}

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

// Where says where point i was read.
func (d *Data) Where(i int) (path string, line int) {
	p := d.places[i]
	return d.spec.Files[p.file].Path, p.line
}

// Raw reads the cells of point i as they stand in the file, with the columns'
// names. It opens the file each time.
func (d *Data) Raw(i int) (columns, cells []string, err error) {
	p := d.places[i]
	path := d.spec.Files[p.file].Path
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, &Error{Path: path, Err: files.Reason(err)}
	}
	defer f.Close()
	if _, err := f.Seek(p.offset, io.SeekStart); err != nil {
		return nil, nil, &Error{Path: path, Err: files.Reason(err)}
	}
	format := d.spec.Format
	format.Columns = d.columns[p.file]
	r, err := newRecords(f, &File{Path: path}, &format, nil)
	if err != nil {
		return nil, nil, err
	}
	cells, err = r.next()
	if err != nil {
		return nil, nil, &Error{Path: path, Err: fmt.Errorf("row of line %d cannot be read again: %w", p.line, err)}
	}
	return format.Columns, cells, nil
}

// Encoder encodes further rows with the given columns in the same way.
func (d *Data) Encoder(columns []string) (*Encoder, error) { return NewEncoder(d.spec, columns) }

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
