package quantify

import (
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
	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/certify/partition"
	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Request asks which share of the space is treated fairly. It is plain data.
type Request struct {
	question.Spec
	// Solver is the plugin's name; empty: the first that quantifies. Set has its
	// options.
	Solver string            `json:"solver,omitempty"`
	Set    map[string]string `json:"set,omitempty"`
	// Population is the population of shares, in the syntax of population.Parse; empty: each combination of values once.
	Population string `json:"population,omitempty"`
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
		return fmt.Errorf("--timeout %v is negative", r.Timeout)
	case r.Samples < 0:
		return fmt.Errorf("--samples %d: want 0 or more", r.Samples)
	case r.Population != "" && r.Population != population.Uniform && r.Partition != "":
		return errors.New("--population and --partition exclude each other: parts count each combination of values once")
	case (r.Map != "" || r.Mapped) && r.Partition != "":
		return errors.New("--map and --partition exclude each other")
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
	st, queries, err := question.Queries(r.Spec, problem.Quantify, s.Note)
	if err == nil && len(queries) > 1 && r.Map != "" {
		err = fmt.Errorf("--map takes one question, but --protected %s asks several: ask them one at a time", strings.Join(r.Protected, ","))
	}
	if err != nil {
		return nil, session.Mistake(err)
	}
	a := asker{Request: &r, session: s, study: st}
	switch d, err := st.Data(); {
	case err == nil:
		a.rows = d.Points
	case errors.Is(err, study.ErrNoData):
		a.noRows = "the study declares none"
	default:
		a.noRows = err.Error()
	}
	// Without the time limit: the sample and the rows are worth an answer even if the solver starts late.
	if a.plugin, err = Open(whole, s, r.Solver, r.Set); err != nil {
		return nil, err
	}
	defer a.plugin.Close()
	out := &Results{Study: st.Name, Model: filepath.Base(st.ModelPath), Seed: r.Seed, Questions: []*Result{}, Several: len(queries) > 1}
	var failed error
	for i, q := range queries {
		one := a
		if one.query, one.start = q, s.Begun; i > 0 {
			one.start = time.Now()
		}
		if out.Several {
			one.which = fmt.Sprintf("%d of %d · %s · ", i+1, len(queries), strings.Join(question.Protected(q.Space), " × "))
		}
		part, cancel := session.PartOf(ctx, len(queries)-i)
		answer, err := one.answer(part)
		cancel()
		if failed = errors.Join(failed, err); answer == nil {
			break
		}
		if out.Questions = append(out.Questions, answer); out.Several && s.Part != nil {
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

// asker answers one question of a request, with all files loaded.
type asker struct {
	*Request
	session *session.Session
	study   *study.Study
	query   *problem.Query
	plugin  *discover.Plugin
	start   time.Time
	// The question's name in lines of progress; empty if there is only one question.
	which string
	// rows are the data set's; nil: there are none, for the reason noRows.
	rows   [][]float64
	noRows string
}

// answer answers the question; nil if there is nothing to show.
func (a *asker) answer(ctx context.Context) (*Result, error) {
	people, err := a.people(ctx)
	if err != nil {
		return nil, session.Mistake(fmt.Errorf("--population %s: %w", a.Population, err))
	}
	run, err := a.begin()
	if err != nil {
		return nil, err
	}
	glimpses := &glimpses{run: run, grade: a.plugin.Description().Exactness}
	o := Options{
		Solver: a.plugin.Solver(), Description: a.plugin.Description(), Threads: a.session.Threads, Memory: a.session.Memory,
		Seed: a.Seed, Set: a.plugin.Options, Samples: a.Samples, Population: people, Rows: a.rows,
		Progress: func(p Progress) {
			p.Limit = session.Left(ctx, p.Elapsed)
			a.session.Show(a.which + p.String())
			glimpses.progress(p)
		},
	}
	o.Convolve = a.Solver == ""
	if a.Mapped {
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
	if rep != nil && failed != nil && engine.Unanswered(failed) == nil {
		a.session.Note("%v", failed)
		failed = nil
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
	told := rep.event()
	out := a.result(rep, rep.Shares())
	if people != nil && people.Held > 0 {
		out.PopulationFit = &people.Fit
	}
	out.Journal, out.Run, out.Parts = run.Journal, run.Name(), counts
	run.Faults(a.plugin.String(), rep.Faults)
	for i := range rep.Found {
		run.Emit(record.Event{Kind: record.KindFound, Found: &rep.Found[i]})
	}
	run.Emit(record.Event{Kind: record.KindShares, Shares: told})
	// A run in parts that ended at a time limit can be resumed.
	end := &record.Finished{Interrupted: session.Interrupted(ctx) || counts != nil && engine.Over(ctx) != "", Measures: out.Measures()}
	if failed != nil {
		end.Error = failed.Error()
	}
	run.Emit(record.Event{Kind: record.KindFinished, Finished: end})
	return out, failed
}

// people returns the population of shares; nil: each combination of values counts once.
func (a *asker) people(ctx context.Context) (*population.Population, error) {
	source, _ := population.Parse(a.Population)
	return source.Of(ctx, a.query.Space, a.rows, a.noRows, a.Seed)
}

// begin starts the question's run in the journal. In parts, it resumes an unfinished run of the
// same question, unless the request is Fresh.
func (a *asker) begin() (*session.Run, error) {
	started := asked.Started(a.session, "quantify", a.study, a.query, discover.Solvers{a.plugin}, a.Where, a.Seed)
	started.At = a.start
	started.Task.Settings["samples"] = strconv.Itoa(a.Samples)
	if a.Population != "" {
		started.Task.Settings["population"] = a.Population
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
	grade  sdk.Grade // of the solver's proofs
	told   time.Time
	proved bool // a proof was reported
}

// sharesEvery is the least time between two events about a running question: a
// run that is killed loses about as much.
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
		s.Grade = gradeOf(p.Fair, p.Unfair, g.grade)
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
