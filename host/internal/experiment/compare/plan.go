package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/verdict"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Plan is a comparison with everything settled: each of its tasks is a subject,
// an arm and a seed. Two equal plans are the same comparison, wherever their
// files lie.
type Plan struct {
	// Name of the comparison, for titles.
	Name     string    `json:"name,omitempty"`
	Subjects []Subject `json:"subjects"`
	Arms     []Arm     `json:"arms"`
	// Solvers tells the versions behind the arms, by solver.
	Solvers map[string]Solver `json:"solvers"`
	question.Scope
	// Budget is the wall time of each task.
	Budget Duration `json:"budget"`
	// Runs have the seeds Seed, Seed + 1, …
	Runs int   `json:"runs"`
	Seed int64 `json:"seed"`
	// Threads and Memory (bytes, 0: no limit) are the same for every arm; Jobs
	// tasks run side by side and share the machine.
	Threads int   `json:"threads"`
	Memory  int64 `json:"memory,omitempty"`
	Jobs    int   `json:"jobs"`
}

// Subject is a study with one network.
type Subject struct {
	Study       string `json:"study"`
	Model       string `json:"model"`
	StudySHA256 string `json:"study_sha256"`
	ModelSHA256 string `json:"model_sha256"`
	// Notion is the study's and Epsilon that of the measures: what arms without
	// their own ask for.
	Notion  string `json:"notion"`
	Epsilon string `json:"epsilon"`
	// Partition is what PartitionOfStudy stands for; Yardstick the partition
	// whose regions count how spread out found individuals are.
	Partition string `json:"partition,omitempty"`
	Yardstick string `json:"yardstick"`
	// Features names the non-protected features by index; empty at the others.
	Features []string `json:"features"`

	// Clustering is the study's; k counts bins whatever it is.
	Clustering fairness.Clustering `json:"-"`
	asked      *question.Question
}

// ask is an arm's question to the subject. Without ε of its own, an arm has that of the
// measures; in logits the study's, where that is one.
func (s *Subject) ask(a *Arm) question.Spec {
	spec := s.asked.Spec
	if spec.Notion, spec.Epsilon = a.Notion, a.Epsilon; a.Epsilon == "" && !(cmp.Or(a.Notion, s.Notion) == "logit" && s.Notion == "logit") {
		spec.Epsilon = s.Epsilon
	}
	return spec
}

// query is an arm's question about the whole region.
func (s *Subject) query(a *Arm) (*problem.Query, error) {
	asked := *s.asked
	asked.Spec = s.ask(a)
	return asked.Query(problem.Decide)
}

// Name is how reports call it.
func (s *Subject) Name() string { return s.Study + "/" + s.Model }

// Solver is what is known of a solver plugin.
type Solver struct {
	Version string `json:"version"`
	Library string `json:"library,omitempty"`
	// Set are the plugin's options.
	Set map[string]string `json:"set,omitempty"`
}

// defaultYardstick is Fairify's chunk on its largest data set.
const defaultYardstick = "10"

// Bounds of a plan, far above any use.
const (
	maxRuns  = 1000
	maxTasks = 1 << 20
)

// AddSubject loads a study with one network and takes it into the plan.
// partition is what PartitionOfStudy stands for there; empty: nothing.
func (p *Plan) AddSubject(from question.Spec, partition string) error {
	from.Scope = p.Scope
	q, eps, model, err := question.Measured(from)
	if err != nil {
		return err
	}
	st := q.Study
	q.Spec.Model = st.ModelPath
	features := make([]string, len(q.Space.Features))
	for _, i := range q.Space.Free() {
		features[i] = q.Space.Features[i].Name
	}
	p.Subjects = append(p.Subjects, Subject{
		Study: st.Name, Model: model, StudySHA256: st.SHA256, ModelSHA256: st.ModelSHA256,
		Notion: st.Notion.String(), Epsilon: fairness.FormatRat(eps), Partition: partition, Features: features,
		Clustering: st.Clustering, asked: q,
	})
	return nil
}

