//go:build unix

package client_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

// Solvers that continue beyond the grace of 400 ms once they should stop. The modes are those
// of handOver in testdata/testplugin.

// quick is a question whose time is over before the first piece.
func quick(pieces func([]sdk.Piece)) sdk.SolveOptions {
	return sdk.SolveOptions{TimeLimit: 20 * time.Millisecond, Pieces: pieces}
}

// As long as pieces come, none is lost, and the plugin lives.
func TestPiecesAfterTheLimit(t *testing.T) {
	tier.NeedUsual(t)
	t.Parallel()
	p := launch(t, config(client.Solver, "liar:lingers"))
	pid := p.Pid()
	for name, stop := range stopping() {
		ctx, o, _ := stop(t.Context())
		pieces := 0
		o.Pieces = func(list []sdk.Piece) { pieces += len(list) }
		r, err := p.Solver().Solve(ctx, shareQuery(), o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if pieces != 30 || r.Native != "handed over" || r.Nodes != 30 || r.Reason != sdk.TimeLimit {
			t.Errorf("%s: %d of 30 pieces, %+v", name, pieces, r)
		}
	}
	if p.Pid() != pid || p.Exited() {
		t.Error("the plugin did not live")
	}
}

// A host that takes its time over a piece does not end the plugin for it.
func TestSlowHostAfterTheLimit(t *testing.T) {
	tier.NeedUsual(t)
	t.Parallel()
	p := launch(t, config(client.Solver, "liar:lingers"))
	pid, pieces := p.Pid(), 0
	r, err := p.Solver().Solve(t.Context(), shareQuery(), quick(func(list []sdk.Piece) {
		if pieces += len(list); pieces == 2 {
			time.Sleep(time.Second) // no message is read, and more are sent
		}
	}))
	if err != nil || pieces != 30 || r.Native != "handed over" || p.Pid() != pid || p.Exited() {
		t.Errorf("%d of 30 pieces, %+v, %v", pieces, r, err)
	}
}

// One that falls silent is killed all the same; one that never ends, when
// it has had its time; and one of which nothing is wanted any more, soon.
func TestEndOfPatience(t *testing.T) {
	for _, c := range []struct {
		name, mode string
		change     func(*client.Config)
		least      int // pieces that arrive
		giveUp     bool
	}{
		{name: "silent after three", mode: "stalls", least: 3},
		{name: "endless", mode: "endless", change: func(c *client.Config) { c.HandOver = 3 * time.Second }, least: 10},
		{name: "not wanted", mode: "endless", least: 1, giveUp: true},
		{name: "progress alone", mode: "talks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			plugin := config(client.Solver, "liar:"+c.mode)
			if c.change != nil {
				c.change(&plugin)
			}
			p := launch(t, plugin)
			pid, pieces := p.Pid(), 0
			ctx, giveUp := client.GiveUp(t.Context())
			defer giveUp()
			r, err := p.Solver().Solve(ctx, shareQuery(), quick(func(list []sdk.Piece) {
				if pieces += len(list); c.giveUp {
					giveUp()
				}
			}))
			if err != nil {
				t.Fatal(err)
			}
			if pieces < c.least || r.Status != sdk.Unknown || r.Native != "" {
				t.Errorf("%d pieces, %+v; want %d or more, and what was last known", pieces, r, c.least)
			}
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("process %d: %v", pid, err)
			}
			if c.mode == "talks" && (r.Shares == nil || r.Shares.Boxes != 2) {
				t.Errorf("what it last told came back as %+v", r)
			}
		})
	}
}

// Giving up ends a call that is nowhere near its end.
func TestGiveUpInTheMiddle(t *testing.T) {
	p := launch(t, config(client.Solver, "slow"))
	pid := p.Pid()
	ctx, giveUp := client.GiveUp(t.Context())
	defer giveUp()
	time.AfterFunc(100*time.Millisecond, giveUp)
	r, err := p.Solver().Solve(ctx, box(), sdk.SolveOptions{})
	if err != nil || r.Reason != sdk.Interrupted || r.Native != "stopped by itself" || p.Pid() != pid {
		t.Errorf("%+v, %v", r, err)
	}
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("the context: %v", ctx.Err())
	}
}
