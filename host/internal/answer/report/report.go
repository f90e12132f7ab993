// Package report assembles a report for a person who decides about a model: it audits,
// certifies, searches, quantifies, explains and mitigates within one budget, reuses results
// of the journal, and presents everything on a first screen and in ten parts.
package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/answer/explain/lime"
	"github.com/hyfair/hyfair/host/internal/answer/mitigate"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Request asks for an assessment. It is plain data.
type Request struct {
	question.Spec
	// Budget is the time for all steps together.
	Budget time.Duration `json:"budget"`
	Seed   int64         `json:"seed"`
	// Fresh: no result of the journal is reused.
	Fresh bool `json:"-"`
	// People says whether rows of the data set are shown: Hide or Show; empty: Hide.
	People string `json:"-"`
}

// Values of Request.People.
const (
	Hide = "hide"
	Show = "show"
)

// LeastBudget is the shortest budget allowed.
const LeastBudget = 5 * time.Second

// Validate checks what can be checked without reading anything.
func (r *Request) Validate() error {
	if r.Budget < LeastBudget {
		return fmt.Errorf("--budget %v: want %v or more", r.Budget, LeastBudget)
	}
	if !slices.Contains([]string{"", Hide, Show}, r.People) {
		return fmt.Errorf("--people %s: want %s or %s", r.People, Hide, Show)
	}
	return r.Spec.Validate()
}

// Result is the answer to a Request. A part without an answer is nil, and its step says why.
type Result struct {
	// The study's name.
	Study string `json:"study"`
	// The file name of the model.
	Model string `json:"model"`
	// The value of --seed.
	Seed int64 `json:"seed"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
	// The budget of the report.
	Budget string `json:"budget"`
	// ε of score differences, exact; empty where outcomes are bands.
	Epsilon string `json:"epsilon"`
	// The attributes that vary.
	Protected []string `json:"protected"`
	// The value of --where.
	Where string `json:"where,omitempty"`
	// The notion.
	Notion string `json:"notion"`
	// ε in the notion's unit; absent for a notion without ε.
	Limit string `json:"limit,omitempty"`
	// The model predicts a number, so that nothing is asked about scores and decisions.
	Number bool `json:"number,omitempty"`

	// The audit, without its rows unless --people show is given; absent if there is no answer, as are the next six.
	Audit *audit.Result `json:"audit,omitempty"`
	// The verdict of certify.
	Verdict *certify.Result `json:"verdict,omitempty"`
	// The search.
	Search *search.Result `json:"search,omitempty"`
	// The shares of a population fitted to the rows, by decisions if the model makes any.
	Plausible *quantify.Result `json:"plausible,omitempty"`
	// The shares of quantify, each combination of values once.
	Shares *quantify.Result `json:"shares,omitempty"`
	// The explanation.
	Explanation *explain.Result `json:"explanation,omitempty"`
	// The mitigation.
	Mitigation *mitigate.Result `json:"mitigation,omitempty"`
	// The outcomes of the worst-treated person of all who were met, rows of the data included, by k and then
	// by gap; absent if no person's copies differ.
	Worst *Worst `json:"worst,omitempty"`
	// An example: of the people found who are not in the data and keep all rules, the one nearest to a row;
	// absent if none was found whose copies differ.
	Person *Person `json:"person,omitempty"`
	// Individuals drawn uniformly from all possible ones, and evaluated.
	Space *Drawn `json:"space,omitempty"`

	// Claims of solvers that evaluated individuals refute, with the step. They end the command with exit
	// code 4.
	Disagreements []string `json:"disagreements,omitempty"`

	// The questions asked, in order.
	Steps []Step `json:"steps"`
	// The origin of the numbers.
	Provenance Provenance `json:"provenance"`
	// The journal's file; absent if nothing is kept.
	Journal string `json:"journal,omitempty"`
	// The run's name in the journal; absent if nothing is kept.
	Run string `json:"run,omitempty"`
	// A signal ended the command early.
	Interrupted bool `json:"interrupted,omitempty"`
	question.Grounds
}

// Step is one command of the assessment.
type Step struct {
	// The command.
	Name string `json:"name"`
	// The command line that asks the same alone.
	Command string `json:"command"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
	// The run of the journal whose result was reused.
	From string `json:"from,omitempty"`
	// The reason why there is no answer.
	Missing string `json:"missing,omitempty"`
	// A problem that left the answer valid.
	Trouble string `json:"trouble,omitempty"`
}

