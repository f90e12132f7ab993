package study_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/study"
)

func rowsFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRowsAreTheDataSet: the study's own file, read as further rows, gives the
// study's own points; so do those points, written as feature values.
func TestRowsAreTheDataSet(t *testing.T) {
	st, err := study.Load("../../../../studies/loan", study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	own, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := st.Rows("../../../../studies/loan/applicants.csv", false)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(own.Points, rows.Points); d != "" {
		t.Error(d)
	}
	var byName, byIndex strings.Builder
	for i := len(st.Space.Features) - 1; i >= 0; i-- { // in another order
		byName.WriteString(st.Space.Features[i].Name + ",")
	}
	byName.WriteString("note\n")
	byIndex.WriteString(byName.String())
	for _, p := range own.Points[:200] {
		for i := len(p) - 1; i >= 0; i-- {
			byName.WriteString(st.Space.Features[i].Label(p[i]) + ",")
			byIndex.WriteString(strconv.FormatFloat(p[i], 'g', -1, 64) + ",")
		}
		byName.WriteString("x\n")
		byIndex.WriteString("x\n")
	}
	for _, text := range []string{byName.String(), byIndex.String()} {
		encoded, err := st.Rows(rowsFile(t, text), true)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(own.Points[:200], encoded.Points); d != "" {
			t.Error(d)
		}
	}
}

// TestStreamIsTheDataSet: the study's own file, read once from a stream, gives the
// study's own points, and so do feature values.
func TestStreamIsTheDataSet(t *testing.T) {
	st, err := study.Load("../../../../studies/loan", study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	own, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("../../../../studies/loan/applicants.csv")
	if err != nil {
		t.Fatal(err)
	}
	var encoded strings.Builder
	encoded.WriteString(strings.Join(st.Space.Names(), ",") + "\n")
	for _, p := range own.Points {
		for i, v := range p {
			if i > 0 {
				encoded.WriteByte(',')
			}
			encoded.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
		}
		encoded.WriteByte('\n')
	}
	for name, open := range map[string]func() (*people.Stream, error){
		"raw": func() (*people.Stream, error) { return st.Stream(bytes.NewReader(raw), "standard input", false) },
		"encoded": func() (*people.Stream, error) {
			return st.Stream(strings.NewReader(encoded.String()), "standard input", true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := open()
			if err != nil {
				t.Fatal(err)
			}
			got := [][]float64{}
			for {
				point := make([]float64, len(st.Space.Features))
				_, err := s.Next(point)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, point)
			}
			if d := cmp.Diff(own.Points, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestRowsWithoutData: a study that does not say how rows are encoded takes
// feature values, and no others.
func TestRowsWithoutData(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "study.yaml")
	text := "features:\n  age: {integer: 0..9}\n  job: {categories: [\"1\", \"0\", baker]}\nprotected: {age: [1, 2]}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	st, err := study.Load(path, study.Options{NoModel: true})
	if err != nil {
		t.Fatal(err)
	}
	rows := rowsFile(t, "job,age\nbaker, 3\n2,4\n0,5\n")
	if d, err := st.Rows(rows, false); !errors.Is(err, study.ErrNoData) {
		t.Errorf("raw rows: %v, %v", d, err)
	}
	d, err := st.Rows(rows, true)
	if err != nil {
		t.Fatal(err)
	}
	// A category's name comes before another one's index.
	if diff := cmp.Diff([][]float64{{3, 2}, {4, 2}, {5, 1}}, d.Points); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]string{
		"age,job\n3,clerk\n": `"clerk" is not among the categories 1, 0, baker`,
		"age,job\n3,3\n":     `"3" is not among the categories`,
		"age,job\nx,0\n":     `:2:1: column "age": feature "age": "x" is not a number`,
		"age\n3\n":           `column "job", which does not exist`,
	} {
		if d, err := st.Rows(rowsFile(t, text), true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %s", text, d, err, want)
		}
	}
}
