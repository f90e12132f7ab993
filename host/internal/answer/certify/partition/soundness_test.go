package partition_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/certify/partition"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// mute answers unknown, and calls stop after the given number of questions.
type mute struct {
	reference.Enumerator
	asked, most int
	stop        func()
}

func (m *mute) Load(context.Context, *problem.Problem) (sdk.Loaded, error) {
	return loadedMute{m}, nil
}

type loadedMute struct{ *mute }

func (loadedMute) Close() error { return nil }

func (m loadedMute) Solve(context.Context, problem.Delta, sdk.SolveOptions) (*sdk.Result, error) {
	if m.asked++; m.asked == m.most {
		m.stop()
	}
	return &sdk.Result{Status: sdk.Unknown, Reason: sdk.Incomplete}, nil
}

// unsettled is a question of which some parts are fair, and some stay open
// without a solver.
func unsettled(t *testing.T) *problem.Query {
	t.Helper()
	for i := range 2000 {
		q := tiny(rand.New(rand.NewPCG(uint64(i), 14)))
		q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: 1}}
		rep, err := partition.Run(t.Context(), q, partition.Options{Chunks: chunks(t, q, "1"), All: true})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Undecided > 0 && rep.Fair > 60 && rep.Unfair == 0 {
			return q
		}
	}
	t.Fatal("no network needed a solver")
	return nil
}

// TestAdaptiveEnds: what can be halved no further is not asked about for ever.
func TestAdaptiveEnds(t *testing.T) {
	q := unsettled(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := &mute{most: 20_000, stop: cancel}
	d, err := s.Describe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := partition.Run(ctx, q, partition.Options{Chunks: chunks(t, q, partition.Adaptive), Adaptive: true, All: true,
		SoftTimeout: 5 * time.Second, Solvers: []engine.Options{{Solver: s, Description: d, Encoding: "bigm"}}})
	if err != nil {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Errorf("still asking after %d questions: %+v", s.asked, rep)
	}
	if rep.Undecided == 0 || rep.Fair+rep.Unfair+rep.Undecided != rep.Total {
		t.Errorf("%+v", rep)
	}
}

// TestAdaptiveResumes: halves that were decided before are not decided again.
func TestAdaptiveResumes(t *testing.T) {
	q := unsettled(t)
	store := &shelf{}
	run := func(ctx context.Context) *partition.Report {
		t.Helper()
		s := &mute{}
		d, err := s.Describe(ctx)
		if err != nil {
			t.Fatal(err)
		}
		rep, err := partition.Run(ctx, q, partition.Options{Chunks: chunks(t, q, partition.Adaptive), Adaptive: true, All: true,
			SoftTimeout: time.Second, Store: store, Solvers: []engine.Options{{Solver: s, Description: d, Encoding: "bigm"}}})
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	store.full, store.stop = 2, cancel
	run(ctx)
	store.stop = nil
	kept := len(store.results)
	second := run(t.Context())
	store.results = nil
	whole := run(t.Context())
	if kept < 2 || second.Resumed != kept {
		t.Errorf("%d results were kept, %d taken", kept, second.Resumed)
	}
	if second.Total != whole.Total || second.Fair != whole.Fair || second.Unfair != whole.Unfair || second.Undecided != whole.Undecided {
		t.Errorf("resumed %+v, at once %+v", second, whole)
	}
}

// TestNobodyLivesThere: a region without an individual is no fair one, and one
// with odd ends is that of the values between.
func TestNobodyLivesThere(t *testing.T) {
	q := tiny(rand.New(rand.NewPCG(1, 11)))
	for _, iv := range []space.Interval{{Lo: 1, Hi: 0}, {Lo: 0.2, Hi: 0.7}, {Lo: 20, Hi: 30}} {
		q.Region = q.Space.Whole()
		q.Region.Box[0] = iv
		if rep, err := partition.Run(t.Context(), q, partition.Options{Chunks: chunks(t, q, "1"), All: true}); !errors.Is(err, sdk.ErrInvalidProblem) {
			t.Errorf("%v: %+v, %v", iv, rep, err)
		}
	}
	q.Region.Box[0] = space.Interval{Lo: -1.6, Hi: 1.45}
	rep, err := partition.Run(t.Context(), q, partition.Options{Chunks: chunks(t, q, "n=1"), All: true})
	if err != nil || rep.Total != 3 || rep.Undecided != 0 {
		t.Errorf("−1 to 1: %+v, %v", rep, err)
	}
}

// TestAProofWithoutAGradeIsNone: a stored result that does not say what stands
// behind it is not counted.
func TestAProofWithoutAGradeIsNone(t *testing.T) {
	q := tiny(rand.New(rand.NewPCG(5, 11)))
	o := partition.Options{Chunks: chunks(t, q, "1"), All: true}
	key := partition.Text(q.Space, q.RegionOrWhole(), firstPart(t, q, o))
	for _, text := range []string{`{"verdict":"fair"}`, `{"verdict":"fair","grade":9}`, `{"verdict":"fair","grade":3,"tolerance":-1}`} {
		o.Store = &shelf{results: map[string][]byte{key: []byte(text)}}
		if rep, err := partition.Run(t.Context(), q, o); err == nil || rep.Resumed != 0 {
			t.Errorf("%s was taken: %+v, %v", text, rep, err)
		}
	}
}

// fullDisk keeps nothing.
type fullDisk struct{ *shelf }

func (fullDisk) Complete(string, any, float64, ...record.Event) error { return errFull }

var errFull = errors.New("no space left on device")

// TestAFullDiskIsToldOnce: nothing counts that is not kept, and the run ends.
func TestAFullDiskIsToldOnce(t *testing.T) {
	q := tiny(rand.New(rand.NewPCG(5, 11)))
	rep, err := partition.Run(t.Context(), q, partition.Options{Chunks: chunks(t, q, "1"), All: true, Store: fullDisk{&shelf{}}})
	if !errors.Is(err, errFull) || strings.Count(fmt.Sprint(err), errFull.Error()) != 1 {
		t.Errorf("%v", err)
	}
	if rep.Fair+rep.Unfair != 0 || rep.Verdict != engine.Undecided {
		t.Errorf("%+v", rep)
	}
}