// Provenance names what the answers depend on.
type Provenance struct {
	// The SHA-256 of the study.
	StudySHA256 string `json:"study_sha256"`
	// The SHA-256 of the model.
	ModelSHA256 string `json:"model_sha256"`
	// The SHA-256 of the data; absent without data.
	DataSHA256 string `json:"data_sha256,omitempty"`
	// The version of hyfair.
	Version string `json:"version"`
	// The plugins used, with versions.
	Plugins []string `json:"plugins"`
	// The machine.
	Machine record.Machine `json:"machine"`
	// The time when the report began.
	Begun time.Time `json:"begun"`
}

// The shares of the budget for the steps, in order. What a step leaves is for later
// steps.
const (
	auditShare     = 0.25
	certifyShare   = 0.12
	searchShare    = 0.11
	plausibleShare = 0.17
	sharesShare    = 0.14
	explainShare   = 0.1
	// The rest is for mitigations.
)

// asker is an assessment under way.
type asker struct {
	session  *session.Session
	request  Request
	question *question.Question
	spec     question.Spec // without checksums
	out      *Result
	run      *session.Run
	end      time.Time
}

// Answer runs the assessment. After an interrupt, or at the end of the budget, the result has what is known by then.
func Answer(ctx context.Context, s *session.Session, r Request) (*Result, error) {
	if err := r.Validate(); err != nil {
		return nil, session.Mistake(err)
	}
	q, err := question.Open(r.Spec)
	if err != nil {
		return nil, session.Mistake(err)
	}
	if q.Study.ModelFile.OneOfMany && r.Notion == "" { // its only question
		r.Notion = fairness.Decision.String()
		if q, err = question.Open(r.Spec); err != nil {
			return nil, session.Mistake(err)
		}
	}
	r.Where = q.Spec.Where
	question.NeedsMajority(q.Study, s.Note)
	a := &asker{session: s, request: r, question: q, spec: r.Spec, end: s.Begun.Add(r.Budget)}
	if err := a.begin(); err != nil {
		return nil, err
	}
	a.ask(ctx)
	a.out.Interrupted = session.Interrupted(ctx)
	a.out.Seconds = time.Since(s.Begun).Seconds()
	a.keep()
	return a.out, session.Refuted(a.out.Disagreements)
}

