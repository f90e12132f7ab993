package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

var strategyCases = []Case[*StrategyEnv]{
	{Name: "describe", Doc: "the description is complete and sound, and the same each time", Run: checkStrategyDescription},
	{Name: "moves", Doc: "moves are inside the space, at least one and no more than wanted, with rising IDs", Run: checkMoves},
	{Name: "want", Doc: "any number of moves may be wanted, and a different number each time", Run: checkWant},
	{Name: "constraints", Doc: "points that the constraints forbid are not proposed", Run: changed(32, constrain)},
	{Name: "region", Doc: "points outside the region are not proposed", Run: changed(32, cut)},
	{Name: "one-value", Doc: "features with a single value are handled", Run: changed(8, fixAll, fixSome)},
	{Name: "wide", Doc: "features as wide as a float64 can count are handled", Run: changed(16, widen)},
	{Name: "same-seed", Doc: "the same seed gives the same moves, in another process too", Run: checkSameSeed},
	{Name: "sessions", Doc: "sessions do not disturb each other", Run: checkSessions},
	{Name: "nan", Doc: "the strategy survives a gap that is NaN, or refuses it with ErrInvalidProblem, as sdk/serve does for a plugin", Run: checkNaN},
	{Name: "refused", Doc: "the search continues after individuals that a guardrail refuses", Run: checkStatus(sdk.TrialRefused)},
	{Name: "outside", Doc: "the search continues after points that the host reports as outside", Run: checkStatus(sdk.TrialOutside)},
	{Name: "no-seed", Doc: "the search continues after the solver finds no individual", Run: checkStatus(sdk.TrialNoSeed)},
	{Name: "no-solver", Doc: "the search continues without a solver", Run: checkStatus(sdk.TrialNoSolver)},
	{Name: "untouched", Doc: "space, region and rows are not modified", Run: checkStrategyUntouched},
	{Name: "unknown-option", Doc: "an unknown option is refused with ErrInvalidOption", Run: checkStrategyOption},
	{Name: "default-options", Doc: "every option set to its default changes nothing", Run: checkStrategyDefaults,
		Lacks: func(d *sdk.Description) string { return unless(len(d.Options) > 0, "there are no options") }},
	{Name: "presets", Doc: "every preset sets known options, and a search with it works", Run: checkPresets,
		Lacks: func(d *sdk.Description) string { return unless(len(d.Presets) > 0, "there are no presets") }},
	{Name: "chains", Doc: "many chains advance side by side, and the same seed gives the same moves", Run: checkChains},
	{Name: "lag", Doc: "trials may lag behind by the declared number of calls", Run: checkLag,
		Lacks: func(d *sdk.Description) string { return unless(d.Lag > 0, "no lag is claimed") }},
	{Name: "copies", Doc: "a single counterfactual, with the requested values, is handled", Run: changed(8, isolate),
		Lacks: func(d *sdk.Description) string {
			return unless(d.NeedsScores || d.NeedsBins || d.NeedsPair, "no value of single counterfactuals is requested")
		}},
	{Name: "other-family", Doc: "a model of a family that is not claimed is refused with ErrUnsupported, by name", Run: checkStrategyFamily,
		Lacks: func(d *sdk.Description) string { return unless(d.NeedsModel, "no model is requested") }},
	{Name: "cancelled", Doc: "Next returns if its context has ended", Run: checkNextCancelled},
}

