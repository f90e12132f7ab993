// Package certify implements hyfair certify: it reads the question, opens the solver,
// decides the question as a whole (package engine) or in parts (package partition),
// records the run in the journal, and presents the result.
package certify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/certify/partition"
	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Request is a request for verdicts, as plain data.
type Request struct {
	question.Spec
	// Solver is the plugin's name, Set its options. Encoding and Bounds select the lowering.
	// Defaults where empty: engine.OpenSolvers, engine.Options.
	Solver   string            `json:"solver,omitempty"`
	Encoding string            `json:"encoding,omitempty"`
	Bounds   string            `json:"bounds,omitempty"`
	Set      map[string]string `json:"set,omitempty"`
	// Climb, Maximise and Gap are those of engine.Options. MaxK also computes the largest
	// number of bins, after the verdict.
	Climb    bool    `json:"climb"`
	Maximise bool    `json:"maximize,omitempty"`
	Gap      float64 `json:"gap,omitempty"`
	MaxK     bool    `json:"max_k,omitempty"`
	// Timeout covers the whole request, from the session's start; 0: no limit.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Partition decides the question in parts, see partition.ParseChunks; empty: as a whole.
	// All and SoftTimeout are those of partition.Options.
	Partition   string        `json:"partition,omitempty"`
	All         bool          `json:"all,omitempty"`
	SoftTimeout time.Duration `json:"soft_timeout,omitempty"`
	Seed        int64         `json:"seed"`
	// Fresh begins a new run in parts, even if an interrupted one could be resumed.
	Fresh bool `json:"-"`
	// Certificate is the path of the certificate to write; empty: no certificate.
	Certificate string `json:"-"`
	// Gates are bounds that the result must keep.
	Gates []gate.Gate `json:"-"`
}

// Validate checks all fields that need no file.
func (r *Request) Validate() error {
	if !(r.Gap >= 0 && r.Gap < 1) {
		return fmt.Errorf("--gap %v: want a relative gap of at least 0 and below 1", r.Gap)
	}
	if r.Timeout < 0 {
		return fmt.Errorf("--timeout %v is negative: want a time, or 0 for no limit", r.Timeout)
	}
	err := errors.Join(r.Spec.Validate(), r.OneGoal(r.Maximise))
	switch {
	case !r.MaxK:
	case r.K > 0:
		err = errors.Join(err, errors.New("--max-k and --k exclude each other: the largest k answers for every k"))
	case r.Partition != "":
		err = errors.Join(err, errors.New("--partition and --max-k exclude each other: the largest k is computed over the whole region at once"))
	case len(r.Relax) > 0:
		err = errors.Join(err, errors.New("--relax and --max-k exclude each other: k counts the bins of one individual's counterfactuals"))
	}
	switch {
	case r.Partition == "" && r.All:
		err = errors.Join(err, errors.New("--all: there are no parts without --partition"))
	case r.Partition != "" && r.Maximise:
		err = errors.Join(err, errors.New("--partition and --maximize exclude each other: parts are decided, not maximised"))
	case r.Partition != "" && r.K > 0:
		err = errors.Join(err, errors.New("--partition and --k exclude each other: parts are decided by comparing two copies, not by counting bins"))
	case r.Partition != "" && r.SoftTimeout <= 0:
		err = errors.Join(err, fmt.Errorf("--soft-timeout %v: want a positive time such as 100s", r.SoftTimeout))
	}
	return err
}

