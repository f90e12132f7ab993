package frompb

import (
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/pluginv1"
	"github.com/hyfair/hyfair/sdk/problem"
)

// SolverDescription converts what a solver says of itself. Forms and goals
// that only a later version knows are left out: they cannot be asked for here.
func SolverDescription(m *pluginv1.Description) (sdk.Description, error) {
	d, err := description(m)
	if err != nil {
		return d, err
	}
	t := m.GetSolver()
	if t == nil {
		return d, errors.New("description without a solver's traits")
	}
	if err := enum(t.Exactness); err != nil {
		return d, err
	}
	d.Exactness, d.Concurrent, d.SOS1, d.Families = sdk.Grade(t.Exactness), t.Concurrent, t.Sets, t.Families
	for i, s := range t.Serves {
		if s.GetForm() == 0 || s.GetGoal() == 0 {
			return d, fmt.Errorf("service %d: form or goal is unspecified", i)
		}
		if enum(s.Form) == nil && enum(s.Goal) == nil {
			d.Serves = append(d.Serves, sdk.Service{Form: problem.Form(s.Form), Goal: problem.Goal(s.Goal)})
		}
	}
	return d, nil
}

// StrategyDescription converts what a strategy says of itself.
func StrategyDescription(m *pluginv1.Description) (sdk.Description, error) {
	d, err := description(m)
	if err != nil {
		return d, err
	}
	t := m.GetStrategy()
	if t == nil {
		return d, errors.New("description without a strategy's traits")
	}
	if t.Lag < 0 {
		return d, fmt.Errorf("lag %d", t.Lag)
	}
	d.NeedsModel, d.NeedsRows, d.Lag, d.Families = t.NeedsNetwork, t.NeedsRows, int(t.Lag), t.Families
	d.NeedsScores, d.NeedsBins, d.NeedsPair = t.NeedsScores, t.NeedsBins, t.NeedsPair
	d.Presets, err = each(t.Presets, "preset", func(p *pluginv1.Preset) (sdk.Preset, error) {
		if p.GetName() == "" {
			return sdk.Preset{}, errors.New("no name")
		}
		return sdk.Preset{Name: p.Name, Summary: p.Summary, Options: p.Options}, nil
	})
	return d, err
}

func description(m *pluginv1.Description) (sdk.Description, error) {
	if m.GetName() == "" {
		return sdk.Description{}, errors.New("description without a name")
	}
	d := sdk.Description{Name: m.Name, Version: m.Version, Summary: m.Summary}
	for _, o := range m.Options {
		d.Options = append(d.Options, sdk.Option{Name: o.GetName(), Default: o.GetDefault(), Help: o.GetHelp()})
	}
	for _, l := range m.Libraries {
		d.Libraries = append(d.Libraries, sdk.Library{
			Name: l.GetName(), Found: l.GetFound(), Version: l.GetVersion(),
			Path: l.GetPath(), Hint: l.GetHint(), Problem: l.GetProblem(),
		})
	}
	if i := m.Interpreter; i != nil {
		d.Interpreter = &sdk.Interpreter{Version: i.Version, Path: i.Path, Folders: i.Folders}
	}
	return d, nil
}
