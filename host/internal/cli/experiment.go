package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hyfair/hyfair/host/internal/answer/mitigate"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/fleet"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/experiment/series"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/clock"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
)

// experimentFlags are the flags of every command that runs an experiment.
type experimentFlags struct {
	models gridfile.Models
	shown  showFlags
	from   string
	begin  experiment.Beginning
	fleet  fleet.Address
	// The fields from scope to tables are for experiments that compare arms.
	scope   question.Scope
	runs    int
	clock   string
	tidy    string
	plots   plotFlags
	control string
	// columns holds the values of --columns, one per table, and tables the same values parsed.
	// known lists the column names that --columns accepts.
	columns, known []string
	tables         [][]string
	// changed reports whether the user gave a flag; given lists the flags that the user gave.
	changed func(name string) bool
	given   func() []string
}

// showing lists the flags that may be combined with --from: they only say how a run of the journal
// is shown, or where it is stored.
var showing = []string{"from", "format", "out", "columns", "control", "tidy", "plots", "plot-format", "html", "junit", mitigate.MaxCost, mitigate.MaxUnfair, "target", "json", "journal", "data", "plugin-dir", "log-level"}

// add adds --models and the flags of addDoing, with the given prefix in the help of the latter.
func (f *experimentFlags) add(app *App, cmd *cobra.Command, of string) {
	cmd.Flags().StringVar(&f.models.Pattern, "models", "",
		"use the networks that match this pattern, such as 'AC-[1368]', in the folder of each study's network (default: as the file says, else the study's own network)")
	f.addDoing(app, cmd, of)
}

// addDoing adds the flags that run or resume tasks, with the given prefix in their help.
func (f *experimentFlags) addDoing(app *App, cmd *cobra.Command, of string) {
	fl := cmd.Flags()
	app.addShard(cmd, of)
	fl.BoolVar(&f.begin.Resume, "resume", false, of+"resume the interrupted run, or fail without one (default: resume if there is one, else begin)")
	fl.BoolVar(&f.begin.Fresh, "fresh", false, of+"do every task again, even if a run has its result")
	fl.StringSliceVar(&f.begin.Reuse, "reuse", nil, of+"take results of equal tasks from these journals, too")
	fl.StringVar(&f.fleet.URL, "fleet", "", of+"have the workers of the fleet at this address do the tasks, such as "+fleet.DefaultURL)
	addKeys(cmd, "fleet-keys", &f.fleet)
	fl.StringVar(&f.tidy, "tidy", "", of+"write one row per run to this file, whose name ends in .csv or .jsonl")
	f.changed = func(name string) bool {
		flag := cmd.Flag(name)
		return flag != nil && flag.Changed
	}
	f.given = func() (names []string) {
		cmd.Flags().Visit(func(flag *pflag.Flag) { names = append(names, flag.Name) })
		return names
	}
	f.shown.format = view.Text
}

// addArms adds the flags of experiments that compare arms: the settings that all arms
// share, and those of the tables, which can be rebuilt from a run in the journal.
func (f *experimentFlags) addArms(cmd *cobra.Command, runs int, columns []string) {
	f.known = columns
	fl := cmd.Flags()
	fl.IntVar(&f.runs, "runs", runs, "runs of each arm on each network, with the seeds seed, seed + 1, …")
	fl.StringVar(&f.scope.Epsilon, "epsilon", "", "ε, a score difference (default: the study's)")
	fl.StringVar(&f.scope.Threshold, "threshold", "", thresholdHelp)
	fl.StringVar(&f.scope.Bands, "bands", "", bandsHelp)
	fl.StringSliceVar(&f.scope.Protected, "protected", nil, "protected attributes to vary together (default: all the study protects)")
	fl.StringVar(&f.scope.Where, "where", "", `restrict the space: "age=30..39,workclass=Private|State-gov"`)
	fl.StringSliceVar(&f.scope.Rules, "rules", nil, "constraints to switch on by name, or all, or none (default: as the study says)")
	f.addShown(cmd)
	fl.StringVar(&f.control, "control", "", "test every other arm against this one, with Holm's correction over those (default: every pair of arms)")
	fl.StringArrayVar(&f.columns, "columns", nil, "show these columns, in this order, in one table; repeat the flag for another table. Known: "+strings.Join(columns, ", "))
}

