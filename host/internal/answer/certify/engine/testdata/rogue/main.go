// Command rogue is a solver plugin that tries every point, and is right until it misbehaves.
// The option mode, or else $HYFAIR_TEST_ROGUE, says how; the option from is the number of the
// first question to misbehave at, counted from 1. The plugin is named after its file. When it
// begins to misbehave, it writes an empty file NAME.misbehaves next to it.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/serve"
)

func main() {
	if how, below := os.LookupEnv(below); below {
		descend(how)
		return
	}
	serve.Solver(&rogue{})
}

// below names the variable that tells a process to run descend in place of the plugin. Its value is
// the argument of descend.
const below = "HYFAIR_TEST_ROGUE_BELOW"

// burnt is the processor time that a descendant uses.
const burnt = 400 * time.Millisecond

// descend uses processor time, or has a child do so: one that it waits for, or one that is
// left behind in a session of its own.
func descend(how string) {
	child, wait := start(""), how == "wait"
	switch how {
	case "wait", "leave":
		if err := child.Start(); err != nil {
			panic(err)
		}
		if wait {
			child.Wait()
		}
		return
	}
	var used unix.Rusage
	for used.Utime.Nano()+used.Stime.Nano() < int64(burnt) {
		if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
			panic(err)
		}
	}
	os.Stdout.WriteString("burnt")
	if how == "stay" {
		time.Sleep(time.Minute)
	}
}

// start makes a process below this one.
func start(how string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), below+"="+how)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdout = os.Stdout
	return cmd
}

// burn has a descendant use processor time, and returns once it has. A child that stays lives on.
func burn(how string) error {
	cmd := start(how)
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = io.ReadFull(out, make([]byte, len("burnt")))
	}
	if err == nil && how != "stay" {
		err = cmd.Wait()
	}
	return err
}

type rogue struct {
	asked atomic.Int64
	burnt atomic.Bool
}

func name() string { return strings.TrimPrefix(filepath.Base(os.Args[0]), "hyfair-solver-") }

func (*rogue) Describe(ctx context.Context) (sdk.Description, error) {
	d, err := reference.Enumerator{}.Describe(ctx)
	d.Name = name()
	d.Options = []sdk.Option{{Name: "mode", Help: "kind of misbehaviour"}, {Name: "from", Default: "1", Help: "number of the first question to misbehave at, from 1"}}
	d.Libraries = []sdk.Library{{Name: "librogue", Found: true, Version: "0.1"}}
	return d, err
}

func (g *rogue) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	mode, from := cmp.Or(o.Options["mode"], os.Getenv("HYFAIR_TEST_ROGUE")), int64(1)
	if text := o.Options["from"]; text != "" {
		var err error
		if from, err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, fmt.Errorf("option from: %w: %w", err, sdk.ErrInvalidOption)
		}
	}
	o.Options = nil
	right := reference.Enumerator{}
	if g.asked.Add(1) < from {
		return right.Solve(ctx, p, o)
	}
	if mode != "" {
		if err := os.WriteFile(filepath.Join(filepath.Dir(os.Args[0]), name()+".misbehaves"), nil, 0o600); err != nil {
			return nil, err
		}
	}
	switch mode {
	case "exit":
		fmt.Fprintln(os.Stderr, "the rogue's last words")
		os.Exit(7)
	case "exit-with-incumbent":
		right.Solve(ctx, p, o)
		time.Sleep(300 * time.Millisecond) // the report is on its way
		fmt.Fprintln(os.Stderr, "the rogue's last words")
		os.Exit(7)
	case "panic":
		panic("out of luck")
	case "error":
		return nil, fmt.Errorf("no licence")
	case "threads":
		return nil, fmt.Errorf("asked with %d threads", o.Threads)
	case "deaf":
		time.Sleep(time.Hour)
	case "deaf-with-incumbent":
		if r, err := right.Solve(ctx, p, o); err == nil && r.Shares != nil {
			o.Progress(sdk.Progress{Shares: r.Shares})
		}
		time.Sleep(time.Hour)
	case "patient-with-piece":
		o.Pieces([]sdk.Piece{{Box: p.Query.RegionOrWhole().Box, Claim: sdk.PieceUnfair}})
		fallthrough
	case "patient":
		<-ctx.Done()
		return &sdk.Result{Status: sdk.Unknown, Reason: sdk.Interrupted}, nil
	case "flood":
		nothing := make([]problem.Number, len(p.MILP.Columns))
		for began := time.Now(); time.Since(began) < 500*time.Millisecond; {
			o.Progress(sdk.Progress{Values: nothing})
		}
	case "fair": // claims that there is nothing to find
		if q := p.Query; q != nil {
			switch q.Goal {
			case problem.Quantify:
				return &sdk.Result{Status: sdk.Optimal, Shares: &sdk.Shares{Fair: big.NewRat(1, 1), Unfair: new(big.Rat)}}, nil
			case problem.MaxK:
				return &sdk.Result{Status: sdk.Unknown, Reason: sdk.Other, Bound: 1, HasBound: true}, nil
			}
		}
		return &sdk.Result{Status: sdk.Infeasible}, nil
	case "none": // each witness has the same copy twice
		r, err := right.Solve(ctx, p, o)
		if err == nil && r.Witness != nil {
			r.Witness.Copy2 = r.Witness.Copy1
		}
		return r, err
	case "child", "wait", "leave", "stay", "die":
		if g.burnt.CompareAndSwap(false, true) {
			how := map[string]string{"child": "", "die": "stay"}
			as, ok := how[mode]
			if !ok {
				as = mode
			}
			if err := burn(as); err != nil {
				return nil, err
			}
			if mode == "die" {
				unix.Kill(os.Getpid(), unix.SIGKILL)
			}
		}
	case "infeasible":
		return &sdk.Result{Status: sdk.Infeasible}, nil
	case "short":
		return &sdk.Result{Status: sdk.Feasible, Values: problem.Floats([]float64{1})}, nil
	}
	return right.Solve(ctx, p, o)
}
