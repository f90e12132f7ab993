package discover

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

// Members returns the names of the solver plugins in the name of a solver: itself, or each
// member of a portfolio such as "bnb+highs".
func Members(name string) []string { return strings.Split(name, "+") }

// Solvers are the plugins that are asked a question: one, or those of a portfolio, in
// parallel. Close ends them.
type Solvers []*Plugin

// OpenSolvers starts the solver of that name, or all of a portfolio, and configures them
// with the options.
func (c *Catalogue) OpenSolvers(ctx context.Context, name string, options map[string]string) (all Solvers, err error) {
	defer func() {
		if err != nil {
			all.Close()
			all = nil
		}
	}()
	members := Members(name)
	for i, member := range members {
		if slices.Contains(members[:i], member) {
			return all, fmt.Errorf("solver %s: %s is named twice: %w", name, member, sdk.ErrInvalidOption)
		}
		p, err := c.Launch(ctx, client.Solver, member)
		if err != nil {
			return all, err
		}
		all = append(all, p)
	}
	return all, Configure(options, all...)
}

// Close ends the plugins.
func (s Solvers) Close() { closeAll(s) }

// String returns the plugins' names, joined by "and".
func (s Solvers) String() string {
	names := make([]string, len(s))
	for i, p := range s {
		names[i] = p.String()
	}
	return strings.Join(names, " and ")
}
