package series

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/answer/mitigate"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/view"
)

// tidied are some columns of a table's rows.
func tidied(t *testing.T, of experiment.Table, columns ...string) string {
	t.Helper()
	rows := of.Records()
	for i, row := range rows {
		rows[i] = nil
		for _, name := range columns {
			value := view.Value{Name: name}
			for _, v := range row {
				if v.Name == name {
					value = v
				}
			}
			rows[i] = append(rows[i], value)
		}
	}
	var b strings.Builder
	if err := rows.Write(&b, view.CSV); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A network of a grid has a row with the grid's values and the first predicate, also where
// it failed, or was not reached.
func TestTidyExplanations(t *testing.T) {
	p := &Plan[explain.Request, explain.Result]{Kind: Explain, Name: "g", Seed: 1, Threads: 1, Jobs: 1}
	for i, k := range []string{"3", "5", "7"} {
		p.Add(explain.Request{Spec: question.Spec{Study: "no/loan.yaml", Model: []string{"", "net-1.h5", ""}[i]}}, "name", gridfile.Point{{Key: "individuals", Text: k}})
	}
	done := &explain.Result{InitK: 20, Predicates: []explain.Predicate{{Size: 2, Diff: 0.1}, {Size: 3}}}
	table := p.Table(p, []Cell[explain.Result]{{Result: done, Seconds: 1.5}, {Error: "lost", Retried: "killed", Seconds: 2}, {}})
	want := `experiment,study,model,individuals,seed,status,seconds,retried,error,init_k,predicate.size,predicate.diff
g,loan,loan,3,1,done,1.5,,,20,2,0.1
g,loan,net-1,5,1,failed,2,killed,lost,,,
g,loan,loan,7,1,missing,,,,,,
`
	if d := cmp.Diff(want, tidied(t, table, strings.Split(strings.SplitN(want, "\n", 2)[0], ",")...)); d != "" {
		t.Error(d)
	}
}

// A mitigation has a row for each way, and the grid's seed counts.
func TestTidyMitigations(t *testing.T) {
	p := &Plan[mitigate.Request, mitigate.Result]{Kind: Mitigate, Name: "m", Seed: 1, Threads: 1, Jobs: 1}
	p.Add(mitigate.Request{Search: search.Request{Spec: question.Spec{Study: "no/loan.yaml"}}}, "loan", gridfile.Point{{Key: "seed", Text: "4"}})
	done := &mitigate.Result{Seed: 9, Arms: []mitigate.ArmResult{
		{Name: "original", Measures: search.Measures{MaxK: new(20.0)}, Quality: &mitigate.Quality{F1: new(0.5)}}, {Name: "blind", Skipped: "why"},
	}}
	want := `experiment,arm,seed,status,way,skipped,Max.K,quality.f1
m,seed=4,4,done,original,,20,0.5
m,seed=4,4,done,blind,why,,
`
	table := p.Table(p, []Cell[mitigate.Result]{{Result: done}})
	if d := cmp.Diff(want, tidied(t, table, strings.Split(strings.SplitN(want, "\n", 2)[0], ",")...)); d != "" {
		t.Error(d)
	}
}
