package checker

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	sdkmodel "github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
)

// TestNamedDecisions asks solver-bnb for proofs about decisions at thresholds and with bands. The checker accepts
// them, and refuses each whose threshold, bands or claim were changed so that the claim is false.
func TestNamedDecisions(t *testing.T) {
	solver, _ := plugintest.Solver(t, "bnb")
	counts := map[string]int{}
	for seed := range uint64(tier.Count(24, 300)) {
		r := rand.New(rand.NewPCG(seed, 77))
		banded := seed%2 == 0
		notion := fairness.Decision
		if banded {
			notion = fairness.Score
		}
		var st *certificate.Statement
		switch seed % 3 {
		case 0:
			st = randomStatement(r, notion, false)
		case 1:
			st = randomForest(r, notion, false)
		case 2:
			if banded {
				notion = fairness.Share
			}
			if st = randomForest(r, fairness.Share, false); st.Notion != notion {
				st.Notion = notion
			}
		}
		q := &problem.Query{Model: st.Model(), Space: st.Space, Region: st.Region, Notion: notion, Epsilon: st.Epsilon, Forbid: st.Forbid, Goal: problem.MaxK}
		borders := scoresOf(r, st)
		if banded {
			q.Bands = bandsAt(borders)
		} else if !decidedAt(t, q, fairness.Rule{Threshold: borders[0], At: r.IntN(2) == 0}) {
			continue
		}
		named, err := certificate.FromQuery(q)
		if err != nil {
			t.Fatal(err)
		}
		if named.Claim.Kind = certificate.Fair; !banded {
			if q.Goal = problem.Decide; !holds(&named) {
				q.Goal = problem.Maximise
			}
		}
		text, _ := solved(t, solver, q)
		name := fmt.Sprintf("seed %d, %s, %s", seed, q.Goal, q.Bands)
		if why := judge(t, text); why != "" {
			t.Errorf("%s: refused: %s", name, why)
		}
		counts[q.Goal.String()]++
		for range 10 {
			d := parse(t, text)
			changed, claim := d.header["decision"].(map[string]any), d.header["claim"].(map[string]any)
			switch other := betweenOf(r, st); {
			case banded && r.IntN(3) > 0:
				claim["k"] = max(1, claim["k"].(float64)-1)
			case q.Goal == problem.Maximise && r.IntN(3) > 0:
				bound, _ := new(big.Rat).SetString(claim["bound"].(string))
				claim["bound"] = bound.Mul(bound, big.NewRat(999, 1000)).RatString()
			case banded:
				var list []any
				for _, b := range bandsAt(other) {
					list = append(list, map[string]any{"name": b.Name, "least": fairness.FormatRat(b.Least)})
				}
				changed["bands"] = list
			default:
				changed["threshold"], changed["at"] = fairness.FormatRat(other[0]), r.IntN(2) == 0
			}
			mutant := d.bytes(t)
			reader, err := certificate.NewReader(bytes.NewReader(mutant))
			if err != nil {
				t.Fatal(err)
			}
			switch truth, why := holds(reader.Statement()), judge(t, mutant); {
			case why == "" && !truth:
				t.Errorf("%s: accepted though it is false: %v, %v", name, d.header["decision"], d.header["claim"])
			case truth:
				counts["true mutants"]++
			default:
				counts["false mutants"]++
			}
		}
	}
	t.Log(counts)
	if counts["false mutants"] < tier.Count(20, 1000) || counts["decide"] == 0 || counts["maximise"] == 0 || counts["max-k"] == 0 {
		t.Errorf("%v: the test shows little", counts)
	}
}

// scoresOf draws scores near those of individuals, increasing.
func scoresOf(r *rand.Rand, st *certificate.Statement) (out []*big.Rat) {
	var all []float64
	individuals(st, func(_ []float64, logits []*big.Rat) {
		l, _ := logits[r.IntN(len(logits))].Float64()
		all = append(all, st.Model().Link().Score(l))
	})
	for range 1 + r.IntN(3) {
		text := fmt.Sprintf("0.%04d", 1+r.IntN(9998))
		if len(all) > 0 {
			text = fmt.Sprintf("%.6f", min(max(all[r.IntN(len(all))], 1e-6), 1-1e-6))
		}
		v, _ := new(big.Rat).SetString(text)
		if len(out) == 0 || v.Cmp(out[len(out)-1]) > 0 {
			out = append(out, v)
		}
	}
	return out
}

// betweenOf is scoresOf, most often with the scores between the copies of one individual, so that all of them get different bands.
func betweenOf(r *rand.Rand, st *certificate.Statement) (out []*big.Rat) {
	var all [][]float64
	individuals(st, func(_ []float64, logits []*big.Rat) {
		var scores []float64
		for _, logit := range logits {
			l, _ := logit.Float64()
			scores = append(scores, st.Model().Link().Score(l))
		}
		slices.Sort(scores)
		if scores[len(scores)-1]-scores[0] > 1e-4 {
			all = append(all, scores)
		}
	})
	if len(all) == 0 || r.IntN(8) == 0 {
		return scoresOf(r, st)
	}
	scores := all[r.IntN(len(all))]
	for i := 1; i < len(scores); i++ {
		v, _ := new(big.Rat).SetString(fmt.Sprintf("%.9f", scores[i-1]/2+scores[i]/2))
		if scores[i]-scores[i-1] > 1e-6 && v.Sign() > 0 && v.Cmp(big.NewRat(1, 1)) < 0 {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return scoresOf(r, st)
	}
	return out
}

func bandsAt(borders []*big.Rat) fairness.Bands {
	out := fairness.Bands{{Name: "0", Least: new(big.Rat)}}
	for i, b := range borders {
		out = append(out, fairness.Band{Name: fmt.Sprint(i + 1), Least: b})
	}
	return out
}

// decidedAt makes a query one for decisions by the rule, if its model can.
func decidedAt(t *testing.T, q *problem.Query, rule fairness.Rule) bool {
	t.Helper()
	decided, err := q.Model.(sdkmodel.Lowering).Less(sdkmodel.Constant(rule.LargestNo(q.Model.Link(), 300)))
	if err != nil || rule.IsDefault() {
		return false
	}
	q.Scored, q.Model, q.Rule = q.Model, decided, rule
	return true
}
