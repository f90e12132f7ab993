package compare

import (
	"math/big"

	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Loaded is a study with the question applied to it. It is read-only.
type Loaded struct {
	*study.Study
	// Space, Region and Rest are the question's.
	Space  *space.Space
	Region space.Region
	Rest   space.Predicate
	// Epsilon of the measures, a score difference: who counts as found.
	Epsilon *big.Rat

	asked *question.Question
}

// Load reads a study and applies the question.
func Load(spec question.Spec) (*Loaded, error) {
	q, err := question.Open(spec)
	if err != nil {
		return nil, err
	}
	l := &Loaded{Study: q.Study, Space: q.Space, Region: q.Region, Rest: q.Rest, asked: q}
	l.Epsilon, err = q.EpsilonFor(fairness.Score)
	return l, err
}

// query is an arm's question about the whole region.
func (l *Loaded) query(a *Arm) (*problem.Query, error) {
	asked := *l.asked
	asked.Spec.Notion, asked.Spec.Epsilon = a.Notion, a.Epsilon
	notion := l.Notion
	if a.Notion != "" {
		var err error
		if notion, err = fairness.ParseNotion(a.Notion); err != nil {
			return nil, err
		}
	}
	// Without ε of its own, an arm has that of the measures; in logits the study's,
	// where that is one.
	if a.Epsilon == "" && !(notion == fairness.Logit && l.Notion == fairness.Logit) {
		asked.Spec.Epsilon = fairness.FormatRat(l.Epsilon)
	}
	return asked.Query(problem.Decide)
}

// evaluator measures individuals in the question's region.
func (l *Loaded) evaluator() (*evaluate.Evaluator, error) {
	return evaluate.New(l.Network, l.Space, l.Region, l.Epsilon)
}
