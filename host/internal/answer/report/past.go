package report

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/asked"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/sdk/problem"
)

// proved returns the result of the newest finished run of hyfair quantify in the journal on exactly
// this question, if that took longer than the limit: the report cannot add to it. It returns nil if
// there is no such run. A shorter run is repeated, because the journal keeps no map.
func (a *asker) proved(limit time.Duration) *quantify.Result {
	j, err := a.session.Journal()
	if err != nil || j == nil || a.request.Fresh {
		return nil
	}
	q, err := a.question.Query(problem.Quantify)
	if err != nil {
		return nil
	}
	runs, err := j.Runs()
	if err != nil {
		return nil
	}
	want := asked.Settings(a.question.Study, q)
	for i := range runs {
		t := &runs[i].Started.Task
		if t.Command != "quantify" || runs[i].State != journal.Finished || t.Network != a.question.Study.ModelSHA256 || t.Study != a.question.Study.SHA256 ||
			t.Region != a.spec.Where || !maps.Equal(ofTheQuestion(t.Settings), want) || runs[i].Seconds < limit.Seconds() {
			continue
		}
		if out := a.told(j, &runs[i], q); out != nil {
			return out
		}
	}
	return nil
}

// ofTheQuestion returns the settings that say what was asked, without those that say how.
func ofTheQuestion(settings map[string]string) map[string]string {
	out := maps.Clone(settings)
	maps.DeleteFunc(out, func(name, _ string) bool {
		return !slices.Contains([]string{"notion", "protected", "epsilon", "k", "decision", "bands", "near", "class", "population", "group"}, name) && !strings.HasPrefix(name, "rule.")
	})
	return out
}

// told returns the result in the events of a run; nil if the solver did not finish.
func (a *asker) told(j *journal.Journal, info *journal.Info, q *problem.Query) *quantify.Result {
	var last *record.Shares
	err := j.Events(info.Name, func(e record.Event) error {
		if e.Kind == record.KindShares {
			last = e.Shares
		}
		return nil
	})
	if err != nil || last == nil || !last.Complete {
		return nil
	}
	t := &info.Started.Task
	out := &quantify.Result{
		Asked: asked.Of(a.question.Study, q, t.Seed, info.Seconds), Protected: a.out.Protected, Where: t.Region, AskedK: q.K,
		Shares: quantify.SharesOf(last, nil), Solver: asked.Solver{Name: t.Arm}, Journal: j.Path(), Run: info.Name,
	}
	if out.Rows == nil {
		out.NoRows = "that run evaluated no rows"
	}
	return out
}
