package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/partition"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk/problem"
)

// partitionFlags ask for a question in many parts.
type partitionFlags struct {
	chunks string
	all    bool
	soft   time.Duration
	fresh  bool
}

func (f *partitionFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.chunks, "partition", "", `decide the question in parts: a chunk size for every feature such as 10, "age=10,hours-per-week=20", or adaptive`)
	fl.BoolVar(&f.all, "all", false, "with --partition: decide every part, not only up to the first witness")
	fl.DurationVar(&f.soft, "soft-timeout", partition.DefaultSoftTimeout, "with --partition: wall time of one question to the solver")
	fl.BoolVar(&f.fresh, "fresh", false, "with --partition: start anew, where the same run was broken off and could go on")
}

func (f *certifyFlags) validatePartition() error {
	p := &f.partition
	switch {
	case p.chunks == "" && p.all:
		return errors.New("--all: there are no parts without --partition")
	case p.chunks != "" && f.maximise:
		return errors.New("--partition and --maximize exclude each other: parts are decided, not maximised")
	case p.chunks != "" && f.question.K > 0:
		return errors.New("--partition and --k exclude each other")
	case p.chunks != "" && p.soft <= 0:
		return fmt.Errorf("--soft-timeout %v: want a positive time such as 100s", p.soft)
	}
	return nil
}

// partitioned answers the question in parts.
func (j *certifyJob) partitioned(ctx context.Context, events *certifyEvents) (*certify.Report, *partition.Report, error) {
	chunks, err := partition.ParseChunks(j.query.Space, j.flags.partition.chunks)
	if err != nil {
		return nil, nil, usage(fmt.Errorf("--%w", err))
	}
	solvers, closeAll, err := j.solvers(ctx)
	defer closeAll()
	if err != nil {
		return nil, nil, err
	}
	o := partition.Options{
		Chunks: chunks, Adaptive: j.flags.partition.chunks == partition.Adaptive, All: j.flags.partition.all,
		SoftTimeout: j.flags.partition.soft, Solvers: solvers, Seed: j.app.Seed,
	}
	line := newStatusLine(j.app)
	o.Progress = func(r partition.Report) { line.show(partitionProgress(r)) }
	if run := events.kept; run != nil {
		o.Store = run
	}
	rep, err := partition.Run(ctx, j.query, o)
	line.clear()
	if rep == nil {
		return nil, nil, err
	}
	return j.whole(ctx, rep), rep, err
}

// solvers are the questions' settings for each solver process: the one that is
// running, and with --jobs more of its kind.
func (j *certifyJob) solvers(ctx context.Context) (all []certify.Options, closeAll func(), err error) {
	var more []*discover.Plugin
	closeAll = func() {
		for _, p := range more {
			p.Close()
		}
	}
	settings := func(p *discover.Plugin) certify.Options {
		return certify.Options{Solver: p.Solver(), Description: p.Description(), Encoding: j.encoding(), Bounds: j.bounds(),
			Threads: j.app.threads(), Memory: j.memory, Seed: j.app.Seed, Set: p.Options}
	}
	all = append(all, settings(j.plugin))
	for len(all) < j.app.Jobs {
		p, err := certify.OpenSolver(ctx, j.session, j.plugin.Found.Name, j.flags.encoding, j.set)
		if err != nil {
			return all, closeAll, err
		}
		more = append(more, p)
		all = append(all, settings(p))
	}
	return all, closeAll, nil
}

// whole is the report on the question that the parts make together.
func (j *certifyJob) whole(ctx context.Context, p *partition.Report) *certify.Report {
	rep := &certify.Report{
		Verdict: p.Verdict, Grade: p.Grade, Tolerance: p.Tolerance, ToleranceFormula: p.ToleranceFormula, Witness: p.Witness,
		Spurious: p.Spurious, Solves: p.Solves, Nodes: p.Nodes, Faults: p.Faults, Regions: p.By,
	}
	if rep.Verdict != certify.Fair {
		rep.Grade, rep.Tolerance, rep.ToleranceFormula = 0, 0, ""
	}
	switch {
	case p.Undecided == 0:
	case session.Interrupted(ctx):
		rep.Reason = "interrupted"
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		rep.Reason = "time limit"
	default:
		rep.Reason = fmt.Sprintf("%d of %d partitions are undecided", p.Undecided, p.Total)
	}
	return rep
}

func partitionProgress(r partition.Report) string {
	decided := r.Fair + r.Unfair
	text := fmt.Sprintf("%d of %d partitions decided (%d fair, %d unfair) · %s · %s", decided, r.Total, r.Fair, r.Unfair, r.Stage, r.Elapsed.Round(time.Second))
	if fresh := decided - r.Resumed; fresh > 0 && r.Undecided > 0 {
		text += fmt.Sprintf(" · at this pace %v more", (r.Elapsed * time.Duration(r.Undecided) / time.Duration(fresh)).Round(time.Second))
	}
	return text
}

func printPartitions(w io.Writer, p *partition.Report) {
	fmt.Fprintf(w, "\n%d partitions: %d fair, %d unfair, %d undecided", p.Total, p.Fair, p.Unfair, p.Undecided)
	if p.Resumed > 0 {
		fmt.Fprintf(w, "; %d of the results from the run that was broken off", p.Resumed)
	}
	var by []string
	for _, m := range []certify.Method{certify.ByBounds, certify.BySampling, certify.BySolver, certify.ByEnumeration} {
		if n := p.By[m]; n > 0 {
			by = append(by, fmt.Sprintf("%d by %s", n, m))
		}
	}
	if len(by) > 0 {
		fmt.Fprintf(w, "\ndecided: %s", strings.Join(by, ", "))
	}
	fmt.Fprintln(w)
}

// resumable is the newest run of the same question in parts that did not
// finish; nil where there is none, or --fresh asks for none.
func (j *certifyJob) resumable(kept *journal.Journal) *journal.Run {
	if kept == nil || j.flags.partition.chunks == "" || j.flags.partition.fresh {
		return nil
	}
	open, err := kept.Unfinished(j.task())
	if err != nil || len(open) == 0 {
		return nil
	}
	run, err := kept.Resume(open[0].Name)
	if err != nil {
		return nil
	}
	return run
}

// bounds is the method that bounds the network: the tighter one for scripts,
// whose solvers gain most from every neuron that is stable.
func (j *certifyJob) bounds() string {
	if j.flags.bounds != "" {
		return j.flags.bounds
	}
	if e, err := certify.LookupEncoding(j.encoding()); err == nil && e.Form == problem.FormSMT {
		return "linear"
	}
	return certify.DefaultBounds
}