// addShown adds the flags of experiments whose tables can be rebuilt from a run in the
// journal, and whose tasks have time limits.
func (f *experimentFlags) addShown(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.clock, "clock", clock.WallTime, "what a budget in time counts: wall, or cpu for processor time of worker and plugins together (Linux)")
	f.shown.add(cmd, "")
	f.shown.addOut(cmd, "")
	fl.StringVar(&f.from, "from", "", "show the tables of this run in the journal again, without running anything")
}

func (f *experimentFlags) validate(args []string) error {
	f.models.Given = f.changed("models")
	switch {
	case f.begin.Resume && f.begin.Fresh:
		return errors.New("--resume and --fresh exclude each other: leave one of the two out")
	case f.begin.Fresh && len(f.begin.Reuse) > 0:
		return errors.New("--reuse and --fresh exclude each other: leave one of the two out")
	case f.from != "" && len(args) > 0:
		return fmt.Errorf("--from shows a run of the journal as it was run: leave out %s", strings.Join(args, " "))
	}
	if f.from != "" {
		for _, name := range f.given() {
			if !slices.Contains(showing, name) {
				return fmt.Errorf("--from shows a run of the journal as it was run: leave out --%s", name)
			}
		}
	}
	f.tables = nil
	for _, list := range f.columns {
		table := strings.Split(list, ",")
		for i, name := range table {
			if name = strings.TrimSpace(name); !slices.Contains(f.known, name) {
				return fmt.Errorf("--columns: no column %q; %s", name, yamlfile.Suggest(name, f.known))
			}
			table[i] = name
		}
		f.tables = append(f.tables, table)
	}
	if err := f.plots.validate(); err != nil {
		return err
	}
	if f.tidy != "" && !slices.Contains([]string{view.CSV, view.JSONLines}, f.tidyFormat()) {
		return fmt.Errorf("--tidy %s: want a file that ends in .%s or .%s", f.tidy, view.CSV, view.JSONLines)
	}
	return f.shown.validate()
}

func (f *experimentFlags) tidyFormat() string {
	return strings.TrimPrefix(strings.ToLower(filepath.Ext(f.tidy)), ".")
}

// writeTidy writes the file of --tidy.
func (f *experimentFlags) writeTidy(t experiment.Table) error {
	if f.tidy == "" {
		return nil
	}
	if err := files.Write(f.tidy, func(file *os.File) error { return t.Records().Write(file, f.tidyFormat()) }); err != nil {
		return fmt.Errorf("--tidy: %w", err)
	}
	return nil
}

// show shows the chosen columns of a table of arms, even if the file of --tidy cannot be written.
func (f *experimentFlags) show(app *App, t experiment.Table) error {
	if err := f.choose(t); err != nil {
		return err
	}
	failed := f.writeTidy(t)
	return errors.Join(f.shown.show(app, t), failed)
}

// choose makes a table show the columns of --columns, all of which it must have.
func (f *experimentFlags) choose(t experiment.Table) error {
	if f.tables == nil {
		return nil
	}
	if err := t.(interface{ Choose(tables [][]string) error }).Choose(f.tables); err != nil {
		return usage(fmt.Errorf("--columns: %w", err))
	}
	return nil
}

// ready checks, before the first task runs, that the chosen columns exist and that the output files
// can be written.
func (f *experimentFlags) ready(p experiment.Plan) error {
	if t, err := p.Tabulate(&experiment.Memory{}); err == nil {
		if err := f.choose(t); err != nil {
			return err
		}
	}
	for _, file := range []struct{ flag, path string }{{"tidy", f.tidy}, {"out", f.shown.out}} {
		if file.path == "" {
			continue
		}
		if err := files.Try(file.path); err != nil {
			return usage(fmt.Errorf("--%s: %w", file.flag, err))
		}
	}
	if files.Same(f.tidy, f.shown.out) {
		return usage(fmt.Errorf("--tidy and --out are the same file, %s: name two files", f.tidy))
	}
	return f.plots.ready()
}

