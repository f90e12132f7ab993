package discover

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Plugin is a running plugin. Close ends it.
type Plugin struct {
	*client.Plugin
	Found Found
	// Preset is the requested preset of the strategy; empty for none.
	Preset string
	// Options are passed with every question: the preset's, overridden by the user's.
	Options map[string]string

	build func() string
}

// killGrace is the time a plugin may take to stop by itself, short enough that a question
// is answered, and its plugin ended, within a second of the time limit.
const killGrace = 500 * time.Millisecond

// Launch starts the plugin and checks that its kind and name are those of its file. The
// logger gets its output; nil discards it.
func (f Found) Launch(ctx context.Context, logger hclog.Logger) (*Plugin, error) {
	if f.Problem != nil {
		return nil, fmt.Errorf("%s: %w", strings.TrimSpace(f.Kind.String()+" "+f.Name), f.Problem)
	}
	if err := f.verify(); err != nil {
		return nil, fmt.Errorf("%s %s: %w", f.Kind, f.Name, err)
	}
	config := client.Config{
		Path: f.Command[0], Args: f.Command[1:], Dir: f.Dir, Env: f.environment(), Kind: f.Kind, Logger: logger,
		KillGrace: killGrace,
		NoTLS:     f.Language == "python", // gRPC for Python cannot use the host's certificate
	}
	p, err := client.Launch(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	if name := p.Description().Name; f.Name != "" && name != f.Name {
		p.Close()
		return nil, fmt.Errorf("%s: the plugin calls itself %q; its file's name says %q: rename one of them: %w", f.Path, name, f.Name, sdk.ErrIncompatible)
	}
	return &Plugin{Plugin: p, Found: f, Options: map[string]string{}, build: sync.OnceValue(func() string { return build(f.Path) })}, nil
}

// environment returns the plugin's environment variables in addition to the host's. Python
// must not write compiled modules into the plugin's folder: the folder would differ from
// what was installed, and compiled modules are run unchecked. An installed folder is run by
// the Python of its installation, unless the user names another.
func (f Found) environment() []string {
	if f.Dir == "" {
		return nil
	}
	env := []string{"PYTHONDONTWRITEBYTECODE=1"}
	if python := interpreter(f.Dir); python != "" && os.Getenv("HYFAIR_PYTHON") == "" {
		env = append(env, "HYFAIR_PYTHON="+python)
	}
	return env
}

// Launch starts the solver of that name, or the strategy whose plugin or preset has that
// name, without the user's options: see Configure.
func (c *Catalogue) Launch(ctx context.Context, kind client.Kind, name string) (*Plugin, error) {
	if kind == client.Strategy {
		return c.launchStrategy(ctx, name)
	}
	f, err := c.Find(kind, name)
	if err != nil {
		return nil, err
	}
	return f.Launch(ctx, c.Logger)
}

// Open is Launch and Configure, for commands that use one plugin.
func (c *Catalogue) Open(ctx context.Context, kind client.Kind, name string, options map[string]string) (*Plugin, error) {
	p, err := c.Launch(ctx, kind, name)
	if err != nil {
		return nil, err
	}
	if err := Configure(options, p); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// launchStrategy starts the strategy plugin of that name, or else asks every strategy for
// its presets, whose names are arbitrary.
func (c *Catalogue) launchStrategy(ctx context.Context, name string) (*Plugin, error) {
	if own := c.offers(client.Strategy, name); len(own) > 0 {
		p, err := own[0].Launch(ctx, c.Logger)
		if err == nil {
			p.choose(name)
		}
		return p, err
	}
	var known []string
	var offering []*Plugin
	var broken []error
	for _, l := range c.launchAll(ctx, client.Strategy) {
		if l.err != nil {
			broken = append(broken, l.err)
			continue
		}
		known = l.plugin.names(known)
		if l.plugin.choose(name) {
			offering = append(offering, l.plugin)
		} else {
			l.plugin.Close()
		}
	}
	switch {
	case ctx.Err() != nil:
		closeAll(offering)
		return nil, ctx.Err()
	case len(offering) == 1:
		return offering[0], nil
	case len(offering) > 1:
		closeAll(offering)
		return nil, fmt.Errorf("strategy %q is offered by %s and %s: remove one of them", name, offering[0].Found.Path, offering[1].Found.Path)
	}
	err := c.notFound(client.Strategy, name, known)
	if len(broken) > 0 {
		err = fmt.Errorf("%w\nthese plugins do not start, so their names and presets are unknown:\n%w", err, errors.Join(broken...))
	}
	return nil, err
}

// names appends the names that select a strategy: its own and its presets'.
func (p *Plugin) names(known []string) []string {
	known = append(known, p.Description().Name)
	for _, q := range p.Description().Presets {
		if !slices.Contains(known, q.Name) {
			known = append(known, q.Name)
		}
	}
	return known
}

// Strategies starts every strategy plugin, and returns the names and presets of those that
// start.
func (c *Catalogue) Strategies(ctx context.Context) (known []string) {
	for _, l := range c.launchAll(ctx, client.Strategy) {
		if l.err == nil {
			known = l.plugin.names(known)
			l.plugin.Close()
		}
	}
	return known
}

// choose applies the named preset; false if the plugin lacks it.
func (p *Plugin) choose(name string) bool {
	presets := p.Description().Presets
	i := slices.IndexFunc(presets, func(q sdk.Preset) bool { return q.Name == name })
	if i < 0 {
		return false
	}
	p.Preset = name
	maps.Copy(p.Options, presets[i].Options)
	return true
}

func closeAll(plugins []*Plugin) {
	for _, p := range plugins {
		p.Close()
	}
}

// launched is a plugin that launchAll started, or its error.
type launched struct {
	found  Found
	plugin *Plugin
	err    error
}

// launchAll starts every plugin of a kind (0: of every kind), several at a time, and
// returns them in the catalogue's order.
func (c *Catalogue) launchAll(ctx context.Context, kind client.Kind) []launched {
	var out []launched
	for _, f := range c.Plugins {
		if kind == 0 || f.Kind == kind {
			out = append(out, launched{found: f})
		}
	}
	const atATime = 4
	turn := make(chan struct{}, atATime)
	var wg sync.WaitGroup
	for i := range out {
		wg.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			out[i].plugin, out[i].err = out[i].found.Launch(ctx, c.Logger)
		})
	}
	wg.Wait()
	return out
}