// begin begins the run and sets what is known before the first step.
func (a *asker) begin() error {
	q, st, s := a.question, a.question.Study, a.session
	notion, err := q.Notion()
	if err != nil {
		return session.Mistake(err)
	}
	limit, err := q.EpsilonFor(notion)
	if err != nil {
		return session.Mistake(err)
	}
	eps := limit
	if st.ModelFile.OneOfMany {
		eps = study.DefaultEpsilon() // of no consequence: there are no scores
	} else if st.Bands != nil {
		if eps = nil; a.spec.Epsilon != "" || notion != fairness.Decision {
			return session.Mistake(errors.New("the report of a decision with bands is about bands: leave --epsilon and --notion out, or ask about gaps of scores with hyfair audit, certify and quantify --notion score"))
		}
	} else if !st.Number {
		if eps, err = q.EpsilonFor(fairness.Score); err != nil {
			return session.Mistake(err)
		}
	}
	a.out = &Result{
		Study: st.Name, Model: filepath.Base(st.ModelPath), Seed: a.request.Seed, Budget: a.request.Budget.String(),
		Protected: question.Protected(q.Space), Where: a.spec.Where, Notion: notion.String(), Steps: []Step{}, Number: st.Number, Grounds: question.GroundsOf(st),
		Provenance: Provenance{StudySHA256: st.SHA256, ModelSHA256: st.ModelSHA256, Version: session.Build(), Plugins: []string{}, Machine: session.Machine(), Begun: s.Begun.UTC()},
	}
	if eps != nil {
		a.out.Epsilon = fairness.FormatRat(eps)
	}
	if limit != nil {
		a.out.Limit = fairness.FormatRat(limit)
	}
	if st.HasData() {
		if data, err := st.Data(); err == nil {
			a.out.Provenance.DataSHA256 = data.SHA256
		}
	}
	settings := map[string]string{"budget": a.out.Budget, "epsilon": a.out.Epsilon, "notion": a.out.Notion}
	a.run, err = s.Begin(record.Started{
		Task:     record.Task{Command: Command, Network: st.ModelSHA256, Study: st.SHA256, Arm: "all", Seed: a.request.Seed, Region: a.spec.Where, Settings: settings},
		Features: q.Space.Names(), Domains: record.Domains(q.Space), Study: a.out.Study, Model: a.out.Model,
	})
	if err != nil {
		return err
	}
	a.out.Journal, a.out.Run = a.run.Journal, a.run.Name()
	return nil
}

// Command is the journal's name of an assessment, and Task the key of its Result there.
const (
	Command = "report"
	Task    = "report"
)

// keep stores the result in the run and ends the run.
func (a *asker) keep() {
	finished := &record.Finished{Interrupted: a.out.Interrupted}
	if a.run.Kept != nil {
		if err := a.run.Kept.Complete(Task, a.out, a.out.Seconds); err != nil {
			finished.Error = err.Error()
		}
	}
	a.run.Emit(record.Event{Kind: record.KindFinished, Finished: finished})
}

// ask runs the steps in order: later ones use the individuals that earlier ones found.
func (a *asker) ask(ctx context.Context) {
	r, seed := &a.request, a.request.Seed
	part := func(share float64) time.Duration {
		return max(time.Second, time.Duration(share*float64(r.Budget)).Round(100*time.Millisecond))
	}
	a.out.Audit = step(ctx, a, "audit", "", part(auditShare), audit.Answer, a.auditing)
	if verdicts := step(ctx, a, "certify", "--timeout", part(certifyShare), certify.Answer, func(spec question.Spec, limit time.Duration) certify.Request {
		return certify.Request{Spec: spec, Climb: true, Timeout: limit, Seed: seed}
	}); verdicts != nil {
		a.out.Verdict = verdicts.Questions[0]
		a.out.uses(a.out.Verdict.Solver.Name + " " + a.out.Verdict.Solver.Version)
	}
	if a.out.Number {
		a.out.without("search", "explain", "mitigate")
	} else {
		a.out.Search = step(ctx, a, "search", "--mode fast --solver none --budget", part(searchShare), search.Answer, func(spec question.Spec, limit time.Duration) search.Request {
			return a.searching(spec, limit)
		})
	}
	if a.people() == population.Uniform {
		a.out.Steps = append(a.out.Steps, Step{Name: plausible, Missing: "the study's population is uniform"})
	} else {
		a.out.Plausible = a.quantified(step(ctx, a, plausible, "--timeout", part(plausibleShare), quantify.Answer, func(spec question.Spec, limit time.Duration) quantify.Request {
			return quantify.Request{Spec: a.plausibly(spec), Population: a.people(), Samples: samples, Timeout: limit, Seed: seed}
		}))
	}
	if known := a.proved(part(sharesShare)); known != nil {
		a.out.Shares = known
		a.out.Steps = append(a.out.Steps, Step{Name: "quantify", Command: a.command("quantify", "", 0), From: known.Run})
	} else {
		a.out.Shares = a.quantified(step(ctx, a, "quantify", "--timeout", part(sharesShare), quantify.Answer, func(spec question.Spec, limit time.Duration) quantify.Request {
			return quantify.Request{Spec: spec, Population: a.even(), Samples: samples, Timeout: limit, Seed: seed, Mapped: true}
		}))
	}
	a.settle()
	if !a.out.Number {
		a.meet(ctx)
	}
	if a.out.Audit != nil && r.People != Show {
		a.out.Audit.Rows = nil
	}
	if a.out.Number { // what follows is about scores
		return
	}
	a.out.Explanation = step(ctx, a, "explain", "--budget 100000ev", part(explainShare), explain.Answer, func(spec question.Spec, _ time.Duration) explain.Request {
		return explain.Request{Spec: scored(spec), Budget: "100000ev", Individuals: 10, Method: explain.DefaultMethod(), LIMESamples: lime.DefaultSamples, Seed: seed}
	})
	a.mitigate(ctx)
}

