package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"github.com/hyfair/hyfair/sdk"
)

// ModelEnv is the environment of a model's case.
type ModelEnv struct {
	Model       sdk.Model
	Description sdk.Description
	Options     Options
}

// ModelCases lists every case in the order of execution.
func ModelCases() []Case[*ModelEnv] { return modelCases }

// Model runs the suite as subtests of a Go test.
func Model[S T[S]](t S, m sdk.Model, o Options) {
	t.Helper()
	cases, _ := bindModel(context.Background(), m, o)
	runTests(t, cases, o)
}

// CheckModel runs the suite and collects the outcomes, as CheckSolver does.
func CheckModel(ctx context.Context, m sdk.Model, o Options, each func(Outcome)) (*Report, error) {
	cases, d := bindModel(ctx, m, o)
	outcomes, err := runAll(ctx, cases, o, each)
	return &Report{Description: d, Outcomes: outcomes}, err
}

func bindModel(ctx context.Context, m sdk.Model, o Options) ([]runnable, sdk.Description) {
	return bind(ctx, m, modelCases, func(d sdk.Description) *ModelEnv { return &ModelEnv{m, d, o} })
}

var modelCases = []Case[*ModelEnv]{
	{Name: "describe", Doc: "the description is complete and sound, and the same each time", Run: checkModelDescription},
	{Name: "none", Doc: "no rows have no scores", Run: checkNoRows},
	{Name: "scores", Doc: "one row or more: each has one finite score, on the scale of the description", Run: checkScores},
	{Name: "batch", Doc: "a call may have as many rows as the description says, unless smaller ones are slow", Run: checkBatch},
	{Name: "again", Doc: "the same rows have the same scores when asked again, in another process too", Run: checkAgain},
	{Name: "order", Doc: "a row's score does not depend on its place", Run: checkOrder},
	{Name: "alone", Doc: "a row's score does not depend on the other rows of the call", Run: checkAlone},
	{Name: "untouched", Doc: "rows are neither modified nor kept", Run: checkRowsUntouched},
	{Name: "bad-rows", Doc: "rows of another width, and values that are not finite, are refused with ErrInvalidProblem, as sdk/serve does for a plugin", Run: checkBadRows},
	{Name: "cancelled", Doc: "Score returns if its context has ended, and the next call works", Run: checkScoreCancelled},
	{Name: "concurrent", Doc: "calls that come at once get the scores of their own rows", Run: checkScoresAtOnce},
}

const (
	// some is the number of rows in most calls: few, since a row may take a model long.
	some = 32
	// slow is how long a call takes after which the host makes none with more rows.
	slow = 250 * time.Millisecond
)

// batch is the largest number of rows of a call.
func (e *ModelEnv) batch() int {
	return min(cmp.Or(e.Description.Batch, sdk.DefaultBatch), sdk.DefaultBatch)
}

// rows returns at most n rows, and no more than a call may have.
func (e *ModelEnv) rows(n int) ([][]float64, error) {
	given, width := e.Options.Rows, len(e.Description.Features)
	if width == 0 && len(given) == 0 {
		return nil, inconclusiveError("the description names no features, so nothing says what a row has")
	}
	rng := rand.New(rand.NewPCG(5, 3))
	rows := make([][]float64, min(n, e.batch()))
	for i := range rows {
		if len(given) > 0 {
			rows[i] = slices.Clone(given[i%len(given)])
			continue
		}
		rows[i] = make([]float64, width)
		for j := range rows[i] {
			rows[i][j] = float64(rng.IntN(2))
		}
	}
	return rows, nil
}

// score asks for the scores of copies of rows, and checks their number and scale.
func (e *ModelEnv) score(ctx context.Context, rows [][]float64) ([]float64, error) {
	scores, err := e.Model.Score(ctx, copied(rows))
	if err == nil {
		err = e.Description.Scale.Check(len(rows), scores)
	}
	if err != nil {
		err = fmt.Errorf("in Score, of %d rows: %w", len(rows), err)
	}
	return scores, err
}

// some returns a few rows and their scores.
func (e *ModelEnv) some(ctx context.Context) (rows [][]float64, scores []float64, err error) {
	if rows, err = e.rows(some); err == nil {
		scores, err = e.score(ctx, rows)
	}
	return rows, scores, err
}

func copied(rows [][]float64) [][]float64 {
	out := make([][]float64, len(rows))
	for i, row := range rows {
		out[i] = slices.Clone(row)
	}
	return out
}

// sameScores compares the scores of rows with those of another call.
func sameScores(rows [][]float64, one, other []float64, when string) error {
	for i, row := range rows {
		if !sdk.SameScore(one[i], other[i]) {
			return fmt.Errorf("the row %v has the score %v, and %s %v", row, one[i], when, other[i])
		}
	}
	return nil
}

func checkModelDescription(ctx context.Context, e *ModelEnv) error {
	return checkDescription(ctx, e.Model, func(d *sdk.Description) error {
		switch {
		case d.Scale < sdk.ScaleShare || d.Scale > sdk.ScaleNumber:
			return fmt.Errorf("the description's Scale is %d: want share, logit or number", d.Scale)
		case d.Batch < 0:
			return fmt.Errorf("the description's Batch is %d: want 0 or more", d.Batch)
		case len(d.Options) > 0:
			return errors.New("the description has Options, which a model is not given")
		case len(d.Serves)+len(d.Families)+len(d.Presets) > 0 || d.NeedsModel || d.NeedsRows || d.Lag != 0:
			return errors.New("the description has what is for solvers and strategies")
		}
		for i, name := range d.Features {
			if name == "" || slices.Contains(d.Features[:i], name) {
				return fmt.Errorf("feature %q has no name or appears twice", name)
			}
		}
		return nil
	})
}

