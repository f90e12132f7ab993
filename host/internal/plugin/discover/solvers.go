package discover

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

// Members are the names of the solver plugins behind the name of a solver: itself, or of
// a portfolio such as "bnb+highs" each.
func Members(name string) []string { return strings.Split(name, "+") }

// Solvers are the plugins that a question is put to: one, or those of a portfolio, all at
// once. Close ends them.
type Solvers []*Plugin

// OpenSolvers starts the solver of that name, or all of a portfolio, and shares the
// options among them.
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

// String names the plugins as a person does.
func (s Solvers) String() string {
	names := make([]string, len(s))
	for i, p := range s {
		names[i] = p.String()
	}
	return strings.Join(names, " and ")
}
