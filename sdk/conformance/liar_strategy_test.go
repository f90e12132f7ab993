package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// strategyLiar is a strategy that is right in everything but one thing, which
// the conformance case named must catch.
type strategyLiar struct {
	Case, Lie string
	Strategy  sdk.Strategy
}

// astray is a Wanderer with one thing changed. Hooks that are nil do nothing.
type astray struct {
	describe func(*sdk.Description)
	// start changes what Start is handed; the space is a shallow copy.
	start func(*space.Space, *sdk.StartOptions)
	// begin takes the place of Start.
	begin func(context.Context, *space.Space, sdk.StartOptions) (sdk.Session, error)
	// receive gets the trials; it may end Next by an error or a panic.
	receive func(context.Context, []sdk.Trial) error
	// want changes how many moves are made.
	want func(int) int
	// say changes the moves.
	say func([]sdk.Move) []sdk.Move
}

func (a *astray) Describe(ctx context.Context) (sdk.Description, error) {
	d, err := reference.Wanderer{}.Describe(ctx)
	if a.describe != nil {
		a.describe(&d)
	}
	return d, err
}

func (a *astray) Start(ctx context.Context, s *space.Space, o sdk.StartOptions) (sdk.Session, error) {
	if a.begin != nil {
		return a.begin(ctx, s, o)
	}
	if a.start != nil {
		private := *s
		s = &private
		a.start(s, &o)
	}
	session, err := reference.Wanderer{}.Start(ctx, s, o)
	if err != nil {
		return nil, err
	}
	return &astraySession{a, session}, nil
}

type astraySession struct {
	liar *astray
	sdk.Session
}

func (s *astraySession) Next(ctx context.Context, told []sdk.Trial, want int) ([]sdk.Move, error) {
	if s.liar.receive != nil {
		if err := s.liar.receive(ctx, told); err != nil {
			return nil, err
		}
	}
	if s.liar.want != nil {
		want = s.liar.want(want)
	}
	moves, err := s.Session.Next(ctx, told, want)
	if s.liar.say != nil && err == nil {
		moves = s.liar.say(moves)
	}
	return moves, err
}

// each changes every move.
func each(change func(*sdk.Move)) func([]sdk.Move) []sdk.Move {
	return func(moves []sdk.Move) []sdk.Move {
		for i := range moves {
			change(&moves[i])
		}
		return moves
	}
}

// scared fails on a trial that ok rejects.
func scared(ok func(sdk.Trial) bool) func(context.Context, []sdk.Trial) error {
	return func(_ context.Context, told []sdk.Trial) error {
		for _, t := range told {
			if !ok(t) {
				return fmt.Errorf("unexpected trial %+v", t)
			}
		}
		return nil
	}
}

func scaredOf(status sdk.TrialStatus) func(context.Context, []sdk.Trial) error {
	return scared(func(t sdk.Trial) bool { return t.Status != status })
}