// over replaces a file's value by the flag's, if the flag is given or the file lacks the value.
func over[T any](f *experimentFlags, name string, file *T, flag T) {
	if f.changed(name) || reflect.ValueOf(file).Elem().IsZero() {
		*file = flag
	}
}

// terms returns the terms of a file, overridden by flags. budget is the flag's value.
func (f *experimentFlags) terms(app *App, file experiment.Terms, budget string) (experiment.Terms, error) {
	app.compares()
	over(f, "epsilon", &file.Epsilon, f.scope.Epsilon)
	over(f, "threshold", &file.Threshold, f.scope.Threshold)
	over(f, "bands", &file.Bands, f.scope.Bands)
	over(f, "protected", &file.Protected, f.scope.Protected)
	over(f, "where", &file.Where, f.scope.Where)
	over(f, "rules", &file.Rules, f.scope.Rules)
	over(f, "budget", &file.Budget, budget)
	over(f, "clock", &file.Clock, f.clock)
	if file.Clock == clock.WallTime {
		file.Clock = ""
	}
	over(f, "runs", &file.Runs, f.runs)
	over(f, "seed", &file.Seed, app.Seed)
	over(f, "threads", &file.Threads, app.Threads)
	over(f, "jobs", &file.Jobs, app.Jobs)
	var err error
	file.Memory, err = app.memoryBytes()
	return file, err
}

// run returns the RunE of an experiment's command. It calls check to validate the command's own
// flags. With --from it shows that run of the journal again, otherwise it conducts the plan of
// flags and arguments.
func (f *experimentFlags) run(app *App, check func(args []string) error, recall func(record.Task) (experiment.Plan, error),
	plan func(ctx context.Context, args []string) (experiment.Plan, error),
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := cmp.Or(check(args), f.validate(args)); err != nil {
			return usage(err)
		}
		show := f.plots.shower(app, f.show)
		if f.from != "" {
			return f.recall(app, recall, show)
		}
		p, err := plan(cmd.Context(), args)
		if err != nil {
			return err
		}
		return f.conduct(cmd.Context(), app, p, show)
	}
}

// networks calls the function for every network of the studies.
func (f *experimentFlags) networks(app *App, s *session.Session, p experiment.Plan, studies []gridfile.Study, add func(question.Spec, gridfile.Study) error) error {
	if err := f.models.Each(studies, app.Data, add); err != nil {
		return usage(err)
	}
	for _, of := range p.Frame().Subjects {
		question.CountsBins(of.Clustering, s.Note)
	}
	return nil
}

// conduct runs or resumes an experiment, shows its result, and converts its end into an exit
// code.
func (f *experimentFlags) conduct(ctx context.Context, app *App, p experiment.Plan, show func(experiment.Table) error) error {
	if err := f.ready(p); err != nil {
		return err
	}
	s, err := app.session()
	if err != nil {
		return err
	}
	place, leave, err := f.place(app, s)
	if err != nil {
		return usageIf(err)
	}
	t, failed := experiment.Conduct(ctx, s, place, p, f.begin)
	leave()
	if failed = app.end(s, failed); t == nil {
		return failed
	}
	return ended(ctx, errors.Join(show(t), failed))
}

// place returns where the tasks are done, on this machine or by a fleet, and a function that
// disconnects from it.
func (f *experimentFlags) place(app *App, s *session.Session) (experiment.Place, func(), error) {
	if f.fleet.URL != "" {
		wait := fleet.DefaultWait
		if text := os.Getenv("HYFAIR_FLEET_WAIT"); text != "" {
			var err error
			if wait, err = time.ParseDuration(text); err != nil || wait < time.Second || wait > time.Hour {
				return nil, nil, usage(fmt.Errorf("$HYFAIR_FLEET_WAIT is %q: want a time from 1s to 1h", text))
			}
		}
		c, err := fleet.Coordinate(f.fleet, s, wait)
		if err != nil {
			return nil, nil, err
		}
		return c, func() { c.Close() }, nil
	}
	processes, err := app.workers()
	return experiment.Here{Processes: processes}, func() {}, err
}

