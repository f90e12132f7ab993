package audit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/joint"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
)

// Other is the question of spec asked of another model: at is a study, or a model for the study of spec as --model names it.
func Other(spec question.Spec, at string) (*question.Question, error) {
	spec.StudySHA256, spec.ModelSHA256, spec.DataSHA256 = "", "", ""
	if study.IsStudy(at) {
		spec.Study, spec.Model = at, ""
	} else {
		spec.Model = at
	}
	return question.Open(spec)
}

// baseline opens the model before.
func (r *Request) baseline(now *question.Question) (*question.Question, *Config, error) {
	before, err := Other(r.Spec, r.Baseline)
	if err != nil {
		return nil, nil, err
	}
	if err := joint.SameFeatures(before.Space, now.Space); err != nil {
		return nil, nil, err
	}
	c, err := ConfigOf(before)
	if err == nil && before.Study.Number != now.Study.Number {
		err = fmt.Errorf("%s and %s: one predicts a number, the other decides", before.Study.ModelPath, now.Study.ModelPath)
	}
	return before, &c, err
}

// needsBaseline checks that the gate of changes has something to be held against.
func (r *Request) needsBaseline() error {
	if r.Baseline == "" && slices.ContainsFunc(r.Gates, func(g gate.Gate) bool { return g.Name == MaxWorse }) {
		return errors.New("--" + MaxWorse + " compares with a model before, which --baseline names")
	}
	return nil
}
