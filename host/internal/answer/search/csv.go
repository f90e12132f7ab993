package search

import (
	"github.com/hyfair/hyfair/host/internal/view"
	"io"
	"strconv"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/sdk/space"
)

// CSV writes individuals, one per row, as they are found: run and seed
// of the run, round, seconds, from (strategy or solver), k, gap, then the
// non-protected features, with categories by name. Not safe for
// concurrent use.
type CSV struct {
	out       *view.CSVWriter
	space     *space.Space
	free      []int
	run, seed string
}

// NewCSV writes the header.
func NewCSV(out io.Writer, s *space.Space) *CSV {
	w := &CSV{out: view.NewCSV(out), space: s, free: s.Free()}
	header := []string{"run", "seed", "round", "seconds", "from", "k", "gap"}
	for _, i := range w.free {
		header = append(header, s.Features[i].Name)
	}
	w.out.Write(header) // an error stays with the writer until Flush
	return w
}

// Start says which run, counted from 1, the events to come belong to.
func (w *CSV) Start(run int, seed int64) {
	w.run, w.seed = strconv.Itoa(run), strconv.FormatInt(seed, 10)
}

// Add writes the individual of a found event and ignores the others.
func (w *CSV) Add(e record.Event) {
	f := e.Found
	if f == nil {
		return
	}
	from := "strategy"
	if f.Seed {
		from = "solver"
	}
	row := []string{
		w.run, w.seed, strconv.FormatInt(f.Round, 10), strconv.FormatFloat(e.Seconds, 'f', 6, 64),
		from, strconv.Itoa(f.K), strconv.FormatFloat(f.Gap, 'g', -1, 64),
	}
	for _, i := range w.free {
		row = append(row, w.space.Features[i].Label(f.X[i]))
	}
	w.out.Write(row)
}

// Flush writes the buffered rows and returns the first error.
func (w *CSV) Flush() error {
	w.out.Flush()
	return w.out.Error()
}

// CSVFile is a CSV in a file that appears under its name only when it is
// complete.
type CSVFile struct {
	*CSV
	file *files.File
}

// CreateCSV opens a temporary file next to path.
func CreateCSV(path string, s *space.Space) (*CSVFile, error) {
	file, err := files.Create(path)
	if err != nil {
		return nil, err
	}
	return &CSVFile{CSV: NewCSV(file, s), file: file}, nil
}

// Close writes the rest and gives the file its name. After an error it removes the
// file, and an existing file of that name stays.
func (f *CSVFile) Close() error { return f.file.Finish(f.Flush()) }

// Discard removes the file; an existing file of its name stays.
func (f *CSVFile) Discard() { f.file.Discard() }