func unless(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

func checkStrategyDescription(ctx context.Context, e *StrategyEnv) error {
	return checkDescription(ctx, e.Strategy, checkPresetOptions)
}

func checkPresetOptions(d *sdk.Description) error {
	if len(d.Serves) > 0 {
		return errors.New("the description has Serves, which is for solvers")
	}
	if d.Lag < 0 {
		return fmt.Errorf("the description's Lag is %d: want 0 or more", d.Lag)
	}
	for i, p := range d.Presets {
		if p.Name == "" || slices.ContainsFunc(d.Presets[:i], func(q sdk.Preset) bool { return q.Name == p.Name }) {
			return fmt.Errorf("preset %q has no name or appears twice", p.Name)
		}
		for name := range p.Options {
			if !slices.ContainsFunc(d.Options, func(o sdk.Option) bool { return o.Name == name }) {
				return fmt.Errorf("preset %q sets %q, which is not an option", p.Name, name)
			}
		}
	}
	return nil
}

func checkMoves(ctx context.Context, e *StrategyEnv) error {
	d, err := e.search(ctx, mixedStudy(), 16, nil, sdk.StartOptions{})
	if err == nil && len(d.moves) == 0 {
		return errors.New("the search was finished before it began")
	}
	return err
}

func checkWant(ctx context.Context, e *StrategyEnv) error {
	st := mixedStudy()
	s, err := e.start(ctx, st, sdk.StartOptions{Seed: 1})
	if err != nil {
		return err
	}
	d := &drive{study: st, answer: e.evaluated(st)}
	for _, d.want = range []int{1, 64, 1, 3, 1024, 1} {
		if err := d.next(ctx, s); err != nil {
			return errors.Join(fmt.Errorf("want %d: %w", d.want, err), s.Close())
		}
		if d.finished {
			break
		}
	}
	return s.Close()
}

// changed searches the study after each change, and checks that no move breaks a rule.
func changed(want int, changes ...func(*study)) func(context.Context, *StrategyEnv) error {
	return func(ctx context.Context, e *StrategyEnv) error {
		for _, change := range changes {
			st := mixedStudy()
			change(&st)
			st.rows = slices.DeleteFunc(st.rows, func(x []float64) bool { return !st.space.Allowed(x) })
			if _, err := e.search(ctx, st, want, nil, sdk.StartOptions{}); err != nil {
				return err
			}
		}
		return nil
	}
}

func constrain(st *study) {
	st.space.Forbidden = []space.Predicate{
		{{Feature: 1, Interval: space.Interval{Lo: 40, Hi: 70}}},
		{{Feature: 2, Set: []int{0, 3}}, {Feature: 4, Set: []int{0, 1}}},
		{{Feature: 3, Interval: space.Interval{Lo: 0, Hi: inf}}, {Feature: 5, Interval: space.Interval{Lo: 50000, Hi: inf}}},
	}
}

// cut shrinks the region so that it holds few rows, if any.
func cut(st *study) {
	st.region.Box[1] = space.Interval{Lo: 30, Hi: 39}
	st.region.Box[2] = space.Interval{Lo: 1, Hi: 1}
	st.region.Box[3] = space.Interval{Lo: 0.25, Hi: 0.5}
	st.region.Values[0] = []float64{20, 40}
}

// fixAll leaves every feature a single value, except the protected integer.
func fixAll(st *study) {
	for i := range st.space.Features {
		if f := &st.space.Features[i]; f.Kind == space.Categorical {
			f.Categories, f.Hi = f.Categories[:1], 0
			f.Inputs = []space.Input{{Index: f.Inputs[0].Index, Scale: 1}}
			if f.IsProtected() {
				f.Protected = []float64{0}
			}
		} else if !f.IsProtected() {
			f.Hi = f.Lo
		}
	}
	st.region, st.rows = st.space.Whole(), randomRows(st.space, 3)
}

func fixSome(st *study) {
	for _, i := range []int{1, 3} {
		st.space.Features[i].Hi = st.space.Features[i].Lo
	}
	st.region, st.rows = st.space.Whole(), randomRows(st.space, 20)
}

func widen(st *study) {
	st.space.Features[1].Lo, st.space.Features[1].Hi = -1<<52, 1<<52
	st.space.Features[3].Lo, st.space.Features[3].Hi = -1e300, 1e300
	st.region, st.rows = st.space.Whole(), st.rows[:20]
	for _, row := range st.rows {
		row[1], row[3] = math.Trunc(row[1]*1e13), row[3]*1e299
	}
}

// isolate leaves each individual one counterfactual. All other cases have several.
func isolate(st *study) {
	st.space.Forbidden = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 30, Hi: inf}}}, {{Feature: 4, Set: []int{1}}}}
}