// ended returns the error with which a command exits after the finished tasks were shown. After an
// interrupt it says that the same command resumes the others.
func ended(ctx context.Context, failed error) error {
	switch {
	case errors.Is(failed, session.ErrContradiction): // exitCode has a code for it
	case ctx.Err() != nil:
		return interruption("interrupted; the finished tasks are shown, and the same command resumes the others", failed)
	}
	return failed
}

// recall shows an experiment of the journal again.
func (f *experimentFlags) recall(app *App, plan func(record.Task) (experiment.Plan, error), show func(experiment.Table) error) error {
	var t experiment.Table
	failed := withRun(app, func(j *journal.Journal) (err error) {
		t, err = experiment.Recall(j, f.from, plan)
		return err
	})
	if t == nil {
		return failed
	}
	return ended(context.Background(), errors.Join(show(t), failed))
}

// studyOrFrom is the argument rule of commands that take one STUDY. With --from the argument may be
// omitted.
func studyOrFrom(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && cmd.Flag("from").Changed {
		return nil
	}
	return exactlyOne("STUDY")(cmd, args)
}

// single returns an error for a flag that needs a file of several studies if the argument is a
// single study. The error names such a file as an example.
func (f *experimentFlags) single(example string, more ...string) error {
	for _, name := range slices.Concat([]string{"models"}, more, []string{"resume", "fresh", "reuse", "shard", "tidy", "fleet"}) {
		if f.changed(name) {
			return fmt.Errorf("--%s is for a file of several studies, such as %s", name, example)
		}
	}
	return nil
}

// recallSeries shows a run of the journal over a file of studies again.
func (f *experimentFlags) recallSeries(app *App, plan func(record.Task) (experiment.Plan, error), show func(experiment.Table) error) error {
	if err := f.validate(nil); err != nil {
		return usage(err)
	}
	return f.recall(app, plan, show)
}

// runSeries asks the same question about the networks of a file, once for each point of its
// grid. The file may set all flags of the command except those that openSeries leaves out.
func runSeries[Q, R any](cmd *cobra.Command, app *App, f *experimentFlags, file string, single []string, p *series.Plan[Q, R],
	request func(question.Spec, string) (Q, error), show func(experiment.Table) error,
) error {
	app.compares()
	for _, name := range single {
		if f.changed(name) {
			return usage(fmt.Errorf("--%s is for a single study, not for a file of several", name))
		}
	}
	in, settings, err := openSeries(cmd, app, file, single)
	if err != nil {
		return usage(err)
	}
	points, _ := in.Grid(settings.grid, gridfile.Outside(in.Root), settings.take)
	studies := in.Studies()
	if err = in.Err(); err == nil {
		err = f.validate(nil)
	}
	if err == nil {
		err = f.models.Each(studies, app.Data, func(spec question.Spec, _ gridfile.Study) error {
			for _, point := range points {
				settings.at(point)
				name := p.Called(spec, point.Called(""))
				r, err := request(spec, name)
				if l, ok := any(&r).(interface{ Local() string }); ok && err == nil && f.fleet.URL != "" && l.Local() != "" {
					err = fmt.Errorf("%s: a task of a fleet reads no file of this machine except its study's: leave this file out, or leave out --fleet", l.Local())
				}
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				p.Add(r, name, point)
			}
			return nil
		})
	}
	if err != nil {
		return usage(err)
	}
	memory, err := app.memoryBytes()
	if err != nil {
		return usage(err)
	}
	p.Name, p.Seed, p.Threads, p.Memory, p.Jobs = in.Called(), app.Seed, app.Threads, memory, app.Jobs
	if err := p.Frame().Check(); err != nil {
		return usage(err)
	}
	s, err := app.session()
	if err != nil {
		return err
	}
	if err := p.Resolve(cmd.Context(), s); err != nil {
		return usageIf(err)
	}
	return f.conduct(cmd.Context(), app, p, show)
}

