package compare

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Plan is a comparison with all settings resolved: a task is a subject, an arm and a seed. Equal
// plans are the same comparison, wherever their files are stored.
type Plan struct {
	// Name of the comparison, for titles.
	Name     string    `json:"name,omitempty"`
	Subjects []Subject `json:"subjects"`
	Arms     []Arm     `json:"arms"`
	// Solvers identifies the arms' solvers, by name.
	Solvers map[string]experiment.Plugin `json:"solvers"`
	experiment.Terms
	// Control is the arm that every other one is tested against; empty: all pairs are tested.
	Control string `json:"-"`
}

// Subject is a study with one network.
type Subject struct {
	experiment.Subject
	// Notion is the study's notion and Epsilon the ε of the measures: the defaults of arms. With bands, the
	// measures count bands instead.
	Notion  string `json:"notion"`
	Epsilon string `json:"epsilon"`
	// Border is the logit at which decisions change; 0 with thresholds by group.
	Border float64 `json:"border,omitempty"`
	// Partition is the value of PartitionOfStudy. Yardstick is the partition for the measure
	// named regions, which counts those that contain an individual found.
	Partition string `json:"partition,omitempty"`
	Yardstick string `json:"yardstick"`
	// Features are the names of the non-protected features by index; empty for protected ones.
	Features []string `json:"features"`

	asked *question.Question
}

// ask returns an arm's question about the subject. Without an ε of its own, an arm gets the ε of
// the measures. If its notion and the study's are both logit, it gets the study's ε.
func (s *Subject) ask(a *Arm) question.Spec {
	spec := s.Source
	if s.Banded() && cmp.Or(a.Notion, s.Notion) == fairness.Decision.String() {
		spec.Notion, spec.Epsilon = a.Notion, a.Epsilon
		return spec
	}
	if spec.Notion, spec.Epsilon = a.Notion, a.Epsilon; a.Epsilon == "" && !(cmp.Or(a.Notion, s.Notion) == "logit" && s.Notion == "logit") {
		spec.Epsilon = s.Epsilon
	}
	return spec
}

// query is an arm's question about the subject's entire region.
func (s *Subject) query(a *Arm) (*problem.Query, error) {
	asked := *s.asked
	asked.Spec = s.ask(a)
	return asked.Query(problem.Decide)
}

// defaultYardstick is Fairify's chunk size on its largest data set.
const defaultYardstick = "10"

// AddSubject loads a study with one network and adds it to the plan. partition is the value of
// PartitionOfStudy there; empty: undefined.
func (p *Plan) AddSubject(from question.Spec, partition string) error {
	from.Scope = p.Scope
	s, q, eps, err := experiment.ReadSubject(from)
	if err != nil {
		return err
	}
	border, _ := q.Study.Rule.Border(q.Study.Model.Link())
	features := make([]string, len(q.Space.Features))
	for _, i := range q.Space.Free() {
		features[i] = q.Space.Features[i].Name
	}
	p.Subjects = append(p.Subjects, Subject{
		Subject: s, Border: border, Notion: q.Study.Notion.String(), Epsilon: fairness.FormatRat(eps), Partition: partition, Features: features, asked: q,
	})
	return nil
}

// Settle checks the plan and fills in each subject's yardstick. The arms' encodings and bounds
// must be set.
func (p *Plan) Settle() error {
	if err := checkArms(p.Arms); err != nil {
		return err
	}
	if t, err := time.ParseDuration(p.Budget); err != nil || t <= 0 {
		return fmt.Errorf("budget %v: want a time above 0", p.Budget)
	}
	if err := p.Frame().Check(); err != nil {
		return err
	}
	for i := range p.Subjects {
		if err := p.settle(&p.Subjects[i]); err != nil {
			return fmt.Errorf("%s: %w", p.Subjects[i].Name(), err)
		}
	}
	return nil
}

// settle checks every arm's question on one subject and picks its yardstick.
func (p *Plan) settle(s *Subject) error {
	s.Yardstick = s.Partition
	for i := range p.Arms {
		a, err := p.arm(s, &p.Arms[i])
		var q *problem.Query
		if err == nil {
			q, err = s.query(&a)
		}
		if err == nil && a.Goal == GoalLargestK && !q.Notion.Binned() {
			err = fmt.Errorf("goal %s: k counts bins of scores, but the notion %s has no bins: take the goal %s, or the notion score", a.Goal, q.Notion, GoalDecide)
		}
		if err == nil && q.Bands != nil && (a.Goal == GoalMaximise || a.Goal == GoalLargestGap) {
			err = fmt.Errorf("goal %s: bands have no gap to maximise: take the goal %s, or the notion score", a.Goal, GoalDecide)
		}
		if err == nil && a.single() != "" && (a.Partition != "" || strings.Contains(a.Solver, "+")) {
			err = fmt.Errorf("goal %s asks one solver once about the entire space: leave the partition out, and name one solver", a.Goal)
		}
		if err == nil && a.Partition != "" {
			_, err = chunksOf(s.asked.Space, a.Partition)
			s.Yardstick = cmp.Or(s.Yardstick, a.Partition)
		}
		if err != nil {
			return fmt.Errorf("arm %s: %w", p.Arms[i].Name, err)
		}
	}
	s.Yardstick = cmp.Or(s.Yardstick, defaultYardstick)
	_, err := chunksOf(s.asked.Space, s.Yardstick)
	return err
}

