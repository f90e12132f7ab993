package compare

import (
	"cmp"
	"context"
	"fmt"
	"maps"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/session"
)

// Resolve starts each solver once, with these options, to learn its version and to check that it
// accepts the questions of its arms.
func (p *Plan) Resolve(ctx context.Context, s *session.Session, options map[string]string) (err error) {
	var names []string
	for i := range p.Arms {
		names = append(names, discover.Members(p.Arms[i].Solver)...)
	}
	p.Solvers, err = experiment.Solvers(ctx, s, names, options, func(plugins map[string]*discover.Plugin) error {
		for i := range p.Arms {
			if err := p.resolveArm(ctx, &p.Arms[i], plugins); err != nil {
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

// resolveArm fills in the lowering, and checks that the solver accepts the options and the first
// subject's question.
func (p *Plan) resolveArm(ctx context.Context, a *Arm, plugins map[string]*discover.Plugin) error {
	var all discover.Solvers
	for _, name := range discover.Members(a.Solver) {
		own := *plugins[name] // a copy: each arm has its options
		own.Options = maps.Clone(own.Options)
		all = append(all, &own)
		if err := discover.Missing(own.Description()); err != nil {
			return err
		}
	}
	if err := discover.Configure(a.Set, all...); err != nil {
		return session.Mistake(err)
	}
	a.Bounds = cmp.Or(a.Bounds, engine.DefaultBounds)
	o := engine.OptionsFor(all, a.Encoding, a.Bounds)
	if a.Encoding == "" && len(all) == 1 {
		a.Encoding = o.Encoding
	}
	if len(p.Subjects) == 0 { // Settle reports that
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
	o.Maximise, o.Threads, o.Memory, o.Seed = on.Goal == GoalMaximise || on.Goal == GoalLargestGap, p.Threads, p.Memory, p.Seed
	return session.Mistake(engine.Try(ctx, q, o))
}
