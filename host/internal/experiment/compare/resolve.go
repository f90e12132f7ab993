package compare

import (
	"context"
	"fmt"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Resolve starts each solver once, with these options, to learn its version and whether
// it takes what its arms would ask.
func (p *Plan) Resolve(ctx context.Context, s *session.Session, options map[string]string) error {
	plugins := map[string]*discover.Plugin{}
	var opened []*discover.Plugin
	defer func() {
		for _, plugin := range opened {
			plugin.Close()
		}
	}()
	for i := range p.Arms {
		name := p.Arms[i].Solver
		if plugins[name] != nil {
			continue
		}
		plugin, err := s.Plugins.Launch(ctx, client.Solver, name)
		if err != nil {
			return err
		}
		plugins[name] = plugin
		opened = append(opened, plugin)
	}
	if err := discover.Configure(options, opened...); err != nil {
		return session.Mistake(err)
	}
	for i := range p.Arms {
		if err := resolveArm(&p.Arms[i], plugins[p.Arms[i].Solver].Description()); err != nil {
			return fmt.Errorf("arm %s: %w", p.Arms[i].Name, err)
		}
	}
	for name, plugin := range plugins {
		d := plugin.Description()
		p.Solvers[name] = Solver{Version: d.Version, Library: session.Library(d), Set: plugin.Options}
	}
	return nil
}

// resolveArm fills in the lowering and checks that the solver takes it.
func resolveArm(a *Arm, d sdk.Description) error {
	if err := discover.Missing(d); err != nil {
		return err
	}
	if a.Encoding == "" {
		a.Encoding = certify.DefaultEncoding(&d)
	}
	if a.Bounds == "" {
		a.Bounds = certify.DefaultBounds
	}
	e, err := certify.LookupEncoding(a.Encoding)
	switch {
	case err != nil:
		return session.Mistake(err)
	case !d.Answers(e.Form, problem.Decide):
		return session.Mistake(fmt.Errorf("solver %s does not answer problems in the %s form, which the encoding %s is", d.Name, e.Form, e.Name))
	case e.SOS1 && !d.SOS1:
		return session.Mistake(fmt.Errorf("solver %s knows no special ordered sets, which the encoding %s needs", d.Name, e.Name))
	}
	return nil
}