func checkSameSeed(ctx context.Context, e *StrategyEnv) error {
	one, err := e.search(ctx, mixedStudy(), 8, nil, sdk.StartOptions{})
	if err != nil {
		return err
	}
	other := *e
	if e.Options.NewStrategy != nil {
		if other.Strategy, err = e.Options.NewStrategy(ctx); err != nil {
			return err
		}
	}
	for _, env := range []*StrategyEnv{e, &other} {
		two, err := env.search(ctx, mixedStudy(), 8, nil, sdk.StartOptions{})
		if err == nil {
			err = sameMoves(one, two)
		}
		if err != nil {
			return fmt.Errorf("two searches with the same seed: %w", err)
		}
	}
	return nil
}

func sameMoves(a, b *drive) error {
	for i := range min(len(a.moves), len(b.moves)) {
		if !reflect.DeepEqual(a.moves[i], b.moves[i]) {
			return fmt.Errorf("move %d is %+v and %+v", i, a.moves[i], b.moves[i])
		}
	}
	if len(a.moves) != len(b.moves) || a.finished != b.finished {
		return fmt.Errorf("%d moves (finished: %t) and %d (%t)", len(a.moves), a.finished, len(b.moves), b.finished)
	}
	return nil
}

func checkSessions(ctx context.Context, e *StrategyEnv) error {
	alone, err := e.search(ctx, mixedStudy(), 4, nil, sdk.StartOptions{})
	if err != nil {
		return err
	}
	st := mixedStudy()
	one, err := e.start(ctx, st, sdk.StartOptions{Seed: 1})
	if err != nil {
		return err
	}
	two, err := e.start(ctx, st, sdk.StartOptions{Seed: 2})
	if err != nil {
		return errors.Join(err, one.Close())
	}
	a := &drive{study: st, answer: e.evaluated(st), want: 4}
	b := &drive{study: st, answer: e.evaluated(st), want: 7}
	for range rounds {
		for _, x := range []struct {
			d *drive
			s sdk.Session
		}{{a, one}, {b, two}} {
			if x.d.finished {
				continue
			}
			if err := x.d.next(ctx, x.s); err != nil {
				return errors.Join(err, one.Close(), two.Close())
			}
		}
	}
	if err := errors.Join(one.Close(), two.Close()); err != nil {
		return fmt.Errorf("in Close: %w", err)
	}
	if err := sameMoves(alone, a); err != nil {
		return fmt.Errorf("a search alone, and the same one next to another: %w", err)
	}
	return nil
}

func checkNaN(ctx context.Context, e *StrategyEnv) error {
	st := mixedStudy()
	evaluated := e.evaluated(st)
	_, err := e.search(ctx, st, 8, func(m sdk.Move) sdk.Trial {
		t := evaluated(m)
		if m.ID%2 == 0 {
			t.K, t.Gap, t.Violates = 1, math.NaN(), false
			clear(t.Bins)
		}
		return t
	}, sdk.StartOptions{})
	if errors.Is(err, sdk.ErrInvalidProblem) {
		_, err = e.search(ctx, st, 8, nil, sdk.StartOptions{}) // that session is over; the next one must work
	}
	return err
}

// checkStatus runs two searches: one in which every move comes back with the status,
// and one in which every second move does.
func checkStatus(status sdk.TrialStatus) func(context.Context, *StrategyEnv) error {
	return func(ctx context.Context, e *StrategyEnv) error {
		st := mixedStudy()
		evaluated := e.evaluated(st)
		for _, every := range []int64{1, 2} {
			_, err := e.search(ctx, st, 8, func(m sdk.Move) sdk.Trial {
				seed := status == sdk.TrialNoSeed || status == sdk.TrialNoSolver
				if m.ID%every != 0 || seed && m.Kind != sdk.MoveSeedFrom {
					return evaluated(m)
				}
				return sdk.Trial{ID: m.ID, Status: status}
			}, sdk.StartOptions{})
			if err != nil {
				return fmt.Errorf("with the status %s for each ID that is a multiple of %d: %w", status, every, err)
			}
		}
		return nil
	}
}

