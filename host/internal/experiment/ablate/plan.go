package ablate

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment/compare"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Plan is an ablation with everything settled: each of its tasks is a network,
// an arm and a seed. Two equal plans are the same ablation, wherever their files
// lie.
type Plan struct {
	// Name of the ablation, for titles.
	Name     string    `json:"name,omitempty"`
	Subjects []Subject `json:"subjects"`
	Arms     []Arm     `json:"arms"`
	// Plugins tells the versions behind the arms, by "strategy NAME" as an arm has
	// it and "solver NAME".
	Plugins map[string]Plugin `json:"plugins"`
	question.Scope
	// Budget of each task, as search.ParseBudget reads it.
	Budget string `json:"budget"`
	// Runs have the seeds Seed, Seed + 1, …
	Runs int   `json:"runs"`
	Seed int64 `json:"seed"`
	// Threads and Memory (bytes, 0: no limit) are the same for every arm; Jobs
	// tasks run side by side.
	Threads int   `json:"threads"`
	Memory  int64 `json:"memory,omitempty"`
	Jobs    int   `json:"jobs"`
	// Bound is how long a solver may take to prove which k no individual exceeds, once for
	// each network and after the searches; 0: it is not asked.
	Bound time.Duration `json:"bound,omitempty"`
}

// Subject is a study with one network.
type Subject struct {
	Study       string `json:"study"`
	Model       string `json:"model"`
	StudySHA256 string `json:"study_sha256"`
	ModelSHA256 string `json:"model_sha256"`
	// DataSHA256 is that of the rows, empty where the study has none.
	DataSHA256 string `json:"data_sha256,omitempty"`
	// Epsilon as a score difference.
	Epsilon string `json:"epsilon"`

	// Clustering is the study's; k counts bins whatever it is.
	Clustering fairness.Clustering `json:"-"`
	// Source is where this machine has it.
	Source question.Spec `json:"-"`
}

// Name is how reports call it.
func (s *Subject) Name() string { return s.Study + "/" + s.Model }

// Plugin is what is known of a plugin.
type Plugin struct {
	// Name is its own; an arm may know it by a preset.
	Name    string `json:"name"`
	Version string `json:"version"`
	Library string `json:"library,omitempty"`
}

// maxTasks bounds a plan, far above any use.
const maxTasks = 1 << 20

// AddSubject loads a study with one network and takes it into the plan.
func (p *Plan) AddSubject(from question.Spec) error {
	from.Scope = p.Scope
	q, eps, model, err := question.Measured(from)
	if err != nil {
		return err
	}
	st := q.Study
	from.Model, from.StudySHA256, from.ModelSHA256, from.Epsilon = st.ModelPath, st.SHA256, st.ModelSHA256, fairness.FormatRat(eps)
	s := Subject{
		Study: st.Name, Model: model, StudySHA256: st.SHA256, ModelSHA256: st.ModelSHA256, Epsilon: from.Epsilon, Clustering: st.Clustering, Source: from,
	}
	for i := range p.Subjects { // the rows of one study are read once
		if o := &p.Subjects[i]; o.StudySHA256 == s.StudySHA256 && o.Source.Study == from.Study && o.Source.Data == from.Data {
			s.DataSHA256 = o.DataSHA256
		}
	}
	if s.DataSHA256 == "" && st.HasData() {
		data, err := st.Data()
		if err != nil {
			return err
		}
		s.DataSHA256 = data.SHA256
	}
	s.Source.DataSHA256 = s.DataSHA256
	p.Subjects = append(p.Subjects, s)
	return nil
}

