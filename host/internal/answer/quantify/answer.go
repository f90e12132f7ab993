package quantify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/asked"
	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/certify/partition"
	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/host/internal/question/scorer"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Request asks which share of the space is treated fairly. It is plain data.
type Request struct {
	question.Spec
	// Solver is the plugin's name; empty: the first that quantifies. Set has its
	// options.
	Solver string            `json:"solver,omitempty"`
	Set    map[string]string `json:"set,omitempty"`
	// Population is the population of shares, in the syntax of population.Parse; empty: the study's, or else each
	// combination of values once.
	Population string `json:"population,omitempty"`
	// Thresholds lists thresholds to ask about, in the syntax of audit.ParseThresholds; empty: the study's.
	Thresholds string `json:"thresholds,omitempty"`
	// Groups asks for rates of groups instead, see AnswerRates.
	Groups bool `json:"groups,omitempty"`
	// MinShare is the least share of a population that a judged group has, such as 2%; empty: audit.DefaultMinShare.
	MinShare string `json:"min_share,omitempty"`
	// Samples is the number of individuals to draw; 0: none.
	Samples int `json:"samples"`
	// Timeout limits all questions together, from the session's start; 0: no limit.
	Timeout time.Duration `json:"timeout,omitempty"`
	Seed    int64         `json:"seed"`
	// Partition splits the question into parts, see partition.ParseChunks; empty: it is not split.
	Partition string `json:"partition,omitempty"`
	// Fresh begins a new run in parts, even if an interrupted one could be resumed.
	Fresh bool `json:"-"`
	// Map is the file to write the pieces of the space to; empty: none. Mapped sums the
	// pieces up even without a file.
	Map    string `json:"-"`
	Mapped bool   `json:"mapped,omitempty"`
	// Gates are the bounds that the result must keep.
	Gates []gate.Gate `json:"-"`
}

// Validate checks what can be checked without reading anything.
func (r *Request) Validate() error {
	switch {
	case r.Timeout < 0:
		return fmt.Errorf("--timeout %v is negative: want a time, or 0 for no limit", r.Timeout)
	case r.Samples < 0:
		return fmt.Errorf("--samples %d: want 0 or more", r.Samples)
	case r.Population != "" && r.Population != population.Uniform && r.Partition != "":
		return errors.New("--population and --partition exclude each other: parts count each combination of values once")
	case (r.Map != "" || r.Mapped) && r.Partition != "":
		return errors.New("--map and --partition exclude each other: a map shows the boxes of one question, not of its parts")
	case r.Partition == partition.Adaptive:
		return errors.New("--partition adaptive splits undecided regions, which a solver that quantifies does itself: give a chunk size")
	case r.Fresh && r.Partition == "":
		return errors.New("--fresh needs --partition, whose runs can be resumed")
	case r.Map != "" && !slices.Contains(MapFormats, filepath.Ext(r.Map)):
		return fmt.Errorf("--map %s: want a name that ends in %s", r.Map, strings.Join(MapFormats, " or "))
	}
	if _, err := population.Parse(r.Population); err != nil {
		return fmt.Errorf("--population: %w", err)
	}
	return r.Spec.Validate()
}

