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
	// The study's name.
	Study string `json:"study"`
	// The file name of the original model.
	Model string `json:"model"`
	// The seed of the first search and of all training.
	Seed int64 `json:"seed"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
	// ε, exact; empty if unfair treatment means that copies are in different bands.
	Epsilon string `json:"epsilon"`
	// The strategy of every search.
	Strategy string `json:"strategy"`
	// The mode of every search: paper or fast.
	Mode string `json:"mode"`
	// The budget of every search.
	Budget string `json:"budget"`
	// The number of searches of each arm.
	Searches int `json:"searches"`
	// The label of an added individual's copies: majority or mean.
	Label string `json:"label"`
	// The arms in the order of the table.
	Arms []ArmResult `json:"arms"`
	// Remarks on the arms, as sentences.
	Remarks []string `json:"remarks"`
	// The journal's file; absent if nothing is kept.
	Journal string `json:"journal,omitempty"`
	// A signal ended the command early.
	Interrupted bool `json:"interrupted,omitempty"`
	question.Grounds
	gate.Checks
}

// ArmResult is one arm. Without Skipped, all measures that apply are set.
type ArmResult struct {
	// The arm, such as "retrained+guards".
	Name string `json:"name"`
	// The reason why the arm was skipped; its measures are then null.
	Skipped string `json:"skipped,omitempty"`
	// Measures are means over the runs.
	search.Measures
	// The standard deviations of the measures, over several searches.
	SD *search.Measures `json:"sd,omitempty"`
	// The search found no individual, in too few rounds compared with the original's for that to be
	// evidence.
	TooFewRounds bool `json:"too_few_rounds,omitempty"`
	// Quality on the rows that the study holds back, or on the training rows if it holds none back;
	// null if the arm was skipped.
	Quality *Quality `json:"quality"`
	// The share of unfairly treated people among all whom the arm answers, with --prove.
	Proved *Proved `json:"proved,omitempty"`
	// The number of the search's moves that guardrails refused.
	SearchRefused int64 `json:"search_refused"`
	// The number of individuals evaluated, in all its searches.
	Evaluations int64 `json:"evaluations"`
	// The rules in words.
	Guardrails []string `json:"guardrails,omitempty"`
	// The number of rules left out by --refuse-at-most.
	LeftOut int `json:"left_out,omitempty"`
	// The training of the arm's network; absent for the original.
	Training *Training `json:"training,omitempty"`
	// The files that --out wrote.
	Files []string `json:"files,omitempty"`
	// The names of its searches in the journal.
	Runs []string `json:"runs,omitempty"`
}

// Training describes the training of an arm's network.
type Training struct {
	// The number of epochs trained.
	Epochs int `json:"epochs"`
	// The epoch whose network was kept.
	Best int `json:"best_epoch"`
	// The number of rows trained on, added copies included.
	Rows int `json:"rows"`
	// The number of rows that chose the epoch.
	HeldRows int `json:"held_rows"`
	// The mean cross-entropy on the training rows.
	Loss float64 `json:"loss"`
	// The mean cross-entropy on the rows that chose the epoch; null without such rows.
	HeldLoss float64 `json:"held_loss"`
	// The number of rounds of the arm iterated.
	Rounds int `json:"rounds,omitempty"`
}

// result assembles the JSON result of all arms.
func (j *job) result(outcomes []Outcome) *Result {
	r, st := &j.request.Search, j.question.Study
	out := &Result{
		Study: st.Name, Model: filepath.Base(st.ModelPath), Seed: r.Seed, Epsilon: fairness.FormatRat(j.query.Epsilon),
		Strategy: r.Strategy, Mode: r.Mode, Budget: r.Budget, Searches: r.Runs, Label: j.request.Retraining.Label,
		Arms: []ArmResult{}, Remarks: append([]string{}, Remarks(outcomes)...), Journal: j.journal, Grounds: question.GroundsOf(st),
	}
	if j.query.Bands != nil {
		out.Epsilon = ""
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

// result converts one arm's outcome; a skipped arm has only its name and the reason.
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

// banded reports whether people with copies in different bands are treated unfairly.
func (r *Result) banded() bool { return r.Epsilon == "" }

// asks says what unfair treatment is.
func (r *Result) asks() string {
	if r.banded() {
		return "bands"
	}
	return "ε = " + r.Epsilon
}

// Document shows the result.
func (r *Result) Document() *view.Document {
	seeds := fmt.Sprintf("seed %d", r.Seed)
	if r.Searches > 1 {
		seeds = fmt.Sprintf("%d searches per arm with seeds %d to %d, mean ± standard deviation", r.Searches, r.Seed, r.Seed+int64(r.Searches)-1)
	}
	d := &view.Document{}
	d.Say("%s, model %s: %s, %s mode, %s per search, %s, %s", r.Study, r.Model, r.Strategy, r.Mode, r.Budget, r.asks(), seeds)
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
		notes = append(notes, "interrupted: only the finished arms are shown")
	}
	if len(notes) > 0 {
		d.Add(notes)
	}
	d.Add(r.Blocks()...)
	return d
}
