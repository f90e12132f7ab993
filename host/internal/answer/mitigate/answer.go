package mitigate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/answer/train"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/onnx"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Request asks for a comparison. It is plain data.
type Request struct {
	// Search says how every arm's network is searched, and has the question of the entire
	// request.
	Search search.Request `json:"search"`
	// Arms are the arms to compare, in the form that ParseArms reads.
	Arms []string `json:"arms"`
	// Favourable, with bands, is the worst band that counts as a yes in accuracy and in measures of groups; empty: there are no
	// such measures.
	Favourable string `json:"favourable,omitempty"`
	// Guardrails is a file with the rules of all guarded arms; empty: the explanation of
	// each network's own search, with Delta as δ and MostRefused as in Config.
	Guardrails  string     `json:"guardrails,omitempty"`
	Delta       *float64   `json:"delta,omitempty"`
	MostRefused float64    `json:"refuse_at_most"`
	Retraining  Retraining `json:"retraining"`
	// Prove limits a solver's time for each arm to bound the share of individuals that it
	// treats unfairly; 0: no solver is asked.
	Prove time.Duration `json:"prove,omitempty"`
	// Out is a folder for networks, guardrails and tables, which the result names; empty:
	// not written.
	Out string `json:"out,omitempty"`
	// Gates are the bounds that the result must keep.
	Gates []gate.Gate `json:"-"`
}

// Local names a local file, other than the study's, that the request reads or writes; empty:
// none.
func (r *Request) Local() string { return cmp.Or(r.Out, r.Guardrails) }

// Validate checks everything that needs no file.
func (r *Request) Validate() error {
	if _, err := ParseArms(r.Arms); err != nil {
		return fmt.Errorf("--arms: %w", err)
	}
	if err := r.Retraining.Validate(); err != nil {
		return err
	}
	if r.Prove < 0 {
		return fmt.Errorf("--prove %v is negative: want a time, or 0 for no bound", r.Prove)
	}
	if !(r.MostRefused > 0 && r.MostRefused <= 1) {
		return fmt.Errorf("--refuse-at-most %v: want more than 0, at most 1", r.MostRefused)
	}
	return r.Search.Validate()
}

// job is a request with its question loaded.
type job struct {
	session  *session.Session
	request  Request
	question *question.Question
	query    *problem.Query
	// files lists the files written: networks by way, guardrails by arm.
	files map[string][]string
	// runs are the searches in the journal, by arm.
	runs    map[string][]string
	journal string
	// refuted lists the solver's claims that evaluated individuals refute.
	refuted []string
}

// Answer compares the arms. The result has the finished ones and may come with an error; it is
// nil if an error came before any arm was finished.
func Answer(ctx context.Context, s *session.Session, r Request) (*Result, error) {
	begin := time.Now()
	j, c, err := open(s, r)
	if err != nil {
		return nil, session.Mistake(err)
	}
	if r.Prove > 0 {
		p, err := j.openProver(ctx)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		people, err := quantify.People(ctx, j.question.Study, "", j.query.Space, r.Search.Seed)
		if err != nil {
			return nil, err
		}
		c.Prove = j.prove(p, people)
	}
	s.Work()
	outcomes, failed := Run(ctx, *c)
	interrupted := ctx.Err() != nil
	if interrupted && errors.Is(failed, ctx.Err()) {
		failed = nil
	}
	if errors.Is(failed, train.ErrOneClass) {
		failed = session.Mistake(failed)
	}
	if failed != nil && len(outcomes) == 0 {
		return nil, failed
	}
	out := j.result(outcomes)
	if len(c.Test) == 0 {
		out.Remarks = append(out.Remarks, "the study holds no rows back: all shares are of the rows that arms were trained on, and may flatter them")
	}
	switch {
	case c.Undecided:
		out.Remarks = append(out.Remarks, "no accuracy and no measures of groups: a label is yes or no, but no band is a yes; --favourable BAND takes that band and better ones as the yes")
	case c.Bands != nil:
		out.Remarks = append(out.Remarks, fmt.Sprintf("accuracy and groups are of band %s and better ones", r.Favourable))
	}
	out.Interrupted, out.Seconds = interrupted, time.Since(begin).Seconds()
	out.Hold(out.Held(r.Gates)...)
	if r.Out != "" {
		failed = errors.Join(failed, WriteTables(r.Out, view.Of(Table(Network{Result: out}))))
	}
	return out, errors.Join(failed, session.Refuted(j.refuted))
}