// Answer answers each of the request's questions. If there are several, it shows each answer
// as soon as it is known. An error may come with the results that are known in spite of it.
func Answer(ctx context.Context, s *session.Session, r Request) (*Results, error) {
	if err := r.Validate(); err != nil {
		return nil, session.Mistake(err)
	}
	if s.Shard.Of > 0 && r.Partition == "" {
		return nil, session.Mistake(errors.New("--shard selects regions of --partition: give --partition, or leave --shard out"))
	}
	whole := ctx
	ctx, cancel := s.Until(ctx, r.Timeout)
	defer cancel()
	studies, queries, err := r.questions(s)
	if err == nil && len(queries) > 1 && r.Map != "" {
		err = errors.New("--map takes one question, but --protected each or subsets, and --thresholds, ask several: ask them one at a time")
	}
	if err != nil {
		return nil, session.Mistake(err)
	}
	st := studies[0]
	if r.Population = cmp.Or(r.Population, st.Population); r.Partition != "" && r.Population != "" && r.Population != population.Uniform {
		return nil, session.Mistake(fmt.Errorf("--partition counts each combination of values once, but %s has the population %s: add --population uniform", st.Path, r.Population))
	}
	a := asker{Request: &r, session: s, study: st, fits: map[*space.Space]*population.Population{}}
	a.read()
	a.solver = &lazily{ctx: whole, session: s, name: r.Solver, set: r.Set}
	defer a.solver.close()
	out := &Results{Study: st.Name, Model: filepath.Base(st.ModelPath), Seed: r.Seed, Questions: []*Result{}, Several: len(queries) > 1}
	var failed error
	for i, q := range queries {
		one := a
		if one.study, one.query, one.start = studies[i], q, s.Begun; i > 0 {
			one.start = time.Now()
		}
		switch {
		case r.Thresholds != "":
			one.which = fmt.Sprintf("threshold %s · ", one.threshold())
		case out.Several:
			one.which = fmt.Sprintf("%d of %d · %s · ", i+1, len(queries), strings.Join(question.Protected(q.Space), " × "))
		}
		part, cancel := session.PartOf(ctx, len(queries)-i)
		answer, err := one.answer(part)
		cancel()
		if failed = errors.Join(failed, err); answer == nil {
			break
		}
		if out.Questions = append(out.Questions, answer); out.Several && r.Thresholds == "" && s.Part != nil {
			s.Part(answer.Document(), nil)
		}
		if session.Interrupted(ctx) {
			break
		}
	}
	if !out.Several && len(out.Questions) == 0 {
		return nil, failed
	}
	out.Seconds = time.Since(s.Begun).Seconds()
	for _, g := range r.Gates {
		out.HoldEach(g, len(queries), func(one *Result, of string) gate.Check {
			lo, hi := one.Bounds()
			return g.Within(of, lo, hi, one.Between())
		})
	}
	return out, failed
}

// questions returns the request's queries, one for each set of attributes or threshold, and the study of each.
func (r *Request) questions(s *session.Session) (studies []*study.Study, queries []*problem.Query, err error) {
	if r.Thresholds == "" {
		st, queries, err := question.Queries(r.Spec, problem.Quantify, s.Note)
		if err == nil {
			r.Where = question.Where(st, r.Where)
		}
		return slices.Repeat([]*study.Study{st}, len(queries)), queries, err
	}
	spec := r.Spec
	spec.Notion = cmp.Or(spec.Notion, fairness.Decision.String())
	n, err := fairness.ParseNotion(spec.Notion)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("--notion: %w", err)
	case n.UsesEpsilon() || spec.K > 0:
		return nil, nil, errors.New("--thresholds asks about decisions: leave out --k, and --notion unless it is decision or decision-strict")
	case spec.Threshold != "":
		return nil, nil, errors.New("--threshold and --thresholds exclude each other: a question has one threshold, or each in the list")
	case spec.Bands != "":
		return nil, nil, errors.New("--thresholds asks about yes and no, but --bands sets other outcomes: leave one of the two out")
	}
	all, err := audit.ParseThresholds(r.Thresholds)
	if err != nil {
		return nil, nil, fmt.Errorf("--thresholds: %w", err)
	}
	spec.Threshold = fairness.FormatRat(all[0])
	q, err := question.Open(spec)
	if err != nil {
		return nil, nil, err
	}
	r.Where = q.Spec.Where
	for _, t := range all {
		one, st := *q, *q.Study
		st.Rule.Threshold, st.Rule.Groups, one.Study = t, nil, &st
		query, err := one.Query(problem.Quantify)
		if err != nil {
			return nil, nil, err
		}
		studies, queries = append(studies, &st), append(queries, query)
	}
	return studies, queries, nil
}

// threshold is the threshold of the question; empty without --thresholds.
func (a *asker) threshold() string {
	if a.Thresholds == "" {
		return ""
	}
	return fairness.FormatRat(a.study.Rule.Threshold)
}

// Open starts the solver named, or the first that quantifies. set are its options.
func Open(ctx context.Context, s *session.Session, solver string, set map[string]string) (p *discover.Plugin, err error) {
	if solver == "" {
		p, err = s.Plugins.DefaultSolver(ctx, set, problem.FormNetwork, problem.Quantify)
	} else {
		p, err = engine.OpenSolver(ctx, s, solver, "", set)
	}
	if err != nil {
		return nil, err
	}
	if d := p.Description(); !d.Answers(problem.FormNetwork, problem.Quantify) {
		p.Close()
		return nil, session.Mistake(fmt.Errorf("solver %s does not quantify (hyfair plugins lists what each serves)", solver))
	}
	return p, nil
}