// Listing is a plugin and its description of itself.
type Listing struct {
	Found
	// Description is zero if Err is set.
	Description sdk.Description
	// Err is the reason why the plugin cannot be used, or could not be asked.
	Err error
}

// Usable reports whether the plugin starts and finds its native libraries.
func (l *Listing) Usable() bool {
	return l.Err == nil && !slices.ContainsFunc(l.Description.Libraries, func(l sdk.Library) bool { return !l.Found })
}

// List starts every plugin, asks it to describe itself and ends it. A broken plugin is
// listed with its error.
func (c *Catalogue) List(ctx context.Context) []Listing {
	var out []Listing
	for _, l := range c.launchAll(ctx, 0) {
		listing := Listing{Found: l.found, Err: l.err}
		switch {
		case l.err == nil:
			listing.Description = l.plugin.Description()
			l.plugin.Close()
		case errors.Is(l.err, ErrChanged):
			listing.State = Changed
		}
		out = append(out, listing)
	}
	return out
}

// Configure shares the user's options (--set) among the plugins of a run: key=value goes to
// every plugin with that option, name.key=value to the plugin of that name. An unknown
// option is sdk.ErrInvalidOption, and the error lists the known ones.
func Configure(options map[string]string, plugins ...*Plugin) error {
	for _, key := range slices.Sorted(maps.Keys(options)) {
		taken := false
		for _, p := range plugins {
			d := p.Description()
			name := key
			if own, ok := strings.CutPrefix(key, d.Name+"."); ok {
				name = own
			}
			if slices.ContainsFunc(d.Options, func(o sdk.Option) bool { return o.Name == name }) {
				p.Options[name] = options[key]
				taken = true
			}
		}
		if !taken {
			return unknownOption(key, plugins)
		}
	}
	return nil
}

func unknownOption(key string, plugins []*Plugin) error {
	var b strings.Builder
	for _, p := range plugins {
		d := p.Description()
		if len(d.Options) == 0 {
			fmt.Fprintf(&b, "\n%s has no options", p)
			continue
		}
		fmt.Fprintf(&b, "\nthe options of %s are:", p)
		for _, o := range d.Options {
			fmt.Fprintf(&b, "\n  %s=%s  %s", o.Name, o.Default, o.Help)
		}
	}
	return fmt.Errorf("--set %s: %w: no plugin of this run has it%s", key, sdk.ErrInvalidOption, b.String())
}

// defaultOrder is the order in which solvers are tried if the user names none: first those
// that need no library and have the strongest proofs.
var defaultOrder = []string{"bnb", "highs", "z3", "lpsolve"}

// DefaultSolvers returns the installed solvers of defaultOrder, in that order.
func (c *Catalogue) DefaultSolvers() []string {
	return slices.DeleteFunc(slices.Clone(defaultOrder), func(name string) bool {
		_, err := c.Find(client.Solver, name)
		return errors.Is(err, ErrNotFound)
	})
}

// DefaultSolver starts the first of the solvers bnb, highs, z3 and lpsolve that is
// installed, finds its library and serves the form and all the goals. The error says why
// each was skipped.
func (c *Catalogue) DefaultSolver(ctx context.Context, options map[string]string, form problem.Form, goals ...problem.Goal) (*Plugin, error) {
	var why []string
	for _, name := range defaultOrder {
		p, err := c.Launch(ctx, client.Solver, name)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, ErrNotFound):
			why = append(why, name+": not installed")
			continue
		case err != nil:
			why = append(why, name+": "+err.Error())
			continue
		}
		if reason := unfit(p.Description(), form, goals); reason != "" {
			why = append(why, name+": "+reason)
			p.Close()
			continue
		}
		if err := Configure(options, p); err != nil {
			p.Close()
			return nil, err
		}
		return p, nil
	}
	return nil, fmt.Errorf("no solver to use (hyfair doctor says more):\n  %s", strings.Join(why, "\n  "))
}

// Missing describes a native library that a plugin needs and lacks; nil if none.
func Missing(d sdk.Description) error {
	for _, l := range d.Libraries {
		if !l.Found {
			return fmt.Errorf("library %s was not found; to install it: %s", l.Name, l.Hint)
		}
	}
	return nil
}

// unfit returns the reason why a solver cannot be used; empty if it can.
func unfit(d sdk.Description, form problem.Form, goals []problem.Goal) string {
	if err := Missing(d); err != nil {
		return err.Error()
	}
	for _, g := range goals {
		if !d.Answers(form, g) {
			return fmt.Sprintf("does not serve %s in the %s form", g, form)
		}
	}
	return ""
}
