package people

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// streamed reads all rows; nil stands for an unusable row.
func streamed(t *testing.T, s *Stream) (points [][]float64, lines []int, errs []string) {
	t.Helper()
	for {
		dst := make([]float64, 2)
		line, err := s.Next(dst)
		var bad *RowError
		switch {
		case errors.Is(err, io.EOF):
			return points, lines, errs
		case errors.As(err, &bad):
			dst = nil
			errs = append(errs, err.Error())
		case err != nil:
			t.Fatal(err)
		}
		points, lines = append(points, dst), append(lines, line)
	}
}

// TestStreamReadsAsReadRows: a stream returns what ReadRows does for the same text, for any
// size of its reads.
func TestStreamReadsAsReadRows(t *testing.T) {
	named := Format{Trim: true, Columns: []string{"years", "weight", "occupation", "label"}}
	semicolons := Format{Delimiter: ';'}
	for name, c := range map[string]struct {
		format Format
		text   string
	}{
		"as the study's files":    {Format{}, "years,weight,occupation,label\n3,1,clerk,yes\n4,2,baker,no\n"},
		"other columns":           {Format{}, "name,occupation,years\n\"Doe, jr.\",clerk,3\nSmith,baker,4\n"},
		"named columns, no names": {named, "3, 1, clerk, yes\n4, 2, baker, no\n"},
		"named columns, names":    {named, "occupation, years\nclerk, 3\nbaker, 4\n"},
		"commas all the same":     {semicolons, "years,occupation\n3,clerk\n4,baker\n"},
		"a byte order mark":       {Format{}, "\ufeffyears,occupation\r\n3,clerk\r\n4,baker"},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := ReadRows(rowsSpec(c.format), file(t, c.text))
			if err != nil {
				t.Fatal(err)
			}
			spec := rowsSpec(c.format)
			s, err := NewStream(spec, iotest.OneByteReader(strings.NewReader(c.text)), "standard input")
			if err != nil {
				t.Fatal(err)
			}
			got, _, errs := streamed(t, s)
			if d := cmp.Diff(want.Points, got); d != "" || len(errs) > 0 {
				t.Errorf("%q %s", errs, d)
			}
			if d := cmp.Diff(rowsSpec(c.format), spec); d != "" {
				t.Errorf("the study's own description changed: %s", d)
			}
		})
	}
}

// TestStreamGoesOnAfterABadRow: the error names line and cell, and the next rows are read.
func TestStreamGoesOnAfterABadRow(t *testing.T) {
	s, err := NewStream(rowsSpec(Format{}), strings.NewReader("years,occupation\n3,clerk\nmany,clerk\n?,clerk\n4,cook\n5,baker\n"), "standard input")
	if err != nil {
		t.Fatal(err)
	}
	points, lines, errs := streamed(t, s)
	if d := cmp.Diff([][]float64{{3, 1}, nil, nil, nil, {5, 0}}, points); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int{2, 3, 4, 5, 6}, lines); d != "" {
		t.Error(d)
	}
	for i, want := range []string{"many", "?", "cook"} {
		if i >= len(errs) || !strings.Contains(errs[i], want) {
			t.Errorf("errors %q, want %q in number %d", errs, want, i)
		}
	}
}

// TestStreamDoesNotReadAhead: a row is returned as soon as its line is complete, so that a
// pipe gets an answer line by line.
func TestStreamDoesNotReadAhead(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	io.WriteString(w, "years,occupation\n")
	s, err := NewStream(rowsSpec(Format{}), r, "a pipe")
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, 2)
	for _, want := range []float64{3, 4} {
		io.WriteString(w, "34"[int(want)-3:int(want)-2]+",clerk\n") // would block if more were read
		if _, err := s.Next(dst); err != nil || dst[0] != want {
			t.Fatalf("%v, %v", dst, err)
		}
	}
}

func TestStreamRefusals(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":          {"", "no rows"},
		"a column missing": {"years\n3\n", "occupation"},
		"an endless line":  {strings.Repeat("x", MaxRecordBytes+1), "standard input"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewStream(rowsSpec(Format{}), strings.NewReader(c.text), "standard input")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	s, err := NewStream(rowsSpec(Format{}), iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("years,occupation\n3,clerk\n"))), "standard input")
	if err == nil {
		_, err = s.Next(make([]float64, 2))
	}
	var bad *RowError
	if err == nil || errors.As(err, &bad) {
		t.Errorf("a source that fails gives %v", err)
	}
}
