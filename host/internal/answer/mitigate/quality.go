package mitigate

import (
	"math"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// Quality is a subject's performance on rows with known outcome. Shares are 0 to 1; nil for
// a share of no rows.
type Quality struct {
	// The number of rows.
	Rows int `json:"rows"`
	// The number of rows that are not refused.
	Answered int `json:"answered"`
	// The share of the rows that guardrails refuse.
	Refused *float64 `json:"refused"`
	// The share of right answers among all rows; a refusal counts as wrong.
	Accuracy *float64 `json:"accuracy"`
	// The share of right answers among the answered rows.
	AccuracyAnswered *float64 `json:"accuracy_answered"`
	// The F1 score of the label 1, over the answered rows: 2·TP / (2·TP + FP + FN); null if that
	// denominator is 0.
	F1 *float64 `json:"f1"`
	// The share of the answered rows in the searched region with a gap above ε; all are evaluated.
	Unfair *float64 `json:"unfair"`
	// The largest demographic parity difference of all attributes.
	Parity *float64 `json:"demographic_parity_difference"`
	// The largest equal opportunity difference of all attributes.
	Opportunity *float64 `json:"equal_opportunity_difference"`
	// The differences by attribute.
	Groups []Groups `json:"groups"`
}

// Groups compares the groups given by the values of one protected attribute.
type Groups struct {
	// The protected attribute.
	Attribute string `json:"attribute"`
	// The largest less the smallest share of positive decisions among groups of at least 10 rows;
	// null with fewer than two such groups.
	Parity *float64 `json:"demographic_parity_difference"`
	// The same over the rows with the label 1; of negative decisions and the label 0 where the negative decision is
	// favourable.
	Opportunity *float64 `json:"equal_opportunity_difference"`
}

// MinGroup is the least number of rows of a group to be compared; shares of fewer are
// unreliable.
const MinGroup = 10

// Judge measures a subject on rows and their labels. A row's group is its own value of an attribute
// if that is categorical or has a domain no larger than its list of protected values. Otherwise it
// is the nearest value in that list, and of two equally near values the smaller.
func Judge(s *space.Space, rule fairness.Rule, subject Subject, rows [][]float64, labels []int) Quality {
	protected := s.Protected()
	counts := make([]map[float64]*tally, len(protected))
	for k := range counts {
		counts[k] = map[float64]*tally{}
	}
	var all tally
	decider := individual.New(subject.Model, s, rule)
	for i, row := range rows {
		if _, refused := guard.Refuses(subject.Guards, row); refused {
			continue
		}
		_, positive := decider.At(row)
		all.add(positive, labels[i] == 1)
		for k, f := range protected {
			group := groupOf(&s.Features[f], row[f])
			if counts[k][group] == nil {
				counts[k][group] = &tally{}
			}
			counts[k][group].add(positive, labels[i] == 1)
		}
	}
	right := all.hits + all.rejections
	q := Quality{
		Rows: len(rows), Answered: all.rows(), Refused: share(len(rows)-all.rows(), len(rows)),
		Accuracy: share(right, len(rows)), AccuracyAnswered: share(right, all.rows()),
		F1: share(2*all.hits, 2*all.hits+all.alarms+all.misses), Groups: []Groups{},
	}
	for k, f := range protected {
		g := Groups{
			Attribute:   s.Features[f].Name,
			Parity:      spread(counts[k], func(t *tally) (int, int) { return t.hits + t.alarms, t.rows() }),
			Opportunity: spread(counts[k], func(t *tally) (int, int) { return t.deserved(rule) }),
		}
		q.Groups = append(q.Groups, g)
		q.Parity, q.Opportunity = larger(q.Parity, g.Parity), larger(q.Opportunity, g.Opportunity)
	}
	return q
}

// tally counts decisions by outcome.
type tally struct {
	hits, alarms       int // positive decisions, with positive and with other outcome
	misses, rejections int // negative decisions, likewise
}

func (t *tally) add(decision, outcome bool) {
	switch {
	case decision && outcome:
		t.hits++
	case decision:
		t.alarms++
	case outcome:
		t.misses++
	default:
		t.rejections++
	}
}

// deserved counts the rows with the favourable outcome (whole), and those of them with the
// favourable decision as well (part).
func (t *tally) deserved(rule fairness.Rule) (part, whole int) {
	if rule.Low {
		return t.rejections, t.rejections + t.alarms
	}
	return t.hits, t.hits + t.misses
}

func (t *tally) rows() int { return t.hits + t.alarms + t.misses + t.rejections }

// spread returns the largest less the smallest share among groups of at least MinGroup; nil
// with fewer than two such groups.
func spread(groups map[float64]*tally, count func(*tally) (part, whole int)) *float64 {
	lo, hi, n := math.Inf(1), math.Inf(-1), 0
	for _, t := range groups {
		part, whole := count(t)
		if whole < MinGroup {
			continue
		}
		v := float64(part) / float64(whole)
		lo, hi, n = min(lo, v), max(hi, v), n+1
	}
	if n < 2 {
		return nil
	}
	difference := hi - lo
	return &difference
}

func share(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	v := float64(part) / float64(whole)
	return &v
}

func larger(a, b *float64) *float64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

// groupOf returns the value whose group v belongs to.
func groupOf(f *space.Feature, v float64) float64 {
	if f.Discrete() && f.Hi-f.Lo < float64(len(f.Protected)) || f.Kind == space.Categorical {
		return v
	}
	nearest := f.Protected[0]
	for _, p := range f.Protected {
		if math.Abs(p-v) < math.Abs(nearest-v) {
			nearest = p
		}
	}
	return nearest
}
