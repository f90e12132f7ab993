package reconcile_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/host/internal/answer/inspect"
	"github.com/hyfair/hyfair/host/internal/answer/reconcile"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/internal/tier"
)

// door is the outcome of hyfair for a real model, its rows and its library's scores: equal if all scores are
// the library's, wrong if some differ, or refused.
type door struct {
	// Blind is the outcome of a draft without scores. A wrong one must come with a doubt.
	Blind string `json:"blind"`
	// Says is a part of the doubts, or of the refusal.
	Says string `json:"says,omitempty"`
	// Scored is the outcome with scores. Inputs then called certain must be equal; others must come with the message
	// that no arrangement was found.
	Scored string `json:"scored"`
	// Label is the label's column; "": paid.
	Label string `json:"label,omitempty"`
}

// TestDoor: no model is misread without a doubt. The scripts in testdata/door make the models with the libraries;
// door.json has the expected outcomes.
func TestDoor(t *testing.T) {
	tier.NeedUsual(t)
	folder := "testdata/door"
	text, err := os.ReadFile(filepath.Join(folder, "door.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows map[string]door
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	models, err := filepath.Glob(filepath.Join(folder, "*.scores.csv"))
	if err != nil || len(models) != len(rows) {
		t.Fatalf("%d models, %d rows in door.json, %v", len(models), len(rows), err)
	}
	for _, scores := range models {
		name := strings.TrimSuffix(filepath.Base(scores), ".scores.csv")
		t.Run(name, func(t *testing.T) {
			model := modelOf(t, folder, name)
			want := rows[name]
			label := cmp.Or(want.Label, "paid")
			try := func(given string) (outcome, said string, solved, checked bool) {
				out := filepath.Join(t.TempDir(), "study.yaml")
				drafted, err := reconcile.Draft(t.Context(), &session.Session{}, draft.Request{
					Data: filepath.Join(folder, name+".data.csv"), Model: model, Label: label, Protected: []string{"sex"}, Scores: given, Out: out,
				})
				if err != nil {
					return "refused", err.Error(), false, false
				}
				if counted := fmt.Sprintf("the scores of all %d rows", drafted.Rows); given != "" && !strings.Contains(drafted.Inputs, counted) {
					t.Errorf("%s; want %s", drafted.Inputs, counted)
				}
				held, err := reconcile.Answer(t.Context(), &session.Session{}, reconcile.Request{Request: inspect.Request{Path: out}, Scores: scores})
				if err != nil {
					return "refused", err.Error(), false, false
				}
				return map[bool]string{true: "equal", false: "wrong"}[held.Scores.Differ == 0], strings.Join(drafted.Doubts, "\n"), drafted.Solved, drafted.InputCheck.Checked
			}
			outcome, said, solved, checked := try("")
			if outcome != want.Blind || !strings.Contains(said, want.Says) || outcome == "wrong" && (said == "" || solved) || checked {
				t.Errorf("without scores %s, %v, %v: %q", outcome, solved, checked, said)
			}
			outcome, said, solved, checked = try(scores)
			if outcome != want.Scored || outcome == "refused" && !strings.Contains(said, want.Says) || solved && outcome != "equal" || checked != (outcome == "equal") || outcome == "wrong" && !strings.Contains(said, "no arrangement") {
				t.Errorf("with scores %s, %v, %v: %q", outcome, solved, checked, said)
			}
		})
	}
}

// modelOf is the model's file, or its folder: the entry with that name beside rows and
// scores.
func modelOf(t *testing.T, folder, name string) string {
	all, err := filepath.Glob(filepath.Join(folder, name+".*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if filepath.Ext(path) != ".csv" {
			return path
		}
	}
	return filepath.Join(folder, name)
}

// TestScoresThatAreNone: invalid scores are refused with the draft's findings about them.
func TestScoresThatAreNone(t *testing.T) {
	name := "testdata/door/sheet-quoted"
	given, err := draft.ReadScores(name + ".scores.csv")
	if err != nil {
		t.Fatal(err)
	}
	text := "p\n"
	for _, v := range given {
		text += fmt.Sprintln(100 * v)
	}
	scores := filepath.Join(t.TempDir(), "s.csv")
	if err := os.WriteFile(scores, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = reconcile.Draft(t.Context(), &session.Session{}, draft.Request{Data: name + ".data.csv", Model: name + ".onnx", Scores: scores, Out: filepath.Join(t.TempDir(), "study.yaml")})
	if err == nil || !strings.Contains(err.Error(), "is not a score from 0 to 1\n") || !strings.Contains(err.Error(), "but a hundredth of each is the model's score: give scores from 0 to 1") {
		t.Error(err)
	}
}

// TestTheOtherValueCounts: a value that was wrongly said to count as 1 is a doubt, and makes nothing else of the inputs.
func TestTheOtherValueCounts(t *testing.T) {
	name := "testdata/door/xgb-categories"
	for _, positive := range []string{"yes", "no"} {
		out, err := reconcile.Draft(t.Context(), &session.Session{}, draft.Request{Data: name + ".data.csv", Model: name + ".json", Label: "paid", Positive: []string{positive}, Out: filepath.Join(t.TempDir(), "study.yaml")})
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(out.Doubts, "\n")
		if strings.Contains(said, "are the lower for paid = no") != (positive == "no") || strings.Contains(said, "the study says missing") || !strings.Contains(out.Inputs, "numbers as they are: log loss") {
			t.Errorf("%s: %s\n%s", positive, out.Inputs, said)
		}
	}
}
