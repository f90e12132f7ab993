package compare

import (
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Comparison is a plan with what its tasks came to: the object of --json.
// docs/cli.md lists its fields.
type Comparison struct {
	experiment.Head
	Arms []ArmInfo `json:"arms"`
	Rows []Row     `json:"rows"`
	// Disagreements is empty where no proof was refuted. Matrix counts, for each
	// proving arm (row) and each finding arm (column), the proved regions and
	// individuals that contradict each other, over all models.
	Disagreements []Disagreement `json:"disagreements"`
	Matrix        [][]int        `json:"matrix"`
	experiment.Terms
	experiment.Conditions
	// Seconds is the wall time of all tasks together.
	Seconds float64 `json:"seconds"`
	// Done tasks of Tasks; fewer where the comparison was interrupted.
	Done        int  `json:"done"`
	Tasks       int  `json:"tasks"`
	Interrupted bool `json:"interrupted,omitempty"`
	// Standings rank the arms over all networks.
	experiment.Standings
	experiment.Pictures

	// tasks are the answers of those that every arm has done, for plots.
	tasks [][]answer
}

// ArmInfo is an arm with the versions behind it.
type ArmInfo struct {
	Arm
	Version string `json:"version"`
	Library string `json:"library,omitempty"`
}

// info is an arm with the versions of its solver, or of its portfolio's members.
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
	// The paper's columns.
	ID   statistics.Cell `json:"#ID"`
	T1st statistics.Cell `json:"T.1st"`
	K1st statistics.Cell `json:"#K.1st"`
	MaxK statistics.Cell `json:"#K"`
	// What the paper only mentions, as means over the runs: Diversity is nil where
	// no run found two.
	Diversity *float64 `json:"diversity"`
	Regions   *float64 `json:"regions"`
	Certified *float64 `json:"certified"`
	Fair      *float64 `json:"fair"`
	Unfair    *float64 `json:"unfair"`
	Undecided *float64 `json:"undecided"`
	Spurious  *float64 `json:"spurious"`
	Asked     *float64 `json:"asked"`
	Solves    *float64 `json:"solves"`
	CPU       *float64 `json:"cpu_seconds"`
	Seconds   *float64 `json:"seconds"`
	// Killed counts runs whose worker had to be ended; Faults those of the solver,
	// and Fault is the text of the first; Errors tells what ended runs early.
	Killed int      `json:"killed"`
	Faults int      `json:"faults"`
	Fault  string   `json:"fault,omitempty"`
	Errors []string `json:"errors,omitempty"`
	// Over is what the paper only mentions over the runs, by the names of the means.
	Over map[string]*statistics.Cell `json:"over_runs"`
}

// measure is one of the paper's columns, or one beyond it.
type measure struct {
	name string
	cell func(*Row) *statistics.Cell
	// of is the value of a run, nil where it found none.
	of func(*Result) *float64
	// missing is what a run that found nothing counts for in tests, the worst there
	// is.
	missing func(budget float64) float64
	// less: smaller is better.
	less bool
	// neutral: neither more nor less is better, and it is not tested.
	neutral bool
	// alike, where not nil, tells whether the arms can be compared by it; nil: they can.
	alike func(a, b *Arm) bool
	// proofs: it is about proofs, and not compared where one of them was refuted.
	proofs bool
	// ranks: arms are ranked by it over networks.
	ranks bool
}

func none(float64) float64 { return 0 }

var measures = []measure{
	{name: "#ID", cell: func(r *Row) *statistics.Cell { return &r.ID }, of: func(r *Result) *float64 { return new(float64(r.count())) }, missing: none, ranks: true},
	// Censored: it would have taken longer than the budget.
	{name: "T.1st", cell: func(r *Row) *statistics.Cell { return &r.T1st }, of: func(r *Result) *float64 {
		return of(r.first(), func(i *Individual) float64 { return i.Seconds })
	}, missing: func(budget float64) float64 { return budget }, less: true, ranks: true},
	{name: "#K.1st", cell: func(r *Row) *statistics.Cell { return &r.K1st }, of: func(r *Result) *float64 {
		return of(r.first(), func(i *Individual) float64 { return float64(i.K) })
	}, missing: none},
	{name: "#K", cell: func(r *Row) *statistics.Cell { return &r.MaxK }, of: func(r *Result) *float64 {
		return of(r.worst(), func(i *Individual) float64 { return float64(i.K) })
	}, missing: none, ranks: true},
}

