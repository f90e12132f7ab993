package ablate

import (
	"fmt"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Plan is an ablation with all settings resolved: a task is a network, an arm and a seed. Equal
// plans are the same ablation, wherever their files are stored.
type Plan struct {
	// Name of the ablation, for titles.
	Name     string    `json:"name,omitempty"`
	Subjects []Subject `json:"subjects"`
	Arms     []Arm     `json:"arms"`
	// Plugins identifies the arms' plugins, by "strategy NAME" and "solver NAME" with the names
	// that arms use.
	Plugins map[string]experiment.Plugin `json:"plugins"`
	// Terms.Budget has the form that search.ParseBudget reads.
	experiment.Terms
	// Bound is the time in which a solver may prove which k no individual exceeds, once per
	// network and after the searches; 0: no bound is computed.
	Bound time.Duration `json:"bound,omitempty"`
	// Target is the k of times to target; 0: the largest that at least half of a
	// network's runs reached.
	Target int `json:"-"`
	// Control is the arm that every other one is tested against; empty: all pairs are tested.
	Control string `json:"-"`

	// prover is the key in Plugins of the solver for Bound.
	prover string
}

// Subject is a study with one network.
type Subject struct {
	experiment.Subject
	// DataSHA256 is the digest of the rows; empty for a study without rows.
	DataSHA256 string `json:"data_sha256,omitempty"`
	// Epsilon as a score difference; empty with bands.
	Epsilon string `json:"epsilon"`
}

// AddSubject loads a study with one network and adds it to the plan.
func (p *Plan) AddSubject(from question.Spec) error {
	from.Scope = p.Scope
	read, q, eps, err := experiment.ReadSubject(from)
	if err != nil {
		return err
	}
	s, st := Subject{Subject: read}, q.Study
	if st.Bands == nil {
		s.Epsilon = fairness.FormatRat(eps)
	}
	s.Source.Epsilon = s.Epsilon
	for i := range p.Subjects { // read the rows of a study once
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

// Settle returns an error if the plan cannot be run, and brings the budget into its canonical form.
func (p *Plan) Settle() error {
	budget, err := search.ParseBudget(p.Budget)
	if err != nil {
		return err
	}
	if p.Budget = budget.String(); p.Clock != "" && budget.Time == 0 { // equal budgets make equal plans
		return fmt.Errorf("clock %s: the budget %s is not a time: leave out the clock or give a time", p.Clock, p.Budget)
	}
	if err := p.Frame().Check(); err != nil {
		return err
	}
	if p.Bound < 0 {
		return fmt.Errorf("bound %v is negative: want a time, or 0 for no bound", p.Bound)
	}
	for i := range p.Arms {
		if err := p.Arms[i].check(); err != nil {
			return fmt.Errorf("arm %s: %w", p.Arms[i].Name, err)
		}
	}
	return nil
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

// question describes what counts as a found individual on a subject.
func (p *Plan) question(subject int) string {
	if p.Subjects[subject].Banded() {
		return "notion decision"
	}
	return "notion score, ε " + p.Subjects[subject].Epsilon
}

const command = "ablate"

// Request is the search of an entry.
func (p *Plan) Request(e Entry) *search.Request {
	r := &search.Request{
		Spec: e.Subject.Source, Strategy: e.Arm.Strategy, Solver: e.Arm.Solver, Mode: e.Arm.Mode, Budget: p.Budget,
		Chains: e.Arm.Chains, Keep: search.DefaultKeep, Runs: 1, Seed: e.Seed, Set: map[string]string{},
	}
	r.Scope, r.Epsilon = p.Scope, e.Subject.Epsilon
	// Options are addressed to a plugin by its name, which differs from a preset's.
	for name, value := range e.Arm.Set {
		r.Set[p.Plugins[experiment.StrategyKey(e.Arm.Strategy)].Name+"."+name] = value
	}
	for name, value := range e.Arm.SolverSet {
		r.Set[e.Arm.Solver+"."+name] = value
	}
	return r
}