// lazily starts a solver when it is first needed.
type lazily struct {
	ctx     context.Context // without a time limit: sample and rows are worth an answer even if the solver starts late
	session *session.Session
	name    string
	set     map[string]string
	plugin  *discover.Plugin // nil before the start
}

// prepare sets the solver of a question, and Options.Start if convolution is tried before the default solver.
func (l *lazily) prepare(o *Options, q *problem.Query) error {
	if l.name == "" && Convolves(q) {
		if o.Start = l.start; len(l.set) == 0 {
			return nil
		}
	}
	return l.start(o) // with options also if convolution may suffice: to check them
}

// start implements Options.Start.
func (l *lazily) start(o *Options) (err error) {
	if l.plugin == nil {
		if l.plugin, err = Open(l.ctx, l.session, l.name, l.set); err != nil {
			return err
		}
	}
	o.Solver, o.Description, o.Set = l.plugin.Solver(), l.plugin.Description(), l.plugin.Options
	return nil
}

// plugins returns the started solver, if any.
func (l *lazily) plugins() discover.Solvers {
	if l.plugin == nil {
		return nil
	}
	return discover.Solvers{l.plugin}
}

func (l *lazily) close() {
	if l.plugin != nil {
		l.plugin.Close()
	}
}

// asker answers one question of a request, with all files loaded.
type asker struct {
	*Request
	session *session.Session
	study   *study.Study
	query   *problem.Query
	solver  *lazily
	start   time.Time
	// The question's name in lines of progress; empty if there is only one question.
	which string
	// attribute and group are those whose rate is asked for; empty without --groups.
	attribute, group string
	// rows are the data set's; nil: there are none, for the reason noRows.
	rows   [][]float64
	noRows string
	// fits has the populations read or fitted so far, by space.
	fits map[*space.Space]*population.Population
}

// read reads the data set's rows.
func (a *asker) read() {
	switch d, err := a.study.Data(); {
	case err == nil:
		a.rows = d.Points
	case errors.Is(err, study.ErrNoData):
		a.noRows = "the study declares none"
	default:
		a.noRows = err.Error()
	}
}

// answer answers the question; nil if there is nothing to show.
func (a *asker) answer(ctx context.Context) (*Result, error) {
	people, err := a.people(ctx)
	if err != nil {
		return nil, NoPeople(a.study, a.Population, err)
	}
	o := a.options(people)
	unproved := sdk.Provable(a.query.Model, "a proved share")
	switch asksProof := a.Solver != "" || a.Map != "" || a.Partition != ""; {
	case unproved != nil && asksProof:
		err = session.Mistake(unproved)
	case unproved != nil: // the sample and the rows are the answer
	case a.Mapped || a.Map != "" || a.Partition != "":
		err = a.solver.start(&o)
	default:
		err = a.solver.prepare(&o, a.query)
	}
	if err != nil {
		return nil, err
	}
	run, err := a.begin()
	if err != nil {
		return nil, err
	}
	o.Progress = a.progress(ctx, run, Progress.String)
	if a.Mapped && unproved == nil {
		o.Pieces = func([]sdk.Piece) error { return nil }
	}
	var file *files.File
	var parts *MapWriter
	if a.Map != "" {
		if file, err = files.Create(a.Map); err == nil {
			if parts, err = NewMapWriter(file, a.Map, a.query.Space); err != nil {
				file.Discard()
			}
		}
		if err != nil {
			err = fmt.Errorf("--map: %w", err)
			run.Fail(err)
			return nil, session.Mistake(err)
		}
		o.Pieces = func(list []sdk.Piece) error {
			_ = parts.Write(list) // Close returns the error again: a lost map costs no result
			return nil
		}
	}
	var counts *Counts
	rep, failed := (*Report)(nil), error(nil)
	if a.Partition == "" {
		rep, failed = Run(ctx, a.query, o)
	} else {
		rep, counts, failed = a.inParts(ctx, o, run)
	}
	if failed = Settle(a.session, rep, failed); rep != nil && unproved != nil {
		rep.Reason = unproved.Error()
	}
	switch {
	case file == nil:
	case rep == nil:
		file.Discard()
	default:
		if err := file.Finish(parts.Close()); err != nil {
			failed = errors.Join(failed, fmt.Errorf("--map: %w", err))
		}
	}
	if rep == nil {
		run.Fail(failed)
		return nil, failed
	}
	if failed == nil && len(rep.Faults) > 0 {
		failed = session.Refuted(rep.Faults)
	}
	if errors.Is(context.Cause(ctx), scorer.ErrBudget) {
		a.noRows = cmp.Or(a.noRows, "the rows of --calls are spent")
	}
	out := a.result(rep, rep.Shares())
	if people != nil && people.Held > 0 {
		out.PopulationFit = &people.Fit
	}
	out.Journal, out.Run, out.Parts = run.Journal, run.Name(), counts
	for i := range rep.Found {
		run.Emit(record.Event{Kind: record.KindFound, Found: &rep.Found[i]})
	}
	// A run in parts that ended at a time limit can be resumed.
	a.end(run, rep, &out.Shares, session.Interrupted(ctx) || counts != nil && engine.Over(ctx) != "", failed)
	return out, failed
}

