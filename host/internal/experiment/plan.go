package experiment

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/system/clock"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Terms are the conditions under which all arms of an experiment run.
type Terms struct {
	question.Scope
	// The budget of each task, as text.
	Budget string `json:"budget"`
	// The clock of a time budget: cpu for processor time; absent for wall time.
	Clock string `json:"clock,omitempty"`
	// The number of runs of each arm on each network, with the seeds seed, seed + 1, and so on.
	Runs int `json:"runs"`
	// The first seed.
	Seed int64 `json:"seed"`
	// All seeds.
	Seeds []int64 `json:"seeds,omitempty"`
	// The threads of each task.
	Threads int `json:"threads"`
	// The memory limit of each task in bytes; absent without a limit.
	Memory int64 `json:"memory,omitempty"`
	// The number of tasks that run in parallel.
	Jobs int `json:"jobs"`
}

// Upper limits of an experiment's size, far above any use.
const (
	MaxRuns    = 1000
	MaxThreads = 1024
	MaxSeed    = 1 << 53
	maxTasks   = 1 << 20
)

// Listed returns the terms with Seeds set.
func (r Terms) Listed() Terms {
	for i := range r.Runs {
		r.Seeds = append(r.Seeds, r.Seed+int64(i))
	}
	return r
}

// BudgetOf describes the budget and its unit: kind, unless the budget is in processor time.
func (r *Terms) BudgetOf(kind string) string {
	if r.Clock == clock.CPUTime {
		kind = " of processor time (worker and plugins), as are times to individuals"
	}
	return r.Budget + kind
}

func mebibytes(n int64) string { return fmt.Sprintf("%.4g MiB", float64(n)/(1<<20)) }

// Subject is a study with one network.
type Subject struct {
	Study       string `json:"study"`
	Model       string `json:"model"`
	StudySHA256 string `json:"study_sha256"`
	ModelSHA256 string `json:"model_sha256"`
	Asks        *Asks  `json:"asks,omitempty"`

	// Clustering is the study's clustering; the measure k counts bins regardless.
	Clustering fairness.Clustering `json:"-"`
	// Source names the files on this machine.
	Source question.Spec `json:"-"`
}

