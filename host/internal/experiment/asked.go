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

// Asks is what all arms are asked about a subject, where the study and the terms of the
// experiment have settled it. Plans of earlier versions lack it.
type Asks struct {
	// Protected attributes vary together; Rules are the constraints that are switched on.
	Protected []string `json:"protected"`
	Rules     []string `json:"rules,omitempty"`
	// Threshold is what the score of a positive decision exceeds, or equals where it begins
	// with "at ".
	Threshold string `json:"threshold"`
}

// asksOf are those of a question.
func asksOf(q *question.Question) *Asks {
	a := &Asks{Protected: question.Protected(q.Space), Threshold: fairness.FormatRat(q.Study.Rule.Least())}
	if q.Study.Rule.At {
		a.Threshold = "at " + a.Threshold
	}
	for _, r := range q.Study.Rules {
		if r.On {
			a.Rules = append(a.Rules, r.Name)
		}
	}
	return a
}

// asks are a subject's, or what the terms alone say of it.
func (t *Terms) asks(s *Subject) Asks {
	if s.Asks != nil {
		return *s.Asks
	}
	return Asks{t.Protected, t.Rules, t.Threshold}
}

// Asked says in one line what all arms were asked, and under which terms. question has the
// notion and ε of each subject; kind is what a budget in wall time is called.
func (f *Frame) Asked(question func(subject int) string, kind string) string {
	each := func(of func(subject int, a Asks) string) string {
		var studies, values []string
		for i, s := range f.Subjects {
			if v := of(i, f.asks(s)); !slices.Contains(studies, s.Study) {
				studies, values = append(studies, s.Study), append(values, v)
			}
		}
		if all := slices.Compact(slices.Clone(values)); len(all) < 2 {
			return strings.Join(all, "")
		}
		for i, study := range studies {
			values[i] += " (" + study + ")"
		}
		return strings.Join(values, ", ")
	}
	const theStudy = "as the study says"
	where := "the whole space"
	if f.Where != "" {
		where = "only " + f.Where
	}
	return "asked: " + strings.Join([]string{
		where,
		"protected " + each(func(_ int, a Asks) string { return cmp.Or(strings.Join(a.Protected, ", "), theStudy) }),
		each(func(i int, _ Asks) string { return question(i) }),
		"rules " + each(func(i int, a Asks) string {
			if len(a.Rules) == 0 && f.Subjects[i].Asks != nil {
				return "none"
			}
			return cmp.Or(strings.Join(a.Rules, ", "), theStudy)
		}),
		"threshold " + each(func(_ int, a Asks) string { return cmp.Or(a.Threshold, theStudy) }),
		fmt.Sprintf("budget %s, %s", f.BudgetOf(kind), &f.Terms),
	}, "; ")
}

// String tells what is the same for all arms.
func (t *Terms) String() string {
	seeds := fmt.Sprintf("seed %d", t.Seed)
	if t.Runs > 1 {
		seeds = fmt.Sprintf("seeds %d to %d", t.Seed, t.Seed+int64(t.Runs)-1)
	}
	memory := "no limit of memory"
	if t.Memory > 0 {
		memory = mebibytes(t.Memory) + " of memory"
	}
	return fmt.Sprintf("%s, %s, %s, %s", english.Plural(t.Threads, "thread", ""), memory, english.Plural(t.Runs, "run", ""), seeds)
}