// strategyLiars lists at least one liar for every conformance case of
// strategies. The liars keep state: take a fresh list for every run.
func strategyLiars() []strategyLiar {
	var seeds int64
	return []strategyLiar{
		{"describe", "its summary is missing", &astray{describe: func(d *sdk.Description) { d.Summary = "" }}},
		{"describe", "it claims to solve problems", &astray{describe: func(d *sdk.Description) { d.Serves = make([]sdk.Service, 1) }}},
		{"moves", "its moves leave the space", &astray{say: each(func(m *sdk.Move) { m.Point[1] += 1000 })}},
		{"moves", "its points are between the integers", &astray{say: each(func(m *sdk.Move) { m.Point[1] -= 0.5 })}},
		{"moves", "its points are NaN", &astray{say: each(func(m *sdk.Move) { m.Point[3] = math.NaN() })}},
		{"moves", "its points are too short", &astray{say: each(func(m *sdk.Move) { m.Point = m.Point[1:] })}},
		{"moves", "its IDs repeat", &astray{say: each(func(m *sdk.Move) { m.ID = 7 })}},
		{"moves", "its IDs fall", &astray{say: each(func(m *sdk.Move) { m.ID = -m.ID })}},
		{"moves", "its rounds fall", &astray{say: each(func(m *sdk.Move) { m.Round = 100 - m.Round })}},
		{"moves", "its moves are of no kind", &astray{say: each(func(m *sdk.Move) { m.Kind = 0 })}},
		{"moves", "it says nothing, and not that it is finished", &astray{say: func([]sdk.Move) []sdk.Move { return nil }}},
		{"want", "it always makes eight moves", &astray{want: func(int) int { return 8 }}},
		{"constraints", "it knows no constraints", &astray{start: func(s *space.Space, _ *sdk.StartOptions) { s.Forbidden = nil }}},
		{"region", "it knows no region", &astray{start: func(s *space.Space, o *sdk.StartOptions) { o.Region = s.Whole() }}},
		{"one-value", "it panics on a one-value domain", &astray{start: func(s *space.Space, _ *sdk.StartOptions) {
			for i := range s.Features {
				if s.Features[i].Lo == s.Features[i].Hi {
					panic("invalid argument to Intn")
				}
			}
		}}},
		{"wide", "it lists the values of every domain", &astray{begin: func(ctx context.Context, s *space.Space, o sdk.StartOptions) (sdk.Session, error) {
			for i := range s.Features {
				if s.Features[i].Hi-s.Features[i].Lo > math.MaxInt32 {
					return nil, errors.New("out of memory")
				}
			}
			return reference.Wanderer{}.Start(ctx, s, o)
		}}},
		{"same-seed", "it makes its own seed", &astray{start: func(_ *space.Space, o *sdk.StartOptions) {
			seeds++
			o.Seed = seeds
		}}},
		{"sessions", "the session last begun is the only one it knows", oneSession()},
		{"nan", "a NaN is too much for it", &astray{receive: scared(func(t sdk.Trial) bool { return !math.IsNaN(t.Gap) })}},
		{"refused", "it takes a refusal badly", &astray{receive: scaredOf(sdk.TrialRefused)}},
		{"outside", "it takes outside badly", &astray{receive: scaredOf(sdk.TrialOutside)}},
		{"no-seed", "without a seed it gives up", &astray{receive: scaredOf(sdk.TrialNoSeed)}},
		{"no-solver", "without a solver it gives up", &astray{receive: scaredOf(sdk.TrialNoSolver)}},
		{"untouched", "it scribbles on the space", &astray{begin: func(ctx context.Context, s *space.Space, o sdk.StartOptions) (sdk.Session, error) {
			s.Features[0].Name += "!"
			return reference.Wanderer{}.Start(ctx, s, o)
		}}},
		{"unknown-option", "it takes any option", &astray{start: func(_ *space.Space, o *sdk.StartOptions) { o.Options = nil }}},
		{"default-options", "the default it names is not the one it has", &astray{describe: func(d *sdk.Description) { d.Options[0].Default = "2" }}},
		{"presets", "a preset does not start", &astray{describe: func(d *sdk.Description) { d.Presets[1].Options = map[string]string{"rounds": "few"} }}},
		{"chains", "its chains begin elsewhere in every session", &astray{start: newChains()}},
		{"lag", "it claims to bear a lag and does not", impatient()},
		{"copies", "it looks for a second counterfactual", &astray{
			describe: func(d *sdk.Description) { d.NeedsScores, d.NeedsBins, d.NeedsPair = true, true, true },
			receive: scared(func(t sdk.Trial) bool {
				return t.Status != sdk.TrialEvaluated || len(t.Bins) > 1 && len(t.Scores) == len(t.Bins) && t.Lowest[0] == 20 && len(t.Highest) == len(t.Lowest)
			}),
		}},
		{"other-family", "it takes any model", &astray{describe: func(d *sdk.Description) { d.NeedsModel = true }}},
		{"cancelled", "it ignores a cancel", &astray{receive: func(ctx context.Context, _ []sdk.Trial) error {
			if ctx.Err() != nil {
				time.Sleep(stubborn)
			}
			return nil
		}}},
	}
}

// newChains changes the seed of every session with several chains.
func newChains() func(*space.Space, *sdk.StartOptions) {
	var sessions int64
	return func(_ *space.Space, o *sdk.StartOptions) {
		if o.Chains > 1 {
			sessions++
			o.Seed += sessions
		}
	}
}

// oneSession hands the state of its last session to all.
func oneSession() sdk.Strategy {
	last := &astraySession{liar: &astray{}}
	return &astray{begin: func(ctx context.Context, s *space.Space, o sdk.StartOptions) (sdk.Session, error) {
		session, err := reference.Wanderer{}.Start(ctx, s, o)
		last.Session = session
		return last, err
	}}
}

// impatient fails when a round of moves is not answered by the next call.
func impatient() sdk.Strategy {
	owed := 0
	return &astray{
		describe: func(d *sdk.Description) { d.Lag = 2 },
		receive: func(_ context.Context, told []sdk.Trial) error {
			if len(told) < owed {
				return errors.New("trials are missing")
			}
			return nil
		},
		say: func(moves []sdk.Move) []sdk.Move {
			owed = len(moves)
			return moves
		},
	}
}