// ReadSubject reads a study with one network, and returns the ε for measures, which compare
// scores. With bands, measures count bands, and that ε has no effect.
func ReadSubject(from question.Spec) (Subject, *question.Question, *big.Rat, error) {
	q, err := question.Open(from)
	if err != nil {
		return Subject{}, nil, nil, err
	}
	st := q.Study
	if st.Bands != nil && from.Epsilon != "" {
		return Subject{}, nil, nil, fmt.Errorf("%s decides by bands, which have no ε: leave epsilon out", st.Path)
	}
	model := st.ModelPath[strings.LastIndexAny(st.ModelPath, `/\`)+1:]
	if dot := strings.LastIndexByte(model, '.'); dot > 0 {
		model = model[:dot]
	}
	s := Subject{Study: st.Name, Model: model, StudySHA256: st.SHA256, ModelSHA256: st.ModelSHA256, Asks: AsksOf(q), Clustering: st.Clustering, Source: q.Spec}
	s.Source.Model = st.ModelPath
	eps, err := q.EpsilonFor(fairness.Score)
	if err != nil && st.Bands != nil {
		eps, err = study.DefaultEpsilon(), nil
	}
	return s, q, eps, err
}

// Banded reports whether the outcomes of the study's decision are bands.
func (s *Subject) Banded() bool { return s.Asks != nil && s.Asks.Bands != "" }

// Name is the subject's name in reports: study/model.
func (s *Subject) Name() string { return s.Study + "/" + s.Model }

// Frame is the part that plans of every kind share.
type Frame struct {
	Command string
	// Plan is the plan of the experiment's kind; an interrupted run is found by it.
	Plan     any
	Subjects []*Subject
	// Arms are the arms' names. Each arm has Runs tasks per subject.
	Arms []string
	Terms
	// Control is the arm that every other one is compared with; empty: all pairs are compared.
	Control string
	// Plugins are those that take part, by keys such as "solver highs" and "strategy sa".
	Plugins map[string]Plugin
	// Keys name the tasks in their order; nil: keys are made of subject, arm and seed.
	Keys []string
	// Called, if not empty, replaces the subjects' names in lists of runs.
	Called string
	// Untested: no statistical test compares the arms.
	Untested bool
	// Others is the number of tasks besides those of subjects and arms.
	Others int
}

// Each returns f of each element, in the order of the list; nil for nil.
func Each[T, U any](list []T, f func(*T) U) []U {
	if list == nil {
		return nil
	}
	out := make([]U, len(list))
	for i := range list {
		out[i] = f(&list[i])
	}
	return out
}

// Grouped groups the elements of a list by their keys. keys are in the order of their first elements.
func Grouped[T any](list []T, key func(T) string) (keys []string, of map[string][]T) {
	of = map[string][]T{}
	for _, one := range list {
		k := key(one)
		if of[k] == nil {
			keys = append(keys, k)
		}
		of[k] = append(of[k], one)
	}
	return keys, of
}

// Entry is one task of a plan of subjects S and arms A.
type Entry[S, A any] struct {
	Key     string
	Subject *S
	Arm     *A
	Seed    int64
}

// Group names the tasks of one subject and seed, whose arms are compared.
func (e *Entry[S, A]) Group(s *Subject) string {
	return fmt.Sprintf("%s %s %d", s.StudySHA256, s.ModelSHA256, e.Seed)
}

// Cell names the tasks of one subject and arm, which differ in their seeds.
func (e *Entry[S, A]) Cell() string { return e.Key[:strings.LastIndex(e.Key, seedMark)] }

// seedMark precedes the seed in a task's key.
const seedMark = " | seed "

// Entries lists the tasks of a kind's plan.
func Entries[S, A any](f *Frame, subjects []S, arms []A) (out []Entry[S, A]) {
	for _, t := range f.tasks() {
		out = append(out, Entry[S, A]{t.key, &subjects[t.subject], &arms[t.arm], t.seed})
	}
	return out
}

// place is a task's position in a plan.
type place struct {
	key          string
	subject, arm int
	seed         int64
}

// tasks lists the tasks, run after run, so that an interrupted experiment is balanced.
func (f *Frame) tasks() []place {
	out := make([]place, 0, f.Runs*len(f.Subjects)*len(f.Arms))
	for run := range f.Runs {
		for s := range f.Subjects {
			for a, arm := range f.Arms {
				t := place{subject: s, arm: a, seed: f.Seed + int64(run)}
				if f.Keys != nil {
					t.key = f.Keys[len(out)]
				} else {
					t.key = fmt.Sprintf("%s | %s%s%d", f.Subjects[s].Name(), arm, seedMark, t.seed)
				}
				out = append(out, t)
			}
		}
	}
	return out
}

// Check returns an error if the frame has no subject or arm, a task twice, or a number outside its
// limits.
func (f *Frame) Check() error {
	switch {
	case len(f.Subjects) == 0:
		return fmt.Errorf("no network is chosen: want at least one")
	case len(f.Arms) == 0:
		return fmt.Errorf("no arm is chosen: want at least one")
	case f.Runs < 1 || f.Runs > MaxRuns:
		return fmt.Errorf("%d runs: want 1 to %d", f.Runs, MaxRuns)
	case f.Jobs < 1 || f.Jobs > MaxThreads:
		return fmt.Errorf("%d jobs: want 1 to %d", f.Jobs, MaxThreads)
	case f.Threads < 1 || f.Threads > MaxThreads:
		return fmt.Errorf("%d threads: want 1 to %d", f.Threads, MaxThreads)
	case len(f.Subjects)*len(f.Arms) > maxTasks/f.Runs:
		return fmt.Errorf("%d networks, %d arms and %d runs are more than %d tasks", len(f.Subjects), len(f.Arms), f.Runs, maxTasks)
	case f.Seed > math.MaxInt64-MaxRuns:
		return fmt.Errorf("seed %d: want at most %d", f.Seed, int64(math.MaxInt64-MaxRuns))
	}
	if _, err := clock.Named(f.Clock, time.Now()); err != nil {
		return err
	}
	if err := f.checkControl(); err != nil {
		return err
	}
	keys := map[string]bool{}
	for _, t := range f.tasks() {
		if keys[t.key] {
			return fmt.Errorf("two networks are called %s: list each once, and give different studies different names", f.Subjects[t.subject].Name())
		}
		keys[t.key] = true
	}
	return nil
}

// checkControl returns an error unless the control is one of several arms.
func (f *Frame) checkControl() error {
	if f.Control == "" || slices.Contains(f.Arms, f.Control) && len(f.Arms) > 1 {
		return nil
	}
	return fmt.Errorf("--control %q: want one of at least two arms; the arms are %s", f.Control, strings.Join(f.Arms, ", "))
}

// planSetting is the setting of a run's task that holds the plan.
const planSetting = "plan"

// Task returns the experiment as the journal stores it.
func (f *Frame) Task() (record.Task, error) {
	text, err := json.Marshal(f.Plan)
	var studies, models []string
	for _, s := range f.Subjects {
		studies, models = append(studies, s.StudySHA256), append(models, s.ModelSHA256)
	}
	if err != nil {
		return record.Task{}, err
	}
	settings, err := f.requirements()
	if err != nil {
		return record.Task{}, err
	}
	settings[planSetting] = string(text)
	return record.Task{
		Command: f.Command, Study: digest(studies), Network: digest(models), Arm: strings.Join(f.Arms, ","), Seed: f.Seed,
		Region: f.Where, Settings: settings,
	}, nil
}

// PlanOf reads the plan back from a task of the journal. kind is the name of the command's
// experiments in messages.
func PlanOf[P any](t record.Task, command, kind string) (*P, error) {
	text, ok := t.Settings[planSetting]
	if t.Command != command || !ok {
		return nil, fmt.Errorf("%s: want a run of the command %s with a plan, got one of the command %s %s a plan", kind, command, t.Command, map[bool]string{true: "with", false: "without"}[ok])
	}
	p := new(P)
	if err := json.Unmarshal([]byte(text), p); err != nil {
		return nil, fmt.Errorf("the run's plan: %w", err)
	}
	return p, nil
}

// digest returns one checksum for several: their common value if all are equal.
func digest(sums []string) string {
	if slices.ContainsFunc(sums, func(s string) bool { return s != sums[0] }) {
		return record.Hash([]byte(strings.Join(sums, "\n")))
	}
	return sums[0]
}
