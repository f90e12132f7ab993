package compare

import (
	"fmt"
	"math/big"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Question is what all arms of a comparison are asked about: the part of it
// that does not depend on the arm. The zero value is the study's own.
type Question struct {
	// Epsilon of the measures, a score difference: who counts as found. Empty: the
	// study's.
	Epsilon   string   `json:"epsilon,omitempty"`
	Protected []string `json:"protected,omitempty"`
	Where     string   `json:"where,omitempty"`
	Rules     []string `json:"rules,omitempty"`
}

// Source is where a study and its network are read from.
type Source struct {
	// Study is the study file, Data the data root, Model a network in place of
	// the study's: a file or a bare name.
	Study string `json:"study"`
	Data  string `json:"data,omitempty"`
	Model string `json:"model,omitempty"`
}

// Loaded is a study with the question applied to it. It is read-only.
type Loaded struct {
	*study.Study
	// Space has the protected features that the question asks for; Region is what
	// --where leaves of it, and Rest what of it no box can say.
	Space  *space.Space
	Region space.Region
	Rest   space.Predicate
	// Epsilon of the measures, exact.
	Epsilon *big.Rat
}

// Load reads a study and applies the question.
func Load(from Source, q Question) (*Loaded, error) {
	st, err := study.Load(from.Study, study.Options{DataRoot: from.Data, Model: from.Model, Rules: q.Rules})
	if err != nil {
		return nil, err
	}
	l := &Loaded{Study: st, Space: st.Space}
	if len(q.Protected) > 0 && !(len(q.Protected) == 1 && q.Protected[0] == "all") {
		if l.Space, err = st.Space.Protect(q.Protected...); err != nil {
			return nil, fmt.Errorf("protected: %w", err)
		}
	}
	where, err := space.ParsePredicate(l.Space, q.Where)
	if err != nil {
		return nil, fmt.Errorf("where: %w", err)
	}
	if l.Region, l.Rest, err = l.Space.Cut(l.Space.Whole(), where); err != nil {
		return nil, fmt.Errorf("where: %w", err)
	}
	if l.Epsilon, err = st.EpsilonFor(fairness.Score, q.Epsilon); err != nil {
		return nil, fmt.Errorf("epsilon: %w", err)
	}
	return l, nil
}

// query is an arm's question about the whole region.
func (l *Loaded) query(a *Arm, seed int64) (*problem.Query, error) {
	q := &problem.Query{Network: l.Network, Space: l.Space, Region: l.Region, Goal: problem.Decide, Notion: l.Notion, Seed: seed}
	if len(l.Rest) > 0 {
		q.Require = []space.Predicate{l.Rest}
	}
	var err error
	if a.Notion != "" {
		if q.Notion, err = fairness.ParseNotion(a.Notion); err != nil {
			return nil, err
		}
	}
	if q.Notion.UsesEpsilon() {
		q.Epsilon = l.Epsilon
		if a.Epsilon != "" || q.Notion == fairness.Logit && l.Notion == fairness.Logit { // where the study has one in logits, it stays
			if q.Epsilon, err = l.EpsilonFor(q.Notion, a.Epsilon); err != nil {
				return nil, fmt.Errorf("epsilon: %w", err)
			}
		}
	}
	return q, q.Validate()
}

// evaluator measures individuals in the question's region.
func (l *Loaded) evaluator() (*evaluate.Evaluator, error) {
	return evaluate.New(l.Network, l.Space, l.Region, l.Epsilon)
}
