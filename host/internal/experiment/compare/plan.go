package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk/fairness"
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
	// Source is where this machine has it.
	Source question.Spec `json:"-"`
	loaded *Loaded
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
	l, err := Load(from)
	if err != nil {
		return err
	}
	model := l.ModelPath[strings.LastIndexAny(l.ModelPath, `/\`)+1:]
	if dot := strings.LastIndexByte(model, '.'); dot > 0 {
		model = model[:dot]
	}
	from = l.asked.Spec
	from.Model = l.ModelPath
	features := make([]string, len(l.Space.Features))
	for _, i := range l.Space.Free() {
		features[i] = l.Space.Features[i].Name
	}
	p.Subjects = append(p.Subjects, Subject{
		Study: l.Name, Model: model, StudySHA256: l.SHA256, ModelSHA256: l.ModelSHA256,
		Notion: l.Notion.String(), Epsilon: fairness.FormatRat(l.Epsilon), Partition: partition, Features: features,
		Clustering: l.Clustering, Source: from, loaded: l,
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
			_, err = s.loaded.query(&a)
		}
		if err == nil && a.Partition != "" {
			_, err = chunksOf(s.loaded.Space, a.Partition)
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
	_, err := chunksOf(s.loaded.Space, s.Yardstick)
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

// Job is one task as a worker process gets it.
type Job struct {
	// The files must still be those of the plan.
	question.Spec
	Arm     Arm               `json:"arm"`
	Seed    int64             `json:"seed"`
	Budget  Duration          `json:"budget"`
	Threads int               `json:"threads"`
	Memory  int64             `json:"memory,omitempty"`
	Set     map[string]string `json:"set,omitempty"`
}

// job is what a worker needs for an entry.
func (p *Plan) job(e Entry) (*Job, error) {
	arm, err := p.arm(e.Subject, e.Arm)
	if err != nil {
		return nil, err
	}
	return &Job{
		Spec: e.Subject.Source,
		Arm:  arm, Seed: e.Seed, Budget: p.Budget, Threads: p.Threads, Memory: p.Memory,
		Set: p.Solvers[arm.Solver].Set,
	}, nil
}