// Answer decides the request's questions. Each of several is shown as soon as it is decided.
// Results that come with an error are valid, but incomplete.
func Answer(ctx context.Context, s *session.Session, r Request) (*Results, error) {
	if err := r.Validate(); err != nil {
		return nil, session.Mistake(err)
	}
	switch {
	case s.Shard.Of == 0:
	case r.Partition == "":
		return nil, session.Mistake(errors.New("--shard selects regions of --partition: give --partition, or leave --shard out"))
	case r.Partition == partition.Adaptive:
		return nil, session.Mistake(errors.New("--shard selects regions of --partition, and --partition adaptive begins with a single one: give a chunk size"))
	}
	ctx, cancel := s.Until(ctx, r.Timeout)
	defer cancel()
	asked, queries, err := question.ByClass(r.Spec, problem.Decide, s.Note)
	if err != nil {
		return nil, session.Mistake(err)
	}
	st := asked[0].Study
	r.Where = asked[0].Spec.Where
	if r.MaxK && st.Bands != nil && queries[0].Bands == nil {
		return nil, session.Mistake(fmt.Errorf("--max-k counts the bands of the study's decision, and --notion %s asks about gaps: leave --notion out", r.Notion))
	}
	if n := queries[0].Notion; r.MaxK && !n.Binned() {
		return nil, session.Mistake(fmt.Errorf("--max-k: the notion %s has no bins; use --notion score", n))
	}
	plugins, err := engine.OpenSolvers(ctx, s, r.Solver, r.Encoding, r.Set)
	if err != nil {
		return nil, session.TooLate(ctx, r.Timeout, err)
	}
	defer plugins.Close()
	if err := r.certifiable(queries, plugins); err != nil {
		return nil, session.Mistake(err)
	}
	out := &Results{
		Study: st.Name, Model: filepath.Base(st.ModelPath), Seed: r.Seed, Verdict: engine.Fair.String(),
		Questions: []*Result{}, Several: len(queries) > 1,
	}
	var failed error
	var refuted []string
	settled := 0 // questions that another class's answer settled
	for i, q := range queries {
		if r.settled(out, asked[i]) {
			settled++
			continue
		}
		a := &asker{Request: &r, session: s, study: asked[i].Study, asked: asked, query: q, plugins: plugins, start: s.Begun}
		if i > 0 {
			a.start = time.Now()
		}
		part, cancel := session.PartOf(ctx, len(queries)-i)
		one, err := a.suited(part)
		cancel()
		if failed = errors.Join(failed, err); one != nil {
			add(out, one)
			tell(s, one, err, out.Several)
			refuted = append(refuted, one.Disagreements...)
		}
		if one == nil || session.Interrupted(ctx) {
			break
		}
	}
	switch missing := len(out.Questions)+settled < len(queries); {
	case missing && !out.Several:
		return nil, failed
	case missing && out.Verdict == engine.Fair.String():
		out.Verdict = engine.Undecided.String()
	}
	out.Seconds = time.Since(s.Begun).Seconds()
	hold(out, r.Gates, len(queries)-settled)
	return out, errors.Join(failed, session.Refuted(refuted))
}

// class returns the index of the class that the model predicts at a point; nil for a tie. There
// must be a question about each class.
func (a *asker) class(point []float64) *int {
	inputs := a.query.Space.ExactInputs(point)
	if a.exact == nil {
		for _, q := range a.asked {
			a.exact = append(a.exact, q.Study.Model.Exact())
		}
	}
	for i, m := range a.exact {
		if m.Logit(inputs).Sign() > 0 {
			return a.asked[i].Study.Class
		}
	}
	return nil
}

// settled reports whether the last answer makes the next class's question superfluous: if a
// class wins for one of two copies only, the model's class changes.
func (r *Request) settled(all *Results, q *question.Question) bool {
	if q.Study.Class == nil || len(all.Questions) == 0 || r.Maximise || r.All {
		return false
	}
	last := all.Questions[len(all.Questions)-1]
	return last.Verdict == engine.Unfair.String() && slices.Equal(last.Protected, question.Protected(q.Space))
}

// hold checks the verdicts against gates: for fair, all must be fair; for unfair, one must be
// unfair. A vacuous verdict, on an empty space, leaves a gate undecided.
func hold(all *Results, gates []gate.Gate, asked int) {
	check := func(g gate.Gate, verdict, of string, nobody bool) gate.Check {
		if nobody {
			return g.Is(of, gate.Undecided, "the constraints leave no individual to decide about")
		}
		outcome := gate.Failed
		switch verdict {
		case g.Bound:
			outcome = gate.Passed
		case engine.Undecided.String():
			outcome = gate.Undecided
		}
		return g.Is(of, outcome, "the verdict is "+verdict)
	}
	for _, g := range gates {
		if g.Bound == engine.Unfair.String() {
			all.Hold(check(g, all.Verdict, "", len(all.Questions) > 0 && all.Questions[0].Nobody)) // all questions have the same individuals
			continue
		}
		all.HoldEach(g, asked, func(one *Result, of string) gate.Check { return check(g, one.Verdict, of, one.Nobody) })
	}
}

// add appends the answer to a question, and updates the overall verdict.
func add(all *Results, one *Result) {
	all.Questions = append(all.Questions, one)
	if all.Verdict == engine.Fair.String() || one.Verdict == engine.Unfair.String() {
		all.Verdict = one.Verdict
	}
}

// tell shows the answer to one of several questions, and the solver's faults. The error and
// disagreements are left out: the caller shows them.
func tell(s *session.Session, one *Result, err error, several bool) {
	if s.Part == nil {
		return
	}
	var d *view.Document
	if several {
		d = one.Document()
	}
	s.Part(d, slices.DeleteFunc(slices.Clone(one.Faults), func(fault string) bool {
		return err != nil && fault == err.Error() || slices.Contains(one.Disagreements, fault)
	}))
}

