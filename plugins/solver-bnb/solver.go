package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/option"
	"github.com/hyfair/hyfair/sdk/problem"
)

const version = "1.0.0"

// solver implements sdk.Solver. It has no state.
type solver struct{}

var _ sdk.Solver = solver{}

var options = []sdk.Option{
	{Name: "memory", Default: "4096", Help: "MiB that the process may take if the host sets no limit; near the limit, the search goes depth first"},
	{Name: "cases", Default: "-1", Help: "restart after this many nodes, to branch on ReLUs with linear programs; -1: after as many nodes as take about a second, and at most 8192 if the question asks for a largest gap"},
	{Name: "off", Help: "ideas to switch off, separated by commas: " + strings.Join(params.Names(), ", ")},
}

// Describe implements sdk.Solver. bnb serves every goal, in the network form.
func (solver) Describe(context.Context) (sdk.Description, error) {
	d := sdk.Description{
		Name:       "bnb",
		Version:    version,
		Summary:    "Branch and bound over boxes of individuals, with rigorous bounds; pure Go, no library needed",
		Options:    options,
		Families:   []string{relu.Family, trees.Family},
		Exactness:  sdk.GradeRigorous,
		Bands:      true,
		Within:     true,
		Concurrent: true,
	}
	for _, g := range problem.Goals {
		d.Serves = append(d.Serves, sdk.Service{Form: problem.FormNetwork, Goal: g})
	}
	return d, nil
}

// Solve answers a problem in the network form.
func (solver) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	if p.Query == nil {
		return nil, fmt.Errorf("%w: bnb answers problems in the %s form; this one has the %s form", sdk.ErrUnsupported, problem.FormNetwork, p.Form())
	}
	read := option.Read(options, o.Options)
	memory := int64(read.Int("memory", 1, 1<<30)) << 20
	with := params.Default()
	with.RestartAfter = int64(read.Int("cases", -1, 1<<30))
	if err := read.Err(); err != nil {
		return nil, err
	}
	var err error
	if with.Off, err = params.ParseOff(o.Options["off"]); err != nil {
		return nil, fmt.Errorf("%w: off: %w", sdk.ErrInvalidOption, err)
	}
	if o.Memory > 0 {
		memory = o.Memory
	}
	a := &answer{q: p.Query, o: o}
	return a.find(ctx, memory, with)
}