// arm returns an arm with the defaults of a subject filled in.
func (p *Plan) arm(s *Subject, a *Arm) (Arm, error) {
	out := *a
	if out.Partition == PartitionOfStudy {
		if out.Partition = s.Partition; out.Partition == "" {
			return out, fmt.Errorf("partition: arm %s uses the study's partition, but study %s gives no partition: add the key partition there, or a chunk size here", a.Name, s.Study)
		}
	}
	out.Notion = cmp.Or(out.Notion, s.Notion)
	out.Goal = cmp.Or(out.Goal, GoalDecide)
	out.Start = cmp.Or(out.Start, StartNone)
	return out, nil
}

// Entry is one task of a plan.
type Entry = experiment.Entry[Subject, Arm]

// Entries lists the tasks.
func (p *Plan) Entries() []Entry { return experiment.Entries(p.Frame(), p.Subjects, p.Arms) }

// Frame implements experiment.Plan.
func (p *Plan) Frame() *experiment.Frame {
	return &experiment.Frame{
		Command: command, Plan: p, Terms: p.Terms, Plugins: experiment.AsSolvers(p.Solvers), Control: p.Control,
		Subjects: experiment.Each(p.Subjects, func(s *Subject) *experiment.Subject { return &s.Subject }),
		Arms:     experiment.Each(p.Arms, nameOf),
	}
}

func nameOf(a *Arm) string { return a.Name }

// question says with which notions and ε the arms ask about a subject.
func (p *Plan) question(subject int) string {
	s := &p.Subjects[subject]
	asked, of := experiment.Grouped(p.Arms, func(a Arm) string {
		text := "notion " + cmp.Or(a.Notion, s.Notion)
		if n, err := fairness.ParseNotion(cmp.Or(a.Notion, s.Notion)); err != nil || n.UsesEpsilon() {
			text += ", ε " + cmp.Or(s.ask(&a).Epsilon, "of the study")
		}
		return text
	})
	if len(asked) > 1 {
		for i, text := range asked {
			asked[i] = text + " of " + english.WordSeries(experiment.Each(of[text], nameOf), "and")
		}
	}
	if s.Banded() {
		asked = append(asked, "individuals count whose copies are in different bands")
	} else if counted := "ε " + s.Epsilon; len(asked) > 1 || !strings.HasSuffix(asked[0], "score, "+counted) {
		asked = append(asked, "individuals count above "+counted)
	}
	return strings.Join(asked, "; ")
}

const command = "compare"

// Job is a worker's task: a request to certify, asked about region after region within its
// Timeout. The files must still be those of the plan.
type Job struct {
	certify.Request
	// Arm is the arm's name. Measured is the ε of the measures: an individual above it counts as
	// found.
	Arm      string `json:"arm"`
	Measured string `json:"measured"`
	// Single is the goal of an arm that asks one question, see Arm.single.
	Single  string `json:"single,omitempty"`
	Threads int    `json:"threads"`
	Memory  int64  `json:"memory,omitempty"`
}

// options returns the options of an arm's solver: the common ones, overridden by the arm's.
func (p *Plan) options(a *Arm) map[string]string {
	shared := map[string]string{}
	for _, name := range discover.Members(a.Solver) {
		for key, value := range p.Solvers[name].Set {
			if _, own := a.Set[key]; own {
				continue
			}
			if name != a.Solver {
				key = name + "." + key
			}
			shared[key] = value
		}
	}
	return gridfile.WithOptions(shared, a.Set)
}

// job returns the worker's task of an entry.
func (p *Plan) job(e Entry) (*Job, error) {
	a, err := p.arm(e.Subject, e.Arm)
	if err != nil {
		return nil, err
	}
	return &Job{Arm: a.Name, Single: a.single(), Measured: e.Subject.Epsilon, Threads: p.Threads, Memory: p.Memory, Request: certify.Request{
		Spec: e.Subject.ask(&a), Solver: a.Solver, Set: p.options(&a), Encoding: a.Encoding, Bounds: a.Bounds,
		Climb: a.Start == StartSearch, Maximise: a.Goal == GoalMaximise || a.Goal == GoalLargestGap, Gap: a.Gap,
		Partition: a.Partition, SoftTimeout: time.Duration(a.Soft), Timeout: p.Limit(), Seed: e.Seed,
	}}, nil
}
