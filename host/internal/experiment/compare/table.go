package compare

import (
	"math"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Comparison is a plan with the results of its tasks: the object of --json.
// docs/reference/schema describes its fields.
type Comparison struct {
	experiment.Head
	// The arms as they ran.
	Arms []ArmInfo `json:"arms"`
	// One entry per model and arm.
	Rows []Row `json:"rows"`
	// One entry per model, proving arm and finder (an arm or hyfair) that refuted its proofs; empty if no
	// proof was refuted.
	Disagreements []Disagreement `json:"disagreements"`
	// The contradictions over all models, counted by proving arm (row) and finding arm (column).
	Matrix [][]int `json:"matrix"`
	experiment.Terms
	experiment.Conditions
	// The sum of the tasks' wall times, in seconds.
	Seconds float64 `json:"seconds"`
	// The number of tasks done; fewer than tasks after an interrupt.
	Done int `json:"done"`
	// The number of all tasks.
	Tasks int `json:"tasks"`
	// A signal ended the command early.
	Interrupted bool `json:"interrupted,omitempty"`
	// Standings rank the arms over all networks.
	experiment.Standings
	experiment.Pictures

	// tasks are the answers to the tasks that every arm has done, for plots.
	tasks [][]answer
}

// ArmInfo is an arm with the versions behind it.
type ArmInfo struct {
	Arm
	// The version of the solver plugin.
	Version string `json:"version"`
	// The solver's native library.
	Library string `json:"library,omitempty"`
}

// info returns an arm with the versions of its solver, or of its portfolio's members.
func (p *Plan) info(a Arm) ArmInfo {
	var versions, libraries []string
	for _, name := range discover.Members(a.Solver) {
		known := p.Solvers[name]
		if versions = append(versions, known.Version); known.Library != "" {
			libraries = append(libraries, known.Library)
		}
	}
	return ArmInfo{a, strings.Join(versions, "+"), strings.Join(libraries, ", ")}
}

// Row is one arm on one model, over its runs.
type Row struct {
	experiment.Row
	// The number of distinct individuals found.
	ID statistics.Cell `json:"#ID"`
	// Seconds to the first.
	T1st statistics.Cell `json:"T.1st"`
	// The k of the first.
	K1st statistics.Cell `json:"#K.1st"`
	// The largest k.
	MaxK statistics.Cell `json:"#K"`
	// The mean over runs of the mean Gower distance between two found individuals; null if no run found two.
	Diversity *float64 `json:"diversity"`
	// The mean number of regions in which an individual was found.
	Regions *float64 `json:"regions"`
	// The mean share of the regions proved fair.
	Certified *float64 `json:"certified"`
	// The mean number of regions proved fair.
	Fair *float64 `json:"fair"`
	// The mean number of regions with a witness.
	Unfair *float64 `json:"unfair"`
	// The mean number of undecided regions.
	Undecided *float64 `json:"undecided"`
	// The mean number of points refused by the replay.
	Spurious *float64 `json:"spurious"`
	// The mean number of questions about regions.
	Asked *float64 `json:"asked"`
	// The mean number of questions to the solver.
	Solves *float64 `json:"solves"`
	// The mean CPU time of a task, in seconds.
	CPU *float64 `json:"cpu_seconds"`
	// The mean wall time of a task, in seconds.
	Seconds *float64 `json:"seconds"`
	// The number of runs whose worker did not end after the budget and was killed.
	Killed int `json:"killed"`
	// The number of runs that decided nothing, by the reason: time, memory, fault, refused, numerics, or
	// "below ε" if the arm found only individuals that do not count.
	Unsolved experiment.Unsolved `json:"unsolved,omitempty"`
	// The number of the solver's faults in all runs.
	Faults int `json:"faults"`
	// The text of the first fault.
	Fault string `json:"fault,omitempty"`
	// The errors that ended runs early.
	Errors []string `json:"errors,omitempty"`
	// The statistics over the runs behind each of these means, by its name.
	Over map[string]*statistics.Cell `json:"over_runs"`
}

// run is a result with its answer, its seed, and its budget in seconds.
type run struct {
	*Result
	answer
	seed   int64
	budget float64
}

type measure = experiment.Measure[Row, run]

// measures are the paper's columns, and measures that the paper only mentions.
var measures = []measure{
	{Name: "#ID", Title: "#ID", Decimals: 1, Cell: func(r *Row) *statistics.Cell { return &r.ID }, Of: func(r *run) *float64 { return new(float64(r.count())) }},
	{Name: first, Title: "T.1st (s)", Decimals: 2, Cell: func(r *Row) *statistics.Cell { return &r.T1st }, Of: (*run).firstAt,
		Amount: func(r *run) float64 { return experiment.Penalised(r.firstAt(), r.budget) }, Worth: censored((*run).firstAt)},
	{Name: "#K.1st", Title: "#K.1st", Decimals: 1, Cell: func(r *Row) *statistics.Cell { return &r.K1st }, Of: func(r *run) *float64 { return r.first().k() }},
	{Name: "#K", Title: "#K", Decimals: 1, Cell: func(r *Row) *statistics.Cell { return &r.MaxK }, Of: func(r *run) *float64 { return r.worst().k() }},
	over("diversity", "diversity", 3, func(r *run) *float64 { return r.Diversity }),
	over("regions", "regions", 1, func(r *run) *float64 { return new(float64(r.Regions)) }),
	over(certified, "certified %", 0, func(r *run) *float64 { return &r.Certified }),
	lasting(proof, "T.proof (s)", (*run).provedAt),
	lasting(par2, "PAR-2 (s)", (*run).par2),
	leaves(leftOpen),
	over("fair", "fair", 1, func(r *run) *float64 { return new(float64(r.Fair)) }),
	neutral("unfair", "unfair", func(r *run) *float64 { return new(float64(r.Unfair)) }),
	neutral("undecided", "undecided", func(r *run) *float64 { return new(float64(r.Undecided)) }),
	neutral("spurious", "spurious", func(r *run) *float64 { return new(float64(r.Spurious)) }),
	neutral("asked", "asked", func(r *run) *float64 { return new(float64(r.Asked)) }),
	neutral("solves", "", func(r *run) *float64 { return new(float64(r.Solves)) }), // in tables for programs only
	neutral("cpu_seconds", "CPU s", func(r *run) *float64 { return &r.CPU }),
	neutral("seconds", "wall s", func(r *run) *float64 { return &r.Seconds }),
}

const (
	// first is the name of the time to the first individual.
	first = "T.1st"
	// certified is the name of the share of the space that was proved fair.
	certified = "certified"
	// proof is the name of the time to the proof of the entire space, par2 of the time to an
	// answer.
	proof = "T.proof"
	par2  = "PAR-2"
	// leftOpen is the name of the share that a single question leaves open.
	leftOpen = "left_open"
)

// ranked are the measures by which arms are ranked over networks.
var ranked = []string{"#ID", first, "#K", certified, par2}

// over returns a measure that the paper only mentions, stored in Row.Over.
func over(name, title string, decimals int, of func(*run) *float64) measure {
	return measure{Name: name, Title: title, Decimals: decimals, Beyond: true, Of: of, Cell: func(r *Row) *statistics.Cell {
		if r.Over[name] == nil {
			r.Over[name] = new(statistics.Cell)
		}
		return r.Over[name]
	}}
}

// lasting returns a measure of time, stored in Row.Over.
func lasting(name, title string, of func(*run) *float64) measure {
	m := over(name, title, 2, of)
	m.Worth = censored(of)
	return m
}

// censored is the worth of a time: less is better, and a time that was not reached counts as the
// budget.
func censored(of func(*run) *float64) func(*run) []float64 {
	return func(r *run) []float64 {
		if at := of(r); at != nil {
			return []float64{-*at}
		}
		return []float64{-r.budget}
	}
}

// leaves returns the measure of what an arm's single question leaves open, stored in Row.Over.
func leaves(name string) measure {
	m := over(name, "left open", 4, func(r *run) *float64 { return r.LeftOpen })
	m.Worth = func(r *run) []float64 {
		if r.LeftOpen == nil {
			return []float64{math.Inf(-1)}
		}
		return []float64{-*r.LeftOpen}
	}
	return m
}

func neutral(name, title string, of func(*run) *float64) measure {
	m := over(name, title, 1, of)
	m.Neutral = true
	return m
}

// compares reports whether the arms can be compared by a measure. Measures of proofs need equal
// notions and ε. They also need that no proof was refuted, except PAR-2, which counts a refuted
// proof as no answer. The number of fair regions needs equal partitions, too.
func (p *Plan) compares(measure string, refuted bool) bool {
	if !slices.Contains([]string{certified, "fair", proof, par2, leftOpen}, measure) {
		return true
	}
	return (!refuted || measure == par2) && !slices.ContainsFunc(p.Arms, func(a Arm) bool {
		one := &p.Arms[0]
		return a.Notion != one.Notion || a.Epsilon != one.Epsilon || a.single() != one.single() || measure == "fair" && a.Partition != one.Partition
	})
}

// firstAt is the time of the first individual that counts; nil if there is none.
func (r *run) firstAt() *float64 {
	if one := r.first(); one != nil {
		return &one.Seconds
	}
	return nil
}

// k returns the individual's k; nil for a nil individual.
func (i *Individual) k() *float64 {
	if i == nil {
		return nil
	}
	return new(float64(i.K))
}

// count returns #ID, the number of individuals that count.
func (r *Result) count() (n int) {
	for i := range r.Individuals {
		if r.Individuals[i].counts() {
			n++
		}
	}
	return n
}

// first is the first individual that counts; nil if there is none.
func (r *Result) first() *Individual {
	for i := range r.Individuals {
		if r.Individuals[i].counts() {
			return &r.Individuals[i]
		}
	}
	return nil
}

// worst is the first of the individuals with the largest k; nil if there is none.
func (r *Result) worst() *Individual {
	var out *Individual
	for i := range r.Individuals {
		if one := &r.Individuals[i]; one.counts() && (out == nil || one.K > out.K) {
			out = one
		}
	}
	return out
}

// Tabulate makes the tables of the results so far; result returns nil for a task without one.
// Tabulate reads the results model by model and does not keep them, since those of large
// partitions are large.
func Tabulate(p *Plan, result func(Entry) (*Result, error)) (*Comparison, error) {
	c := &Comparison{
		Head: experiment.Head{Name: p.Name, Asked: p.Frame().Asked(p.question, " of wall time"), Tidy: &experiment.Tidy{}}, Terms: p.Listed(), Rows: []Row{}, Disagreements: []Disagreement{},
	}
	at := map[string]int{}
	for i := range p.Arms {
		a := p.Arms[i]
		at[a.Name] = i
		c.Arms = append(c.Arms, p.info(a))
		c.Matrix = append(c.Matrix, make([]int, len(p.Arms)))
	}
	tests := p.tests()
	tasks := map[*Subject][]Entry{}
	for _, e := range p.Entries() {
		tasks[e.Subject] = append(tasks[e.Subject], e)
		c.Tasks++
	}
	for i := range p.Subjects {
		s := &p.Subjects[i]
		results := map[*Arm][]run{}
		for _, e := range tasks[s] {
			r, err := result(e)
			if err != nil {
				return nil, err
			}
			if r != nil {
				c.Done++
				c.Seconds += r.Seconds
				c.Add(&p.Terms, e.Key, &r.Cost)
				results[e.Arm] = append(results[e.Arm], p.run(r, e.Seed))
			}
		}
		found, err := disagreements(p, s, func(a *Arm) []run { return results[a] })
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if finder, ok := at[d.Finder]; ok {
				c.Matrix[at[d.Prover]][finder] += d.Count
			}
		}
		c.Disagreements = append(c.Disagreements, found...)
		for arm, runs := range results {
			disproved := slices.ContainsFunc(found, func(d Disagreement) bool { return d.Prover == arm.Name })
			for k := range runs {
				runs[k].answer = p.answerOf(runs[k].Result, arm.single() != "", disproved)
			}
		}
		for _, e := range tasks[s] {
			c.tidy(p, e, results[e.Arm])
		}
		c.tasks = append(c.tasks, decisions(p, results)...)
		c.Rows = append(c.Rows, rows(p, s, results, len(found) > 0, tests)...)
	}
	c.Standings = tests.Standings()
	return c, nil
}