// plausible is the step that quantifies over people.
const plausible = "quantify --population"

// people is the population of plausible people: the study's or, if it names none, one that is fitted to the rows.
func (a *asker) people() string { return cmp.Or(a.question.Study.Population, "classes:16") }

// even is the population in which each combination of values counts once, for a study that names another.
func (a *asker) even() string {
	if a.question.Study.Population == "" {
		return ""
	}
	return population.Uniform
}

// quantified is the answer to the only question; nil without one.
func (a *asker) quantified(all *quantify.Results) *quantify.Result {
	if all == nil || len(all.Questions) == 0 {
		return nil
	}
	out := all.Questions[0]
	a.out.uses(out.Solver.Name + " " + out.Solver.Version)
	return out
}

// plausibly is the question that the share of plausible people answers: about decisions, if the model makes any.
func (a *asker) plausibly(spec question.Spec) question.Spec {
	if n, _ := fairness.ParseNotion(a.out.Notion); n.UsesEpsilon() && a.question.Study.Takes(fairness.Decision) == nil {
		spec.Notion, spec.Epsilon = fairness.Decision.String(), ""
	}
	return spec
}

// without records that the given steps do not apply: they are about scores, and the model predicts
// a number.
func (r *Result) without(steps ...string) {
	for _, name := range steps {
		r.Steps = append(r.Steps, Step{Name: name, Missing: "the model predicts a number, and this asks about scores"})
	}
}

// settle sets the shares from a proof that no individual violates the notion.
func (a *asker) settle() {
	v, s := a.out.Verdict, a.out.Shares
	if v != nil && s != nil && v.Verdict == engine.Fair.String() && !v.Nobody && !s.Nobody() &&
		v.Notion == s.Notion && v.Epsilon == s.Epsilon && v.Where == s.Where && v.AskedK == s.AskedK && len(v.Relax) == 0 {
		s.ProvedFair(v.Grade)
	}
}

const (
	// top is the number of worst-treated rows kept, samples the number of
	// individuals drawn.
	top, samples = 5, 10_000
)

// mitigate compares mitigations in the rest of the budget.
func (a *asker) mitigate(ctx context.Context) {
	arms := []string{mitigate.Original, mitigate.Original + "+guards", mitigate.Retrained, mitigate.Consistent}
	rest := 1 - auditShare - certifyShare - searchShare - plausibleShare - sharesShare - explainShare
	each := time.Duration(rest * float64(a.request.Budget) / float64(2*len(arms))).Round(100 * time.Millisecond) // training takes as long
	a.out.Mitigation = step(ctx, a, "mitigate", "--arms "+strings.Join(arms, ",")+" --refuse-at-most 0.5 --mode fast --solver none --budget", max(each, 100*time.Millisecond), mitigate.Answer, func(spec question.Spec, limit time.Duration) mitigate.Request {
		return mitigate.Request{Search: a.searching(spec, limit), Arms: arms, MostRefused: 0.5, Retraining: mitigate.DefaultRetraining()}
	})
}

