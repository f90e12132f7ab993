package individual

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/evaluate"
)

// ErrNoInput says that a value is outside the domain of a feature with a table, which has no
// entry for it.
var ErrNoInput = errors.New("outside the domain, so the feature's table has no entry for it")

// Scores holds the scores of all rows of a study's data set, with their labels.
type Scores struct {
	scores []float64
	yes    []bool
	labels []int
}

// ScoresOf scores the rows. The study must have a model, labels and rows. An error wraps
// ErrNoInput if a row cannot be fed to the model.
func ScoresOf(s *study.Study) (*Scores, error) {
	d, err := s.Data()
	if err != nil {
		return nil, err
	}
	switch {
	case s.Model == nil:
		return nil, fmt.Errorf("%s: accuracy needs a model: add the key model to the study", s.Path)
	case d.Labels == nil:
		return nil, fmt.Errorf("%s: accuracy needs labels: add the key label to the study's data", s.Path)
	case len(d.Points) == 0:
		return nil, fmt.Errorf("%s: accuracy needs at least one row of data", s.Path)
	}
	out := &Scores{make([]float64, len(d.Points)), make([]bool, len(d.Points)), d.Labels}
	decider := New(s.Model, s.Space, s.Rule)
	evaluate.Ahead(s.Model, s.Space, slices.Values(d.Points))
	for row, point := range d.Points {
		for i := range s.Space.Features {
			if f := &s.Space.Features[i]; f.HasTable() && !f.Contains(point[i]) {
				path, line := d.Where(row)
				return nil, fmt.Errorf("%s:%d: %s is %v: %w", path, line, f.Name, point[i], ErrNoInput)
			}
		}
		out.scores[row], out.yes[row] = decider.At(point)
	}
	return out, nil
}

// Accuracy is the share, in per cent, of the given rows (at least one) whose label equals the
// model's decision by the study's rule. nil means all rows.
func (x *Scores) Accuracy(rows []int) float64 {
	right, count := 0, len(rows)
	note := func(row int) {
		if x.yes[row] == (x.labels[row] == 1) {
			right++
		}
	}
	for _, row := range rows {
		note(row)
	}
	if rows == nil {
		count = len(x.yes)
		for row := range x.yes {
			note(row)
		}
	}
	return 100 * float64(right) / float64(count)
}

// AUC is the area under the ROC curve: the probability that a row labelled 1 has a higher score
// than one labelled 0; a tie counts half. ok is false if all labels are equal.
func (x *Scores) AUC() (auc float64, ok bool) {
	type scored struct {
		score float64
		label int
	}
	all, ones := make([]scored, len(x.scores)), 0
	for i := range all {
		if all[i] = (scored{x.scores[i], x.labels[i]}); all[i].label == 1 {
			ones++
		}
	}
	zeros := len(all) - ones
	if ones == 0 || zeros == 0 {
		return 0, false
	}
	slices.SortFunc(all, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	above, below := 0.0, 0.0 // pairs in order, and rows labelled 0 so far
	for from := 0; from < len(all); {
		to, tied := from, [2]float64{}
		for ; to < len(all) && all[to].score == all[from].score; to++ {
			tied[min(all[to].label, 1)]++
		}
		above += tied[1] * (below + tied[0]/2)
		below, from = below+tied[0], to
	}
	return above / (float64(ones) * float64(zeros)), true
}
