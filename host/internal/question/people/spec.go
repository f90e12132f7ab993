package people

import "slices"

// Bounds on what is read.
const (
	// MaxFileBytes bounds one data file.
	MaxFileBytes = 1 << 30
	// MaxRecordBytes bounds one record, line ends within quotes included.
	MaxRecordBytes = 1 << 20
	// MaxColumns bounds the columns of a file.
	MaxColumns = 1 << 14
	// MaxCells bounds rows kept × features: 512 MiB of points.
	MaxCells = 1 << 26
)

// Spec declares a data set: where its rows are and what they mean. It is
// read-only while in use.
type Spec struct {
	// Files are read in order; their rows are numbered through.
	Files []File
	// Format is common to all files.
	Format Format
	// Features lists the columns of a point, in the order of the space.
	Features []Column
	// Label says which cell holds the label; its zero value is a data set
	// without labels.
	Label Label
	// Split holds rows back by lot, besides those of files marked HeldBack.
	Split Split
}

// File is one data file.
type File struct {
	Path string
	// Skip is the number of lines to pass over before anything is read.
	Skip int
	// HeldBack marks every row of the file as a test row.
	HeldBack bool
}

// Format says how cells are written.
type Format struct {
	// Delimiter separates cells; 0 is a comma.
	Delimiter rune
	// Columns names the columns; nil means that the first line after the
	// skipped ones does.
	Columns []string
	// Trim cuts white space off both ends of every cell.
	Trim bool
	// Decimal is what stands before the decimals of a number, 0 for a point; Thousands stands between the thousands,
	// 0 for nothing. A blank is any of the spaces that programs write there.
	Decimal, Thousands rune
	// Missing lists the marks of a missing value in all columns, MissingIn further ones by column.
	Missing   []string
	MissingIn map[string][]string
	// RefuseMissing makes a missing value in a column an error; otherwise the
	// row is dropped and counted. A mark that the maps of all features of its column
	// replace is none there.
	RefuseMissing bool
	// Drop lists columns to leave out: a value missing there is of no
	// consequence. Every other column counts, used or not.
	Drop []string
}

// Column says how one feature is read off a row.
type Column struct {
	// Feature names the feature in messages; Name is its column.
	Feature, Name string
	// OneHot are its columns where it has one for each category, of which one is 1 and
	// the others 0; Name is the first of them, and there are no steps.
	OneHot []string
	// AnyOf are columns of 0 and 1 in which the feature is 1 where one of them is, else 0;
	// Name is the first of them. Steps follow.
	AnyOf []string
	// Categories gives a categorical feature's names by index; nil for a number.
	Categories []string
	// Steps turn the cell into the feature's value, one after the other.
	Steps []Step
	// Missing is the value of a cell that is one of the marks of a missing value; nil where such a row
	// has no point. It is above all numbers.
	Missing *float64
}

// replaces reports that the first step puts something in place of a text.
func (c *Column) replaces(text string) bool {
	if len(c.Steps) == 0 || c.AnyOf != nil {
		return false
	}
	_, ok := c.Steps[0].Map[text]
	return ok
}

// Names are the columns that the feature is read from.
func (c *Column) Names() []string {
	switch {
	case c.OneHot != nil:
		return c.OneHot
	case c.AnyOf != nil:
		return c.AnyOf
	}
	return []string{c.Name}
}

// Label says which rows are positive.
type Label struct {
	// Column holds the label; "" means that there are no labels.
	Column string
	// Positive lists the values that count as 1; all others count as 0.
	Positive []string
	// StripSuffix is cut off the end of a label before it is compared.
	StripSuffix string
}

// Split draws test rows by lot.
type Split struct {
	// Fraction is the share of rows, 0 to 1, rounded to a whole number of rows.
	Fraction float64
	// Seed decides which.
	Seed uint64
}

// NeedsFit reports whether bins take their ends from the data.
func (s *Spec) NeedsFit() bool {
	for i := range s.Features {
		for _, step := range s.Features[i].Steps {
			if step.Bins != nil && step.Bins.Fit {
				return true
			}
		}
	}
	return false
}

// Marks are those of a missing value in a column.
func (f *Format) Marks(column string) []string { return slices.Concat(f.Missing, f.MissingIn[column]) }
