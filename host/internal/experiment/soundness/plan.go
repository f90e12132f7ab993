// Package soundness asks solvers, under equal rules, the questions of a folder of instances whose
// truth is known by construction, and judges their claims. Package answer/soundness makes, asks
// and judges single instances. User page: docs/user/soundness.md.
package soundness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/soundness"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk/client"
)

// Command is the name of the experiment's command and the kind of its tasks.
const Command = "soundness"

// Plan is an experiment with all settings resolved: a task is a question of an instance, a solver
// and a seed. Equal plans are the same experiment, wherever the folder is stored.
type Plan struct {
	// Instances have no Planted, which judging does not need.
	Instances []*soundness.Truth `json:"instances"`
	// Goals are the goals of the questions that are asked.
	Goals []string `json:"goals"`
	// Arms are the solvers' names, Solvers their identities.
	Arms    []string                     `json:"arms"`
	Solvers map[string]experiment.Plugin `json:"solvers"`
	experiment.Terms

	folder   string
	subjects []Subject
}

// Subject is a question of an instance.
type Subject struct {
	experiment.Subject
	truth    *soundness.Truth
	question *soundness.Question
}

// Open reads the instances of a folder.
func (p *Plan) Open(folder string) error {
	all, err := soundness.Read(folder)
	if err != nil {
		return err
	}
	p.folder = folder
	for _, t := range all {
		t.Planted = nil
		p.Instances = append(p.Instances, t)
	}
	return nil
}

// Settle checks the plan.
func (p *Plan) Settle() error {
	if len(p.Goals) == 0 {
		return fmt.Errorf("--goals: want some of %s", strings.Join(soundness.Goals(), ", "))
	}
	for _, goal := range p.Goals {
		if !slices.Contains(soundness.Goals(), goal) {
			return fmt.Errorf("--goals %s: want some of %s", goal, strings.Join(soundness.Goals(), ", "))
		}
	}
	for i, name := range p.Arms {
		if name == "" || slices.Contains(p.Arms[:i], name) {
			return fmt.Errorf("--solver %s: want names of solvers, each once and none of them empty", strings.Join(p.Arms, ","))
		}
	}
	if t, err := time.ParseDuration(p.Budget); err != nil || t <= 0 {
		return fmt.Errorf("--timeout %v: want a time above 0", p.Budget)
	}
	return p.Frame().Check()
}

// Resolve starts each solver once, to learn its version. If no solver is named, it takes all
// usable ones.
func (p *Plan) Resolve(ctx context.Context, s *session.Session, options map[string]string) (err error) {
	if len(p.Arms) == 0 {
		for _, l := range s.Plugins.List(ctx) {
			if l.Kind == client.Solver && l.Usable() {
				p.Arms = append(p.Arms, l.Name)
			}
		}
	}
	p.Solvers, err = experiment.Solvers(ctx, s, p.Arms, options, func(plugins map[string]*discover.Plugin) error {
		for _, name := range p.Arms {
			if err := discover.Missing(plugins[name].Description()); err != nil {
				return fmt.Errorf("solver %s: %w", name, err)
			}
		}
		return nil
	})
	return err
}

// Entry is one task of a plan.
type Entry = experiment.Entry[Subject, string]

// Entries lists the tasks.
func (p *Plan) Entries() []Entry { return experiment.Entries(p.Frame(), p.questions(), p.Arms) }

// questions lists the questions that each solver is asked.
func (p *Plan) questions() []Subject {
	if p.subjects != nil {
		return p.subjects
	}
	for _, t := range p.Instances {
		for i := range t.Questions {
			if q := &t.Questions[i]; slices.Contains(p.Goals, q.Goal) {
				p.subjects = append(p.subjects, Subject{truth: t, question: q, Subject: experiment.Subject{
					Study: t.Name, Model: q.Called(), StudySHA256: t.StudySHA256, ModelSHA256: t.ModelSHA256,
				}})
			}
		}
	}
	return p.subjects
}

// Frame implements experiment.Plan.
func (p *Plan) Frame() *experiment.Frame {
	return &experiment.Frame{
		Command: Command, Plan: p, Terms: p.Terms, Plugins: experiment.AsSolvers(p.Solvers), Called: fmt.Sprintf("%d instances", len(p.Instances)), Untested: true,
		Subjects: experiment.Each(p.questions(), func(s *Subject) *experiment.Subject { return &s.Subject }), Arms: p.Arms,
	}
}

// Recall reads a plan back from a task of the journal.
func Recall(t record.Task) (experiment.Plan, error) {
	p, err := experiment.PlanOf[Plan](t, Command, "soundness experiment")
	if err != nil {
		return nil, err
	}
	for _, of := range p.Instances {
		if of == nil {
			return nil, errors.New("the run's plan has an instance without a truth")
		}
		if err := of.Validate(); err != nil {
			return nil, fmt.Errorf("the run's plan: %s: %w", of.Name, err)
		}
	}
	return p, nil
}

// Result is the result of one task.
type Result struct {
	soundness.Claim
	experiment.Cost
}

// Do implements experiment.Plan.
func (p *Plan) Do(ctx context.Context, b *experiment.Bench) error {
	var tasks []experiment.Task
	for _, e := range p.Entries() {
		ask := e.Subject.truth.Ask(p.folder, e.Subject.question, *e.Arm)
		ask.Set, ask.Timeout, ask.Seed = p.Solvers[*e.Arm].Set, p.Limit(), e.Seed
		asked := ask
		asked.Spec = asked.Spec.Canonical()
		tasks = append(tasks, experiment.Task{Key: e.Key, Asked: asked, Plugins: []string{experiment.SolverKey(*e.Arm)}, Cell: e.Cell(), Group: e.Group(&e.Subject.Subject), Try: func(ctx context.Context, cores []int, _ string, tell func(string)) (experiment.Outcome, error) {
			r, err := p.try(ctx, &e, &ask, b, cores, tell)
			return experiment.Outcome{Result: r}, err
		}})
	}
	return b.Run(ctx, tasks, experiment.Options{Jobs: p.Jobs, Limit: p.Limit(), Failed: func(known any, err error, _ string) any {
		r := known.(*Result)
		r.Error = err.Error()
		return r
	}})
}

// try runs a task once, and evaluates the individuals it found.
func (p *Plan) try(ctx context.Context, e *Entry, ask *soundness.Ask, b *experiment.Bench, cores []int, tell func(string)) (*Result, error) {
	r := &Result{}
	errand := experiment.Errand{Key: e.Key, Kind: Command, Request: ask, Spec: &ask.Spec, Assignment: workers.Assignment{Limit: ask.Timeout, Cores: cores, Procs: p.Threads}}
	usage, err := b.Answer(ctx, errand, e.Key, tell, &r.Claim)
	r.Charge(&p.Terms, usage, false)
	if usage.Killed && ctx.Err() == nil { // a second attempt would be killed, too
		if err = p.Trouble(&r.Cost); err == nil {
			err = errors.New("the worker outlived its time limit and was killed")
		}
		r.Error = err.Error()
		return r, nil
	}
	if err == nil {
		err = r.Claim.Replay(ask.Spec, ask.Goal)
	}
	return r, err
}
