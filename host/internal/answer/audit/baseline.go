package audit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/joint"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
)

// Other returns the question q with another model. The argument at names a study or, in the form
// that --model takes, a model for the study of q. A study gives its model, inputs and threshold;
// everything else, the favourable decision too, comes from q. It is an error if only one of the
// models predicts a number, or if their bands differ.
func Other(q *question.Question, at string) (*question.Question, error) {
	path, o := q.Spec.Study, study.Options{DataRoot: q.Spec.Data, Model: at, Threshold: q.Spec.Threshold, Bands: q.Spec.Bands, Parts: true}
	if study.IsStudy(at) {
		path, o.Model = at, ""
	}
	st, err := study.Load(path, o)
	if err != nil {
		return nil, err
	}
	out := *q
	if out.Space, err = joint.Fed(q.Space, st.Space); err != nil {
		return nil, err
	}
	if q.Study.Number != st.Number {
		return nil, fmt.Errorf("%s and %s: one predicts a number, the other decides: only models of one kind can be compared", q.Study.ModelPath, st.ModelPath)
	}
	if a, b := q.Study.Bands, st.Bands; (a != nil || b != nil) && (a.String() != b.String() || q.Study.Rule.Low != st.Rule.Low) {
		return nil, fmt.Errorf("%s and %s decide by different bands (%s and %s) or have different favourable ends: --bands sets those of both", q.Study.ModelPath, st.ModelPath, cmp.Or(a.String(), "none"), cmp.Or(b.String(), "none"))
	}
	st.Notion, st.Epsilon, st.Rule.Low = q.Study.Notion, q.Study.Epsilon, q.Study.Rule.Low
	out.Study = st
	return &out, nil
}

// baseline opens the old model. It returns the same question about that model, and its audit
// configuration.
func (r *Request) baseline(now *question.Question) (*question.Question, *Config, error) {
	before, err := Other(now, r.Baseline)
	if err != nil {
		return nil, nil, err
	}
	c, err := ConfigOf(before)
	if err != nil {
		return nil, nil, err
	}
	return before, &c, nil
}

// needsBaseline checks that a baseline is given if a gate needs it.
func (r *Request) needsBaseline() error {
	if r.Baseline == "" && slices.ContainsFunc(r.Gates, func(g gate.Gate) bool { return g.Name == MaxWorse }) {
		return errors.New("--" + MaxWorse + " compares with an old model: name it with --baseline")
	}
	return nil
}
