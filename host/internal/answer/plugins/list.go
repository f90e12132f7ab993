// Package plugins lists plugins and what a machine lacks for them, and writes, tests, installs
// and removes them. Package discover finds and starts them.
package plugins

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

// Listed has the plugins that were found: the JSON object of hyfair plugins.
type Listed struct {
	// The plugins found, including those that do not start.
	Plugins []Plugin `json:"plugins"`
	// The folders searched.
	Searched []discover.Place `json:"searched"`
}

// Plugin is a plugin that was found. If Error is set, everything that a plugin says about
// itself is missing.
type Plugin struct {
	// The plugin's name.
	Name string `json:"name"`
	// The kind: solver, strategy or model.
	Kind string `json:"kind"`
	// The plugin's version.
	Version string `json:"version"`
	// One sentence about the plugin.
	Summary string `json:"summary"`
	// The problem forms that a solver takes: network, milp or smt.
	Forms []string `json:"forms"`
	// The forms with their goals.
	Serves []Service `json:"serves"`
	// The best grade of a solver's proofs.
	Exactness string `json:"exactness,omitempty"`
	// A solver of the MILP form takes special ordered sets.
	Sets bool `json:"sets"`
	// The data that a strategy asks for: network, rows, and with each trial scores, bins or pair.
	Needs []string `json:"needs"`
	// The number of calls by which trials may lag behind a strategy's moves.
	Lag int `json:"lag"`
	// The plugin's program or folder.
	Path string `json:"path"`
	// The reason why that place was searched.
	Source string `json:"source"`
	// The state: bundled, pinned, unpinned, changed, not executable, invalid or ambiguous.
	State string `json:"state"`
	// The language, from a plugin.yaml.
	Language string `json:"language,omitempty"`
	// The plugin starts, and every library that it needs is there.
	Usable bool `json:"usable"`
	// The plugin's options.
	Options []sdk.Option `json:"options"`
	// A strategy's presets.
	Presets []sdk.Preset `json:"presets"`
	// The native libraries that the plugin binds.
	Libraries []sdk.Library `json:"libraries"`
	// The reason why the plugin does not start; everything that it says about itself is then missing.
	Error string `json:"error,omitempty"`
}

// Service is a form and the goals that a solver answers in it.
type Service struct {
	// The problem form.
	Form string `json:"form"`
	// The goals answered in it, such as decide and maximise.
	Goals []string `json:"goals"`
}

// List starts every plugin and asks for its description.
func List(ctx context.Context, s *session.Session, _ struct{}) (*Listed, error) {
	out, _ := listed(ctx, s.Plugins)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return out, nil
}

func listed(ctx context.Context, c *discover.Catalogue) (*Listed, []discover.Listing) {
	out := &Listed{Plugins: []Plugin{}, Searched: append([]discover.Place{}, c.Places...)}
	all := c.List(ctx)
	for i := range all {
		out.Plugins = append(out.Plugins, newPlugin(&all[i]))
	}
	return out, all
}

func newPlugin(l *discover.Listing) Plugin {
	d := &l.Description
	p := Plugin{
		Name: l.Name, Kind: l.Kind.String(), Version: d.Version, Summary: d.Summary, Lag: d.Lag, Sets: d.SOS1,
		Path: l.Path, Source: l.Source, State: string(l.State), Language: l.Language, Usable: l.Usable(),
		Forms: []string{}, Serves: []Service{}, Needs: []string{},
		Options: append([]sdk.Option{}, d.Options...), Presets: append([]sdk.Preset{}, d.Presets...), Libraries: append([]sdk.Library{}, d.Libraries...),
	}
	switch {
	case l.Err != nil:
		p.Error = l.Err.Error()
	case l.Kind == client.Solver:
		p.Exactness = d.Exactness.String()
	}
	for _, s := range d.Serves {
		i := slices.Index(p.Forms, s.Form.String())
		if i < 0 {
			i = len(p.Forms)
			p.Forms, p.Serves = append(p.Forms, s.Form.String()), append(p.Serves, Service{Form: s.Form.String()})
		}
		p.Serves[i].Goals = append(p.Serves[i].Goals, s.Goal.String())
	}
	if d.NeedsModel {
		p.Needs = append(p.Needs, "network")
	}
	if d.NeedsRows {
		p.Needs = append(p.Needs, "rows")
	}
	for _, trials := range []struct {
		carry bool
		what  string
	}{{d.NeedsScores, "scores"}, {d.NeedsBins, "bins"}, {d.NeedsPair, "pair"}} {
		if trials.carry {
			p.Needs = append(p.Needs, trials.what)
		}
	}
	for i := range p.Presets {
		if p.Presets[i].Options == nil {
			p.Presets[i].Options = map[string]string{}
		}
	}
	return p
}

// title returns the plugin in a line.
func (p *Plugin) title() string {
	return strings.Join(strings.Fields(p.Kind+" "+p.Name+" "+p.Version), " ")
}

// library returns one line about a library.
func library(l *sdk.Library) string {
	if !l.Found {
		return l.Name + " not found; to install it: " + l.Hint
	}
	return strings.Join(strings.Fields(l.Name+" "+l.Version+" "+l.Path), " ")
}

// Document shows the plugins.
func (r *Listed) Document() *view.Document {
	d := view.Of()
	for i := range r.Plugins {
		d.Add(r.Plugins[i].facts())
	}
	if len(r.Plugins) == 0 {
		text := view.Paragraph{"No plugins were found. Looked in:"}
		for _, p := range r.Searched {
			there := ""
			if !p.Exists {
				there = ", not there"
			}
			text = append(text, fmt.Sprintf("  %s (%s%s)", p.Path, p.Source, there))
		}
		d.Add(text)
	}
	return d
}

func (p *Plugin) facts() *view.Facts {
	f := &view.Facts{Title: p.title()}
	add := func(name, text string, more ...string) {
		if text != "" {
			f.Add(name, append([]string{text}, more...)...)
		}
	}
	add("", p.Summary)
	add("error", strings.TrimSpace(p.Error))
	for _, s := range p.Serves {
		add("serves", s.Form+": "+strings.Join(s.Goals, ", "))
	}
	add("proofs", p.Exactness)
	if p.Sets {
		add("takes", "special ordered sets")
	}
	add("needs", strings.Join(p.Needs, ", "))
	if p.Lag > 0 {
		add("lag", fmt.Sprint(p.Lag))
	}
	for i := range p.Libraries {
		add("library", library(&p.Libraries[i]))
	}
	for _, q := range p.Presets {
		add("preset", q.Name, q.Summary)
	}
	for _, o := range p.Options {
		add("option", o.Name+"="+o.Default, o.Help)
	}
	add("found", fmt.Sprintf("%s (%s), %s", p.Path, p.Source, p.State))
	return f
}
