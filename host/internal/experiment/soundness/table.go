package soundness

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/hyfair/hyfair/host/internal/answer/soundness"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/clock"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Report is a plan with the outcomes of its tasks: the object of --json. docs/reference/schema
// describes its fields.
type Report struct {
	experiment.Head
	// One entry for each solver, in the order of --solver.
	Solvers []Row `json:"solvers"`
	// One entry for each instance, question and solver, in the plan's order.
	Answers []Answer `json:"answers"`
	experiment.Terms
	experiment.Conditions
	// The number of tasks done; fewer than tasks after an interrupt.
	Done int `json:"done"`
	// The number of all tasks.
	Tasks int `json:"tasks"`
	// A signal ended the command early.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Row is a solver's score.
type Row struct {
	// The solver's name.
	Solver string `json:"solver"`
	// The plugin's version.
	Version string `json:"version"`
	// The native library; absent without one.
	Library string `json:"library,omitempty"`
	// At least one answer is wrong.
	Disqualified bool `json:"disqualified"`
	// The number of questions, the sum of the next six.
	Asked int `json:"asked"`
	// False claims.
	Wrong int `json:"wrong"`
	// Replayed witnesses.
	Found int `json:"found"`
	// Proofs, and values that are known.
	Proved int `json:"proved"`
	// Open questions.
	Undecided int `json:"undecided"`
	// Questions that the solver does not take.
	Declined int `json:"declined"`
	// Questions in which the solver was lost.
	Failed int `json:"failed"`
	// Undecided, declined and failed questions, by the reason: time, memory, fault, refused, numerics.
	Unsolved experiment.Unsolved `json:"unsolved,omitempty"`
	// The number of points that the replay refused.
	Spurious int `json:"spurious"`
	// Seconds of all tasks together, by the clock of --timeout.
	Seconds float64 `json:"seconds"`
}

// Answer is what a solver answered.
type Answer struct {
	// The instance's name.
	Instance string `json:"instance"`
	// The instance's rung.
	Rung int `json:"rung"`
	// The number of its individuals, in decimal digits.
	People string `json:"people"`
	// The number of its neurons.
	Neurons int `json:"neurons"`
	// The goal: witness, gap, max-k or share.
	Goal string `json:"goal"`
	// The notion.
	Notion string `json:"notion"`
	// The question's name in tables.
	Question string `json:"question"`
	// The solver's name.
	Solver string `json:"solver"`
	// The outcome: found, proved, undecided, declined, failed, wrong, or untrue where a replay refutes the
	// truth.
	Outcome soundness.Outcome `json:"outcome"`
	// The reason why the answer is wrong or open.
	Why string `json:"why,omitempty"`
	// The reason why it is open, in a word.
	Reason string `json:"reason,omitempty"`
	// The file that shows that it is wrong.
	File string `json:"file,omitempty"`
	// Seconds by the clock of --timeout.
	Seconds float64 `json:"seconds"`
}

// Tabulate implements experiment.Plan.
func (p *Plan) Tabulate(from record.Store) (experiment.Table, error) {
	out := &Report{Head: experiment.Head{Asked: p.asked(), Tidy: &experiment.Tidy{}}, Solvers: []Row{}, Answers: []Answer{}, Terms: p.Listed()}
	rows := map[string]*Row{}
	for _, name := range p.Arms {
		known := p.Solvers[name]
		rows[name] = &Row{Solver: name, Version: known.Version, Library: known.Library}
	}
	read := experiment.Results[Result, Subject, string](from)
	wrong, untrue := 0, 0
	for _, e := range p.Entries() {
		out.Tasks++
		r, err := read(e)
		if err != nil {
			return nil, err
		}
		if r == nil {
			p.tidy(out, e, nil, "missing", nil)
			continue
		}
		t, q, row := e.Subject.truth, e.Subject.question, rows[*e.Arm]
		a := Answer{Instance: t.Name, Rung: t.Rung, People: t.People, Neurons: t.Neurons, Goal: q.Goal, Notion: q.Notion, Question: q.Called(), Solver: *e.Arm, Seconds: p.Took(&r.Cost)}
		a.Outcome, a.Why = t.Judge(q, &r.Claim)
		out.Done++
		out.Add(&p.Terms, e.Key, &r.Cost)
		switch row.count(a.Outcome); a.Outcome {
		case soundness.Declined:
			a.Reason = experiment.ByRefusal
		case soundness.Undecided, soundness.Failed:
			if a.Reason = experiment.Reason(a.Why); r.MemoryKilled > 0 {
				a.Reason = experiment.ByMemory
			}
		case soundness.Wrong:
			a.File = t.Name + "/" + t.Model
			wrong++
		case soundness.Untrue:
			a.File = t.Name + "/" + soundness.TruthFile
			untrue++
		}
		row.Unsolved.Count(a.Reason)
		row.Spurious, row.Seconds = row.Spurious+r.Spurious, row.Seconds+a.Seconds
		out.Answers = append(out.Answers, a)
		p.tidy(out, e, r, string(a.Outcome), &a)
	}
	for _, name := range p.Arms {
		out.Solvers = append(out.Solvers, *rows[name])
	}
	var refuted []error
	if wrong > 0 {
		refuted = append(refuted, fmt.Errorf("%s wrong: the solvers that gave them are disqualified", english.Plural(wrong, "answer is", "answers are")))
	}
	if untrue > 0 {
		refuted = append(refuted, fmt.Errorf("%s refuted by a replayed witness: the bench itself is wrong there", english.Plural(untrue, "truth was", "truths were")))
	}
	if refuted != nil {
		return out, session.AsRefuted(errors.Join(refuted...))
	}
	return out, nil
}

// count adds one answer's outcome to the totals.
func (r *Row) count(o soundness.Outcome) {
	r.Asked++
	r.Disqualified = r.Disqualified || o == soundness.Wrong
	if n := map[soundness.Outcome]*int{
		soundness.Wrong: &r.Wrong, soundness.Found: &r.Found, soundness.Untrue: &r.Found, soundness.Proved: &r.Proved,
		soundness.Undecided: &r.Undecided, soundness.Declined: &r.Declined, soundness.Failed: &r.Failed,
	}[o]; n != nil {
		*n++
	}
}

// tidy adds the row of a task; the result and the answer are nil for a task without a result.
func (p *Plan) tidy(to *Report, e Entry, r *Result, status string, a *Answer) {
	values := view.Record{{Name: "people", Of: e.Subject.truth.People}, {Name: "neurons", Of: e.Subject.truth.Neurons}, {Name: "rung", Of: e.Subject.truth.Rung}, {Name: "kind", Of: e.Subject.truth.Kind}}
	if r != nil {
		values = append(values, view.Value{Name: "why", Of: experiment.Text(a.Why)}, view.Value{Name: "unsolved", Of: experiment.Text(a.Reason)})
		values = append(values, experiment.Fields(r.Claim)...)
		values = append(values, experiment.Fields(r.Cost)...)
	}
	known := p.Solvers[*e.Arm]
	to.Tidy.Add("", &p.Terms, e.Key, &e.Subject.Subject, *e.Arm, view.Record{{Name: "version", Of: known.Version}}, e.Seed, status, values)
}

// Keep implements experiment.Table.
func (r *Report) Keep(where experiment.Kept) { where.In(&r.Head, &r.Conditions, &r.Interrupted) }

// Failure implements experiment.Table: a solver that fails does not make the run fail.
func (r *Report) Failure() error { return nil }

// Document shows the scores, the answers that disqualify a solver, and the decided answers by
// question and by rung.
func (r *Report) Document() *view.Document {
	t := &view.Table{Title: "Soundness", Columns: view.Columns("solver", "wrong", "found", "proved", "undecided", "declined", "failed", "unsolved", "spurious", "seconds")}
	for _, s := range r.Solvers {
		line := view.Texts(s.Solver)
		for _, n := range []int{s.Wrong, s.Found, s.Proved, s.Undecided, s.Declined, s.Failed} {
			line = append(line, view.Cell{Text: strconv.Itoa(n)})
		}
		line = append(line, view.Texts(s.Unsolved.String(), strconv.Itoa(s.Spurious))...)
		if line = append(line, view.Cell{Text: strconv.FormatFloat(s.Seconds, 'f', 1, 64)}); s.Disqualified {
			line[0].Text += ", DISQUALIFIED"
			line[0].Alarm, line[1].Alarm = true, true
		}
		t.Rows = append(t.Rows, line)
	}
	t.Notes = append([]string{
		"wrong: claims that the truth refutes, one of which disqualifies; found: witnesses that were replayed; proved: fair, or a value that is known",
		"declined: questions that the solver does not take; unsolved: undecided, declined and failed, and why; spurious: points that the replay refused",
		fmt.Sprintf("seconds are of %s", r.timed()),
	}, (&experiment.Course{Terms: &r.Terms, Conditions: &r.Conditions, Source: &r.Source, Done: r.Done, Tasks: r.Tasks}).Notes()...)
	d := view.Of(r.refuted(), r.Asking(t))
	byRung := slices.SortedStableFunc(slices.Values(r.Answers), func(a, b Answer) int { return cmp.Compare(a.Rung, b.Rung) })
	d.Add(r.Asking(r.decided("Decided, by question", r.Answers, func(a *Answer) string { return a.Question })))
	d.Add(r.Asking(r.decided("Decided, by rung", byRung, func(a *Answer) string { return strconv.Itoa(a.Rung) })))
	return d
}

// asked states in one line the question that all solvers were asked.
func (p *Plan) asked() string {
	return fmt.Sprintf("asked: %s of %d instances, as each one's study and truth say; budget %s a question, %s", strings.Join(p.Goals, ", "), len(p.Instances), p.BudgetOf(" of wall time"), &p.Terms)
}

// timed names the time that the limit applies to: processor time or wall time.
func (r *Report) timed() string {
	if r.Clock == clock.CPUTime {
		return "processor time (worker and plugins)"
	}
	return "wall time"
}

// refuted lists the answers that disqualify a solver, and the truths that a witness refutes, with
// their files.
func (r *Report) refuted() view.Warning {
	var out view.Warning
	for i := range r.Answers {
		switch a := &r.Answers[i]; a.Outcome {
		case soundness.Wrong:
			out = append(out, fmt.Sprintf("DISQUALIFIED %s: %s, %s: %s", a.Solver, a.File, a.Question, a.Why))
		case soundness.Untrue:
			out = append(out, fmt.Sprintf("THE TRUTH IS WRONG: %s, %s: %s found %s", a.File, a.Question, a.Solver, a.Why))
		}
	}
	return out
}

// decided returns a table with a row per solver and a column per group of answers. A cell has the
// answers found or proved, over those that were not declined.
func (r *Report) decided(title string, answers []Answer, column func(*Answer) string) *view.Table {
	type cell struct{ decided, of int }
	var columns []string
	cells := map[[2]string]cell{}
	for i := range answers {
		a := &answers[i]
		name := column(a)
		if !slices.Contains(columns, name) {
			columns = append(columns, name)
		}
		c := cells[[2]string{a.Solver, name}]
		if a.Outcome == soundness.Found || a.Outcome == soundness.Proved {
			c.decided++
		}
		if c.of++; a.Outcome == soundness.Declined {
			c.of--
		}
		cells[[2]string{a.Solver, name}] = c
	}
	t := &view.Table{Title: title, Columns: view.Columns(append([]string{"solver"}, columns...)...)}
	for _, s := range r.Solvers {
		line := []string{s.Solver}
		for _, name := range columns {
			c := cells[[2]string{s.Solver, name}]
			text := "-"
			if c.of > 0 {
				text = fmt.Sprintf("%d/%d", c.decided, c.of)
			}
			line = append(line, text)
		}
		t.Add(line...)
	}
	return t
}