// open reads the study and the rows, and checks before any long computation that the
// request can be answered.
func open(s *session.Session, r Request) (*job, *Config, error) {
	r.Retraining.Seed = r.Search.Seed
	if err := r.Validate(); err != nil {
		return nil, nil, err
	}
	q, err := question.Open(r.Search.Spec)
	if err != nil {
		return nil, nil, err
	}
	rule, judged := q.Study.Rule, true
	switch place, err := 0, error(nil); {
	case r.Favourable != "" && q.Study.Bands == nil:
		return nil, nil, errors.New("--favourable names a band, but the decision is yes or no: leave it out")
	case r.Favourable != "":
		if place, err = q.Study.Favourable(r.Favourable); err != nil {
			return nil, nil, fmt.Errorf("--favourable %w", err)
		}
		rule = q.Study.Bands.Favouring(place, rule.Low)
	default:
		judged = q.Study.Bands == nil
	}
	question.CountsBins(q.Study.Clustering, s.Note)
	question.NeedsMajority(q.Study, s.Note)
	j := &job{session: s, request: r, question: q, files: map[string][]string{}, runs: map[string][]string{}}
	if j.query, err = q.Scores(); err != nil {
		return nil, nil, err
	}
	c := &Config{
		Model: q.Study.Model, Space: j.query.Space, Region: j.query.Region, Rule: rule, Undecided: !judged, Unseen: q.Study.Unseen, Bands: j.query.Bands, Epsilon: j.query.Epsilon, Retraining: r.Retraining, MostRefused: r.MostRefused,
		Search: j.search, Trained: j.trained, Explain: j.explain, Progress: s.Show,
	}
	if c.Arms, err = ParseArms(r.Arms); err != nil {
		return nil, nil, err
	}
	if err := giveTrainingRows(c, q.Study); err != nil {
		return nil, nil, err
	}
	if r.Guardrails != "" {
		rules, err := guard.Read(r.Guardrails, c.Space)
		if err != nil {
			return nil, nil, err
		}
		if c.Rules, err = rules.Predicates(c.Space); err != nil {
			return nil, nil, err
		}
	}
	if r.Out != "" {
		if err := os.MkdirAll(r.Out, 0o777); err != nil {
			return nil, nil, fmt.Errorf("--out: %w", err)
		}
	}
	return j, c, nil
}

// giveTrainingRows sets the training rows, which the study does not hold back, and the test
// rows, which it does.
func giveTrainingRows(c *Config, st *study.Study) error {
	data, err := st.Data()
	if errors.Is(err, study.ErrNoData) {
		return fmt.Errorf("%w; retraining and accuracy need rows: add data to the study", err)
	}
	if err != nil {
		return err
	}
	if data.Labels == nil {
		return fmt.Errorf("%s: retraining and accuracy need labels: add the key label to the study's data", st.Path)
	}
	if err := data.InsideTables(c.Space); err != nil {
		return err
	}
	c.Train, c.TrainLabels = pointsOf(data, data.Train())
	c.Test, c.TestLabels = pointsOf(data, data.Test)
	return nil
}

func pointsOf(data *people.Data, rows []int) (points [][]float64, labels []int) {
	for _, i := range rows {
		points, labels = append(points, data.Points[i]), append(labels, data.Labels[i])
	}
	return points, labels
}

