package client_test

import (
	"context"
	"errors"
	"io"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

func start(t testing.TB, p *client.Plugin, o sdk.StartOptions) sdk.Session {
	t.Helper()
	s, err := p.Strategy().Start(t.Context(), people(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func trouble(name string) sdk.StartOptions {
	return sdk.StartOptions{Options: map[string]string{"trouble": name}}
}

// A data set of 4.7 MB, more than gRPC takes in one message by default, arrives
// whole and in order.
func TestLargeTable(t *testing.T) {
	rows := make([][]float64, 300_000)
	for i := range rows {
		rows[i] = []float64{float64(10 + i%91), float64(i % 2)}
	}
	p := launch(t, config(client.Strategy, "walk"))
	s := start(t, p, sdk.StartOptions{Rows: rows, Epsilon: big.NewRat(1, 20)})
	moves, err := s.Next(t.Context(), nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	// The plugin proposes its last row, then its first ones.
	for i, at := range []int{0, 1, 2} {
		if moves[i].Point[0] != rows[at][0] || moves[i].Point[1] != rows[at][1] {
			t.Errorf("move %d is %v; want row %d, %v", i, moves[i].Point, at, rows[at])
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestSessionGarbage(t *testing.T) {
	p := launch(t, config(client.Strategy, "walk"))
	for name, says := range map[string]string{
		"none":      "0 moves; asked for 1 to 2",
		"many":      "5 moves; asked for 1 to 2",
		"narrow":    "1 values for 2 features",
		"backwards": "numbers must increase",
		"kindless":  "movekind is unspecified",
	} {
		s := start(t, p, trouble(name))
		_, err := s.Next(t.Context(), nil, 2)
		if err == nil && name == "backwards" {
			_, err = s.Next(t.Context(), nil, 2)
		}
		if !errors.Is(err, client.ErrGarbage) || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "strategy walk answered garbage to next: ") {
			t.Errorf("%s: %v; want %q", name, err, says)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p.Exited() {
		t.Error("the plugin exited")
	}
}

func TestSessionTrouble(t *testing.T) {
	p := launch(t, config(client.Strategy, "walk"))
	_, err := p.Strategy().Start(t.Context(), people(), sdk.StartOptions{Options: map[string]string{"colour": "red"}})
	if !errors.Is(err, sdk.ErrInvalidOption) || !strings.Contains(err.Error(), `no option "colour"; it takes moves, trouble`) {
		t.Errorf("unknown option: %v", err)
	}
	_, err = p.Strategy().Start(t.Context(), people(), sdk.StartOptions{Options: map[string]string{"moves": "many"}})
	if !errors.Is(err, sdk.ErrInvalidOption) {
		t.Errorf("bad value: %v", err)
	}
	_, err = p.Strategy().Start(t.Context(), people(), sdk.StartOptions{Rows: [][]float64{{1, 2, 3}}})
	if !errors.Is(err, sdk.ErrInvalidProblem) {
		t.Errorf("wide rows: %v", err)
	}
	if _, err = p.Solver().Solve(t.Context(), box(), sdk.SolveOptions{}); !errors.Is(err, sdk.ErrUnsupported) {
		t.Errorf("a strategy solved: %v", err)
	}

	_, err = start(t, p, trouble("panic")).Next(t.Context(), nil, 1)
	if err == nil || !strings.Contains(err.Error(), "panicked: out of luck") {
		t.Errorf("panic: %v", err)
	}
	if _, err = start(t, p, sdk.StartOptions{}).Next(t.Context(), nil, 0); !errors.Is(err, sdk.ErrInvalidProblem) {
		t.Errorf("want 0: %v", err)
	}
	if err = start(t, p, trouble("close")).Close(); !errors.Is(err, sdk.ErrUnsupported) {
		t.Errorf("close: %v", err)
	}

	pid := p.Pid()
	s := start(t, p, trouble("exit"))
	for range 2 { // and it stays so
		_, err = s.Next(t.Context(), nil, 1)
		if !errors.Is(err, sdk.ErrPluginExited) || !strings.Contains(err.Error(), "exit status 5") || !strings.Contains(err.Error(), "out of ideas") {
			t.Errorf("exit: %v", err)
		}
	}
	if _, err := start(t, p, sdk.StartOptions{}).Next(t.Context(), nil, 1); err != nil || p.Pid() == pid {
		t.Errorf("in a new process: %v", err)
	}
}

func TestSessionIsCancelled(t *testing.T) {
	p := launch(t, config(client.Strategy, "walk"))
	s := start(t, p, trouble("hang"))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := s.Next(ctx, nil, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v; want %v", err, context.Canceled)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := start(t, p, sdk.StartOptions{}).Next(t.Context(), nil, 1); err != nil {
		t.Errorf("another session: %v", err)
	}
}

// The context of a start may end when the start is done.
func TestSessionOutlivesItsStart(t *testing.T) {
	p := launch(t, config(client.Strategy, "walk"))
	ctx, cancel := context.WithCancel(t.Context())
	s, err := p.Strategy().Start(ctx, people(), sdk.StartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := s.Next(t.Context(), nil, 1); err != nil {
		t.Error(err)
	}
}

func BenchmarkNext(b *testing.B) {
	p := launch(b, config(client.Strategy, "walk"))
	for _, want := range []int{1, 64} {
		b.Run(map[int]string{1: "1move", 64: "64moves"}[want], func(b *testing.B) {
			s := start(b, p, sdk.StartOptions{Options: map[string]string{"moves": "1000000000"}})
			told := make([]sdk.Trial, want)
			for i := range told {
				told[i] = sdk.Trial{ID: int64(i), Status: sdk.TrialEvaluated, Point: []float64{30, 1}, K: 2, Gap: 0.1}
			}
			for b.Loop() {
				if _, err := s.Next(b.Context(), told, want); err != nil {
					b.Fatal(err)
				}
			}
			if err := s.Close(); err != nil && !errors.Is(err, io.EOF) {
				b.Error(err)
			}
		})
	}
}

// BenchmarkAskAhead is what a move costs a host that asks for it, is busy for
// 100 µs, and fetches the answer.
func BenchmarkAskAhead(b *testing.B) {
	s := start(b, launch(b, config(client.Strategy, "walk")), sdk.StartOptions{Options: map[string]string{"moves": "1000000000"}}).(client.Pipelined)
	told := []sdk.Trial{{Status: sdk.TrialEvaluated, Point: []float64{30, 1}, K: 2, Gap: 0.1}}
	var spent time.Duration
	for b.Loop() {
		begin := time.Now()
		if err := s.Ask(b.Context(), told, 1); err != nil {
			b.Fatal(err)
		}
		asked := time.Now()
		for time.Since(asked) < 100*time.Microsecond {
		}
		fetching := time.Now()
		if _, err := s.Answer(b.Context()); err != nil {
			b.Fatal(err)
		}
		spent += asked.Sub(begin) + time.Since(fetching)
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "ns/move")
}

func BenchmarkLaunch(b *testing.B) {
	for b.Loop() {
		p, err := client.Launch(b.Context(), config(client.Solver, "good"))
		if err != nil {
			b.Fatal(err)
		}
		p.Close()
	}
}
