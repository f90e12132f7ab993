package people

import "slices"

// Limits of data sets.
const (
	// MaxFileBytes is the maximum size of a data file.
	MaxFileBytes = 1 << 30
	// MaxRecordBytes is the maximum size of a record, including line ends within quotes.
	MaxRecordBytes = 1 << 20
	// MaxColumns is the maximum number of columns of a file.
	MaxColumns = 1 << 14
	// MaxCells is the maximum of kept rows × features: 512 MiB of points.
	MaxCells = 1 << 26
)

// Spec declares a data set: its files and the meaning of their rows. It is read-only while in use.
type Spec struct {
	// Files are read in order; their rows are numbered consecutively.
	Files []File
	// Format is common to all files.
	Format Format
	// Features lists the columns of a point, in the order of the space.
	Features []Column
	// Label describes the labels; the zero value means that there are none.
	Label Label
	// Weight is the column of the rows' weights, numbers of at least 0; "": each row counts once.
	Weight string
	// Split holds back random rows, besides those of files marked HeldBack.
	Split Split
	// Beside reports that the rows are not part of the data set. Their labels and weights may then
	// be absent.
	Beside bool
}

// File is one data file.
type File struct {
	Path string
	// Skip is the number of lines to skip before the header.
	Skip int
	// HeldBack marks every row of the file as a test row.
	HeldBack bool
}

// Format is the format of the cells.
type Format struct {
	// Delimiter separates cells; 0 is a comma.
	Delimiter rune
	// Columns names the columns; nil: the first line after the skipped ones names them.
	Columns []string
	// Trim removes white space at both ends of every cell.
	Trim bool
	// Decimal is the decimal separator, 0 for a point; Thousands is the thousands separator, 0 for none. A blank
	// means any Unicode space.
	Decimal, Thousands rune
	// Missing lists the missing-value marks of all columns, MissingIn further ones by column.
	Missing   []string
	MissingIn map[string][]string
	// RefuseMissing makes a missing value an error; otherwise the row is dropped and counted. A
	// mark is not a missing value if each feature of the column replaces it in its first step, or
	// may be missing.
	RefuseMissing bool
	// Drop lists columns in which a missing value does not matter. In every other column it
	// does, even in one that no feature uses.
	Drop []string
}

// Column describes how one feature is read from a row.
type Column struct {
	// Feature names the feature in messages; Name is its column.
	Feature, Name string
	// OneHot are the feature's columns, one per category: one of them is 1, the others are 0.
	// Name is the first of them, and Steps is empty.
	OneHot []string
	// AnyOf are columns of 0 and 1: the feature is 1 if any of them is, else 0, before Steps.
	// Name is the first of them.
	AnyOf []string
	// Categories are a categorical feature's names by index; nil for a number.
	Categories []string
	// Steps convert the cell to the feature's value, in order.
	Steps []Step
	// Missing is the value for a cell with a missing-value mark; it exceeds all numbers of the
	// feature. nil: a row with such a cell has no point.
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

// Label describes the labels.
type Label struct {
	// Column holds the label; "" means that there are no labels.
	Column string
	// Positive lists the values that count as 1; all others count as 0.
	Positive []string
	// StripSuffix is removed from the end of a label before it is compared.
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

// Marks returns the missing-value marks of a column.
func (f *Format) Marks(column string) []string { return slices.Concat(f.Missing, f.MissingIn[column]) }
