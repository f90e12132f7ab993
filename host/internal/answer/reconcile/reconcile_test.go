package reconcile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/answer/inspect"
	"github.com/hyfair/hyfair/host/internal/answer/reconcile"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
)

const loan = "../../../../studies/loan"

// TestScores: scores with few digits are the network's; another one is found with its row, those of
// the other class are told, and what is not a score for every row is a mistake.
func TestScores(t *testing.T) {
	st, err := study.Load(loan, study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	decider := individual.New(st.Model, st.Space)
	var scores []float64
	for _, point := range data.Points {
		v, _ := decider.At(point)
		scores = append(scores, v)
	}
	ask := func(head string, change func(i int, v float64) float64, n int) (*reconcile.Result, error) {
		text := head
		for i, v := range scores[:n] {
			text += fmt.Sprintf("%d,%.6f\n", i, change(i, v))
		}
		path := filepath.Join(t.TempDir(), "scores.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return reconcile.Answer(t.Context(), &session.Session{}, reconcile.Request{Request: inspect.Request{Path: loan}, Scores: path})
	}
	same := func(_ int, v float64) float64 { return v }
	for _, head := range []string{"", "id,score\n"} {
		if out, err := ask(head, same, len(scores)); err != nil || out.Scores.Differ != 0 || out.Scores.Worst > 1e-6 || out.Accuracy == nil || out.Scores.Reversed {
			t.Errorf("%q: %+v, %v", head, out, err)
		}
	}
	out, err := ask("id,score\n", func(i int, v float64) float64 {
		if i == 17 {
			return 1 - v
		}
		return v
	}, len(scores))
	if err != nil || out.Scores.Differ != 1 || out.Scores.Decisions != 1 || len(out.Scores.First) != 1 || out.Scores.Reversed {
		t.Fatalf("%+v, %v", out, err)
	}
	if _, line := data.Where(17); out.Scores.First[0].Line != line || out.Scores.First[0].Ours != scores[17] {
		t.Errorf("%+v, want line %d", out.Scores.First[0], line)
	}
	if out, err := ask("", func(_ int, v float64) float64 { return 1 - v }, len(scores)); err != nil || !out.Scores.Reversed || out.Scores.Differ == 0 || len(out.Scores.First) != 10 {
		t.Errorf("%+v, %v", out, err)
	}
	for says, ask := range map[string]func() (*reconcile.Result, error){
		"6,819 scores": func() (*reconcile.Result, error) { return ask("id,score\n", same, len(scores)-1) },
		"from 0 to 1": func() (*reconcile.Result, error) {
			return ask("", func(_ int, v float64) float64 { return 2 + v }, len(scores))
		},
	} {
		if _, err := ask(); err == nil || !session.IsMistake(err) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}