// searching asks for a fast search by the default strategy.
func (a *asker) searching(spec question.Spec, limit time.Duration) search.Request {
	return search.Request{Spec: scored(spec), Solver: search.NoSolver, Mode: search.FastMode, Keep: search.DefaultKeep, Budget: limit.String(), Runs: 1, Seed: a.request.Seed}
}

func (a *asker) auditing(spec question.Spec, _ time.Duration) audit.Request {
	spec.Notion = a.audited()
	out := audit.Request{Spec: spec, Top: top, Seed: a.request.Seed}
	st := a.question.Study
	if out.Groups = !st.Number; out.Groups && !st.ModelFile.OneOfMany && st.Bands == nil && st.Rule.Groups == nil {
		out.Thresholds = thresholds
	}
	return out
}

// thresholds lists the thresholds of the curve of decisions, in the form of --thresholds.
const thresholds = "0.02..0.98:0.02"

// audited is the notion of the audit, which ignores the study's notion; empty for scores.
func (a *asker) audited() string {
	if a.spec.Notion == "" && a.out.scores() {
		return ""
	}
	return a.out.Notion
}

// scored returns a question without its notion and k: about scores and their bins, or about the study's bands.
func scored(spec question.Spec) question.Spec {
	spec.Notion, spec.K = "", 0
	return spec
}

// uses adds a plugin to the provenance, once.
func (r *Result) uses(plugin string) {
	if !slices.Contains(r.Provenance.Plugins, plugin) {
		r.Provenance.Plugins = append(r.Provenance.Plugins, plugin)
	}
}

// step runs one command, or reuses its result from the journal. Without an answer it returns
// nil, and the step says why. request converts a spec to the command's request, within limit.
func step[R any, P comparable](ctx context.Context, a *asker, name, limited string, limit time.Duration, answer func(context.Context, *session.Session, R) (P, error),
	request func(question.Spec, time.Duration) R,
) (out P) {
	var none P
	did := Step{Name: name, Command: a.command(name, limited, limit)}
	defer func() { a.out.Steps = append(a.out.Steps, did) }()
	begun := time.Now()
	content := a.content(name, request(a.question.Spec.Canonical(), limit))
	if got, from, ok := taken[P](a, content); ok {
		did.From, did.Seconds = from, time.Since(begun).Seconds()
		return got
	}
	left := time.Until(a.end)
	switch {
	case ctx.Err() != nil:
		did.Missing = "the report was interrupted before its turn"
		return none
	case left < time.Second:
		did.Missing = fmt.Sprintf("nothing was left of the budget of %v; give it more", a.request.Budget)
		return none
	}
	s := a.session.Next(name)
	most := left
	if name != "mitigate" { // the last
		most = min(left, limit*3/2)
	}
	within, cancel := context.WithTimeout(ctx, most)
	out, err := answer(within, s, request(a.spec, limit))
	over := within.Err() != nil && ctx.Err() == nil
	cancel()
	err = errors.Join(err, s.Close())
	did.Seconds = time.Since(begun).Seconds()
	switch {
	case out == none && over:
		did.Missing = fmt.Sprintf("its part of the budget of %v was over before there was an answer; give it more", a.request.Budget)
	case out == none:
		did.Missing = said(err)
	case over:
		did.Trouble = fmt.Sprintf("its part of the budget of %v was over before it was done", a.request.Budget)
	case err != nil:
		did.Trouble = said(err)
	}
	if errors.Is(err, session.ErrContradiction) {
		a.out.Disagreements = append(a.out.Disagreements, fmt.Sprintf("%s: %s", name, said(err)))
	}
	if out != none && err == nil && !over && ctx.Err() == nil {
		a.store(name, content, out, did.Seconds)
	}
	return out
}

// said returns an error's text for the report.
func said(err error) string {
	if err == nil {
		return "there is no answer"
	}
	return err.Error()
}
