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
	// Skip is the number of lines to skip before the header.
	Skip int
	// HeldBack marks every row of the file as a test row.
	HeldBack bool
}

// Format says how cells are written.
type Format struct {
	// Delimiter separates cells; 0 is a comma.
	Delimiter rune
	// Columns names the columns; nil: the first line after the skipped ones does.
	Columns []string
	// Trim cuts white space off both ends of every cell.
	Trim bool
	// Decimal is the decimal separator, 0 for a point; Thousands is the thousands separator, 0 for none. A blank
	// stands for any of the spaces that programs write there.
	Decimal, Thousands rune
	// Missing lists the missing-value marks of all columns, MissingIn further ones by column.
	Missing   []string
	MissingIn map[string][]string
	// RefuseMissing makes a missing value an error; otherwise the row is dropped and
	// counted. A mark that the maps of all the column's features replace is not a missing
	// value.
	RefuseMissing bool
	// Drop lists columns to ignore: a value missing there does not matter. Every other
	// column counts, used or not.
	Drop []string
}

// Column says how one feature is read from a row.
type Column struct {
	// Feature names the feature in messages; Name is its column.
	Feature, Name string
	// OneHot are the feature's columns, one for each category: one of them is 1, the others
	// are 0. Name is the first, and there are no steps.
	OneHot []string
	// AnyOf are columns of 0 and 1: the feature is 1 if any of them is, else 0. Name is the
	// first, and steps follow.
	AnyOf []string
	// Categories gives a categorical feature's names by index; nil for a number.
	Categories []string
	// Steps turn the cell into the feature's value, in order.
	Steps []Step
	// Missing is the value for a cell with a missing-value mark; it exceeds all numbers. nil: such
	// a row has no point.
	Missing *float64
}

// replaces reports whether the first step replaces a text.
func (c *Column) replaces(text string) bool {
	if len(c.Steps) == 0 || c.AnyOf != nil {
		return false
	}
	_, ok := c.Steps[0].Map[text]
	return ok
}

// Names lists the columns that the feature is read from.
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

// Split draws test rows at random.
type Split struct {
	// Fraction is the share of rows, 0 to 1, rounded to a whole number of rows.
	Fraction float64
	// Seed determines the rows drawn.
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

// Marks are the missing-value marks of a column.
func (f *Format) Marks(column string) []string { return slices.Concat(f.Missing, f.MissingIn[column]) }
