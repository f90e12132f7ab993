package compare

import (
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/statistics"
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
	// Seconds is the wall time of all tasks together.
	Seconds float64 `json:"seconds"`
	// Done tasks of Tasks; fewer where the comparison was interrupted.
	Done        int  `json:"done"`
	Tasks       int  `json:"tasks"`
	Interrupted bool `json:"interrupted,omitempty"`
}

// ArmInfo is an arm with the versions behind it.
type ArmInfo struct {
	Arm
	Version string `json:"version"`
	Library string `json:"library,omitempty"`
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
	// Killed counts runs whose worker had to be ended; Faults those of the solver;
	// Errors tells what ended runs early.
	Killed int      `json:"killed"`
	Faults int      `json:"faults"`
	Errors []string `json:"errors,omitempty"`
}

// measure is one of the paper's columns.
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
}

func none(float64) float64 { return 0 }

var measures = []measure{
	{"#ID", func(r *Row) *statistics.Cell { return &r.ID }, func(r *Result) *float64 { return new(float64(r.count())) }, none, false},
	// Censored: it would have taken longer than the budget.
	{"T.1st", func(r *Row) *statistics.Cell { return &r.T1st }, func(r *Result) *float64 {
		return of(r.first(), func(i *Individual) float64 { return i.Seconds })
	}, func(budget float64) float64 { return budget }, true},
	{"#K.1st", func(r *Row) *statistics.Cell { return &r.K1st }, func(r *Result) *float64 {
		return of(r.first(), func(i *Individual) float64 { return float64(i.K) })
	}, none, false},
	{"#K", func(r *Row) *statistics.Cell { return &r.MaxK }, func(r *Result) *float64 {
		return of(r.worst(), func(i *Individual) float64 { return float64(i.K) })
	}, none, false},
}

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
		Head: experiment.Head{Name: p.Name}, Terms: p.Listed(), Rows: []Row{}, Disagreements: []Disagreement{},
	}
	at := map[string]int{}
	for i := range p.Arms {
		a := p.Arms[i]
		at[a.Name] = i
		c.Arms = append(c.Arms, ArmInfo{a, p.Solvers[a.Solver].Version, p.Solvers[a.Solver].Library})
		c.Matrix = append(c.Matrix, make([]int, len(p.Arms)))
	}
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
			if r != nil {
				c.Done++
				c.Seconds += r.Seconds
				results[e.Arm] = append(results[e.Arm], seeded{r, e.Seed})
			}
		}
		c.Rows = append(c.Rows, rows(p, s, results)...)
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
	}
	return c, nil
}

// rows are one model's, an arm each.
func rows(p *Plan, s *Subject, results map[*Arm][]seeded) []Row {
	out := make([]Row, len(p.Arms))
	for i := range p.Arms {
		out[i] = row(s, &p.Arms[i], results[&p.Arms[i]])
	}
	names := make([]string, len(p.Arms))
	for i := range p.Arms {
		names[i] = p.Arms[i].Name
	}
	for _, m := range measures {
		cells, values := make([]*statistics.Cell, len(out)), make([][]float64, len(out))
		for i := range out {
			cells[i] = m.cell(&out[i])
			for _, v := range cells[i].Values {
				if v == nil {
					v = new(m.missing(p.limit().Seconds()))
				}
				worth := *v
				if m.less {
					worth = -worth
				}
				values[i] = append(values[i], worth)
			}
		}
		statistics.Test(cells, names, values)
	}
	return out
}

func row(s *Subject, a *Arm, results []seeded) Row {
	r := Row{Row: experiment.Row{Study: s.Study, Model: s.Model, Arm: a.Name, Runs: len(results)}}
	mean := func(value func(*Result) *float64) *float64 {
		var values []float64
		for _, x := range results {
			if v := value(x.Result); v != nil {
				values = append(values, *v)
			}
		}
		return statistics.Finite(statistics.Mean(values))
	}
	count := func(value func(*Result) int64) *float64 {
		return mean(func(x *Result) *float64 { return new(float64(value(x))) })
	}
	for _, x := range results {
		if x.first() != nil {
			r.Found++
		}
		if x.Killed {
			r.Killed++
		}
		r.Faults += len(x.Faults)
		if x.Error != "" {
			r.Errors = append(r.Errors, x.Error)
		}
		for _, m := range measures {
			cell := m.cell(&r)
			cell.Values = append(cell.Values, m.of(x.Result))
		}
	}
	for _, m := range measures {
		*m.cell(&r) = statistics.Of(m.cell(&r).Values)
	}
	r.Diversity = mean(func(x *Result) *float64 { return x.Diversity })
	r.Regions = count(func(x *Result) int64 { return int64(x.Regions) })
	r.Certified = mean(func(x *Result) *float64 { return &x.Certified })
	r.Fair, r.Unfair = count(func(x *Result) int64 { return x.Fair }), count(func(x *Result) int64 { return x.Unfair })
	r.Undecided = count(func(x *Result) int64 { return x.Undecided })
	r.Spurious = count(func(x *Result) int64 { return x.Spurious })
	r.Asked, r.Solves = count(func(x *Result) int64 { return x.Asked }), count(func(x *Result) int64 { return x.Solves })
	r.CPU, r.Seconds = mean(func(x *Result) *float64 { return &x.CPU }), mean(func(x *Result) *float64 { return &x.Seconds })
	return r
}