// Settle checks the plan.
func (p *Plan) Settle() error {
	budget, err := search.ParseBudget(p.Budget)
	if err != nil {
		return err
	}
	p.Budget = budget.String() // equal budgets make equal plans
	switch {
	case len(p.Subjects) == 0:
		return fmt.Errorf("nothing to search: no network is chosen")
	case len(p.Arms) == 0:
		return fmt.Errorf("no arm is chosen")
	case p.Runs < 1 || p.Runs > maxRuns:
		return fmt.Errorf("%d runs: want 1 to %d", p.Runs, maxRuns)
	case p.Jobs < 1 || p.Jobs > maxThreads:
		return fmt.Errorf("%d jobs: want 1 to %d", p.Jobs, maxThreads)
	case p.Threads < 1 || p.Threads > maxThreads:
		return fmt.Errorf("%d threads: want 1 to %d", p.Threads, maxThreads)
	case len(p.Subjects)*len(p.Arms) > maxTasks/p.Runs:
		return fmt.Errorf("more than %d tasks", maxTasks)
	case p.Bound < 0:
		return fmt.Errorf("bound %v is negative", p.Bound)
	case p.Seed > math.MaxInt64-maxRuns:
		return fmt.Errorf("seed %d leaves no room for %d runs", p.Seed, p.Runs)
	}
	names := map[string]bool{}
	for i := range p.Subjects {
		name := p.Subjects[i].Name()
		if names[name] {
			return fmt.Errorf("%s is listed twice", name)
		}
		names[name] = true
	}
	for i := range p.Arms {
		if err := p.Arms[i].check(); err != nil {
			return fmt.Errorf("arm %s: %w", p.Arms[i].Name, err)
		}
	}
	return nil
}

// Limit is the budget in time; 0 where it is of another kind.
func (p *Plan) Limit() time.Duration {
	b, err := search.ParseBudget(p.Budget)
	if err != nil {
		return 0
	}
	return b.Time
}

// Entry is one task of a plan.
type Entry struct {
	Key     string
	Subject *Subject
	Arm     *Arm
	Seed    int64
}

// Entries lists the tasks, run after run, so that an ablation broken off is
// balanced.
func (p *Plan) Entries() []Entry {
	out := make([]Entry, 0, p.Runs*len(p.Subjects)*len(p.Arms))
	for run := range p.Runs {
		for s := range p.Subjects {
			for a := range p.Arms {
				e := Entry{Subject: &p.Subjects[s], Arm: &p.Arms[a], Seed: p.Seed + int64(run)}
				e.Key = fmt.Sprintf("%s | %s | seed %d", e.Subject.Name(), e.Arm.Name, e.Seed)
				out = append(out, e)
			}
		}
	}
	return out
}

const (
	command = "ablate"
	// planSetting is the setting of a task that holds the plan.
	planSetting = "plan"
)

// Task is the ablation as the journal knows it.
func (p *Plan) Task() (record.Task, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return record.Task{}, err
	}
	var studies, models, arms []string
	for i := range p.Subjects {
		studies, models = append(studies, p.Subjects[i].StudySHA256), append(models, p.Subjects[i].ModelSHA256)
	}
	for i := range p.Arms {
		arms = append(arms, p.Arms[i].Name)
	}
	return record.Task{
		Command: command, Study: compare.Digest(studies), Network: compare.Digest(models), Arm: strings.Join(arms, ","), Seed: p.Seed,
		Region: p.Where, Settings: map[string]string{planSetting: string(text)},
	}, nil
}

// PlanOf reads the plan back from a task of the journal.
func PlanOf(t record.Task) (*Plan, error) {
	text, ok := t.Settings[planSetting]
	if t.Command != command || !ok {
		return nil, fmt.Errorf("the run is a %s, no ablation", t.Command)
	}
	p := &Plan{}
	if err := json.Unmarshal([]byte(text), p); err != nil {
		return nil, fmt.Errorf("the run's plan: %w", err)
	}
	return p, nil
}

// Request is what an entry asks.
func (p *Plan) Request(e Entry) *search.Request {
	r := &search.Request{
		Spec: e.Subject.Source, Strategy: e.Arm.Strategy, Solver: e.Arm.Solver, Mode: e.Arm.Mode, Budget: p.Budget,
		Chains: e.Arm.Chains, Keep: search.DefaultKeep, Runs: 1, Seed: e.Seed, Set: map[string]string{},
	}
	r.Scope, r.Epsilon = p.Scope, e.Subject.Epsilon
	// Options are addressed to their plugin: the strategy by its own name, which a
	// preset's is not.
	for name, value := range e.Arm.Set {
		r.Set[p.Plugins[StrategyKey(e.Arm.Strategy)].Name+"."+name] = value
	}
	for name, value := range e.Arm.SolverSet {
		r.Set[e.Arm.Solver+"."+name] = value
	}
	return r
}

// StrategyKey and SolverKey are the names of plugins in a plan.
func StrategyKey(name string) string { return "strategy " + name }

// SolverKey is the name of a solver in a plan.
func SolverKey(name string) string { return "solver " + name }