func (a *asker) options(people *population.Population) Options {
	return Options{
		Threads: a.session.Threads, Memory: a.session.Memory, Seed: a.Seed, Samples: a.Samples, Population: people, Rows: a.rows,
	}
}

// progress returns a function that shows progress, in the given words, and journals it.
func (a *asker) progress(ctx context.Context, run *session.Run, words func(Progress) string) func(Progress) {
	glimpses := &glimpses{run: run, solver: a.solver}
	return func(p Progress) {
		p.Limit = session.Left(ctx, p.Elapsed)
		a.session.Show(a.which + words(p))
		glimpses.progress(p)
	}
}

// Settle turns an engine.Failure, which the report of its run shows already, into a note.
func Settle(s *session.Session, rep *Report, err error) error {
	if rep != nil && err != nil && engine.Unanswered(err) == nil {
		s.Note("%v", err)
		return nil
	}
	return err
}

// end journals the result of a run.
func (a *asker) end(run *session.Run, rep *Report, shares *Shares, interrupted bool, failed error) {
	run.Faults(a.prover(rep).String(), rep.Faults)
	run.Emit(record.Event{Kind: record.KindShares, Shares: rep.event()})
	measures := shares.Measures()
	if a.group != "" {
		measures["positive"], measures["negative"] = shares.Unfair, shares.Fair
		delete(measures, "unfair")
		delete(measures, "fair")
	}
	end := &record.Finished{Interrupted: interrupted, Measures: measures}
	if failed != nil {
		end.Error = failed.Error()
	}
	run.Emit(record.Event{Kind: record.KindFinished, Finished: end})
}

// prover names the solver that proved the shares, or convolution.
func (a *asker) prover(rep *Report) asked.Solver {
	if all := a.solver.plugins(); all != nil && !rep.Convolved {
		return asked.SolverOf(all...)
	}
	if !rep.Convolved && sdk.Provable(a.query.Model, "") != nil {
		return asked.Solver{Name: Unproved}
	}
	return asked.Solver{Name: Convolution}
}

// people returns the population of shares; nil: each combination of values counts once.
func (a *asker) people(ctx context.Context) (*population.Population, error) {
	people, err := a.fits[a.query.Space], error(nil)
	if people == nil {
		var source population.Source
		if source, err = population.Parse(a.Population); err != nil {
			return nil, err
		}
		people, err = source.Of(ctx, a.query.Space, a.rows, a.noRows, a.Seed)
		a.fits[a.query.Space] = people
	}
	return people, err
}

// People returns the population of this name for a space, or else the study's; nil: each combination of values counts once.
func People(ctx context.Context, st *study.Study, name string, of *space.Space, seed int64) (*population.Population, error) {
	a := asker{Request: &Request{Population: cmp.Or(name, st.Population), Seed: seed}, study: st, query: &problem.Query{Space: of}, fits: map[*space.Space]*population.Population{}}
	a.read()
	people, err := a.people(ctx)
	if err != nil {
		return nil, NoPeople(st, a.Population, err)
	}
	return people, nil
}

