package topb

import (
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/pluginv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
)

// SolverDescription converts a solver's description, and leaves out the fields that only
// strategies use.
func SolverDescription(d *sdk.Description) *pluginv1.Description {
	m := description(d)
	m.Kind = &pluginv1.Description_Solver{Solver: &pluginv1.SolverTraits{
		Serves: each(d.Serves, func(s *sdk.Service) *pluginv1.Service {
			return &pluginv1.Service{Form: problemv1.Form(s.Form), Goal: problemv1.Goal(s.Goal)}
		}),
		Exactness:  pluginv1.Exactness(d.Exactness),
		Concurrent: d.Concurrent,
		Sets:       d.SOS1,
		Families:   cleanAll(d.Families),
		Bands:      d.Bands,
		Within:     d.Within,
	}}
	return m
}

// StrategyDescription converts a strategy's description, and leaves out the fields that
// only solvers use.
func StrategyDescription(d *sdk.Description) *pluginv1.Description {
	m := description(d)
	m.Kind = &pluginv1.Description_Strategy{Strategy: &pluginv1.StrategyTraits{
		Presets: each(d.Presets, func(p *sdk.Preset) *pluginv1.Preset {
			return &pluginv1.Preset{Name: clean(p.Name), Summary: clean(p.Summary), Options: p.Options}
		}),
		NeedsNetwork: d.NeedsModel,
		NeedsRows:    d.NeedsRows,
		NeedsScores:  d.NeedsScores,
		NeedsBins:    d.NeedsBins,
		NeedsPair:    d.NeedsPair,
		Lag:          narrow(d.Lag),
		Families:     cleanAll(d.Families),
	}}
	return m
}

// ModelDescription converts a model's description, and leaves out the fields that only
// solvers and strategies use.
func ModelDescription(d *sdk.Description) *pluginv1.Description {
	m := description(d)
	m.Kind = &pluginv1.Description_Model{Model: &pluginv1.ModelTraits{
		Features: cleanAll(d.Features), Scale: pluginv1.Scale(d.Scale), Identity: clean(d.Identity), Batch: narrow(d.Batch),
	}}
	return m
}

func description(d *sdk.Description) *pluginv1.Description {
	m := &pluginv1.Description{
		Name: clean(d.Name), Version: clean(d.Version), Summary: clean(d.Summary),
		Options: each(d.Options, func(o *sdk.Option) *pluginv1.Option {
			return &pluginv1.Option{Name: clean(o.Name), Default: clean(o.Default), Help: clean(o.Help)}
		}),
		Libraries: each(d.Libraries, func(l *sdk.Library) *pluginv1.Library {
			return &pluginv1.Library{
				Name: clean(l.Name), Found: l.Found, Version: clean(l.Version),
				Path: clean(l.Path), Hint: clean(l.Hint), Problem: clean(l.Problem),
			}
		}),
	}
	if i := d.Interpreter; i != nil {
		m.Interpreter = &pluginv1.Interpreter{Version: clean(i.Version), Path: clean(i.Path), Folders: cleanAll(i.Folders)}
	}
	return m
}
