package crosscheck

import (
	"bytes"
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/check"
	"github.com/hyfair/hyfair/host/internal/answer/diff"
	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/answer/export"
	"github.com/hyfair/hyfair/host/internal/answer/fetch"
	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/answer/inspect"
	"github.com/hyfair/hyfair/host/internal/answer/mitigate"
	"github.com/hyfair/hyfair/host/internal/answer/plugins"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/answer/reconcile"
	"github.com/hyfair/hyfair/host/internal/answer/report"
	"github.com/hyfair/hyfair/host/internal/answer/runs"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/answer/soundness"
	"github.com/hyfair/hyfair/host/internal/answer/train"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/plugin/scaffold"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/internal/tier"
)

// shown is a result.
type shown interface{ Document() *view.Document }

// asked is a question whose answer a test stores.
type asked struct {
	name string
	ask  func(context.Context, *session.Session) (shown, error)
}

// to is an answer to a request.
func to[R any, P shown](name string, answer func(context.Context, *session.Session, R) (P, error), r R) asked {
	return asked{name, func(ctx context.Context, s *session.Session) (shown, error) { return answer(ctx, s, r) }}
}

// TestStoredResults: what --json prints of an answer, or a worker hands over, is all that
// its document needs: read back, it shows the same in every format.
func TestStoredResults(t *testing.T) {
	tier.NeedUsual(t)
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	t.Setenv("HYFAIR_PLUGIN_DIR", filepath.Dir(plugintest.Build(t, "search-climb")))
	catalogue, err := discover.New(filepath.Dir(plugintest.Build(t, "solver-bnb")), nil)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	const few, small = "credit_rating=6..8,loan_amount=..10", "credit_rating=6..7,loan_amount=..8,purpose=car"
	loan := func(where string, protected ...string) question.Spec {
		return question.Spec{Study: "../../../studies/loan", Scope: question.Scope{Where: where, Protected: protected}}
	}
	certifyTask := func(change func(*certify.Request)) certify.Request {
		r := certify.Request{Spec: loan(few), Climb: true, Seed: 1, SoftTimeout: time.Minute}
		change(&r)
		return r
	}
	held := func(name, bound string) []gate.Gate {
		kind := gate.Share
		if name == audit.MinImpactRatio {
			kind = gate.Ratio
		}
		g, err := kind(name, bound)
		if err != nil {
			t.Fatal(err)
		}
		return []gate.Gate{g}
	}
	searching := search.Request{Spec: loan(""), Strategy: "climb", Solver: search.NoSolver, Mode: search.FastMode, Budget: "20000ev", Runs: 2, Seed: 1}
	explaining := explain.Request{Spec: loan("loan_amount=10.."), Strategy: "climb", Budget: "20000ev", Individuals: 3, Method: explain.DefaultMethod(), Seed: 1,
		LIME: true, LIMESamples: 100, RulesOut: in("rules.json"), Bound: 5 * time.Second}
	explaining.Samples, explaining.Test = 1000, 300
	delta := 1.0
	mitigating := mitigate.Request{Search: searching, Arms: []string{mitigate.Original, mitigate.Original + "+guards", mitigate.Retrained}, Delta: &delta, MostRefused: 0.5,
		Retraining: mitigate.DefaultRetraining(), Out: in("mitigated"), Gates: held(mitigate.MaxCost, "1%")}
	mitigating.Retraining.Epochs, mitigating.Prove = 1, 300*time.Millisecond
	var listed runs.Runs
	run := func(command string) string {
		for _, r := range listed.Runs {
			if r.Command == command {
				return r.Name
			}
		}
		t.Fatalf("no run of %s", command)
		return ""
	}
	if err := os.CopyFS(in("scored"), os.DirFS(loan("").Study)); err != nil { // what is found is kept beside the study
		t.Fatal(err)
	}
	if err := os.WriteFile(in("scores.csv"), []byte("score\n"+strings.Repeat("0.5\n", 6820)), 0o600); err != nil {
		t.Fatal(err)
	}
	all := []asked{
		to("certify unfair", certify.Answer, certifyTask(func(r *certify.Request) { r.Where = "" })),
		to("certify fair", certify.Answer, certifyTask(func(r *certify.Request) { r.Where, r.Certificate = small, in("proof.gz") })),
		to("certify nobody", certify.Answer, certifyTask(func(r *certify.Request) { r.Where, r.Rules = "loan_amount=1,purpose=business", []string{"all"} })),
		to("certify in parts", certify.Answer, certifyTask(func(r *certify.Request) { r.Partition, r.All, r.Fresh = "10", true, true })),
		to("certify k", certify.Answer, certifyTask(func(r *certify.Request) { r.K = 5 })),
		to("certify k reached", certify.Answer, certifyTask(func(r *certify.Request) { r.K, r.Where = 4, "" })),
		to("certify max-k", certify.Answer, certifyTask(func(r *certify.Request) { r.MaxK = true })),
		to("certify relaxed", certify.Answer, certifyTask(func(r *certify.Request) { r.Relax, r.Where = []string{"income=1"}, "credit_rating=8..10" })),
		to("certify maximize", certify.Answer, certifyTask(func(r *certify.Request) { r.Maximise = true })),
		to("certify maximize, no pair", certify.Answer, certifyTask(func(r *certify.Request) {
			r.Maximise, r.Where, r.Notion = true, "credit_rating=10,income=10,loan_amount=1", "decision"
		})),
		{"certify interrupted", func(ctx context.Context, s *session.Session) (shown, error) {
			ctx, cancel := context.WithCancel(ctx)
			s.Working = cancel
			return certify.Answer(ctx, s, certifyTask(func(*certify.Request) {}))
		}},
		to("certify decisions", certify.Answer, certifyTask(func(r *certify.Request) { r.Notion = "decision-strict" })),
		to("certify each", certify.Answer, certifyTask(func(r *certify.Request) {
			r.Protected, r.Gates = []string{"each"}, []gate.Gate{{Name: "check", Bound: "fair"}}
		})),
		to("quantify", quantify.Answer, quantify.Request{Spec: loan(small), Samples: 500, Seed: 1, Map: in("map.csv"), Gates: held("max-unfair", "1%")}),
		to("quantify k", quantify.Answer, quantify.Request{Spec: question.Spec{Study: textStudy(t), K: 3}, Samples: 0, Seed: 1}),
		to("quantify each", quantify.Answer, quantify.Request{Spec: loan(small, "each"), Samples: 100, Seed: 1}),
		to("quantify groups", quantify.AnswerRates, quantify.Request{Spec: loan(small), Samples: 100, Seed: 1, Groups: true, Gates: held(audit.MinImpactRatio, "0.1")}),
		to("search", search.Answer, func() search.Request {
			r := searching
			r.Bound, r.Where = 10*time.Second, "credit_rating=9.."
			r.Gates = held("max-k", "0.5")
			return r
		}()),
		to("search of many", search.Answer, searching),
		to("audit", audit.Answer, audit.Request{Spec: loan(""), Top: 10, Seed: 1, Out: in("people.csv"), Gates: held("max-unfair", "60%")}),
		to("audit of all", audit.Answer, audit.Request{Spec: loan("credit_rating=3"), Top: -1, Seed: 1}),
		to("diff", diff.Answer, diff.Request{Spec: loan(small), New: loan("").Study, Samples: 100, Population: "classes:2", Seed: 1, Gates: held("max-worse", "1%")}),
		to("explain", explain.Answer, explaining),
		to("mitigate", mitigate.Answer, mitigating),
		to("report of a study", report.Answer, report.Request{Spec: loan(few), Budget: report.LeastBudget, Seed: 1}),
		to("guard export", guard.AnswerExport, guard.ExportRequest{Rules: in("rules.json"), Language: "python"}),
		to("train", train.Answer, train.Request{Study: loan("").Study, Config: train.Config{Hidden: []int{4}, Epochs: 1, HeldBack: 0.1}, Out: in("network.json")}),
		to("check", check.Answer, check.Request{Certificate: in("proof.gz"), Study: loan("").Study}),
		to("check refused", check.Answer, check.Request{Certificate: in("proof.gz"), Model: in("network.json")}),
		to("export", export.Answer, export.Request{Spec: loan(small), Options: export.Options{Bounds: "interval"}, Format: "smt2", Out: in("export.smt2")}),
		to("soundness new", soundness.New, soundness.Request{Rungs: 1, Seed: 1, Out: in("bench")}),
		to("init", draft.Answer, draft.Request{Data: loan("").Study + "/applicants.csv", Model: loan("").Study + "/network.json", Out: in("study.yaml")}),
		to("inspect", inspect.Answer, inspect.Request{Path: loan("").Study}),
		to("inspect scores", reconcile.Answer, reconcile.Request{Request: inspect.Request{Path: in("scored")}, Scores: in("scores.csv")}),
		to("inspect a network", inspect.Answer, inspect.Request{Path: in("network.json")}),
		to("plugins", plugins.List, struct{}{}),
		to("doctor", plugins.Diagnose, plugins.Checkup{Data: folder}),
		to("plugin new", plugins.New, plugins.NewRequest{Kind: "search", Request: scaffold.Request{Name: "mine", Language: scaffold.Python, Dir: folder}}),
		to("plugin test", plugins.Test, plugins.TestRequest{Plugin: "climb", Cases: []string{"describe"}}),
		to("plugin install", plugins.Install, plugins.InstallRequest{Path: plugintest.Build(t, "search-rw")}),
		to("plugin uninstall", plugins.Uninstall, plugins.UninstallRequest{Name: "rw"}),
		{"runs", func(ctx context.Context, s *session.Session) (shown, error) {
			out, err := runs.List(ctx, s, runs.ListRequest{})
			listed = *out
			return out, err
		}},
		{"runs show", func(ctx context.Context, s *session.Session) (shown, error) {
			return runs.Show(ctx, s, run("certify"))
		}},
		{"report of a search", func(ctx context.Context, s *session.Session) (shown, error) { return runs.Of(ctx, s, run("search")) }},
		{"report of a quantification", func(ctx context.Context, s *session.Session) (shown, error) {
			return runs.Of(ctx, s, run("quantify"))
		}},
		to("runs merge", runs.Merge, runs.MergeRequest{Journals: []string{in("journal.db")}, Into: in("all.db")}),
		{"runs delete", func(ctx context.Context, s *session.Session) (shown, error) {
			return runs.Delete(ctx, s, runs.DeleteRequest{Runs: []string{run("search")}})
		}},
		{"fetch", func(context.Context, *session.Session) (shown, error) {
			return &fetch.Result{Into: "there", Data: "/here/there", Files: []fetch.FileResult{{Path: "a/b", State: fetch.Present, Bytes: 3, Licence: "CC0"}}}, nil
		}},
	}
	types := map[string]bool{}
	for _, one := range all {
		t.Run(one.name, func(t *testing.T) {
			s := &session.Session{Plugins: catalogue, Threads: 1, Jobs: 1, Begun: time.Now(), JournalFile: in("journal.db")}
			answer, err := one.ask(t.Context(), s)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			plain(t, reflect.TypeOf(answer), types)
			printed, handed := new(bytes.Buffer), new(bytes.Buffer)
			if large, ok := answer.(interface{ WriteJSON(io.Writer) error }); ok {
				err = large.WriteJSON(printed)
			} else {
				err = view.JSON(printed, answer, "  ")
			}
			if err == nil {
				err = view.JSON(handed, answer, "")
			}
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]*bytes.Buffer{"--json": printed, "a worker's result": handed} {
				stored := reflect.New(reflect.TypeOf(answer).Elem()).Interface().(shown)
				if err := json.Unmarshal(text.Bytes(), stored); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for _, format := range view.Formats() {
					if d := cmp.Diff(written(t, answer, format), written(t, stored, format)); d != "" {
						t.Errorf("%s as %s (-answer +stored):\n%s", name, format, d)
					}
				}
			}
		})
	}
	for _, name := range documented(t) {
		if !types[name] && !t.Failed() {
			t.Errorf("no answer here is a %s", name)
		}
	}
}