// asker decides one question.
type asker struct {
	*Request
	session *session.Session
	study   *study.Study
	asked   []*question.Question // all questions, including this one
	exact   []model.Exact        // the exact model of each question, made on demand
	query   *problem.Query
	plugins discover.Solvers
	start   time.Time
}

// suited answers the question. If it is outside the default solver's scope, another solver
// is used.
func (a *asker) suited(ctx context.Context) (*Result, error) {
	if a.Solver == "" && a.Encoding == "" { // else the user has chosen
		other, err := engine.Instead(ctx, a.session, a.plugins[0], a.query, a.Set, engine.Lowerings...)
		if err != nil {
			return nil, err
		}
		if other != a.plugins[0] {
			defer other.Close()
		}
		a.plugins = discover.Solvers{other}
	}
	return a.answer(ctx)
}

// answer decides the question; nil if there is no result to show.
func (a *asker) answer(ctx context.Context) (*Result, error) {
	run, err := a.begin()
	if err != nil {
		return nil, err
	}
	var rep *engine.Report
	var parts *partition.Report
	var maxK *engine.Extreme
	if a.Partition != "" && !engine.Nobody(a.query) {
		rep, parts, err = a.inParts(ctx, run)
	} else {
		o := a.options(a.plugins)
		o.Climb, o.Maximise, o.Gap = a.Climb, a.Maximise, a.Gap
		o.Progress = func(p engine.Progress) {
			p.Limit = session.Left(ctx, p.Elapsed)
			a.session.Show(p.String())
		}
		rep, err = engine.Run(ctx, a.query, o)
	}
	if rep == nil {
		run.Fail(err)
		return nil, err
	}
	// A solver's failure leaves this question undecided; the next question is still asked.
	if err = engine.Unanswered(err); err == nil && a.MaxK && !rep.Nobody && ctx.Err() == nil {
		maxK, err = a.maxK(ctx, rep)
	}
	a.report(run, rep, err, session.Interrupted(ctx))
	out := a.result(rep, parts, maxK)
	out.Journal, out.Run = run.Journal, run.Name()
	if err == nil {
		out.Certificate, err = a.certificate(ctx, rep, maxK)
	}
	return out, err
}

// options returns the settings for the given solver processes.
func (a *asker) options(plugins discover.Solvers) engine.Options {
	o := engine.OptionsFor(plugins, a.Encoding, a.Request.Bounds)
	o.Threads, o.Memory, o.Seed = a.session.Threads, a.session.Memory, a.Seed
	return o
}

// encoding names the lowering in use, and bounds the bounding method.
func (a *asker) encoding() string {
	o := a.options(a.plugins)
	return o.Encodings()
}

func (a *asker) bounds() string {
	o := a.options(a.plugins)
	return o.Bounding()
}

// unfairFrom is the least k of a violation: three bins, since a gap then exceeds ε, or two bands.
func (a *asker) unfairFrom() int {
	if a.query.Bands != nil {
		return 2
	}
	return 3
}

// maxK computes the largest k after the verdict. Its individual replaces a missing witness
// if k makes it a violation.
func (a *asker) maxK(ctx context.Context, rep *engine.Report) (*engine.Extreme, error) {
	o := a.options(a.plugins)
	o.Climb, o.Gap = a.Climb, a.Gap
	o.Progress = func(p engine.Progress) {
		most := "no bound yet"
		if p.HasBound && !math.IsInf(p.Bound, 0) {
			most = fmt.Sprintf("at most %.0f", p.Bound)
		}
		a.session.Show(fmt.Sprintf("Max.K: %s · %s · %s nodes%s", most, session.Clock(p.Elapsed, session.Left(ctx, p.Elapsed)), view.Count(p.Nodes), session.Rate(p.Nodes, p.Elapsed)))
	}
	q := *a.query
	q.Goal = problem.MaxK
	m, err := engine.Enclose(ctx, &q, o, nil)
	if m == nil {
		return nil, engine.Unanswered(err)
	}
	rep.Solves += m.Solves
	rep.Nodes += m.Nodes
	rep.Spurious += m.Spurious
	rep.Faults, rep.Refuted = append(rep.Faults, m.Faults...), append(rep.Refuted, m.Refuted...)
	switch {
	case err == nil:
	case errors.Is(err, sdk.ErrUnsupported) && m.Reason != "":
		err = nil // the solver declined; the reason says why
	case engine.Unanswered(err) == nil && !slices.Contains(m.Faults, err.Error()):
		rep.Faults = append(rep.Faults, err.Error())
	}
	if w := m.Witness; w != nil && w.K >= a.unfairFrom() && !a.Maximise {
		rep.Witness = w
		if rep.Verdict == engine.Undecided {
			rep.Verdict, rep.Reason = engine.Unfair, ""
		}
	}
	return m, engine.Unanswered(err)
}
