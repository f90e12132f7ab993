// Package people reads data sets in delimited text and encodes them as a
// study declares: raw cells become the points of a space, labels become 0 or
// 1, and some rows are held back for testing.
//
// Files are untrusted: the length of a record, the number of rows and the size of a file
// are bounded, and every error names file, line and column.
package people
