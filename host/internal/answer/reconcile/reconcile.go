// Package reconcile compares a network's scores in a study with those of its owner's pipeline
// for the same rows. If they differ, the study encodes the network's inputs differently
// from the pipeline.
package reconcile

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/answer/inspect"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Request asks for a study's summary, and for a comparison of its network's scores with a
// file's.
type Request struct {
	inspect.Request
	// Scores is a CSV file whose last numeric column has a score for each row of the study's
	// data, or for each row without a missing value, in order.
	Scores string `json:"scores"`
}

// Result is the answer to a Request, and the JSON object of hyfair inspect --scores.
type Result struct {
	inspect.Result
	// The model's scores compared with those of a file; absent without --scores.
	Scores Scores `json:"scores"`
}

// Scores is the comparison of two lists of scores.
type Scores struct {
	// The file of scores.
	File string `json:"file"`
	// The number of rows compared.
	Rows int `json:"rows"`
	// The number of rows whose scores differ by more than tolerance. For a regression model, predicted
	// numbers are compared.
	Differ int `json:"differ"`
	// The number of them with different decisions.
	Decisions int `json:"decisions"`
	// The number of rows whose scores differ by no more than tolerance, on different sides of a
	// threshold.
	Close int `json:"close"`
	// The largest difference that counts as equal.
	Tolerance float64 `json:"tolerance"`
	// The largest difference.
	Worst float64 `json:"worst"`
	// The file has the scores of the other class.
	Reversed bool `json:"reversed"`
	// The first ten rows that differ or are close.
	First []Difference `json:"first"`
}

// Difference is a row with two scores.
type Difference struct {
	// The file of the row.
	File string `json:"file"`
	// The line where the row begins.
	Line int `json:"line"`
	// The score in the file.
	Theirs float64 `json:"theirs"`
	// The model's score.
	Ours float64 `json:"ours"`
	// The row's values as text.
	Labels map[string]string `json:"labels"`
}

const (
	// tolerance is for scores; it covers float32 and printed digits.
	tolerance = 1e-4
	// relative is the tolerance of predicted numbers, relative to the largest.
	relative = 1e-5
	// first is the number of differing rows shown.
	first = 10
)

// Answer inspects the study and compares the scores.
func Answer(ctx context.Context, s *session.Session, r Request) (*Result, error) {
	if !study.IsStudy(r.Path) {
		return nil, session.Mistake(fmt.Errorf("--scores compares the rows of a study's data; %s is read as a network: give the study", r.Path))
	}
	seen, err := inspect.Answer(ctx, s, r.Request)
	if err != nil {
		return nil, err
	}
	out := &Result{Result: *seen}
	st, err := out.hold(&r)
	if err != nil {
		return nil, session.Mistake(err)
	}
	var doubts []string
	if before := st.InputCheck(); before.Checked { // else the comparison answers them
		doubts = before.Doubts
	}
	out.InputCheck = keep(s, st, &out.Scores, out.Rows, doubts)
	return out, nil
}