// tidy adds the row of a task. runs are the runs of its arm; the one with its seed, if any, is the
// task's result.
func (c *Comparison) tidy(p *Plan, e Entry, runs []run) {
	arm, err := p.arm(e.Subject, e.Arm)
	if err != nil {
		arm = *e.Arm
	}
	measured, status := p.run(&Result{}, e.Seed), experiment.Missing
	if at := slices.IndexFunc(runs, func(r run) bool { return r.seed == e.Seed }); at >= 0 {
		switch measured, status = runs[at], experiment.Done; {
		case measured.Killed:
			status = killed
		case measured.Error != "":
			status = experiment.Failed
		}
	}
	values := append(experiment.Values(measures, &measured), view.Value{Name: "reason", Of: experiment.Text(p.reason(&measured))}, view.Value{Name: "nodes", Of: measured.Nodes},
		view.Value{Name: "faults", Of: len(measured.Faults)}, view.Value{Name: "error", Of: experiment.Text(measured.Error)})
	if status == experiment.Missing {
		values = experiment.Blank(values)
	}
	arm.Epsilon = e.Subject.ask(&arm).Epsilon
	info := p.info(arm)
	options := append(experiment.Fields(info)[1:], view.Value{Name: "measured_epsilon", Of: e.Subject.Epsilon})
	c.Tidy.Add(c.Name, &p.Terms, e.Key, &e.Subject.Subject, arm.Name, options, e.Seed, status, values)
}

