package experiment

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

// Plugin identifies a plugin of the experiment.
type Plugin struct {
	// Name is the plugin's own name; an arm may select it by a preset's name.
	Name    string `json:"name,omitempty"`
	Version string `json:"version"`
	Library string `json:"library,omitempty"`
	// SHA256 is the checksum of its files and of its libraries.
	SHA256 string `json:"sha256,omitempty"`
	// Set are the options common to all its arms.
	Set map[string]string `json:"set,omitempty"`

	identity *discover.Identity
}

// PluginOf identifies a plugin that was launched.
func PluginOf(p *discover.Plugin) (Plugin, error) {
	d := p.Description()
	id, err := p.Identity()
	if err != nil {
		return Plugin{}, err
	}
	return Plugin{Name: d.Name, Version: p.Version(), Library: session.Library(d), SHA256: id.SHA256, identity: id}, nil
}

// Solvers launches each solver once, with the common options, and returns their identities. Before
// the solvers are closed, look is called with all of them.
func Solvers(ctx context.Context, s *session.Session, names []string, options map[string]string, look func(map[string]*discover.Plugin) error) (map[string]Plugin, error) {
	plugins := map[string]*discover.Plugin{}
	var opened []*discover.Plugin
	defer func() {
		for _, plugin := range opened {
			plugin.Close()
		}
	}()
	for _, name := range names {
		if plugins[name] != nil {
			continue
		}
		plugin, err := s.Plugins.Launch(ctx, client.Solver, name)
		if err != nil {
			return nil, err
		}
		plugins[name], opened = plugin, append(opened, plugin)
	}
	if err := discover.Configure(options, opened...); err != nil {
		return nil, session.Mistake(err)
	}
	if err := look(plugins); err != nil {
		return nil, err
	}
	out := map[string]Plugin{}
	for name, plugin := range plugins {
		known, err := PluginOf(plugin)
		if err != nil {
			return nil, err
		}
		known.Set = plugin.Options
		out[name] = known
	}
	return out, nil
}

// SolverKey is the key of a solver in Frame.Plugins.
func SolverKey(name string) string { return "solver " + name }

// StrategyKey is the key of a strategy in Frame.Plugins.
func StrategyKey(name string) string { return "strategy " + name }

// AsSolvers replaces the names of solvers by their keys in Frame.Plugins.
func AsSolvers(solvers map[string]Plugin) map[string]Plugin {
	out := map[string]Plugin{}
	for name, s := range solvers {
		out[SolverKey(name)] = s
	}
	return out
}

// Learn launches a plugin and stores its identity in the map known, under the plugin's key. It does
// nothing if the map has the key. If check is not nil, it may refuse the plugin's description.
func Learn(ctx context.Context, s *session.Session, known map[string]Plugin, kind client.Kind, name string, check func(sdk.Description) error) error {
	key := kind.String() + " " + name
	if _, ok := known[key]; ok {
		return nil
	}
	plugin, err := s.Plugins.Launch(ctx, kind, name)
	if err != nil {
		return err
	}
	defer plugin.Close()
	if check != nil {
		err = check(plugin.Description())
	}
	if err == nil {
		known[key], err = PluginOf(plugin)
	}
	return err
}

// Changed reports whether the plugin's files differ from those that were launched.
func (p *Plugin) Changed() bool {
	_, changed := p.identity.Changed()
	return changed
}

// content is the digest of everything that determines a task's result: the question, the
// resources, the plugins, by their names in the frame, and this program.
func (f *Frame) content(asked any, plugins []string) (string, error) {
	program, err := session.Program()
	if err != nil {
		return "", err
	}
	sums := map[string]string{}
	for _, name := range plugins {
		sums[name] = f.Plugins[name].SHA256
	}
	all := []any{f.Command, asked, f.Threads, f.Memory, f.Jobs, sums, program.SHA256}
	if f.Clock != "" {
		all = append(all, f.Clock)
	}
	text, err := json.Marshal(all)
	return record.Hash(text), err
}

// shard selects the tasks of a shard by their questions, not by plugins' files, which may
// differ between machines. The tasks of a group are in the same shard.
func (f *Frame) shard(of record.Shard, tasks []Task) []Task {
	return slices.DeleteFunc(slices.Clone(tasks), func(t Task) bool {
		piece := []any{f.Command, t.Group}
		switch {
		case t.Group != "":
		case t.Asked != nil:
			piece = append(piece, t.Asked)
		default:
			piece = append(piece, t.Key)
		}
		text, err := json.Marshal(piece)
		return err == nil && !of.Has(string(text)) // content fails with the same error later
	})
}

// unchanged returns an error if a plugin, or this program, has changed since the experiment
// began.
func (f *Frame) unchanged() error {
	if program, err := session.Program(); err == nil {
		if path, changed := program.Changed(); changed {
			return session.Mistake(fmt.Errorf("%s changed while the experiment ran; run the same command again to repeat its tasks", path))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Plugins)) {
		id := f.Plugins[name].identity
		if id == nil {
			continue
		}
		if path, changed := id.Changed(); changed {
			return session.Mistake(fmt.Errorf("%s: %s changed while the experiment ran; run the same command again to repeat its tasks", name, path))
		}
	}
	return nil
}

// Settings of a run's task besides the plan. A run is resumed only if they are equal.
const (
	pluginsSetting = "plugins"
	programSetting = "program"
)

// requirements lists program, plugins and machine, as settings of the run's task.
func (f *Frame) requirements() (map[string]string, error) {
	program, err := session.Program()
	if err != nil {
		return nil, err
	}
	m := session.Machine()
	m.Memory, m.Caches, m.Governor, m.Kernel = 0, "", "", ""
	out := map[string]string{programSetting: program.SHA256, record.MachineSetting: m.String()}
	sums := map[string]string{}
	for name, p := range f.Plugins {
		sums[name] = p.SHA256
	}
	text, err := json.Marshal(sums)
	out[pluginsSetting] = string(text)
	return out, err
}

// changes lists the settings in which two runs' tasks differ; empty: none.
func changes(from, to record.Task) string {
	var out []string
	before, now := map[string]string{}, map[string]string{}
	json.Unmarshal([]byte(from.Settings[pluginsSetting]), &before) // absent in runs of earlier versions
	json.Unmarshal([]byte(to.Settings[pluginsSetting]), &now)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if sum, known := before[name]; known && sum != now[name] {
			out = append(out, name)
		}
	}
	if from.Settings[programSetting] != to.Settings[programSetting] {
		out = append(out, "hyfair itself")
	}
	if from.Settings[record.MachineSetting] != to.Settings[record.MachineSetting] {
		out = append(out, "the machine")
	}
	return strings.Join(out, ", ")
}
