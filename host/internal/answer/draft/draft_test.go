package draft_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk/fairness"
)

const loan = "../../../../studies/loan"

// made writes what the owner of the shipped network has: its inputs and its scores for the rows of the data, with
// so many digits (−1: all of them).
func made(t *testing.T, st *study.Study, digits int) (inputs, scores string) {
	t.Helper()
	d, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	var in, out bytes.Buffer
	x := make([]float64, st.Space.Inputs)
	for _, p := range d.Points {
		for i, v := range st.Space.NetworkInputs(x, p) {
			if i > 0 {
				in.WriteByte(',')
			}
			in.WriteString(strconv.FormatFloat(v, 'g', digits, 64))
		}
		in.WriteByte('\n')
		fmt.Fprintln(&out, strconv.FormatFloat(fairness.Sigmoid(st.Model.Logit(x)), 'g', digits, 64))
	}
	folder := t.TempDir()
	inputs, scores = filepath.Join(folder, "inputs.csv"), filepath.Join(folder, "scores.csv")
	for path, text := range map[string]*bytes.Buffer{inputs: &in, scores: &out} {
		if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return inputs, scores
}

func shipped(t *testing.T) *study.Study {
	t.Helper()
	st, err := study.Load(loan, study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// drafted asks for a draft, and reads the study.
func drafted(t *testing.T, r draft.Request) (*draft.Result, *study.Study, string) {
	t.Helper()
	if r.Out == "" {
		r.Out = filepath.Join(t.TempDir(), "study.yaml")
	}
	out, err := draft.Answer(context.Background(), &session.Session{}, r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(r.Out)
	if err != nil {
		t.Fatal(err)
	}
	st, err := study.Load(r.Out, study.Options{NoModel: r.Model == ""})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out, st, string(text)
}

// The shipped study, from its data and network: the same features, fed in the same way.
func TestShippedStudy(t *testing.T) {
	st := shipped(t)
	inputs, _ := made(t, st, -1)
	rough, _ := made(t, st, 7)
	for name, r := range map[string]draft.Request{"inputs": {Inputs: inputs}, "inputs of seven digits": {Inputs: rough}} {
		t.Run(name, func(t *testing.T) {
			r.Data, r.Model, r.Protected = loan+"/applicants.csv", loan+"/network.json", []string{"sex", "age", "origin"}
			out, got, text := drafted(t, r)
			if !out.Solved || out.Accuracy == nil || !strings.Contains(text, "certain: ") {
				t.Errorf("%+v", out)
			}
			for i := range st.Space.Features {
				want, have := st.Space.Features[i], got.Space.Features[i]
				want.Protected, have.Protected = nil, nil
				if d := cmp.Diff(want, have); d != "" {
					t.Errorf("%s\n%s", d, text)
				}
			}
			if k := got.Space.Protected(); !slices.Equal(k, st.Space.Protected()) {
				t.Errorf("protected %v", k)
			}
		})
	}
}
