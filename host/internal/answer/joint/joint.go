// Package joint asks one question about two models: which individuals do they treat
// differently? If one of them always says no, the other says yes to these individuals. The
// question's model computes both models, and its only protected feature is a switch between them.
// So everything that answers questions about copies of a person also compares two models.
package joint

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// The values of the switch.
const (
	Old = 0
	New = 1
)

// Switch is the name of the protected feature.
const Switch = "model (old, new)"

// Of returns the question about old and new, whose spaces may differ only in inputs, as Fed
// makes them. The notion and epsilon, or for decisions the bands of both, define which outcomes
// differ. Individuals have all features of old's space, including the protected ones. apart says
// why no solver can be asked about both models, for example because their families differ; empty
// if one can.
func Of(old, new *question.Question, n fairness.Notion, epsilon *big.Rat) (q *problem.Query, apart string, err error) {
	q = &problem.Query{Notion: n, Epsilon: epsilon, Goal: problem.Quantify, Space: spaceOf(old.Space, new.Space)}
	if err := restrict(q, old.Where); err != nil {
		return nil, "", err
	}
	a, b, bands := old.Study.Model, new.Study.Model, old.Study.Bands
	if n != fairness.Decision {
		bands = nil
	}
	if (n.UsesEpsilon() || bands != nil) && (a.Link() == fairness.LinkShare) != (b.Link() == fairness.LinkShare) {
		return nil, "", fmt.Errorf("the score of one model is a share, that of the other is not: compare their decisions with --notion decision, and --threshold in place of bands")
	}
	shown, apart := join(a, b, q)
	q.Model = shown
	if n == fairness.Share && apart == "" { // the joined model's logits are the shares, less a constant
		q.Notion = fairness.Logit
	}
	if bands != nil {
		if q.Bands = bands; apart == "" && a.Link() == fairness.LinkShare {
			q.Model, apart = eitherOf(a, b), "the joined model has no shares, which bands need; --threshold proves one border"
		}
		q.Notion = q.Model.Link().Notion(fairness.Score)
	} else if !n.UsesEpsilon() {
		if a, err = old.Study.Decided(); err == nil {
			b, err = new.Study.Decided()
		}
		if err != nil {
			return nil, "", err
		}
		if a != old.Study.Model || b != new.Study.Model {
			q.Model, apart = join(a, b, q)
			q.Scored = shown
		}
	}
	return q, apart, q.Validate()
}

// Yes returns the question of which individuals get a positive decision, as a comparison with a model that always says no.
// Individuals have all features of the question's space, including the protected ones.
func Yes(of *question.Question) (*problem.Query, error) {
	m, err := of.Study.Decided()
	if err != nil {
		return nil, err
	}
	switched, ok := m.(model.Joining)
	if !ok {
		return nil, fmt.Errorf("%s: rates cannot be proved for models of the family %s", of.Study.ModelPath, m.Family())
	}
	q := &problem.Query{Notion: fairness.Decision, Goal: problem.Quantify, Space: spaceOf(of.Space, &space.Space{Features: make([]space.Feature, len(of.Space.Features))})}
	if err := restrict(q, of.Where); err != nil {
		return nil, err
	}
	if q.Model, err = switched.Switched(bound.Linear(m, bound.Inputs(q.Space, q.Region)[:m.Inputs()]).Logit.Hi); err != nil {
		return nil, fmt.Errorf("%s: %w", of.Study.ModelPath, err)
	}
	return q, q.Validate()
}

// restrict restricts a question to the individuals for which the predicate of --where holds.
func restrict(q *problem.Query, where space.Predicate) (err error) {
	var rest space.Predicate
	if q.Region, rest, err = q.Space.Cut(q.Space.Whole(), where); err != nil {
		return fmt.Errorf("--where: %w", err)
	}
	if len(rest) > 0 {
		q.Require = []space.Predicate{rest}
	}
	return nil
}

// Fed returns the space s with the inputs of the other study's space. Both must have the same
// features, in any order.
func Fed(s, other *space.Space) (*space.Space, error) {
	out := *s
	out.Features, out.Inputs = slices.Clone(s.Features), other.Inputs
	if len(s.Features) != len(other.Features) {
		return nil, fmt.Errorf("the features of one study are %v, those of the other %v: they must be the same", s.Names(), other.Names())
	}
	for i := range out.Features {
		a := &out.Features[i]
		at, ok := other.Index(a.Name)
		if !ok {
			return nil, fmt.Errorf("the features of one study are %v, those of the other %v: they must be the same", s.Names(), other.Names())
		}
		b := &other.Features[at]
		if a.Kind != b.Kind || a.Lo != b.Lo || a.Hi != b.Hi || a.Missing != b.Missing || !slices.Equal(a.Categories, b.Categories) {
			return nil, fmt.Errorf("feature %s is %s in one study, %s in the other: it must have the same values", a.Name, domain(a), domain(b))
		}
		a.Inputs = b.Inputs
	}
	return &out, out.ValidateFeatures()
}

func domain(f *space.Feature) string {
	if f.Kind == space.Categorical {
		return fmt.Sprintf("one of %v", f.Categories)
	}
	numbers, missing := f.Numbers(), ""
	if f.Missing {
		missing = ", or missing"
	}
	return fmt.Sprintf("%s from %v to %v%s", f.Kind, numbers.Lo, numbers.Hi, missing)
}

// spaceOf returns the joint space: each feature feeds the inputs of both models, and the switch
// feeds the last input.
func spaceOf(old, new *space.Space) *space.Space {
	out := &space.Space{Forbidden: old.Forbidden, Inputs: old.Inputs + new.Inputs + 1}
	for i := range old.Features {
		f := old.Features[i]
		f.Protected = nil
		f.Inputs = slices.Clone(f.Inputs)
		for _, in := range new.Features[i].Inputs {
			in.Index += old.Inputs
			f.Inputs = append(f.Inputs, in)
		}
		out.Features = append(out.Features, f)
	}
	out.Features = append(out.Features, space.Feature{
		Name: Switch, Kind: space.Categorical, Hi: New, Categories: []string{"old", "new"}, Protected: []float64{Old, New},
		Inputs: []space.Input{{Index: out.Inputs - 1, Table: []float64{Old, New}}},
	})
	return out
}

// join returns a model of both, and why no solver can be asked about it; empty if one can.
func join(old, new model.Model, q *problem.Query) (m model.Model, apart string) {
	apart = fmt.Sprintf("the models are of the families %s and %s", old.Family(), new.Family())
	if j, ok := old.(model.Joining); ok && old.Family() == new.Family() {
		inputs, most := bound.Inputs(q.Space, q.Region), 0.0
		for _, b := range []*bound.Bounds{bound.Linear(old, inputs[:old.Inputs()]), bound.Linear(new, inputs[old.Inputs():old.Inputs()+new.Inputs()])} {
			most = max(most, -b.Logit.Lo, b.Logit.Hi)
		}
		m, err := j.Join(new, most)
		if err == nil {
			return m, ""
		}
		apart = fmt.Sprintf("the models cannot be joined: %v", err)
	}
	for _, m := range []model.Model{old, new} {
		if o, ok := m.(model.Observed); ok {
			apart = o.Source() + " is known by its answers only (observed)"
		}
	}
	return eitherOf(old, new), apart
}
