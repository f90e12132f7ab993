package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Asks holds the settings of a question that do not depend on the arm: those of the study,
// overridden by the experiment's terms. Plans of earlier versions lack it.
type Asks struct {
	// Protected attributes vary together; Rules are the constraints that are switched on.
	Protected []string `json:"protected"`
	Rules     []string `json:"rules,omitempty"`
	// Threshold is the score that a positive decision exceeds or, after "at ", the score that it
	// reaches; with thresholds by group, it lists them. It is empty with Bands, the outcomes in
	// place of yes and no.
	Threshold string `json:"threshold"`
	Bands     string `json:"bands,omitempty"`
	// Where is the predicate that cuts the space.
	Where string `json:"where,omitempty"`
}

// AsksOf returns what applies to a question: attributes, the rules that are on, threshold and
// predicate.
func AsksOf(q *question.Question) *Asks {
	a := &Asks{Protected: question.Protected(q.Space), Threshold: fairness.FormatRat(q.Study.Rule.Least()), Where: q.Spec.Where}
	switch {
	case q.Study.Bands != nil:
		a.Threshold, a.Bands = "", q.Study.Bands.String()
	case q.Study.Rule.Groups != nil:
		a.Threshold = q.Study.Rule.String()
	case q.Study.Rule.At:
		a.Threshold = "at " + a.Threshold
	}
	for _, r := range q.Study.Rules {
		if r.On {
			a.Rules = append(a.Rules, r.Name)
		}
	}
	return a
}

// bands says that there are bands in place of a threshold; empty if there are none.
func (a *Asks) bands() string {
	if a.Bands == "" {
		return ""
	}
	return "none, but bands " + a.Bands
}

// asks returns the settings of a subject. A subject of an earlier version has only those that the
// terms contain.
func (t *Terms) asks(s *Subject) Asks {
	if s.Asks == nil {
		return Asks{t.Protected, t.Rules, t.Threshold, t.Bands, t.Where}
	}
	a := *s.Asks
	a.Where = cmp.Or(a.Where, t.Where)
	return a
}

// Asked says in one line what all arms were asked, and under which terms. question has the
// notion and ε of each subject; kind is what a budget in wall time is called.
func (f *Frame) Asked(question func(subject int) string, kind string) string {
	// each returns the text that all subjects have in common, or lists the different texts with
	// their studies.
	each := func(of func(subject int, a Asks) string) string {
		values, subjects := Grouped(f.Subjects, func(s *Subject) string { return of(slices.Index(f.Subjects, s), f.asks(s)) })
		if len(values) == 1 {
			return values[0]
		}
		for i, v := range values {
			studies, _ := Grouped(subjects[v], func(s *Subject) string { return s.Study })
			values[i] = fmt.Sprintf("%s (%s)", v, strings.Join(studies, ", "))
		}
		return strings.Join(values, ", ")
	}
	const theStudy = "as the study says"
	return "asked: " + strings.Join([]string{
		each(func(_ int, a Asks) string {
			if a.Where == "" {
				return "the whole space"
			}
			return "only " + a.Where
		}),
		"protected " + each(func(_ int, a Asks) string { return cmp.Or(strings.Join(a.Protected, ", "), theStudy) }),
		each(func(i int, _ Asks) string { return question(i) }),
		"rules " + each(func(i int, a Asks) string {
			if len(a.Rules) == 0 && f.Subjects[i].Asks != nil {
				return "none"
			}
			return cmp.Or(strings.Join(a.Rules, ", "), theStudy)
		}),
		"threshold " + each(func(_ int, a Asks) string { return cmp.Or(a.Threshold, a.bands(), theStudy) }),
		fmt.Sprintf("budget %s, %s", f.BudgetOf(kind), &f.Terms),
	}, "; ")
}

// String lists the terms other than the budget: runs, seeds, threads, memory and jobs.
func (t *Terms) String() string {
	runs := fmt.Sprintf("%s, seed %d", english.Plural(t.Runs, "run", ""), t.Seed)
	switch {
	case len(t.Seeds) > 0:
		runs = english.PluralWord(len(t.Seeds), "seed", "") + " " + strings.Trim(fmt.Sprint(t.Seeds), "[]")
	case t.Runs > 1:
		runs = fmt.Sprintf("%d runs, seeds %d to %d", t.Runs, t.Seed, t.Seed+int64(t.Runs)-1)
	}
	memory := "no limit of memory"
	if t.Memory > 0 {
		memory = mebibytes(t.Memory) + " of memory"
	}
	return fmt.Sprintf("%s, %s, %s", english.Plural(t.Threads, "thread", ""), memory, runs)
}
