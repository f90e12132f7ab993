package ablate

import (
	"fmt"
	"slices"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Ablation is a plan with the results of its tasks: the object of --json.
// docs/reference/schema describes its fields.
type Ablation struct {
	experiment.Head
	// The arms as they ran.
	Arms []ArmInfo `json:"arms"`
	// One entry per network and arm.
	Cells []Cell `json:"cells"`
	// Standings rank the arms over all networks.
	experiment.Standings
	// Proved bounds of the networks' k, with --bound, in the order of cells. Networks without a bound yet
	// are absent.
	Bounds []Bound `json:"bounds,omitempty"`
	// Claims of solvers that evaluated individuals refute, with network and arm. If there are any, the
	// command's exit code is 4.
	Disagreements []string `json:"disagreements,omitempty"`
	experiment.Terms
	experiment.Conditions
	// The sum of the tasks' wall times, in seconds.
	Seconds float64 `json:"seconds"`
	// The number of tasks done.
	Done int `json:"done"`
	// The number of tasks that failed twice.
	Failed int `json:"failed"`
	// The number of tasks that failed once.
	Retried int `json:"retried"`
	// The number of all tasks.
	Tasks int `json:"tasks"`
	// A signal ended the command early.
	Interrupted bool `json:"interrupted,omitempty"`
	experiment.Pictures

	// networks hold the runs by network and arm, for plots.
	networks []network
	// in is the unit of the runs' measures.
	in unit
	// bounded: the plan asks for bounds.
	bounded bool
}

// network is one study and model with each arm's runs.
type network struct {
	study, model string
	target       int
	arms         [][]run
}

// ArmInfo is an arm with the versions behind it.
type ArmInfo struct {
	Arm
	// The version of the strategy plugin.
	StrategyVersion string `json:"strategy_version"`
	// The version of the solver plugin.
	SolverVersion string `json:"solver_version,omitempty"`
	// The solver's native library.
	SolverLibrary string `json:"solver_library,omitempty"`
}

// Cell is one arm on one network, over its runs.
type Cell struct {
	experiment.Row
	// The number of tasks that failed twice; no other figure includes them.
	Failed int `json:"failed"`
	// The number of tasks that failed once.
	Retried int `json:"retried"`
	// The number of rounds.
	Iter statistics.Cell `json:"Iter"`
	// The number of distinct individuals with a gap above ε.
	ID statistics.Cell `json:"#ID"`
	// Seconds to the first of them.
	T1st statistics.Cell `json:"T.1st"`
	// The k of the first.
	K1st statistics.Cell `json:"#K.1st"`
	// The largest k.
	MaxK statistics.Cell `json:"Max.K"`
	// The mean k.
	AvgK statistics.Cell `json:"Avg.K"`
	// #ID divided by Iter, in per cent.
	SuccRate statistics.Cell `json:"Succ.rate"`
	// The number of individuals with the largest k.
	IDMaxK statistics.Cell `json:"#ID.maxK"`
	// Seconds to the first of those.
	TMaxK statistics.Cell `json:"T.maxK"`
	// The k of times to target, the same for all arms on the network; 0 if there is none.
	Target int `json:"target"`
	// The number of runs that reached it.
	Reached int `json:"reached"`
	// Seconds to the first individual with the target k.
	TTarget statistics.Cell `json:"T.target"`
	// The expected running time to the target: seconds of all runs until they reached it or ended, over
	// the number that reached it; null if no run did.
	TERT *float64 `json:"T.ert"`
	// T.ert in evaluations or iterations, if the budget counts those.
	NERT *float64 `json:"N.ert,omitempty"`
	// The number of runs that did not reach the target, failed ones included, by the reason: time, budget,
	// memory, fault, refused, numerics.
	Unsolved experiment.Unsolved `json:"unsolved,omitempty"`
	// The mean over a run's individuals of the Shannon entropy of their outcomes, in bits.
	Shannon statistics.Cell `json:"Shannon"`
	// The mean of their min-entropy, in bits.
	MinEntropy statistics.Cell `json:"MinEntropy"`
	// The mean distance between a run's individuals, 0 to 1.
	Spread statistics.Cell `json:"Spread"`
	// The mean CPU time of worker and plugins, in seconds; null without a run.
	CPU *float64 `json:"cpu_seconds"`
	// The mean wall time, in seconds; null without a run.
	Seconds *float64 `json:"seconds"`
	// The number of runs whose strategy holds the model and reported less than one evaluation per two
	// rounds.
	Uncounted int `json:"uncounted,omitempty"`
	// Failures, retries and refuted claims, in words.
	Errors []string `json:"errors,omitempty"`
	// Evaluations or iterations to the first individual, if the budget counts those.
	N1st *statistics.Cell `json:"N.1st,omitempty"`
	// Evaluations or iterations to the first individual with the largest k, if the budget counts those.
	NMaxK *statistics.Cell `json:"N.maxK,omitempty"`
	// Evaluations or iterations to the target, if the budget counts those.
	NTarget *statistics.Cell `json:"N.target,omitempty"`
}

// Tabulate makes the tables of the results so far; result returns nil for a task without one. aim
// is the k of times to target; 0: the largest that at least half of a network's runs reached.
func Tabulate(p *Plan, aim int, result func(Entry) (*Result, error)) (*Ablation, error) {
	a := &Ablation{Head: experiment.Head{Name: p.Name, Asked: p.Frame().Asked(p.question, ""), Tidy: &experiment.Tidy{}}, Terms: p.Listed(), Cells: []Cell{}, bounded: p.Bound > 0}
	for i := range p.Arms {
		a.Arms = append(a.Arms, p.info(p.Arms[i]))
	}
	of := map[*Subject]map[*Arm][]*Result{}
	var all []*Result
	tidy := map[string]*Result{}
	for _, e := range p.Entries() {
		a.Tasks++
		r, err := result(e)
		if err != nil {
			return nil, err
		}
		if r == nil {
			continue
		}
		a.count(e.Key, r)
		all, tidy[e.Key] = append(all, r), r
		if of[e.Subject] == nil {
			of[e.Subject] = map[*Arm][]*Result{}
		}
		of[e.Subject][e.Arm] = append(of[e.Subject][e.Arm], r)
	}
	a.in = unitOf(p.Budget, all)
	tests := &experiment.Tests[Cell, run]{Arms: p.Frame().Arms, Measures: a.in.measures(), Ranked: []string{measureMaxK, measureTTarget, measureNTarget, measureID}, Control: p.Control, Points: Form.Points(p.Arms)}
	for i := range p.Subjects {
		a.add(p, &p.Subjects[i], of[&p.Subjects[i]], aim, tests)
	}
	a.Standings = tests.Standings()
	for _, e := range p.Entries() {
		a.tidy(p, e, tidy[e.Key])
	}
	return a, nil
}

// info returns an arm with the versions of its plugins.
func (p *Plan) info(a Arm) ArmInfo {
	strategy, solver := p.Plugins[experiment.StrategyKey(a.Strategy)], p.Plugins[experiment.SolverKey(a.Solver)]
	return ArmInfo{a, strategy.Version, solver.Version, solver.Library}
}

// tidy adds the row of a task; r is nil if it has no result.
func (a *Ablation) tidy(p *Plan, e Entry, r *Result) {
	at := slices.IndexFunc(a.networks, func(n network) bool { return n.study == e.Subject.Study && n.model == e.Subject.Model })
	ran, status := run{&Result{}, a.networks[at].target, a.in, &a.Terms}, experiment.Done
	switch {
	case r == nil:
		status = experiment.Missing
	case r.Error != "":
		ran.Result, status = r, experiment.Failed
	default:
		ran.Result = r
	}
	values := append(experiment.Values(a.in.measures(), &ran), view.Value{Name: "target", Of: ran.target}, view.Value{Name: "pinned", Of: len(ran.Cores) > 0},
		view.Value{Name: "T.spent", Of: ran.spent(seconds)}, view.Value{Name: "cpu_seconds", Of: ran.CPU}, view.Value{Name: "seconds", Of: ran.Seconds})
	if a.in != seconds {
		values = append(values, view.Value{Name: "N.spent", Of: ran.spent(a.in)})
	}
	if status != experiment.Done {
		values = experiment.Blank(values)
	}
	reason := view.Value{Name: "reason"}
	if r != nil {
		reason.Of = experiment.Text(ran.reason())
	}
	values = append(values, reason, view.Value{Name: "retried", Of: experiment.Text(ran.Retried)}, view.Value{Name: "error", Of: experiment.Text(ran.Error)})
	options := append(experiment.Fields(p.info(*e.Arm))[1:], view.Value{Name: "epsilon", Of: e.Subject.Epsilon})
	a.Tidy.Add(a.Name, &p.Terms, e.Key, &e.Subject.Subject, e.Arm.Name, options, e.Seed, status, values)
}

// count adds a result's task, time, failures and conditions to the ablation's totals.
func (a *Ablation) count(key string, r *Result) {
	a.Seconds += r.Seconds
	if r.Retried != "" {
		a.Retried++
	}
	if r.Error != "" {
		a.Failed++
		a.Exceeded(&r.Cost)
		return
	}
	a.Done++
	a.Add(&a.Terms, key, &r.Cost)
}

// add makes one network's cells, one per arm.
func (a *Ablation) add(p *Plan, s *Subject, results map[*Arm][]*Result, aim int, tests *experiment.Tests[Cell, run]) {
	n := network{study: s.Study, model: s.Model, arms: make([][]run, len(p.Arms))}
	for i := range p.Arms {
		n.arms[i] = []run{}
		for _, r := range results[&p.Arms[i]] {
			if r.Error == "" {
				n.arms[i] = append(n.arms[i], run{Result: r, in: a.in, terms: &a.Terms})
			}
		}
	}
	if n.target = aim; aim == 0 {
		n.target = target(n.arms)
	}
	for i := range n.arms {
		for k := range n.arms[i] {
			n.arms[i][k].target = n.target
		}
	}
	at := run{target: n.target, in: a.in, terms: &a.Terms}
	cells := make([]Cell, len(p.Arms))
	for i := range p.Arms {
		cells[i] = a.cell(s, p.Arms[i].Name, n.arms[i], results[&p.Arms[i]])
		c := &cells[i]
		if c.Target, c.TERT = n.target, ert(n.arms[i], seconds); a.in != seconds {
			c.NERT = ert(n.arms[i], a.in)
		}
		for _, r := range results[&p.Arms[i]] {
			at.Result = r
			c.Unsolved.Count(at.reason())
		}
	}
	tests.Add(s.Study, s.Model, cells, n.arms, nil)
	a.Cells = append(a.Cells, cells...)
	a.networks = append(a.networks, n)
}

// cell makes an arm's cell on a network; runs are the results that did not fail.
func (a *Ablation) cell(s *Subject, arm string, runs []run, results []*Result) Cell {
	c := Cell{Row: experiment.Row{Study: s.Study, Model: s.Model, Arm: arm, Runs: len(runs)}, Failed: len(results) - len(runs)}
	for _, r := range results {
		if r.Retried != "" {
			c.Retried++
			c.Errors = append(c.Errors, r.Retried)
		}
		if r.Error != "" {
			c.Errors = append(c.Errors, r.Error)
		}
		for _, text := range r.Refuted {
			if !slices.Contains(c.Errors, text) {
				c.Errors = append(c.Errors, text)
				a.Disagreements = append(a.Disagreements, fmt.Sprintf("%s/%s, %s: %s", s.Study, s.Model, arm, text))
			}
		}
	}
	var cpu, seconds []float64
	for i := range runs {
		r := &runs[i]
		cpu, seconds = append(cpu, r.CPU), append(seconds, r.Seconds)
		if r.maxK() > 0 {
			c.Found++
		}
		if r.Uncounted {
			c.Uncounted++
		}
		if r.timeToTarget() != nil {
			c.Reached++
		}
	}
	experiment.Fill(a.in.measures(), &c, runs)
	c.CPU, c.Seconds = statistics.Finite(statistics.Mean(cpu)), statistics.Finite(statistics.Mean(seconds))
	return c
}
