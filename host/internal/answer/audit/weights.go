package audit

import (
	"fmt"

	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Weights says how rows are weighted: shares, rates and means count each by its weight, numbers of people count rows.
type Weights struct {
	// The column.
	Column string `json:"column"`
	// The rows have no such column, and each counts once.
	Absent bool `json:"absent,omitempty"`
	// The sum of the weights of the people audited.
	Sum float64 `json:"sum"`
	// The effective number of people, by Kish 1965: the square of that sum over the sum of the squares.
	Effective float64 `json:"effective"`
	// The number of people with the weight 0.
	Zero int `json:"zero"`
}

// weightsOf describes the weights of the people in o; nil if the study names no column of weights.
func weightsOf(column string, data *people.Data, o *Outcome) *Weights {
	if column == "" {
		return nil
	}
	w, squares := &Weights{Column: column, Absent: data.Weights == nil, Sum: o.weigh()}, 0.0
	for i := range o.People {
		weight := o.weight(&o.People[i])
		squares += weight * weight
		w.Zero += one(weight == 0)
	}
	w.Effective = part(w.Sum*w.Sum, squares)
	return w
}

// weighted reports whether shares and means are weighted: the study names a column of weights, and
// the file has it.
func (r *Result) weighted() bool { return r.Weights != nil && !r.Weights.Absent }

// percent formats a share of people with this total weight; – if rows have weights and this one is
// 0.
func (r *Result) percent(share, weight float64) string {
	if r.weighted() && weight == 0 {
		return "–"
	}
	return view.Percent(share, 1)
}

// count formats a number of people and their share; weight is as in percent.
func (r *Result) count(n int, share, weight float64) string {
	return view.Count(n) + " (" + r.percent(share, weight) + ")"
}

// mean formats a mean over people; weight is as in percent.
func (r *Result) mean(format string, mean, weight float64) string {
	if r.weighted() && weight == 0 {
		return "–"
	}
	return fmt.Sprintf(format, mean)
}

// sentences says which column weights the figures, and how many equally weighted people the weights
// are worth.
func (w *Weights) sentences() []string {
	switch {
	case w == nil:
		return nil
	case w.Absent:
		return []string{fmt.Sprintf("Each row counts once: there is no column %s of weights.", w.Column)}
	}
	text := fmt.Sprintf("Shares, rates and means count rows by %s, numbers of people do not. By their weights the people count as %s (effective sample size, Kish 1965); intervals of rates follow it.", w.Column, view.Count(int(w.Effective+0.5)))
	if w.Zero > 0 {
		text += fmt.Sprintf(" %s a weight of 0.", persons(w.Zero, "has", "have"))
	}
	return []string{text}
}
