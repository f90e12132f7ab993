package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Lowerings are the default encodings if no solver takes the network itself, in the order in
// which they are tried.
var Lowerings = []string{"bigm", "smt"}

// OpenSolver starts the named solver. Without a name it starts the default solver for the
// encoding; without an encoding, the one for the network itself, else for rows and columns,
// else for scripts.
func OpenSolver(ctx context.Context, s *session.Session, name, encoding string, options map[string]string) (*discover.Plugin, error) {
	switch {
	case len(discover.Members(name)) > 1:
		return nil, session.Mistake(fmt.Errorf("solver %s: only certify and the arms of compare take a portfolio; name a single solver", name))
	case name != "":
		return s.Plugins.Open(ctx, client.Solver, name, options)
	case encoding != "":
		return firstSolver(ctx, s, options, []string{encoding})
	}
	return firstSolver(ctx, s, options, append([]string{Direct}, Lowerings...))
}

// OpenSolvers is OpenSolver for questions that a portfolio may be asked: a name such as
// "bnb+highs" starts all its members.
func OpenSolvers(ctx context.Context, s *session.Session, name, encoding string, options map[string]string) (discover.Solvers, error) {
	if len(discover.Members(name)) > 1 {
		return s.Plugins.OpenSolvers(ctx, name, options)
	}
	p, err := OpenSolver(ctx, s, name, encoding, options)
	if err != nil {
		return nil, err
	}
	return discover.Solvers{p}, nil
}

// OpenSolverFor starts the default solver for a question, for a user who named none. If the default
// does not answer the question, it starts one for one of the lowerings instead, and notifies the
// user.
func OpenSolverFor(ctx context.Context, s *session.Session, q *problem.Query, options map[string]string, lowerings ...string) (*discover.Plugin, error) {
	if err := sdk.Provable(q.Model, "a solver"); err != nil {
		return nil, err
	}
	p, err := firstSolver(ctx, s, options, append([]string{Direct}, lowerings...))
	if err != nil {
		return nil, err
	}
	other, err := Instead(ctx, s, p, q, options, lowerings...)
	if other != p || err != nil {
		p.Close()
	}
	return other, err
}

// Instead returns p, or a solver for one of the lowerings if p does not answer the question.
func Instead(ctx context.Context, s *session.Session, p *discover.Plugin, q *problem.Query, options map[string]string, lowerings ...string) (*discover.Plugin, error) {
	why := refusal(ctx, p, q)
	if why == nil {
		return p, nil
	}
	other, err := firstSolver(ctx, s, options, lowerings)
	if err != nil {
		return nil, fmt.Errorf("%w; no other solver can be asked: %w", why, err)
	}
	s.Note("%v; asking %s", why, other.Found.Name)
	return other, nil
}

// firstSolver starts the default solver for the first of the encodings that has one. Otherwise it
// returns the error about an invalid option if there is one, else the failure for rows and columns,
// else the first failure.
func firstSolver(ctx context.Context, s *session.Session, options map[string]string, encodings []string) (*discover.Plugin, error) {
	var failed error
	for _, name := range encodings {
		e, err := LookupEncoding(name)
		if err != nil {
			return nil, fmt.Errorf("%w: --encoding: %w", sdk.ErrInvalidOption, err)
		}
		goals := []problem.Goal{problem.Decide, problem.Maximise}
		if e.Form == problem.FormSMT {
			goals = goals[:1]
		}
		p, err := s.Plugins.DefaultSolver(ctx, options, e.Form, goals...)
		switch {
		case err == nil:
			return p, nil
		case errors.Is(err, sdk.ErrInvalidOption):
			// Another solver may have the option.
			if failed == nil || !errors.Is(failed, sdk.ErrInvalidOption) {
				failed = err
			}
		case ctx.Err() != nil:
			return nil, err
		case failed == nil || e.Form == problem.FormMILP && !errors.Is(failed, sdk.ErrInvalidOption):
			failed = err
		}
	}
	return nil, failed
}

// refusal tries the question on a solver of the network form, with the least work limit. It
// returns why the solver does not answer such questions, or nil.
func refusal(ctx context.Context, p *discover.Plugin, q *problem.Query) error {
	o := Options{Description: p.Description()}
	if !o.Direct() {
		return nil
	}
	if err := o.Description.RefusesQuery(q); err != nil {
		return session.Mistake(fmt.Errorf("solver %s: %w", p.Found.Name, err))
	}
	_, err := p.Solver().Solve(ctx, &problem.Problem{Name: "trial", Query: q},
		sdk.SolveOptions{WorkLimit: 1, TimeLimit: time.Second, Options: p.Options})
	if errors.Is(err, sdk.ErrUnsupported) {
		return err
	}
	return nil // any other error recurs when the question is asked
}

// Prover is the default solver of networks. It proves bounds for what other methods find.
type Prover struct {
	Plugin  *discover.Plugin
	options Options
}

// OpenProver starts the solver, which must answer all of the goals, with its default options.
func OpenProver(ctx context.Context, s *session.Session, seed int64, goals ...problem.Goal) (*Prover, error) {
	plugin, err := s.Plugins.DefaultSolver(ctx, nil, problem.FormNetwork, append(goals, problem.Decide)...)
	if err != nil {
		return nil, fmt.Errorf("--bound: %w", err)
	}
	return &Prover{plugin, Options{
		Solver: plugin.Solver(), Description: plugin.Description(), Threads: s.Threads, Memory: s.Memory, Seed: seed, Enumerate: -1,
	}}, nil
}

// Close ends the solver.
func (p *Prover) Close() { p.Plugin.Close() }

// Enclose calls the function Enclose with a time limit. If the solver was lost, contradicted
// itself or was refuted by an individual, it returns the error together with the part of the
// result that stands.
func (p *Prover) Enclose(ctx context.Context, q problem.Query, goal problem.Goal, limit time.Duration, known [][]float64) (*Extreme, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	q.Goal = goal
	e, err := Enclose(ctx, &q, p.options, known)
	if e != nil {
		refuted := Texts(e.Refuted)
		err = errors.Join(err, session.Refuted(refuted))
		for _, f := range e.Faults {
			if !slices.Contains(refuted, f) {
				err = errors.Join(err, errors.New(f))
			}
		}
	}
	return e, err
}
