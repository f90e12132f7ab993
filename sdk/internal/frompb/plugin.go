package frompb

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/pluginv1"
	"github.com/hyfair/hyfair/sdk/problem"
)

// SolverDescription converts a solver's description. It leaves out the forms and
// goals of later versions, which this version cannot ask for.
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
	d.Bands, d.Within = t.Bands, t.Within
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

// StrategyDescription converts a strategy's description, and refuses a negative lag and a
// preset without a name.
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
		return d, fmt.Errorf("lag is %d; want 0 or more", t.Lag)
	}
	d.NeedsModel, d.NeedsRows, d.Lag, d.Families = t.NeedsNetwork, t.NeedsRows, int(t.Lag), t.Families
	d.NeedsScores, d.NeedsBins, d.NeedsPair = t.NeedsScores, t.NeedsBins, t.NeedsPair
	d.Presets, err = each(t.Presets, "preset", func(p *pluginv1.Preset) (sdk.Preset, error) {
		if p.GetName() == "" {
			return sdk.Preset{}, errors.New("no name")
		}
		return sdk.Preset{Name: line(p.Name), Summary: line(p.Summary), Options: p.Options}, nil
	})
	return d, err
}

// ModelDescription converts a model's description, and refuses an unknown scale, a negative
// batch, and features without a name or with the name of another.
func ModelDescription(m *pluginv1.Description) (sdk.Description, error) {
	d, err := description(m)
	if err != nil {
		return d, err
	}
	t := m.GetModel()
	if t == nil {
		return d, errors.New("description without a model's traits")
	}
	if err := enum(t.Scale); err != nil {
		return d, err
	}
	if t.Batch < 0 {
		return d, fmt.Errorf("batch is %d; want 0 or more", t.Batch)
	}
	for i, name := range t.Features {
		if name == "" || slices.Contains(t.Features[:i], name) {
			return d, fmt.Errorf("feature %d is called %q; want a name that no other feature has", i, line(name))
		}
	}
	d.Features, d.Scale, d.Identity, d.Batch = t.Features, sdk.Scale(t.Scale), line(t.Identity), int(t.Batch)
	return d, nil
}

// maxLine is the largest length of a text in a description, in characters.
const maxLine = 1000

// line makes a plugin's text fit into a line of a report: it limits the length, and replaces
// characters that begin another line or control a terminal.
func line(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return '\uFFFD'
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > maxLine {
		return string(runes[:maxLine]) + "…"
	}
	return text
}

func description(m *pluginv1.Description) (sdk.Description, error) {
	if m.GetName() == "" {
		return sdk.Description{}, errors.New("description without a name")
	}
	d := sdk.Description{Name: line(m.Name), Version: line(m.Version), Summary: line(m.Summary)}
	for _, o := range m.Options {
		d.Options = append(d.Options, sdk.Option{Name: line(o.GetName()), Default: line(o.GetDefault()), Help: line(o.GetHelp())})
	}
	for _, l := range m.Libraries {
		d.Libraries = append(d.Libraries, sdk.Library{
			Name: line(l.GetName()), Found: l.GetFound(), Version: line(l.GetVersion()),
			Path: line(l.GetPath()), Hint: line(l.GetHint()), Problem: line(l.GetProblem()),
		})
	}
	if i := m.Interpreter; i != nil {
		d.Interpreter = &sdk.Interpreter{Version: i.Version, Path: i.Path, Folders: i.Folders}
	}
	return d, nil
}
