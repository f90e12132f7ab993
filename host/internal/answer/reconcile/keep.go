package reconcile

import (
	"context"
	"fmt"

	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/host/internal/answer/inspect"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Draft drafts a study, compares the given scores, if any, with those of the written study, and
// stores the results next to it.
func Draft(ctx context.Context, s *session.Session, r draft.Request) (*draft.Result, error) {
	out, err := draft.Answer(ctx, s, r)
	if err != nil || r.Model == "" {
		return out, err
	}
	st, err := study.Load(r.Out, study.Options{Parts: true})
	if err != nil {
		return nil, session.Mistake(err)
	}
	var held *Scores
	if r.Scores != "" {
		own := &Result{}
		if _, err := own.hold(&Request{Request: inspect.Request{Path: r.Out}, Scores: r.Scores}); err != nil {
			for _, doubt := range out.Doubts {
				err = fmt.Errorf("%w\n%s", err, doubt)
			}
			return nil, session.Mistake(err)
		}
		held = &own.Scores
	}
	out.InputCheck = keep(s, st, held, &inspect.Rows{Accuracy: out.Accuracy, Majority: out.Majority}, out.Doubts)
	return out, nil
}

// keep stores what is known of the study's inputs next to the study: the comparison of scores,
// nil without one, the accuracy over the rows, and other doubts.
func keep(s *session.Session, st *study.Study, held *Scores, rows *inspect.Rows, doubts []string) *study.InputCheck {
	out := &study.InputCheck{Doubts: doubts}
	switch {
	case held == nil:
	case held.Differ > 0 || held.Rows == 0:
		out.Why = fmt.Sprintf("%s of %s scores differ from those of %s, by up to %.3g", view.Count(held.Differ), view.Count(held.Rows), held.File, held.Worst)
	default:
		out.Checked, out.By, out.Rows, out.Worst = true, study.ByScores, held.Rows, held.Worst
	}
	if rows != nil && rows.Accuracy != nil && *rows.Accuracy <= *rows.Majority {
		out.Doubts = append(out.Doubts, fmt.Sprintf("the model is right about %.2f %% of the rows, but always predicting the more frequent label about %.2f %%: its inputs may not be the study's, unless it was trained on balanced classes", *rows.Accuracy, *rows.Majority))
	}
	if err := st.KeepInputCheck(*out); err != nil {
		s.Note("cannot record the check of the study's inputs: %v", err)
	}
	return out
}
