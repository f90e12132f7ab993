package crosscheck

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/host/internal/statistics/scipy"
	"github.com/hyfair/hyfair/internal/tier"
)

// Every p of the published table of tabu search against simulated annealing and random
// walk is what scipy makes of the runs in it.
func TestScipyOnTabu(t *testing.T) {
	tier.NeedUsual(t)
	text, err := os.ReadFile("../../../studies/results/tabu.json")
	if err != nil {
		t.Fatal(err)
	}
	var ablation struct {
		Cells []map[string]json.RawMessage
		experiment.Standings
	}
	if err := json.Unmarshal(text, &ablation); err != nil {
		t.Fatal(err)
	}
	arms, byModel, models := []string{}, map[string][]map[string]json.RawMessage{}, []string{}
	for _, c := range ablation.Cells {
		var arm, model string
		if err := cmp.Or(json.Unmarshal(c["arm"], &arm), json.Unmarshal(c["model"], &model)); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(arms, arm) {
			arms = append(arms, arm)
		}
		if byModel[model] == nil {
			models = append(models, model)
		}
		byModel[model] = append(byModel[model], c)
	}

	var tables []scipy.Table
	var checks []func(scipy.Answer)
	ask := func(one scipy.Table, check func(scipy.Answer)) {
		tables, checks = append(tables, one), append(checks, check)
	}
	same := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %.12g is published, scipy says %.12g", what, got, want)
		}
	}
	ps := 0
	for measure, worst := range map[string]float64{"Max.K": 0, "Avg.K": 0, "#ID": 0, "N.1st": 1e300, "N.target": 1e300, "Shannon": 0, "MinEntropy": 0, "Spread": 0} {
		tested := map[string][]statistics.Cell{}
		values := map[string][][]float64{}
		for _, model := range models {
			for _, c := range byModel[model] {
				var cell statistics.Cell
				if err := json.Unmarshal(c[measure], &cell); err != nil {
					t.Fatalf("%s of %s: %v", measure, model, err)
				}
				var runs []float64
				for _, v := range cell.Values {
					if v == nil {
						v = &worst
					}
					runs = append(runs, *v)
				}
				tested[model], values[model] = append(tested[model], cell), append(values[model], runs)
			}
			ask(scipy.Table{Arms: values[model], Networks: [][]float64{{0, 0}}}, func(a scipy.Answer) {
				n := 0
				for k := range arms {
					for i := k + 1; i < len(arms); i++ {
						for _, x := range tested[model][i].Against {
							if x.Arm == arms[k] {
								same(fmt.Sprintf("p of %s, %s against %s on %s", measure, arms[i], arms[k], model), x.P, a.P[n])
								same(fmt.Sprintf("corrected p of %s, %s against %s on %s", measure, arms[i], arms[k], model), x.PHolm, a.Holm[n])
								ps += 2
							}
						}
						n++
					}
				}
			})
		}
		for _, o := range ablation.Overall {
			if o.Measure != measure {
				continue
			}
			var places [][]float64
			for _, model := range models {
				ranks := statistics.Ranks(slices.Concat(values[model]...))
				var means []float64
				for _, runs := range values[model] {
					means = append(means, statistics.Mean(ranks[:len(runs)]))
					ranks = ranks[len(runs):]
				}
				places = append(places, means)
			}
			ask(scipy.Table{Arms: [][]float64{{0}, {0}}, Networks: places}, func(a scipy.Answer) {
				same("Friedman's χ² of "+measure, *o.Friedman, a.Friedman[0])
				same("Friedman's p of "+measure, *o.P, a.Friedman[1])
				ps++
			})
			for _, pair := range o.Pairs {
				i, k := slices.Index(arms, pair.Arm), slices.Index(arms, pair.Other)
				var effects [][]float64
				for _, model := range models {
					effects = append(effects, []float64{statistics.A12(values[model][i], values[model][k]), statistics.A12(values[model][k], values[model][i])})
				}
				ask(scipy.Table{Arms: [][]float64{{0}, {0}}, Networks: effects}, func(a scipy.Answer) {
					same(fmt.Sprintf("p of %s, %s against %s over networks", measure, pair.Arm, pair.Other), pair.P, a.Wilcoxon[0])
					ps++
				})
			}
		}
	}
	for i, answer := range scipy.Ask(t, tables) {
		checks[i](answer)
	}
	if want := 2 * len(models) * statistics.Pairs(len(arms)); ps < want {
		t.Errorf("%d values of p are checked, fewer than the %d of one measure", ps, want)
	}
	t.Logf("%d values of p", ps)
}
