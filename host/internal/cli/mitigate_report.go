package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/answer/mitigate"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// mitigateReport is the JSON object of hyfair mitigate.
type mitigateReport struct {
	Study       string        `json:"study"`
	Model       string        `json:"model"`
	Seed        int64         `json:"seed"`
	Seconds     float64       `json:"seconds"`
	Epsilon     string        `json:"epsilon"`
	Strategy    string        `json:"strategy"`
	Mode        string        `json:"mode"`
	Budget      string        `json:"budget"`
	Searches    int           `json:"searches"`
	Label       string        `json:"label"`
	Arms        []mitigateArm `json:"arms"`
	Remarks     []string      `json:"remarks"`
	Journal     string        `json:"journal,omitempty"`
	Interrupted bool          `json:"interrupted,omitempty"`
}

// mitigateArm is one arm. Without Skipped it has everything that applies.
type mitigateArm struct {
	Name string `json:"name"`
	// Skipped says why the arm was not tried; the measures are null then.
	Skipped string `json:"skipped,omitempty"`
	// Measures are means over the runs.
	search.Measures
	SD *search.Measures `json:"sd,omitempty"`
	// Quality is on the rows that the study holds back.
	Quality *mitigate.Quality `json:"quality"`
	// SearchRefused counts the moves of the search that guardrails refused.
	SearchRefused int64 `json:"search_refused"`
	Evaluations   int64 `json:"evaluations"`
	// Guardrails are the rules in words; LeftOut counts those that would have
	// refused too many.
	Guardrails []string          `json:"guardrails,omitempty"`
	LeftOut    int               `json:"left_out,omitempty"`
	Training   *mitigateTraining `json:"training,omitempty"`
	Files      []string          `json:"files,omitempty"`
	// Runs names the searches in the journal.
	Runs []string `json:"runs,omitempty"`
}

// mitigateTraining is the training that an arm's network came out of.
type mitigateTraining struct {
	Epochs   int     `json:"epochs"`
	Best     int     `json:"best_epoch"`
	Rows     int     `json:"rows"`
	HeldRows int     `json:"held_rows"`
	Loss     float64 `json:"loss"`
	HeldLoss float64 `json:"held_loss"`
	Rounds   int     `json:"rounds,omitempty"`
}

// report puts together what is shown, and writes the guardrails.
func (j *mitigateJob) report(outcomes []mitigate.Outcome) *mitigateReport {
	f := &j.flags.search
	eps, _ := j.asked.EpsilonFor(fairness.Score) // a search had no objection
	out := &mitigateReport{
		Study: j.study.Name, Model: filepath.Base(j.study.ModelPath), Epsilon: fairness.FormatRat(eps),
		Strategy: f.Strategy, Mode: f.Mode, Budget: f.Budget, Searches: f.Runs, Label: j.flags.retraining.Label,
		Arms: []mitigateArm{}, Remarks: append([]string{}, mitigate.Remarks(outcomes)...), Journal: j.journal,
	}
	for i := range outcomes {
		out.Arms = append(out.Arms, j.arm(&outcomes[i]))
	}
	return out
}

func (j *mitigateJob) arm(o *mitigate.Outcome) mitigateArm {
	name := o.Arm.String()
	a := mitigateArm{Name: name, Skipped: o.Skipped}
	if o.Skipped != "" {
		return a
	}
	summary := search.Summarise(o.Runs)
	if a.Measures = summary.Mean; len(o.Runs) > 1 {
		a.SD = &summary.SD
	}
	a.Quality, a.SearchRefused, a.Evaluations, a.LeftOut, a.Runs = &o.Quality, o.Refused, o.Evaluations, o.LeftOut, j.runs[name]
	for _, p := range o.Subject.Guards {
		a.Guardrails = append(a.Guardrails, inWords(j.space, p))
	}
	if t := o.Trained; t != nil {
		a.Training = &mitigateTraining{t.Epochs, t.Best, t.TrainRows, t.HeldRows, t.TrainLoss, t.HeldLoss, o.Rounds}
	}
	a.Files = slices.Clone(j.files[o.Arm.Way])
	if o.Arm.Guarded {
		a.Files = append(a.Files, j.files[name]...)
	}
	return a
}

// inWords is a guardrail as a rule reads.
func inWords(s *space.Space, p space.Predicate) string {
	conditions, err := guard.Conditions(s, p)
	if err != nil {
		return p.Format(s) // a rule that no file could hold
	}
	return (&guard.Rule{Conditions: conditions}).Text(s)
}

func (r *mitigateReport) print(w io.Writer, outcomes []mitigate.Outcome) error {
	fmt.Fprintf(w, "%s, network %s: %s, %s mode, %s a search, ε = %s, ", r.Study, r.Model, r.Strategy, r.Mode, r.Budget, r.Epsilon)
	if r.Searches > 1 {
		fmt.Fprintf(w, "%d searches an arm with seeds %d to %d, mean ± standard deviation\n\n", r.Searches, r.Seed, r.Seed+int64(r.Searches)-1)
	} else {
		fmt.Fprintf(w, "seed %d\n\n", r.Seed)
	}
	if err := view.Of(mitigate.Table(mitigate.Network{Outcomes: outcomes})).Write(w, view.Text, view.Options{}); err != nil {
		return err
	}
	for _, a := range r.Arms {
		for i, text := range a.Guardrails {
			head := ""
			if i == 0 {
				head = fmt.Sprintf("\n%s refuses where\n", a.Name)
			}
			fmt.Fprintf(w, "%s  %s\n", head, text)
		}
	}
	for i, text := range r.Remarks {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, text)
	}
	told := map[string]bool{}
	for _, a := range r.Arms {
		for _, file := range a.Files {
			if !told[file] {
				fmt.Fprintf(w, "written: %s\n", file)
			}
			told[file] = true
		}
	}
	if r.Interrupted {
		fmt.Fprintln(w, "interrupted: the arms that were done")
	}
	return nil
}

// explainedBy is how many individuals guardrails are derived around.
const explainedBy = 10

// explain is mitigate.Config.Explain: guardrails by hyfair explain's defaults
// from the individuals that a search found.
func (j *mitigateJob) explain(ctx context.Context, n *relu.Network, found []record.Found) ([]space.Predicate, error) {
	eps, err := j.asked.EpsilonFor(fairness.Score)
	if err != nil {
		return nil, err
	}
	e, err := evaluate.New(n, j.space, j.region, eps)
	if err != nil {
		return nil, err
	}
	var worst explain.Worst
	for i := range found {
		worst.Add(found[i].X, e.Evaluate(found[i].X))
	}
	around := worst.Pick(j.space, explainedBy)
	if len(around) == 0 {
		return nil, fmt.Errorf("%w: the search found nobody to explain", mitigate.ErrNoRules)
	}
	method := explain.DefaultMethod()
	method.Delta = j.flags.delta
	result, err := explain.Explain(ctx, explain.Config{
		Space: j.space, Region: j.region, Evaluator: e, Bins: fairness.Bins(eps), Around: around, Method: method, Seed: j.app.Seed,
	})
	if err != nil {
		return nil, err
	}
	if len(result.Predicates) == 0 {
		return nil, fmt.Errorf("%w: %s", mitigate.ErrNoRules, result.Nothing)
	}
	var guards []space.Predicate
	for i := range result.Predicates {
		guards = append(guards, result.Predicates[i].Holds)
	}
	return guards, nil
}