// beyond are measures of Row.Over. Proofs of one thing can be compared, and regions of
// one partition.
var beyond = []measure{
	over("diversity", func(r *Result) *float64 { return r.Diversity }, nil),
	over("regions", func(r *Result) *float64 { return new(float64(r.Regions)) }, nil),
	proving("certified", true, func(r *Result) *float64 { return &r.Certified }, sameNotion),
	proving("fair", false, func(r *Result) *float64 { return new(float64(r.Fair)) }, func(a, b *Arm) bool { return sameNotion(a, b) && a.Partition == b.Partition }),
	neutral("unfair", func(r *Result) *float64 { return new(float64(r.Unfair)) }),
	neutral("undecided", func(r *Result) *float64 { return new(float64(r.Undecided)) }),
	neutral("spurious", func(r *Result) *float64 { return new(float64(r.Spurious)) }),
	neutral("asked", func(r *Result) *float64 { return new(float64(r.Asked)) }),
	neutral("solves", func(r *Result) *float64 { return new(float64(r.Solves)) }),
	neutral("cpu_seconds", func(r *Result) *float64 { return &r.CPU }),
	neutral("seconds", func(r *Result) *float64 { return &r.Seconds }),
}

func over(name string, of func(*Result) *float64, alike func(a, b *Arm) bool) measure {
	cell := func(r *Row) *statistics.Cell {
		if r.Over[name] == nil {
			r.Over[name] = new(statistics.Cell)
		}
		return r.Over[name]
	}
	return measure{name: name, cell: cell, of: of, missing: none, alike: alike}
}

func neutral(name string, of func(*Result) *float64) measure {
	m := over(name, of, nil)
	m.neutral = true
	return m
}

func proving(name string, ranks bool, of func(*Result) *float64, alike func(a, b *Arm) bool) measure {
	m := over(name, of, alike)
	m.proofs, m.ranks = true, ranks
	return m
}

func sameNotion(a, b *Arm) bool { return a.Notion == b.Notion && a.Epsilon == b.Epsilon }

// extra are the columns of experiment.Data beside the mean: of neutral measures the
// standard deviation.
func (m *measure) extra(columns []string) []string {
	if m.neutral {
		return columns[1:2]
	}
	return columns[1:]
}

// all are the measures.
var all = slices.Concat(measures, beyond)

func of(i *Individual, value func(*Individual) float64) *float64 {
	if i == nil {
		return nil
	}
	return new(value(i))
}

// count is #ID.
func (r *Result) count() (n int) {
	for i := range r.Individuals {
		if r.Individuals[i].counts() {
			n++
		}
	}
	return n
}

// first is the first individual that counts; nil for none.
func (r *Result) first() *Individual {
	for i := range r.Individuals {
		if r.Individuals[i].counts() {
			return &r.Individuals[i]
		}
	}
	return nil
}

// worst is one with the largest k; nil for none.
func (r *Result) worst() *Individual {
	var out *Individual
	for i := range r.Individuals {
		if one := &r.Individuals[i]; one.counts() && (out == nil || one.K > out.K) {
			out = one
		}
	}
	return out
}

// Tabulate makes the tables of the results there are; result gives nil for a
// task without one. Results are asked for model by model and not kept, since
// those of large partitions are large.
func Tabulate(p *Plan, result func(Entry) (*Result, error)) (*Comparison, error) {
	c := &Comparison{
		Head: experiment.Head{Name: p.Name, Tidy: &experiment.Tidy{}}, Terms: p.Listed(), Rows: []Row{}, Disagreements: []Disagreement{},
	}
	at := map[string]int{}
	for i := range p.Arms {
		a := p.Arms[i]
		at[a.Name] = i
		c.Arms = append(c.Arms, p.info(a))
		c.Matrix = append(c.Matrix, make([]int, len(p.Arms)))
	}
	var contests []experiment.Contest
	tasks := map[*Subject][]Entry{}
	for _, e := range p.Entries() {
		tasks[e.Subject] = append(tasks[e.Subject], e)
		c.Tasks++
	}
	for i := range p.Subjects {
		s := &p.Subjects[i]
		results := map[*Arm][]seeded{}
		for _, e := range tasks[s] {
			r, err := result(e)
			if err != nil {
				return nil, err
			}
			c.tidy(p, e, r)
			if r != nil {
				c.Done++
				c.Seconds += r.Seconds
				c.Add(&p.Terms, e.Key, &r.Cost)
				results[e.Arm] = append(results[e.Arm], seeded{r, e.Seed})
			}
		}
		found, err := disagreements(p, s, func(a *Arm) []seeded { return results[a] })
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if finder, ok := at[d.Finder]; ok {
				c.Matrix[at[d.Prover]][finder] += d.Count
			}
		}
		c.Disagreements = append(c.Disagreements, found...)
		c.tasks = append(c.tasks, decisions(p, results, found)...)
		table := rows(p, s, results, len(found) > 0)
		contests = p.enter(contests, table, len(found) > 0)
		c.Rows = append(c.Rows, table...)
	}
	c.Standings = experiment.Rankings(c.names(), contests)
	return c, nil
}

