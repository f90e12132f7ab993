package rig_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/sdktest"
	"github.com/hyfair/hyfair/sdk/sdktest/rig"
	"github.com/hyfair/hyfair/sdk/serve"
	"github.com/hyfair/hyfair/sdk/space"
)

func TestMain(m *testing.M) {
	rig.Main(m, func() { serve.Strategy(sdktest.Wanderer{}) })
}

// recorder is a test that keeps what it is told and goes on by itself.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failures of a check, which may end its goroutine.
func failures(t *testing.T, check func(testing.TB)) string {
	r, done := &recorder{TB: t}, make(chan struct{})
	go func() {
		defer close(done)
		check(r)
	}()
	<-done
	return strings.Join(r.failures, "\n")
}

// seeded is a Wanderer whose seed is another one's.
type seeded func(seed int64) int64

func (s seeded) Describe(ctx context.Context) (sdk.Description, error) {
	return sdktest.Wanderer{}.Describe(ctx)
}

func (s seeded) Start(ctx context.Context, sp *space.Space, o sdk.StartOptions) (sdk.Session, error) {
	o.Seed = s(o.Seed)
	return sdktest.Wanderer{}.Start(ctx, sp, o)
}

func TestSameSeed(t *testing.T) {
	s := &space.Space{Features: []space.Feature{
		{Name: "at", Kind: space.Integer, Lo: 0, Hi: 999},
		{Name: "group", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}},
	}}
	h := rig.Host{Want: 3, Answer: func(sdk.Move) sdk.Trial { return sdk.Trial{Status: sdk.TrialNoSeed} }}
	calls := int64(0)
	for _, c := range []struct {
		name, want string
		start      func() sdk.Strategy
	}{
		{"right", "", func() sdk.Strategy { return sdktest.Wanderer{} }},
		{"right, in a process", "", func() sdk.Strategy { return rig.Launch(t, client.Strategy).Strategy() }},
		{"deaf", "seeds 4 and 5 make the same moves", func() sdk.Strategy { return seeded(func(int64) int64 { return 1 }) }},
		{"fickle", "seed 4: move 0 is ", func() sdk.Strategy { return seeded(func(seed int64) int64 { calls++; return calls }) }},
	} {
		o := sdk.StartOptions{Seed: 4, Region: s.Whole()}
		got := failures(t, func(r testing.TB) { h.SameSeed(r, c.start, s, o, 10) })
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestOptions(t *testing.T) {
	described := []sdk.Option{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	parse := func(given map[string]string) (int, error) {
		switch {
		case given["b"] == "plain":
			return 0, errors.New("bad")
		case len(given) == 0 || given["b"] == "taken":
			return 1, nil
		}
		return 0, sdk.ErrInvalidOption
	}
	got := failures(t, func(r testing.TB) {
		rig.Options(r, described, parse, map[string][]string{"a": {"refused"}, "b": {"taken", "refused", "plain"}})
	})
	want := "b=\"taken\": error <nil>, want ErrInvalidOption\nb=\"plain\": error bad, want ErrInvalidOption\noption c is not tested"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