func checkNoRows(ctx context.Context, e *ModelEnv) error {
	_, err := e.score(ctx, nil)
	return err
}

func checkScores(ctx context.Context, e *ModelEnv) error {
	rows, _, err := e.some(ctx)
	for n := 1; n < min(4, len(rows)) && err == nil; n++ {
		_, err = e.score(ctx, rows[:n])
	}
	return err
}

// checkBatch doubles the number of rows as the host does.
func checkBatch(ctx context.Context, e *ModelEnv) error {
	rows, err := e.rows(e.batch())
	var before []float64
	for n := 1; err == nil; n = min(2*n, len(rows)) {
		began := time.Now()
		var scores []float64
		if scores, err = e.score(ctx, rows[:n]); err != nil {
			break
		}
		err = sameScores(rows[:len(before)], before, scores, fmt.Sprintf("among %d rows", n))
		if before = scores; n == len(rows) || time.Since(began) > slow {
			break
		}
	}
	return err
}

func checkAgain(ctx context.Context, e *ModelEnv) error {
	rows, first, err := e.some(ctx)
	if err != nil {
		return err
	}
	other := *e
	if e.Options.NewModel != nil {
		if other.Model, err = e.Options.NewModel(ctx); err != nil {
			return err
		}
	}
	for _, env := range []*ModelEnv{e, &other} {
		again, err := env.score(ctx, rows)
		if err == nil {
			err = sameScores(rows, first, again, "asked again,")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func checkOrder(ctx context.Context, e *ModelEnv) error {
	rows, first, err := e.some(ctx)
	if err != nil {
		return err
	}
	slices.Reverse(rows)
	slices.Reverse(first)
	again, err := e.score(ctx, rows)
	if err != nil {
		return err
	}
	return sameScores(rows, first, again, "in another place")
}

func checkAlone(ctx context.Context, e *ModelEnv) error {
	rows, together, err := e.some(ctx)
	for i := range rows {
		var alone []float64
		if err == nil {
			alone, err = e.score(ctx, rows[i:i+1])
		}
		if err == nil {
			err = sameScores(rows[i:i+1], together[i:], alone, "alone")
		}
	}
	return err
}

func checkRowsUntouched(ctx context.Context, e *ModelEnv) error {
	rows, want, err := e.some(ctx)
	if err != nil {
		return err
	}
	sent := copied(rows)
	if _, err := e.Model.Score(ctx, sent); err != nil {
		return err
	}
	if !reflect.DeepEqual(sent, rows) {
		return errors.New("the rows of Score were modified")
	}
	// The next call has the same memory, with the rows in reverse order.
	slices.Reverse(rows)
	slices.Reverse(want)
	for i, row := range rows {
		copy(sent[i], row)
	}
	got, err := e.Model.Score(ctx, sent)
	if err == nil {
		err = e.Description.Scale.Check(len(sent), got)
	}
	if err != nil {
		return err
	}
	return sameScores(rows, want, got, "where another row was in the call before,")
}

func checkBadRows(ctx context.Context, e *ModelEnv) error {
	good, err := e.rows(1)
	if err != nil {
		return err
	}
	row := good[0]
	bad := [][]float64{slices.Concat([]float64{math.NaN()}, row[1:]), slices.Concat(row[:len(row)-1], []float64{math.Inf(-1)})}
	if len(e.Description.Features) > 0 {
		bad = append(bad, row[1:], slices.Concat(row, []float64{1}))
	}
	for _, row := range bad {
		if _, err := e.Model.Score(ctx, [][]float64{row}); !errors.Is(err, sdk.ErrInvalidProblem) {
			return fmt.Errorf("the row %v: want ErrInvalidProblem, got %w", row, cmp.Or(err, errors.New("no error")))
		}
	}
	_, err = e.score(ctx, good)
	return err
}

// checkScoreCancelled ends one context before the call and one during it.
func checkScoreCancelled(ctx context.Context, e *ModelEnv) error {
	rows, err := e.rows(some)
	if err != nil {
		return err
	}
	for _, before := range []bool{true, false} {
		ending, cancel := context.WithCancel(ctx)
		if before {
			cancel()
		} else {
			go cancel()
		}
		_, err := within(e.Options.grace(), "Score after a cancel", func() ([]float64, error) { return e.score(ending, rows) })
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	_, err = e.score(ctx, rows)
	return err
}

// checkScoresAtOnce makes calls at once if the model allows it, or is in another process,
// whose client lets calls wait for one another.
func checkScoresAtOnce(ctx context.Context, e *ModelEnv) error {
	if _, process := e.Model.(readier); !process && !e.Description.Concurrent {
		return skip("concurrent calls are not claimed")
	}
	rows, want, err := e.some(ctx)
	if err != nil {
		return err
	}
	const callers = 4
	ended := make(chan error, callers)
	for c := range callers {
		at := c * len(rows) / callers
		mine, wanted := slices.Concat(rows[at:], rows[:at]), slices.Concat(want[at:], want[:at])
		go func() {
			_, err := within(e.Options.timeout(), "Score", func() (none struct{}, err error) {
				for range 4 {
					got, err := e.score(ctx, mine)
					if err == nil {
						err = sameScores(mine, wanted, got, "beside other calls")
					}
					if err != nil {
						return none, err
					}
				}
				return none, nil
			})
			ended <- err
		}()
	}
	for range callers {
		err = errors.Join(err, <-ended)
	}
	return err
}