// tidy adds the row of a task; r is nil where it has no result.
func (c *Comparison) tidy(p *Plan, e Entry, r *Result) {
	arm, err := p.arm(e.Subject, e.Arm)
	if err != nil {
		arm = *e.Arm
	}
	measured, status := r, experiment.Done
	switch {
	case r == nil:
		measured, status = &Result{}, experiment.Missing
	case r.Killed:
		status = killed
	case r.Error != "":
		status = experiment.Failed
	}
	var values view.Record
	add := func(name string, of any) {
		if r == nil {
			of = nil
		}
		values = append(values, view.Value{Name: name, Of: of})
	}
	for _, m := range all {
		add(m.name, m.of(measured))
	}
	add("nodes", measured.Nodes)
	add("faults", len(measured.Faults))
	add("error", experiment.Text(measured.Error))
	arm.Epsilon = e.Subject.ask(&arm).Epsilon
	info := p.info(arm)
	options := append(experiment.Fields(info)[1:], view.Value{Name: "measured_epsilon", Of: e.Subject.Epsilon})
	c.Tidy.Add(c.Name, &p.Terms, e.Key, &e.Subject.Subject, arm.Name, options, e.Seed, status, values)
}

// killed is the status of a task that was ended from outside, after its budget.
const killed = "killed"

// enter adds a network's rows to the contests; an arm alone enters no contest.
func (p *Plan) enter(contests []experiment.Contest, rows []Row, refuted bool) []experiment.Contest {
	for i := range all {
		m := &all[i]
		if len(p.Arms) < 2 || !m.ranks || !p.tests(m, refuted) {
			continue
		}
		at := slices.IndexFunc(contests, func(c experiment.Contest) bool { return c.Measure == m.name })
		if at < 0 {
			at, contests = len(contests), append(contests, experiment.Contest{Measure: m.name})
		}
		contests[at].Networks = append(contests[at].Networks, p.match(m, rows))
	}
	return contests
}

func (c *Comparison) names() (names []string) {
	for i := range c.Arms {
		names = append(names, c.Arms[i].Name)
	}
	return names
}

// tests reports whether the arms are compared by a measure. refuted: some proof was, on
// the network.
func (p *Plan) tests(m *measure, refuted bool) bool {
	other := func(a Arm) bool { return m.alike != nil && !m.alike(&p.Arms[0], &a) }
	return !(m.neutral || slices.ContainsFunc(p.Arms, other) || m.proofs && refuted)
}

// match has the runs of a network's rows as tests take them, larger being better.
func (p *Plan) match(m *measure, rows []Row) experiment.Match {
	out := experiment.Match{Runs: make([][]float64, len(rows))}
	for i := range rows {
		cell := m.cell(&rows[i])
		out.Cells = append(out.Cells, cell)
		for _, v := range cell.Values {
			if v == nil {
				v = new(m.missing(p.Limit().Seconds()))
			}
			worth := *v
			if m.less {
				worth = -worth
			}
			out.Runs[i] = append(out.Runs[i], worth)
		}
	}
	return out
}

// rows are one model's, an arm each. refuted: some proof was.
func rows(p *Plan, s *Subject, results map[*Arm][]seeded, refuted bool) []Row {
	out := make([]Row, len(p.Arms))
	for i := range p.Arms {
		out[i] = row(s, &p.Arms[i], results[&p.Arms[i]])
	}
	for i := range all {
		if m := &all[i]; p.tests(m, refuted) {
			tested := p.match(m, out)
			statistics.Test(tested.Cells, p.Frame().Arms, tested.Runs)
		}
	}
	return out
}

func row(s *Subject, a *Arm, results []seeded) Row {
	r := Row{Row: experiment.Row{Study: s.Study, Model: s.Model, Arm: a.Name, Runs: len(results)}, Over: map[string]*statistics.Cell{}}
	for _, x := range results {
		if x.first() != nil {
			r.Found++
		}
		if x.Killed {
			r.Killed++
		}
		if r.Faults += len(x.Faults); r.Fault == "" && len(x.Faults) > 0 {
			r.Fault = x.Faults[0]
		}
		if x.Error != "" {
			r.Errors = append(r.Errors, x.Error)
		}
	}
	for _, m := range all {
		var values []*float64
		for _, x := range results {
			values = append(values, m.of(x.Result))
		}
		*m.cell(&r) = statistics.Of(values)
	}
	mean := func(name string) *float64 { return r.Over[name].Mean }
	r.Diversity, r.Regions, r.Certified = mean("diversity"), mean("regions"), mean("certified")
	r.Fair, r.Unfair, r.Undecided = mean("fair"), mean("unfair"), mean("undecided")
	r.Spurious, r.Asked, r.Solves = mean("spurious"), mean("asked"), mean("solves")
	r.CPU, r.Seconds = mean("cpu_seconds"), mean("seconds")
	return r
}
