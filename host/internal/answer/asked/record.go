// Package asked holds what the answers of commands that ask solvers share: the question and its
// solver, as results and journals name them, and several answers in one.
package asked

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Asked describes the question at the beginning of a solver's result.
type Asked struct {
	// The study's name.
	Study string `json:"study"`
	// The file name of the model.
	Model string `json:"model"`
	// The value of --seed.
	Seed int64 `json:"seed"`
	// Wall time in seconds, loading included.
	Seconds float64 `json:"seconds"`
	// The notion: score, logit, decision, decision-strict, or share for a model whose output is a share.
	Notion string `json:"notion"`
	// ε, exact; absent for the decision notions.
	Epsilon string `json:"epsilon,omitempty"`
	question.Grounds
	gate.Checks
}

// Of describes a question about a study.
func Of(st *study.Study, q *problem.Query, seed int64, seconds float64) Asked {
	out := Asked{Study: st.Name, Model: filepath.Base(st.ModelPath), Seed: seed, Seconds: seconds, Notion: question.NotionOf(q).String()}
	decides := !question.NotionOf(q).UsesEpsilon()
	out.Grounds = question.GroundsOf(st).About(decides)
	if !decides {
		out.Epsilon = fairness.FormatRat(q.Epsilon)
	}
	return out
}

// Solver identifies the solver in results.
type Solver struct {
	// The solver plugin.
	Name string `json:"name"`
	// The plugin's version and its build: the commit, or the start of its files' checksum.
	Version string `json:"version"`
	// The native library with its version; empty without one.
	Library string `json:"library"`
}

// String returns the name and the version, without the build.
func (s Solver) String() string {
	var said []string
	for _, version := range strings.Split(s.Version, "+") {
		version, _, _ = strings.Cut(version, " ")
		said = append(said, version)
	}
	return strings.TrimSpace(s.Name + " " + strings.Join(said, "+"))
}

// SolverOf names the solver, or a portfolio by its members.
func SolverOf(all ...*discover.Plugin) Solver {
	var names, versions, libraries []string
	for _, p := range all {
		d := p.Description()
		names, versions = append(names, d.Name), append(versions, p.Version())
		if l := session.Library(d); l != "" {
			libraries = append(libraries, l)
		}
	}
	return Solver{strings.Join(names, "+"), strings.Join(versions, "+"), strings.Join(libraries, ", ")}
}

// Settings returns the settings that a run records for its question. Equal settings for equal
// files and regions mean the same question.
func Settings(st *study.Study, q *problem.Query) map[string]string {
	settings := map[string]string{
		"notion": q.Notion.String(), "protected": strings.Join(question.Protected(q.Space), ","),
	}
	if q.Epsilon != nil {
		settings["epsilon"] = fairness.FormatRat(q.Epsilon)
	}
	if !q.Notion.UsesEpsilon() && !st.Rule.IsDefault() {
		settings["decision"] = st.Rule.String()
	}
	if q.Bands != nil {
		settings["bands"] = q.Bands.String()
	}
	if q.Within != nil {
		settings["near"] = fairness.FormatRat(q.Within.Distance)
		if data, err := st.Data(); err == nil {
			settings["near.data"] = data.SHA256
		}
	}
	if st.Class != nil {
		settings["class"] = strconv.Itoa(*st.Class)
	}
	if q.K > 0 {
		settings["k"] = strconv.Itoa(q.K)
	}
	for _, r := range st.Rules {
		if r.On {
			settings["rule."+r.Name] = "on"
		}
	}
	return settings
}

// Started returns the first event of a run that asks a solver. The caller may add settings.
func Started(s *session.Session, command string, st *study.Study, q *problem.Query, plugins discover.Solvers, where string, seed int64) record.Started {
	settings := Settings(st, q)
	if s.ThreadsGiven {
		settings["threads"] = strconv.Itoa(s.Threads)
	}
	if s.Memory > 0 {
		settings["memory"] = strconv.FormatInt(s.Memory, 10)
	}
	solver := SolverOf(plugins...)
	versions := map[string]string{"library": solver.Library}
	for _, p := range plugins {
		versions[p.String()] = p.Version()
		for name, value := range p.Options {
			if len(plugins) > 1 {
				name = p.Description().Name + "." + name
			}
			settings["set."+name] = value
		}
	}
	return record.Started{
		Task:     record.Task{Command: command, Network: st.ModelSHA256, Study: st.SHA256, Arm: solver.Name, Seed: seed, Region: where, Settings: settings},
		Features: q.Space.Names(), Study: st.Name, Model: filepath.Base(st.ModelPath), Versions: versions,
	}
}
