//go:build unix

package pythontest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

// What goes over the wire comes out as it went in, in either direction, and
// what the plugin prints goes nowhere near it.
func TestSession(t *testing.T) {
	need(t)
	p := launch(t, script(client.Strategy))
	s, err := p.Strategy().Start(t.Context(), people(), sdk.StartOptions{Seed: 1, Rows: rows(5), Chains: 4, Options: map[string]string{"count": "3"}})
	if err != nil {
		t.Fatal(err)
	}
	var told []sdk.Trial
	for call := range 3 {
		moves, err := s.Next(t.Context(), told, 2+call)
		if err != nil {
			t.Fatal(err)
		}
		if len(moves) != 2+call {
			t.Fatalf("%d moves; want %d", len(moves), 2+call)
		}
		heard := len(told)
		for _, m := range moves {
			row := rows(5)[m.ID%5]
			if m.Kind != sdk.MoveSeedFrom || m.Round != int64(heard) || m.Chain != 4 || m.Point[0] != row[0] || m.Point[1] != row[1] {
				t.Errorf("%+v; the row is %v", m, row)
			}
			told = append(told, sdk.Trial{ID: m.ID, Status: sdk.TrialEvaluated, Point: m.Point, K: 1, Gap: 0.1, Shannon: 1, MinEntropy: 1})
		}
	}
	if got := s.(sdk.Evaluating).Evaluations(); got != 90 {
		t.Errorf("%d evaluations of its own; want 10 a move", got)
	}
	if _, err := s.Next(t.Context(), nil, 1); !errors.Is(err, io.EOF) {
		t.Errorf("got %v; want the end", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for _, printed := range []string{"printed while the program is being loaded", "printed in a call", "and by a library"} {
		waitPrinted(t, p, printed)
	}
}

// waitPrinted waits for a text among what the plugin printed.
func waitPrinted(t *testing.T, p *client.Plugin, text string) {
	t.Helper()
	for range 200 {
		if strings.Contains(p.Stderr(), text) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("it printed %q, and not %q", p.Stderr(), text)
}

// A data set larger than gRPC's own limit for a message, many sessions at once.
func TestLargeAndMany(t *testing.T) {
	tier.NeedUsual(t)
	need(t)
	p := launch(t, script(client.Strategy))
	var open []sdk.Session
	for range 40 {
		s, err := p.Strategy().Start(t.Context(), people(), sdk.StartOptions{Rows: rows(3)})
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, s)
	}
	s, err := p.Strategy().Start(t.Context(), people(), sdk.StartOptions{Rows: rows(400_000)})
	if err != nil {
		t.Fatal(err)
	}
	moves, err := s.Next(t.Context(), nil, 300_000)
	if err != nil || len(moves) != 300_000 {
		t.Errorf("%d moves, %v", len(moves), err)
	}
	for _, s := range append(open, s) {
		if _, err := s.Next(t.Context(), nil, 1); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A fault in a session is one error, says what and where, and leaves the plugin
// ready for the next.
func TestSessionErrors(t *testing.T) {
	need(t)
	p := launch(t, script(client.Strategy))
	for trouble, c := range map[string]struct {
		is   error
		want string
	}{
		"start":    {errNone, "strategy trouble: the plugin raised ValueError: no luck\n  in two lines (at strategy.py:30, in start)"},
		"nothing":  {errNone, "the plugin raised TypeError: start returned a NoneType, not a Session"},
		"option":   {sdk.ErrInvalidOption, "invalid option: trouble=option: it is out of range"},
		"next":     {errNone, "the plugin raised KeyError: 'an idea' (at strategy.py:51, in next)"},
		"sys.exit": {errNone, "the plugin raised SystemExit: enough (at strategy.py:53, in next)"},
		"empty":    {errNone, "next returned no list of moves; when the search is over it raises hyfair.plugin.Finished"},
		"long":     {errNone, "the plugin raised RuntimeError: xxx"},
		"close":    {sdk.ErrUnsupported, "unsupported: cannot be closed"},
	} {
		t.Run(trouble, func(t *testing.T) {
			err := drive(t.Context(), p, trouble)
			if err == nil {
				t.Fatal("all went well")
			}
			if !errors.Is(c.is, errNone) {
				errorIs(t, err, c.is)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\ndoes not say %q", err, c.want)
			}
			if err := drive(t.Context(), p, "none"); err != nil {
				t.Errorf("the session after it: %v", err)
			}
		})
	}
	waitPrinted(t, p, "Traceback (most recent call last)")
	if p.Exited() {
		t.Error("the plugin ended")
	}
}

// drive runs a session to its end.
func drive(ctx context.Context, p *client.Plugin, trouble string) error {
	s, err := begin(ctx, p, trouble)
	if err != nil {
		return err
	}
	for err == nil {
		_, err = s.Next(ctx, nil, 3)
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	return s.Close()
}

func TestUnknownOption(t *testing.T) {
	need(t)
	p := launch(t, script(client.Strategy))
	_, err := p.Strategy().Start(t.Context(), people(), sdk.StartOptions{Options: map[string]string{"speed": "9"}})
	errorIs(t, err, sdk.ErrInvalidOption)
	if want := `trouble has no option "speed"; it takes trouble, count`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v does not say %q", err, want)
	}
}

// A plugin that exits in a call is distinguished from one that raises.
func TestExitInACall(t *testing.T) {
	need(t)
	p := launch(t, script(client.Strategy))
	err := drive(t.Context(), p, "exit")
	errorIs(t, err, sdk.ErrPluginExited)
	for _, want := range []string{"exited while proposing moves (exit status 5)", "out of ideas"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if err := drive(t.Context(), p, "none"); err != nil {
		t.Errorf("after it was started again: %v", err)
	}
}

// Cancelling a session returns at once, whatever the plugin does; other sessions continue, and
// the plugin's end waits for none.
func TestCancelledSession(t *testing.T) {
	tier.NeedUsual(t)
	need(t)
	for _, trouble := range []string{"hang", "polite", "spin"} {
		t.Run(trouble, func(t *testing.T) {
			p := launch(t, script(client.Strategy))
			s, err := begin(t.Context(), p, trouble)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			if _, err := s.Next(ctx, nil, 1); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			if err := drive(t.Context(), p, "none"); err != nil {
				t.Errorf("another session: %v", err)
			}
			closed := make(chan error)
			go func() { closed <- p.Close() }()
			select {
			case <-closed:
			case <-time.After(10 * time.Second):
				t.Fatal("it does not end")
			}
		})
	}
}

// BenchmarkNext is the round trip of one request at a time.
func BenchmarkNext(b *testing.B) {
	for _, want := range []int{1, 64, 1024} {
		b.Run(fmt.Sprint(want), func(b *testing.B) {
			need(b)
			p := launch(b, script(client.Strategy))
			s, err := p.Strategy().Start(b.Context(), people(), sdk.StartOptions{Rows: rows(2000), Options: map[string]string{"count": "1000000000"}})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			var told []sdk.Trial
			for b.Loop() {
				moves, err := s.Next(b.Context(), told, want)
				if err != nil {
					b.Fatal(err)
				}
				told = told[:0]
				for _, m := range moves {
					told = append(told, sdk.Trial{ID: m.ID, Status: sdk.TrialEvaluated, Point: m.Point, K: 3, Gap: 0.1})
				}
			}
		})
	}
}