// killed is the status of a task whose worker did not end after its budget and was killed.
const killed = "killed"

// run returns a result with seed and budget, without its answer.
func (p *Plan) run(r *Result, seed int64) run {
	return run{Result: r, seed: seed, budget: p.Limit().Seconds()}
}

// tests returns the statistical tests of the comparison, still without networks.
func (p *Plan) tests() *experiment.Tests[Row, run] {
	return &experiment.Tests[Row, run]{Arms: p.Frame().Arms, Measures: measures, Ranked: ranked, Control: p.Control, Points: Form.Points(p.Arms)}
}

// rows makes one model's rows, one per arm, and tests them. refuted: a proof was refuted.
func rows(p *Plan, s *Subject, results map[*Arm][]run, refuted bool, tests *experiment.Tests[Row, run]) []Row {
	out, runs := make([]Row, len(p.Arms)), make([][]run, len(p.Arms))
	for i := range p.Arms {
		runs[i] = results[&p.Arms[i]]
		out[i] = p.row(s, &p.Arms[i], runs[i])
	}
	tests.Add(s.Study, s.Model, out, runs, func(measure string) bool { return !p.compares(measure, refuted) })
	return out
}

func (p *Plan) row(s *Subject, a *Arm, results []run) Row {
	r := Row{Row: experiment.Row{Study: s.Study, Model: s.Model, Arm: a.Name, Runs: len(results)}, Over: map[string]*statistics.Cell{}}
	for _, x := range results {
		if x.first() != nil {
			r.Found++
		}
		if x.Killed {
			r.Killed++
		}
		r.Unsolved.Count(p.reason(&x))
		if r.Faults += len(x.Faults); r.Fault == "" && len(x.Faults) > 0 {
			r.Fault = x.Faults[0]
		}
		if x.Error != "" {
			r.Errors = append(r.Errors, x.Error)
		}
	}
	experiment.Fill(measures, &r, results)
	mean := func(name string) *float64 { return r.Over[name].Mean }
	r.Diversity, r.Regions, r.Certified = mean("diversity"), mean("regions"), mean("certified")
	r.Fair, r.Unfair, r.Undecided = mean("fair"), mean("unfair"), mean("undecided")
	r.Spurious, r.Asked, r.Solves = mean("spurious"), mean("asked"), mean("solves")
	r.CPU, r.Seconds = mean("cpu_seconds"), mean("seconds")
	return r
}
