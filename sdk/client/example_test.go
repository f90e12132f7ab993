package client_test

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

func Example() {
	// bin is where this package's TestMain builds a plugin.
	p, err := client.Launch(context.Background(), client.Config{Path: filepath.Join(bin, "testplugin"), Kind: client.Solver})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	r, err := p.Solver().Solve(context.Background(), box(), sdk.SolveOptions{TimeLimit: time.Minute})
	fmt.Println(r.Status, r.Objective, err)
	// Output: optimal 33 <nil>
}