// NoPeople says why there is no population of the given name, which is the study's or that of --population.
func NoPeople(st *study.Study, name string, err error) error {
	from := "--population"
	if name == st.Population {
		from = st.Path + ": population"
	}
	return session.Mistake(fmt.Errorf("%s: %w", from, err))
}

// begin starts the question's run in the journal. In parts, it resumes an unfinished run of the
// same question, unless the request is Fresh.
func (a *asker) begin() (*session.Run, error) {
	started := asked.Started(a.session, "quantify", a.study, a.query, a.solver.plugins(), a.Where, a.Seed)
	started.Task.Arm = cmp.Or(started.Task.Arm, Convolution)
	started.At = a.start
	started.Task.Settings["samples"] = strconv.Itoa(a.Samples)
	population.Record(started.Task.Settings, a.Population)
	if a.group != "" {
		started.Task.Settings["protected"], started.Task.Settings["group"] = a.attribute, a.group
	}
	if a.Partition != "" { // with more time the run can be resumed
		started.Task.Settings["partition"] = a.Partition
		return a.session.GoOn(started, a.Fresh)
	}
	if a.Timeout > 0 {
		started.Task.Settings["timeout"] = a.Timeout.String()
	}
	return a.session.Begin(started)
}

// inParts answers the question in parts.
func (a *asker) inParts(ctx context.Context, o Options, run *session.Run) (*Report, *Counts, error) {
	chunks, err := partition.ParseChunks(a.query.Space, a.Partition)
	if err != nil {
		return nil, nil, session.Mistake(fmt.Errorf("--%w", err))
	}
	parts := Parts{Chunks: chunks, Shard: a.session.Shard}
	if run.Kept != nil {
		parts.Store = run.Kept
	}
	return RunParts(ctx, a.query, o, parts)
}

// glimpses journals the progress of a run.
type glimpses struct {
	run    *session.Run
	solver *lazily
	told   time.Time
	proved bool // a proof was reported
}

// sharesEvery is the least time between two events about a running question: a
// run that is killed loses about that much.
const sharesEvery = time.Second

// progress journals an event if sharesEvery has passed since the last one, or if it has the first proof.
func (g *glimpses) progress(p Progress) {
	news := p.Fair != nil && !g.proved
	if time.Since(g.told) < sharesEvery && !news {
		return
	}
	g.told, g.proved = time.Now(), g.proved || news
	s := &record.Shares{Fair: "0", Unfair: "0", Boxes: p.Boxes, Sampled: p.Sampled.counted(), Rows: p.Rows.counted()}
	if p.Fair != nil && p.Unfair != nil {
		s.Fair, s.Unfair = p.Fair.RatString(), p.Unfair.RatString()
		s.Grade = gradeOf(p.Fair, p.Unfair, g.solver.plugin.Description().Exactness)
	}
	g.run.Emit(record.Event{Kind: record.KindShares, Shares: s})
}

// gradeOf is the name of a proof's grade; empty if nothing is proved.
func gradeOf(fair, unfair *big.Rat, grade sdk.Grade) string {
	if fair.Sign() == 0 && unfair.Sign() == 0 || grade == 0 {
		return ""
	}
	return grade.String()
}

// Shares returns the report's shares as results show them.
func (r *Report) Shares() Shares { return SharesOf(r.event(), r.Faults) }

// event converts the report for the journal.
func (r *Report) event() *record.Shares {
	s := &record.Shares{
		Fair: r.Fair.RatString(), Unfair: r.Unfair.RatString(), Grade: gradeOf(r.Fair, r.Unfair, r.Grade),
		Boxes: r.Boxes, Complete: r.Complete, Reason: r.Reason, Sampled: r.Sampled.counted(), Rows: r.Rows.counted(), Met: r.Met,
	}
	if r.Individuals != nil {
		s.Individuals = r.Individuals.String()
	}
	if r.Population != nil {
		s.Population = r.Population.String()
	}
	if r.Convolved {
		s.ProvedBy = Convolution
	}
	return s
}

func (s *Sampled) counted() *record.Counted {
	if s == nil {
		return nil
	}
	return &record.Counted{Unfair: s.Unfair, N: s.N, All: s.All}
}

func (r *Rows) counted() *record.Counted {
	if r == nil {
		return nil
	}
	return &record.Counted{Unfair: r.Unfair, N: r.N, Outside: r.Outside}
}