// hold compares the scores of each row with the study's and fills in out.Scores. It returns the
// study.
func (out *Result) hold(r *Request) (*study.Study, error) {
	st, err := study.Load(r.Path, study.Options{DataRoot: r.Data, Model: r.Model, Rules: r.Rules, Threshold: r.Threshold, Parts: true})
	if err != nil {
		return nil, err
	}
	data, err := st.Data()
	if err != nil {
		return nil, err
	}
	if err := data.InsideTables(st.Space); err != nil {
		return nil, err
	}
	theirs, err := read(r.Scores, data)
	if err != nil {
		return nil, fmt.Errorf("--scores: %w", err)
	}
	h := &out.Scores
	*h = Scores{File: filepath.Base(r.Scores), Rows: len(theirs), Tolerance: tolerance, Reversed: len(theirs) > 0, First: []Difference{}}
	decider := individual.New(st.Model, st.Space, st.Rule)
	numbers := st.Number
	for i, v := range theirs {
		if v >= 0 && v <= 1 || numbers {
			continue
		}
		if st.Model.Link() != fairness.LinkLinear || math.IsNaN(v) {
			return nil, fmt.Errorf("--scores: %s: %v, for row %d, is not a score from 0 to 1", r.Scores, v, i+1)
		}
		numbers = true
	}
	if numbers {
		largest := 0.0
		for _, v := range theirs {
			largest = max(largest, math.Abs(v))
		}
		h.Tolerance, h.Reversed = relative*largest, false
	}
	for i, point := range data.Points {
		ours, positive := decider.At(point)
		if numbers {
			ours, positive = decider.Output(point), decider.Says(point, theirs[i])
		}
		apart := math.Abs(ours - theirs[i])
		h.Worst = max(h.Worst, apart)
		h.Reversed = h.Reversed && math.Abs(1-ours-theirs[i]) <= tolerance
		other := positive != decider.Says(point, theirs[i])
		switch {
		case apart > h.Tolerance && other:
			h.Decisions++
			h.Differ++
		case apart > h.Tolerance:
			h.Differ++
		case other && st.Bands == nil:
			h.Close++
		default:
			continue
		}
		if len(h.First) == first {
			continue
		}
		path, line := data.Where(i)
		d := Difference{File: filepath.Base(path), Line: line, Theirs: theirs[i], Ours: ours, Labels: map[string]string{}}
		for f := range st.Space.Features {
			d.Labels[st.Space.Features[f].Name] = st.Space.Features[f].Label(point[f])
		}
		h.First = append(h.First, d)
	}
	h.Reversed = h.Reversed && h.Differ > 0
	return st, nil
}

// read reads one score for each row.
func read(path string, data *people.Data) ([]float64, error) {
	theirs, err := draft.ReadScores(path)
	if err != nil {
		return nil, err
	}
	want := len(data.Points)
	if n := len(theirs); n == want+1 && n != data.Read || n == data.Read+1 {
		theirs = theirs[1:] // a header that looks like a number
	}
	switch {
	case len(theirs) == want:
	case len(theirs) == data.Read: // with scores for the rows left out, too
		kept := make([]float64, want)
		for i := range kept {
			kept[i] = theirs[data.Row(i)]
		}
		theirs = kept
	default:
		more := ""
		if data.Dropped > 0 {
			more = fmt.Sprintf(", or of all %s rows", view.Count(data.Read))
		}
		return nil, fmt.Errorf("%s has %s scores; want one for each of the %s rows of the data that the study keeps%s, in the same order",
			path, view.Count(len(theirs)), view.Count(want), more)
	}
	return theirs, nil
}

// Document shows the result.
func (r *Result) Document() *view.Document {
	d := r.Result.Document()
	h := &r.Scores
	f := &view.Facts{}
	d.Add(f)
	if h.Differ == 0 {
		f.Add("scores", fmt.Sprintf("all %s are those of %s, to %.1g", view.Count(h.Rows), h.File, h.Tolerance))
		return d
	}
	f.Add("scores", fmt.Sprintf("%s of %s differ from those of %s, by up to %.4g; %s decisions differ", view.Count(h.Differ), view.Count(h.Rows), h.File, h.Worst, view.Count(h.Decisions)))
	if h.Reversed {
		f.Add("", "the file has the scores of the other class: each is 1 less the model's")
	}
	t := &view.Table{Title: "The first rows that differ", Columns: view.Columns("row", "theirs", "model", "apart")}
	for i := range r.Features {
		t.Columns = append(t.Columns, view.Column{Title: r.Features[i].Name})
	}
	for _, one := range h.First {
		cells := []string{fmt.Sprintf("%s:%d", one.File, one.Line), view.Score(one.Theirs), view.Score(one.Ours), view.Score(math.Abs(one.Theirs - one.Ours))}
		for i := range r.Features {
			cells = append(cells, one.Labels[r.Features[i].Name])
		}
		t.Add(cells...)
	}
	d.Add(t)
	return d
}
