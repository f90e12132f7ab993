package crosscheck

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/scorer"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
)

// read is a model plugin around a study's model that hyfair reads.
type read struct{ *study.Study }

func (r read) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{Name: "read", Version: "1", Scale: sdk.ScaleLogit}, nil
}

func (r read) Score(_ context.Context, rows [][]float64) ([]float64, error) {
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = r.Model.Logit(r.Space.NetworkInputs(nil, row))
	}
	return out, nil
}

// A plugin around a model that hyfair reads gives the answers of the model itself: equal counts, people and
// texts, and numbers that differ in the rounding of float64 only, since the evaluator sums in another order.
func TestObservedEqualsRead(t *testing.T) {
	tier.NeedUsual(t)
	loan, err := filepath.Abs("../../../studies/loan/study.yaml")
	if err != nil {
		t.Fatal(err)
	}
	st, err := study.Load(loan, study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	asked := filepath.Join(folder, "study.yaml")
	text := "extends: " + loan + "\nname: loan\nmodel: {attach: " + plugintest.Attach(t, read{st}) + "}\n"
	if err := os.WriteFile(asked, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	hub := &scorer.Hub{Journal: func() (*journal.Journal, error) { return nil, nil }}
	scorer.Use(hub)
	t.Cleanup(func() { hub.Close() })
	catalogue, err := discover.New(plugintest.Folder(t, map[string]string{"hyfair-search-sa": "plugins/search-sa"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(path string) (out [3]map[string]any) {
		s := &session.Session{Plugins: catalogue, Threads: 1, Begun: time.Now(), JournalFile: filepath.Join(folder, filepath.Base(filepath.Dir(path))+".db")}
		defer s.Close()
		spec := question.Spec{Study: path, Scope: question.Scope{Protected: []string{"sex", "origin"}, Where: "age=30..31"}}
		audited, err := audit.Answer(t.Context(), s, audit.Request{Spec: spec, Top: -1, Groups: true, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		found, err := search.Answer(t.Context(), s, search.Request{Spec: spec, Mode: search.Paper, Solver: search.NoSolver, Budget: "200ev", Runs: 1, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		explained, err := explain.Answer(t.Context(), s, explain.Request{
			Spec: spec, Strategy: "sa", Budget: "200ev", Individuals: 1, Method: explain.DefaultMethod(), LIME: true, LIMESamples: 100, Seed: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range []any{audited, found, explained} {
			text, err := json.Marshal(v)
			if err == nil {
				err = json.Unmarshal(text, &out[i])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
	want, got := ask(loan), ask(asked)
	for i, name := range []string{"audit", "search", "explain"} {
		if diff := cmp.Diff(want[i], got[i], cmpopts.EquateApprox(1e-12, 1e-15), cmpopts.IgnoreMapEntries(differs)); diff != "" {
			t.Errorf("%s differs:\n%s", name, diff)
		}
	}
}

// differs reports whether a value differs between any two runs, or says where a model comes from.
func differs(key string, _ any) bool {
	return slices.Contains([]string{"seconds", "journal", "run", "model", "observed", "input_check", "T.1st", "T.maxK"}, key)
}