// search is Config.Search: it runs hyfair search on the subject.
func (j *job) search(ctx context.Context, name string, subject Subject) (_ *Searched, err error) {
	if err := j.writeGuardrails(name, subject.Guards); err != nil {
		return nil, err
	}
	r, asked := j.request.Search, j.question
	if n, ok := subject.Model.(*relu.Network); ok && subject.Model != j.question.Study.Model {
		if asked, err = asked.With(n); err != nil {
			return nil, err
		}
	}
	begin := time.Now()
	searcher, err := search.OpenFor(ctx, j.session, asked, r)
	if err != nil {
		return nil, err
	}
	defer searcher.Close()
	searcher.Guards, searcher.Label = subject.Guards, map[string]string{"arm": name}
	if len(subject.Guards) > 0 {
		searcher.Label["guards"] = hashOf(j.query.Space, subject.Guards)
	}
	out := &Searched{}
	loading := time.Since(begin)
	for i := 0; i < r.Runs && (i == 0 || ctx.Err() == nil) && err == nil; i++ {
		seed := r.Seed + int64(i)
		run, failed := searcher.Begin(seed, time.Now().Add(-loading))
		if failed != nil {
			return nil, failed
		}
		run.Sinks = append(run.Sinks, func(e record.Event) {
			if e.Kind == record.KindFound {
				out.Found = append(out.Found, *e.Found)
			}
		})
		var result *search.Outcome
		if result, _ = searcher.Run(ctx, seed, run, ""); ctx.Err() == nil {
			err = errors.Join(result.Err, result.SolverErr)
		}
		out.Runs = append(out.Runs, result.Measures)
		out.Refused += result.Refused
		out.Evaluations += result.Evaluations
		if run.Kept != nil {
			j.runs[name] = append(j.runs[name], run.Name())
			j.journal = run.Journal
		}
	}
	return out, err
}

// explainedBy is the number of individuals that guardrails are derived from.
const explainedBy = 10

// explain is Config.Explain: it derives guardrails from the individuals found, with the defaults
// of hyfair explain.
func (j *job) explain(ctx context.Context, m model.Model, found []record.Found) ([]space.Predicate, error) {
	q := j.query
	e, err := evaluate.NewBanded(m, q.Space, q.Region, q.Epsilon, q.Bands)
	if err != nil {
		return nil, err
	}
	var worst explain.Worst
	for i := range found {
		worst.Add(found[i].X, e.Evaluate(found[i].X))
	}
	around := worst.Pick(q.Space, explainedBy)
	if len(around) == 0 {
		return nil, fmt.Errorf("%w: the search found no individual to explain", ErrNoRules)
	}
	method, bins := explain.DefaultMethod(), q.Binning()
	method.Delta = j.request.Delta
	result, err := explain.Explain(ctx, explain.Config{
		Space: q.Space, Region: q.Region, Evaluator: e, Bins: bins.Count(), Around: around, Method: method, Seed: j.request.Search.Seed,
	})
	if err != nil {
		return nil, err
	}
	if len(result.Predicates) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoRules, result.Nothing)
	}
	var guards []space.Predicate
	for i := range result.Predicates {
		guards = append(guards, result.Predicates[i].Holds)
	}
	return guards, nil
}

// hashOf identifies guardrails in the journal.
func hashOf(s *space.Space, guards []space.Predicate) string {
	sum := sha256.New()
	for _, p := range guards {
		fmt.Fprintln(sum, p.Format(s))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// trained is Config.Trained: it writes the network if --out is set, and records that it was trained
// on the study's inputs.
func (j *job) trained(way string, n *relu.Network) error {
	if j.request.Out == "" {
		return nil
	}
	stem := filepath.Join(j.request.Out, way)
	if err := files.Write(stem+".json", func(file *os.File) error { return modelfile.WriteJSON(file, n) }); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if err := files.Write(stem+".onnx", func(file *os.File) error { return onnx.Write(file, n) }); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	for _, file := range []string{stem + ".json", stem + ".onnx"} {
		j.files[way] = append(j.files[way], file)
		spec := &j.request.Search
		if err := study.KeepTrained(spec.Study, study.Options{DataRoot: spec.Data, Model: file}); err != nil {
			j.session.Note("cannot record that %s was trained on the study's inputs: %v", file, err)
		}
	}
	return nil
}

// writeGuardrails writes an arm's guardrails if --out is set.
func (j *job) writeGuardrails(name string, guards []space.Predicate) error {
	if j.request.Out == "" || len(guards) == 0 {
		return nil
	}
	rules, err := guard.New(j.query.Space, j.question.Study.Name, guards)
	if err != nil {
		return err
	}
	path := filepath.Join(j.request.Out, name+".json")
	if err := files.Write(path, func(file *os.File) error { return guard.Write(file, rules) }); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	j.files[name] = []string{path}
	return nil
}

// WriteTables writes a table's document into a folder, as Markdown and as CSV.
func WriteTables(folder string, d *view.Document) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	for name, format := range map[string]string{"table.md": view.Markdown, "table.csv": view.CSV} {
		err := files.Write(filepath.Join(folder, name), func(file *os.File) error { return d.Write(file, format, view.Options{}) })
		if err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return nil
}
