package compare

import (
	"context"
	"fmt"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/session"
)

// Resolve starts each solver once, with these options, to learn its version and whether
// it takes what its arms would ask.
func (p *Plan) Resolve(ctx context.Context, s *session.Session, options map[string]string) (err error) {
	var names []string
	for i := range p.Arms {
		names = append(names, p.Arms[i].Solver)
	}
	p.Solvers, err = experiment.Solvers(ctx, s, names, options, func(plugins map[string]*discover.Plugin) error {
		for i := range p.Arms {
			if err := p.resolveArm(ctx, &p.Arms[i], plugins[p.Arms[i].Solver]); err != nil {
				err = fmt.Errorf("arm %s: %w", p.Arms[i].Name, err)
				if at := p.Arms[i].At; at != "" {
					err = fmt.Errorf("%s: %w", at, err)
				}
				return err
			}
		}
		return nil
	})
	return err
}

// resolveArm fills in the lowering and checks that the solver takes it, with the
// options, of the first subject.
func (p *Plan) resolveArm(ctx context.Context, a *Arm, plugin *discover.Plugin) error {
	d := plugin.Description()
	if err := discover.Missing(d); err != nil {
		return err
	}
	if a.Encoding == "" {
		a.Encoding = certify.DefaultEncoding(&d)
	}
	if a.Bounds == "" {
		a.Bounds = certify.DefaultBounds
	}
	if len(p.Subjects) == 0 { // which Settle tells
		return nil
	}
	on, err := p.arm(&p.Subjects[0], a)
	if err != nil {
		return session.Mistake(err)
	}
	q, err := p.Subjects[0].query(&on)
	if err != nil {
		return session.Mistake(err)
	}
	return session.Mistake(certify.Try(ctx, q, certify.Options{
		Solver: plugin.Solver(), Description: d, Encoding: a.Encoding, Bounds: a.Bounds, Maximise: on.Goal == GoalMaximise,
		Threads: p.Threads, Memory: p.Memory, Seed: p.Seed, Set: gridfile.WithOptions(plugin.Options, a.Set),
	}))
}