func checkStrategyUntouched(ctx context.Context, e *StrategyEnv) error {
	st, pristine := mixedStudy(), mixedStudy()
	if _, err := e.search(ctx, st, 8, nil, sdk.StartOptions{}); err != nil {
		return err
	}
	if !reflect.DeepEqual(st, pristine) {
		return errors.New("the space, region or rows of Start were modified")
	}
	return nil
}

func checkStrategyOption(ctx context.Context, e *StrategyEnv) error {
	s, err := e.start(ctx, mixedStudy(), sdk.StartOptions{Options: map[string]string{unknownOption: "1"}})
	if err == nil {
		err = s.Close()
	}
	if err == nil {
		return fmt.Errorf("the option %s=1: want ErrInvalidOption, got no error", unknownOption)
	}
	if !errors.Is(err, sdk.ErrInvalidOption) {
		return fmt.Errorf("the option %s=1: want ErrInvalidOption, got %w", unknownOption, err)
	}
	return nil
}

func checkStrategyDefaults(ctx context.Context, e *StrategyEnv) error {
	plain, err := e.search(ctx, mixedStudy(), 4, nil, sdk.StartOptions{})
	if err != nil {
		return err
	}
	defaults := map[string]string{}
	for _, o := range e.Description.Options {
		if o.Default != "" {
			defaults[o.Name] = o.Default
		}
	}
	spelt, err := e.search(ctx, mixedStudy(), 4, nil, sdk.StartOptions{Options: merged(defaults, e.Options.Set)})
	if err != nil {
		return err
	}
	if err := sameMoves(plain, spelt); err != nil {
		return fmt.Errorf("without options, and with their defaults %v: %w", defaults, err)
	}
	return nil
}

func checkPresets(ctx context.Context, e *StrategyEnv) error {
	for _, p := range e.Description.Presets {
		d, err := e.search(ctx, mixedStudy(), 4, nil, sdk.StartOptions{Options: p.Options})
		if err != nil {
			return fmt.Errorf("preset %q: %w", p.Name, err)
		}
		if len(d.moves) == 0 {
			return fmt.Errorf("preset %q: the search was finished before it began", p.Name)
		}
	}
	return nil
}

// checkChains runs a search with many chains twice, with the trials of every call told
// in the next one.
func checkChains(ctx context.Context, e *StrategyEnv) error {
	const chains = 16
	drives := make([]*drive, 2)
	for i := range drives {
		d, err := e.search(ctx, mixedStudy(), chains, nil, sdk.StartOptions{Chains: chains})
		if err != nil {
			return err
		}
		drives[i] = d
	}
	if err := sameMoves(drives[0], drives[1]); err != nil {
		return fmt.Errorf("%d chains, the same seed twice: %w", chains, err)
	}
	return nil
}

// checkLag lets trials lag behind by the declared number of calls, with enough chains
// for moves in each of them.
func checkLag(ctx context.Context, e *StrategyEnv) error {
	const want = 8
	_, err := e.search(ctx, mixedStudy(), want, nil, sdk.StartOptions{Chains: want * (e.Description.Lag + 1)})
	return err
}

func checkNextCancelled(ctx context.Context, e *StrategyEnv) error {
	st := mixedStudy()
	s, err := e.start(ctx, st, sdk.StartOptions{Seed: 1})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	d := &drive{study: st, answer: e.evaluated(st), want: 8}
	_, err = within(e.Options.grace(), "Next after a cancel", func() (none struct{}, err error) {
		err = d.next(ctx, s)
		return none, err
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return s.Close()
}