// Settle checks the plan and fills in what follows from the rest. Arms need
// their encodings and bounds by then.
func (p *Plan) Settle() error {
	if err := checkArms(p.Arms); err != nil {
		return err
	}
	switch {
	case len(p.Subjects) == 0:
		return fmt.Errorf("nothing to compare on: give a STUDY")
	case p.Budget <= 0:
		return fmt.Errorf("budget %v: want a time above 0", p.Budget)
	case p.Runs < 1 || p.Runs > maxRuns:
		return fmt.Errorf("%d runs: want 1 to %d", p.Runs, maxRuns)
	case p.Jobs < 1:
		return fmt.Errorf("%d jobs: want 1 or more", p.Jobs)
	case p.Threads < 1:
		return fmt.Errorf("%d threads: want 1 or more", p.Threads)
	case len(p.Subjects)*len(p.Arms)*p.Runs > maxTasks:
		return fmt.Errorf("more than %d tasks", maxTasks)
	case p.Seed > math.MaxInt64-maxRuns:
		return fmt.Errorf("seed %d leaves no room for %d runs", p.Seed, p.Runs)
	}
	names := map[string]bool{}
	for i := range p.Subjects {
		s := &p.Subjects[i]
		if names[s.Name()] {
			return fmt.Errorf("%s is listed twice", s.Name())
		}
		names[s.Name()] = true
		if err := p.settle(s); err != nil {
			return fmt.Errorf("%s: %w", s.Name(), err)
		}
	}
	return nil
}

// settle checks every arm's question on one subject and picks its yardstick.
func (p *Plan) settle(s *Subject) error {
	s.Yardstick = s.Partition
	for i := range p.Arms {
		a, err := p.arm(s, &p.Arms[i])
		if err == nil {
			_, err = s.query(&a)
		}
		if err == nil && a.Partition != "" {
			_, err = chunksOf(s.asked.Space, a.Partition)
			if s.Yardstick == "" {
				s.Yardstick = a.Partition
			}
		}
		if err != nil {
			return fmt.Errorf("arm %s: %w", p.Arms[i].Name, err)
		}
	}
	if s.Yardstick == "" {
		s.Yardstick = defaultYardstick
	}
	_, err := chunksOf(s.asked.Space, s.Yardstick)
	return err
}

// arm is an arm as it runs on a subject.
func (p *Plan) arm(s *Subject, a *Arm) (Arm, error) {
	out := *a
	if out.Partition == PartitionOfStudy {
		if out.Partition = s.Partition; out.Partition == "" {
			return out, fmt.Errorf("partition: %s says the study's, and none is given for %s", a.Name, s.Study)
		}
	}
	if out.Notion == "" {
		out.Notion = s.Notion
	}
	if out.Goal == "" {
		out.Goal = GoalDecide
	}
	if out.Start == "" {
		out.Start = StartNone
	}
	return out, nil
}

// Entry is one task of a plan.
type Entry struct {
	Key     string
	Subject *Subject
	Arm     *Arm
	Seed    int64
}

// Entries lists the tasks, run after run, so that a comparison broken off is
// balanced.
func (p *Plan) Entries() []Entry {
	var out []Entry
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

// planSetting is the setting of a task that holds the plan.
const planSetting = "plan"

// Task is the comparison as the journal knows it.
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
		Command: "compare", Study: Digest(studies), Network: Digest(models), Arm: strings.Join(arms, ","), Seed: p.Seed,
		Region: p.Where, Settings: map[string]string{planSetting: string(text)},
	}, nil
}

// Digest is one sum for several: the sum itself where all are equal.
func Digest(sums []string) string {
	for _, s := range sums {
		if s != sums[0] {
			return record.Hash([]byte(strings.Join(sums, "\n")))
		}
	}
	return sums[0]
}

// PlanOf reads the plan back from a task of the journal.
func PlanOf(t record.Task) (*Plan, error) {
	text, ok := t.Settings[planSetting]
	if t.Command != "compare" || !ok {
		return nil, fmt.Errorf("the run is a %s, no comparison", t.Command)
	}
	p := &Plan{}
	if err := json.Unmarshal([]byte(text), p); err != nil {
		return nil, fmt.Errorf("the run's plan: %w", err)
	}
	return p, nil
}

// Job is one task as a worker process gets it: a request to certify, put about region
// after region within its Timeout. The files must still be those of the plan.
type Job struct {
	verdict.Request
	// Arm is its name, Measured the ε of the measures: who counts as found.
	Arm      string `json:"arm"`
	Measured string `json:"measured"`
	Threads  int    `json:"threads"`
	Memory   int64  `json:"memory,omitempty"`
}

// job is what a worker needs for an entry.
func (p *Plan) job(e Entry) (*Job, error) {
	a, err := p.arm(e.Subject, e.Arm)
	if err != nil {
		return nil, err
	}
	return &Job{Arm: a.Name, Measured: e.Subject.Epsilon, Threads: p.Threads, Memory: p.Memory, Request: verdict.Request{
		Spec: e.Subject.ask(&a), Solver: a.Solver, Set: p.Solvers[a.Solver].Set, Encoding: a.Encoding, Bounds: a.Bounds,
		Climb: a.Start == StartSearch, Maximise: a.Goal == GoalMaximise, Gap: a.Gap,
		Partition: a.Partition, SoftTimeout: time.Duration(a.Soft), Timeout: time.Duration(p.Budget), Seed: e.Seed,
	}}, nil
}