// settings sets flags from the text of a file, unless the user gave them.
type settings struct {
	cmd   *cobra.Command
	app   *App
	names []string
	grid  *yamlfile.Node
	// shared holds the plugin options of the file, own those of the user.
	shared, own []string
}

// openSeries opens a file of studies and sets each flag that the file has and the user did not
// give.
func openSeries(cmd *cobra.Command, app *App, file string, single []string) (*gridfile.File, *settings, error) {
	s := &settings{cmd: cmd, app: app, own: app.Set}
	not := append([]string{"models", "resume", "fresh", "reuse", "shard", "tidy", "format", "out", "html", "junit", mitigate.MaxCost, mitigate.MaxUnfair, "plots", "plot-format", "fleet", "fleet-keys", "help", "json", "data", "plugin-dir", "journal", "log-level", "set"}, single...)
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !slices.Contains(not, flag.Name) {
			s.names = append(s.names, flag.Name)
		}
	})
	in, err := gridfile.Open(file, "a file of studies to "+cmd.Name(), append(s.names, "set", "grid")...)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range s.names {
		at, flag := in.Root.Get(name), cmd.Flag(name)
		switch list, several := flag.Value.(pflag.SliceValue); {
		case at == nil || flag.Changed:
		case several:
			list.Replace(in.Texts(name))
		default:
			if text := in.Setting(name); text != "" {
				if err := s.set(name, text); err != nil {
					in.Fault(at, "%v", err)
				}
			}
		}
	}
	if set := in.Root.Get("set"); set != nil {
		for name, value := range in.Options(set) {
			s.shared = append(s.shared, name+"="+value)
		}
	}
	s.at(nil)
	s.grid = in.Root.Want("grid")
	s.grid.Entries = slices.DeleteFunc(s.grid.Entries, func(e yamlfile.Entry) bool {
		// A value that the user gave replaces the grid's values of that key.
		if name, ok := strings.CutPrefix(e.Key.Text, gridfile.OptionKey); ok {
			return slices.ContainsFunc(s.own, func(own string) bool { return strings.HasPrefix(own, name+"=") })
		}
		flag := cmd.Flag(e.Key.Text)
		return flag != nil && flag.Changed
	})
	return in, s, nil
}

// set sets a flag to a value of the file. The caller checks that the user did not give the flag.
func (s *settings) set(name, text string) error {
	value := s.cmd.Flag(name).Value
	if list, several := value.(pflag.SliceValue); several {
		return list.Replace(strings.Split(text, ","))
	}
	if err := value.Set(text); err != nil {
		return fmt.Errorf("%q: %w", text, cmp.Or(errors.Unwrap(err), err))
	}
	return nil
}

// take sets the flag or option that a key of a grid names.
func (s *settings) take(v gridfile.Value) error {
	if name, ok := strings.CutPrefix(v.Key, gridfile.OptionKey); ok {
		s.app.Set = append(slices.Clone(s.app.Set), name+"="+v.Text)
		return nil
	}
	if slices.Contains([]string{"jobs", "memory", "threads"}, v.Key) {
		return errors.New("is the same for all tasks: give it outside the grid")
	}
	if !slices.Contains(s.names, v.Key) {
		return fmt.Errorf("unknown key; %s", yamlfile.Suggest(v.Key, append(s.names, gridfile.OptionKey+"OPTION")))
	}
	return s.set(v.Key, v.Text)
}

// at sets the flags to the values of a point. take has accepted them before.
func (s *settings) at(p gridfile.Point) {
	s.app.Set = s.shared
	for _, v := range p {
		s.take(v)
	}
	s.app.Set = append(slices.Clone(s.app.Set), s.own...) // the user's come last and win
}

// workers returns processes that run this program as workers.
func (a *App) workers() (*workers.Processes, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &workers.Processes{Program: self, Args: []string{"work", "--plugin-dir", a.PluginDir, "--log-level", a.LogLevel}}
	if slices.Contains([]string{"trace", "debug", "info"}, a.LogLevel) {
		p.Log = a.Stderr
	}
	return p, nil
}
