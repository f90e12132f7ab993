package ablate

import (
	"fmt"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/question"
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
	Plugins map[string]experiment.Plugin `json:"plugins"`
	// Budget is as search.ParseBudget reads it.
	experiment.Terms
	// Bound is how long a solver may take to prove which k no individual exceeds, once for
	// each network and after the searches; 0: it is not asked.
	Bound time.Duration `json:"bound,omitempty"`
	// Target is the k of times to target; 0: the largest that at least half of a
	// network's runs reached.
	Target int `json:"-"`
	// Control is the arm that every other one is tested against; empty: all pairs are.
	Control string `json:"-"`

	// prover is what Plugins call the solver of Bound.
	prover string
}

// Subject is a study with one network.
type Subject struct {
	experiment.Subject
	// DataSHA256 is the digest of the rows; empty for a study without rows.
	DataSHA256 string `json:"data_sha256,omitempty"`
	// Epsilon as a score difference.
	Epsilon string `json:"epsilon"`
}

// AddSubject loads a study with one network and takes it into the plan.
func (p *Plan) AddSubject(from question.Spec) error {
	from.Scope = p.Scope
	read, q, eps, err := experiment.ReadSubject(from)
	if err != nil {
		return err
	}
	s, st := Subject{Subject: read, Epsilon: fairness.FormatRat(eps)}, q.Study
	s.Source.Epsilon = s.Epsilon
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
	if p.Budget = budget.String(); p.Clock != "" && budget.Time == 0 { // equal budgets make equal plans
		return fmt.Errorf("clock %s: the budget %s is not in time", p.Clock, p.Budget)
	}
	if err := p.Frame().Check(); err != nil {
		return err
	}
	if p.Bound < 0 {
		return fmt.Errorf("bound %v is negative", p.Bound)
	}
	for i := range p.Arms {
		if err := p.Arms[i].check(); err != nil {
			return fmt.Errorf("arm %s: %w", p.Arms[i].Name, err)
		}
	}
	return nil
}

// limit is the budget in time; 0 where it is of another kind.
func (p *Plan) limit() time.Duration {
	b, err := search.ParseBudget(p.Budget)
	if err != nil {
		return 0
	}
	return b.Time
}

// Entry is one task of a plan.
type Entry = experiment.Entry[Subject, Arm]

// Entries lists the tasks.
func (p *Plan) Entries() []Entry { return experiment.Entries(p.Frame(), p.Subjects, p.Arms) }

// Frame implements experiment.Plan.
func (p *Plan) Frame() *experiment.Frame {
	f := &experiment.Frame{
		Command: command, Plan: p, Terms: p.Terms, Plugins: p.Plugins, Control: p.Control,
		Subjects: experiment.Each(p.Subjects, func(s *Subject) *experiment.Subject { return &s.Subject }),
		Arms:     experiment.Each(p.Arms, func(a *Arm) string { return a.Name }),
	}
	if p.Bound > 0 {
		f.Others = len(p.Subjects)
	}
	return f
}

// question says what counts on a subject as an individual that was found.
func (p *Plan) question(subject int) string {
	return "notion score, ε " + p.Subjects[subject].Epsilon
}

const command = "ablate"

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
		r.Set[p.Plugins[experiment.StrategyKey(e.Arm.Strategy)].Name+"."+name] = value
	}
	for name, value := range e.Arm.SolverSet {
		r.Set[e.Arm.Solver+"."+name] = value
	}
	return r
}
