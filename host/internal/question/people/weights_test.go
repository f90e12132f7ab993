package people

import (
	"slices"
	"strings"
	"testing"
)

// Weights are numbers from 0, not all of them 0; a row that is left out needs none.
func TestWeights(t *testing.T) {
	spec := func(text string) *Spec {
		return &Spec{Files: []File{{Path: file(t, text)}}, Format: Format{Missing: []string{"?"}}, Features: []Column{number("a")}, Weight: "w"}
	}
	d, err := Read(spec("a,w\n1,0\n2,1.5\n?,x\n3,1e3\n"))
	if err != nil || !slices.Equal(d.Weights, []float64{0, 1.5, 1000}) || d.Dropped != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	for text, want := range map[string]string{
		"a,w\n1,1\n2,-0.5\n": `:3:3: column "w": the weight "-0.5" is not a number of at least 0: correct it, or drop the row`,
		"a,w\n1,NaN\n":       `:2:3: column "w": the weight "NaN" is not`,
		"a,w\n1,inf\n":       `the weight "inf" is not`,
		"a,w\n1,\n":          `the weight "" is not`,
		"a,w\n1,1e101\n":     `:2:3: column "w": the weight "1e101" is out of range: want 0, or a number from 1e-100 to 1e+100: scale all weights`,
		"a,w\n1,1e-101\n":    `the weight "1e-101" is out of range`,
		"a,v\n1,2\n":         `the weight is read from column "w", which does not exist; the columns are a, v`,
		"a,w\n1,0\n2,0\n":    `all weights in column "w" are 0`,
	} {
		if _, err := Read(spec(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Of rows beside the data set labels and weights are known where their columns are there, and each row has a label.
func TestRowsBeside(t *testing.T) {
	spec := &Spec{Features: []Column{number("a")}, Label: Label{Column: "y", Positive: []string{"yes"}}, Weight: "w"}
	for text, want := range map[string]struct {
		labels  []int
		weights []float64
		why     string
	}{
		"a\n1\n2\n":                  {nil, nil, ""},
		"y,a,w\nno,1,3\nyes,2,0\n":   {[]int{0, 1}, []float64{3, 0}, ""},
		"y,a\nyes,1\n,2\nyes,3\n":    {nil, nil, "line 3 has no label in column y"},
		"y,a,w\n0,1,1\nYes,2,2\n":    {nil, []float64{1, 2}, `no row has a positive label, y yes; the labels include 0, Yes`},
		"w,a,name\n2,1,B\n0.5,2,C\n": {nil, []float64{2, 0.5}, ""},
	} {
		d, err := ReadRows(spec, file(t, text))
		if err != nil || !slices.Equal(d.Labels, want.labels) || !slices.Equal(d.Weights, want.weights) || d.Unlabelled != want.why {
			t.Errorf("%q: %+v, %v", text, d, err)
		}
	}
	if _, err := ReadRows(spec, file(t, "a,w\n1,-1\n")); err == nil || !strings.Contains(err.Error(), "is not a number of at least 0") {
		t.Errorf("a negative weight: %v", err)
	}
}
