package compare

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/question"
)

// An arm's ε is in its notion's unit: where the study has one in logits, arms
// about logits keep it, whatever score difference the measures take.
func TestEpsilonOfArms(t *testing.T) {
	score := tinyStudy(t, [6]float64{1, 1, 1, 1, 1, 1})
	logit := filepath.Join(filepath.Dir(score), "logit.yaml")
	if err := os.WriteFile(logit, []byte("extends: study.yaml\nnotion: logit\nepsilon: 1/3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ study, question, notion, epsilon, want string }{
		{score, "", "", "", "1/20"},
		{score, "", "logit", "", "1/20"},
		{score, "0.1", "score", "", "1/10"},
		{score, "0.1", "score", "0.2", "1/5"},
		{score, "0.1", "decision", "0.2", ""},
		{logit, "0.1", "", "", "1/3"},
		{logit, "0.1", "logit", "2.5", "5/2"},
		{logit, "0.1", "score", "", "1/10"},
	} {
		p := &Plan{Terms: experiment.Terms{Scope: question.Scope{Epsilon: c.question}}}
		if err := p.AddSubject(question.Spec{Study: c.study}, ""); err != nil {
			t.Fatal(err)
		}
		q, err := p.Subjects[0].query(&Arm{Notion: c.notion, Epsilon: c.epsilon})
		if err != nil {
			t.Fatal(err)
		}
		if got := q.Epsilon; (got == nil) != (c.want == "") || got != nil && got.RatString() != c.want {
			t.Errorf("%+v: ε = %v", c, got)
		}
	}
	if err := new(Plan).AddSubject(question.Spec{Study: logit}, ""); err == nil {
		t.Error("logits are taken for a score difference")
	}
}
