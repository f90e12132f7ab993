package mitigate

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// Result is the answer to a Request and the JSON object of hyfair mitigate.
type Result struct {
	Study       string      `json:"study"`
	Model       string      `json:"model"`
	Seed        int64       `json:"seed"`
	Seconds     float64     `json:"seconds"`
	Epsilon     string      `json:"epsilon"`
	Strategy    string      `json:"strategy"`
	Mode        string      `json:"mode"`
	Budget      string      `json:"budget"`
	Searches    int         `json:"searches"`
	Label       string      `json:"label"`
	Arms        []ArmResult `json:"arms"`
	Remarks     []string    `json:"remarks"`
	Journal     string      `json:"journal,omitempty"`
	Interrupted bool        `json:"interrupted,omitempty"`
	question.Grounds
	gate.Checks
}

// ArmResult is one arm. Without Skipped, all measures that apply are set.
type ArmResult struct {
	Name string `json:"name"`
	// Skipped says why the arm was not tried; its measures are null.
	Skipped string `json:"skipped,omitempty"`
	// Measures are means over the runs.
	search.Measures
	SD *search.Measures `json:"sd,omitempty"`
	// TooFewRounds: the search found no individual, and was too short for evidence compared
	// with the original's.
	TooFewRounds bool `json:"too_few_rounds,omitempty"`
	// Quality is measured on the rows that the study holds back.
	Quality *Quality `json:"quality"`
	// Proved is over all individuals that the arm answers; nil without a solver.
	Proved *Proved `json:"proved,omitempty"`
	// SearchRefused counts the moves of the search that guardrails refused.
	SearchRefused int64 `json:"search_refused"`
	Evaluations   int64 `json:"evaluations"`
	// Guardrails are the rules in words; LeftOut counts those omitted because they would
	// refuse too many rows.
	Guardrails []string  `json:"guardrails,omitempty"`
	LeftOut    int       `json:"left_out,omitempty"`
	Training   *Training `json:"training,omitempty"`
	Files      []string  `json:"files,omitempty"`
	// Runs names the searches in the journal.
	Runs []string `json:"runs,omitempty"`
}

// Training describes the training of an arm's network.
type Training struct {
	Epochs   int     `json:"epochs"`
	Best     int     `json:"best_epoch"`
	Rows     int     `json:"rows"`
	HeldRows int     `json:"held_rows"`
	Loss     float64 `json:"loss"`
	HeldLoss float64 `json:"held_loss"`
	Rounds   int     `json:"rounds,omitempty"`
}

// result assembles the result.
func (j *job) result(outcomes []Outcome) *Result {
	r, st := &j.request.Search, j.question.Study
	out := &Result{
		Study: st.Name, Model: filepath.Base(st.ModelPath), Seed: r.Seed, Epsilon: fairness.FormatRat(j.query.Epsilon),
		Strategy: r.Strategy, Mode: r.Mode, Budget: r.Budget, Searches: r.Runs, Label: j.request.Retraining.Label,
		Arms: []ArmResult{}, Remarks: append([]string{}, Remarks(outcomes)...), Journal: j.journal, Grounds: question.GroundsOf(st),
	}
	for i := range outcomes {
		o := &outcomes[i]
		a, name := o.result(j.query.Space), o.Arm.String()
		a.TooFewRounds = o.tooFew(outcomes)
		if a.Skipped == "" {
			a.Runs, a.Files = j.runs[name], slices.Clone(j.files[o.Arm.Way])
			if o.Arm.Guarded {
				a.Files = append(a.Files, j.files[name]...)
			}
		}
		out.Arms = append(out.Arms, a)
	}
	return out
}

// result is the arm's result.
func (o *Outcome) result(s *space.Space) ArmResult {
	a := ArmResult{Name: o.Arm.String(), Skipped: o.Skipped}
	if o.Skipped != "" {
		return a
	}
	summary := search.Summarise(o.Runs)
	if a.Measures = summary.Mean; len(o.Runs) > 1 {
		a.SD = &summary.SD
	}
	a.Proved = o.Proved
	a.Quality, a.SearchRefused, a.Evaluations, a.LeftOut = &o.Quality, o.Refused, o.Evaluations, o.LeftOut
	for _, p := range o.Subject.Guards {
		a.Guardrails = append(a.Guardrails, inWords(s, p))
	}
	if t := o.Trained; t != nil {
		a.Training = &Training{t.Epochs, t.Best, t.TrainRows, t.HeldRows, t.TrainLoss, t.HeldLoss, o.Rounds}
	}
	return a
}

// inWords formats a guardrail as a rule.
func inWords(s *space.Space, p space.Predicate) string {
	conditions, err := guard.Conditions(s, p)
	if err != nil {
		return p.Format(s) // a rule that no file can express
	}
	return (&guard.Rule{Conditions: conditions}).Text(s)
}

// Document is the result as a document.
func (r *Result) Document() *view.Document {
	seeds := fmt.Sprintf("seed %d", r.Seed)
	if r.Searches > 1 {
		seeds = fmt.Sprintf("%d searches an arm with seeds %d to %d, mean ± standard deviation", r.Searches, r.Seed, r.Seed+int64(r.Searches)-1)
	}
	d := &view.Document{}
	d.Say("%s, model %s: %s, %s mode, %s a search, ε = %s, %s", r.Study, r.Model, r.Strategy, r.Mode, r.Budget, r.Epsilon, seeds)
	d.Add(r.Caveats()...)
	d.Add(Table(Network{Result: r}))
	notes, told := view.Paragraph(r.Remarks), map[string]bool{}
	for i := range r.Arms {
		a := &r.Arms[i]
		if len(a.Guardrails) > 0 {
			where := &view.Facts{Title: a.Name + " refuses where"}
			for _, text := range a.Guardrails {
				where.Add(text)
			}
			d.Add(where)
		}
		for _, file := range a.Files {
			if !told[file] {
				notes = append(notes, "written: "+file)
			}
			told[file] = true
		}
	}
	if r.Interrupted {
		notes = append(notes, "interrupted: the arms that were done")
	}
	if len(notes) > 0 {
		d.Add(notes)
	}
	d.Add(r.Blocks()...)
	return d
}
