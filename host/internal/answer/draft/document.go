package draft

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hyfair/hyfair/host/internal/view"
)

// Document shows what was written, and what to do next.
func (r *Result) Document() *view.Document {
	d := &view.Document{}
	d.Say("%s: a study of %s rows of %s", r.Study, view.Count(r.Rows), r.Data)
	if r.RowsLeft > 0 {
		d.Say("%s left out: values are missing, or the model does not take them.", plural(r.RowsLeft, "row"))
	}
	if r.Kept != "" {
		d.Say("The previous file is kept as %s.", r.Kept)
	}
	facts := &view.Facts{}
	switch {
	case r.Label != "" && len(r.Positive) == 0:
		facts.Add("predicts", r.Label)
	case r.Label != "":
		facts.Add("label", fmt.Sprintf("%s; %s counts as 1", r.Label, strings.Join(r.Positive, ", ")))
	}
	if r.Inputs != "" {
		facts.Add("inputs", r.Inputs)
	}
	if r.Accuracy != nil {
		facts.Add("accuracy", fmt.Sprintf("%.2f%% (a constant prediction: %.2f%%)", *r.Accuracy, *r.Majority))
	}
	if len(r.Protected) > 0 {
		facts.Add("protected", strings.Join(r.Protected, ", "))
	} else {
		facts.Add("protected", "nothing yet: choose with --protected NAME,NAME --force, or in the file")
	}
	if len(r.Candidates) > 0 {
		facts.Add("candidates", strings.Join(r.Candidates, ", "))
	}
	if len(r.Left) > 0 {
		facts.Add("not used", strings.Join(r.Left, ", "))
	}
	t := &view.Table{Plain: true, Columns: view.Columns("FEATURE", "DOMAIN", "INPUTS")}
	for _, f := range r.Features {
		t.Add(f.Name, short60(f.Domain), short60(f.Inputs))
	}
	d.Add(t, facts)
	if r.InputCheck != nil {
		d.Add(r.AllCaveats()...)
	} else {
		for _, doubt := range r.Doubts {
			d.Add(view.Warning{doubt})
		}
	}
	if r.ScoresBy != "" {
		d.Say("Scores of the model's own pipeline settle and check the inputs: hyfair init … --scores scores.csv. This line writes them; X holds the model's inputs for all rows of %s:", filepath.Base(r.Data))
		d.Say("%s", r.ScoresBy)
	}
	return d
}

// short60 shortens a text to at most sixty characters.
func short60(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return text
}
