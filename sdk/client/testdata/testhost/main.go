// Command testhost launches the plugin named by its first argument, in the mode of its
// second, prints the plugin's process id, calls the plugin if there is a third argument, and
// waits to be killed: for tests of orphaned plugins.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/problem"
)

func main() {
	p, err := client.Launch(context.Background(), client.Config{
		Path: os.Args[1], Kind: client.Solver, Env: []string{"TESTPLUGIN_MODE=" + os.Args[2]},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(p.Pid())
	if len(os.Args) > 3 { // busy: the orphan is in the middle of a call
		m := &problem.MILP{Columns: []problem.Column{{Hi: 1}}}
		_, err = p.Solver().Solve(context.Background(), &problem.Problem{MILP: m}, sdk.SolveOptions{Seed: 13})
		fmt.Fprintln(os.Stderr, err)
	}
	time.Sleep(time.Hour)
}