// written is a result in a format.
func written(t *testing.T, r shown, format string) string {
	t.Helper()
	var text strings.Builder
	if err := r.Document().Write(&text, format, view.Options{}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// textStudy is a study without data.
func textStudy(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"study.yaml": "model: net.json\nepsilon: 0.1\nfeatures: {a: {integer: 0..3}, b: {integer: 0..1}}\nprotected: {b: all}\n",
		"net.json": `{"format": "hyfair-network", "version": 1, "precision": 64, "head": "sigmoid",
			"layers": [{"name": "out", "inputs": 2, "units": 1, "activation": "linear", "weights": [[1, 1]], "bias": [0]}]}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// plain fails for types of which encoding/json would leave something out, and notes the
// named ones.
func plain(t *testing.T, of reflect.Type, seen map[string]bool) {
	t.Helper()
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map || of.Kind() == reflect.Array {
		of = of.Elem()
	}
	name := strings.TrimPrefix(of.String(), "*")
	if of.Kind() != reflect.Struct || seen[name] {
		return
	}
	seen[name] = true
	if _, ok := reflect.New(of).Interface().(json.Unmarshaler); ok && !strings.HasPrefix(name, "certify.Answers[") {
		return
	}
	for i := range of.NumField() {
		switch f := of.Field(i); {
		case f.Tag.Get("json") == "-":
		case !f.IsExported() && !f.Anonymous:
			t.Errorf("%s has the field %s, which no JSON has", name, f.Name)
		default:
			plain(t, f.Type, seen)
		}
	}
}

// documented names the types in package answer that have a document.
func documented(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../answer/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "Document" {
				if at, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
					if id, ok := at.X.(*ast.Ident); ok { // what is generic stands for others
						names = append(names, file.Name.Name+"."+id.Name)
					}
				}
			}
		}
	}
	return names
}
