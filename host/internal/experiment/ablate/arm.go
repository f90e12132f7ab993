// Package ablate runs several arms (strategies, their options, modes, with and without a solver)
// on the same networks under equal budgets, each task in a separate process, and tabulates and
// ranks their results. User page: docs/user/ablate.md.
package ablate

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
)

// Modes of an arm, see docs/user/search.md.
const (
	ModePaper = "paper"
	ModeFast  = "fast"
)

// NoSolver is the value of Arm.Solver for a search without a solver.
const NoSolver = "none"

// Arm is one way to search.
type Arm struct {
	// The arm's name.
	Name string `json:"name"`
	// The strategy plugin, or one of its presets.
	Strategy string `json:"strategy"`
	// The strategy's options.
	Set map[string]string `json:"set,omitempty"`
	// The mode: paper or fast.
	Mode string `json:"mode"`
	// The chains of fast mode; absent for the default.
	Chains int `json:"chains,omitempty"`
	// The solver in the loop, or none.
	Solver string `json:"solver"`
	// The solver's options.
	SolverSet map[string]string `json:"solver_set,omitempty"`

	// The values that a grid gives to its keys; absent for an arm of no grid.
	Point gridfile.Point `json:"point,omitempty"`

	// At is where the arm is described, as file:line:column, for messages.
	At string `json:"-"`
}

// solverKey is the prefix of the keys of a solver's options.
const solverKey = "solver_set."

// Form describes arms: the keys that a grid may vary, besides options of the strategy and, with
// the prefix solver_set., of the solver.
var Form = gridfile.Form[Arm]{
	Name:  func(a *Arm) *string { return &a.Name },
	Point: func(a *Arm) *gridfile.Point { return &a.Point },
	Keys: []gridfile.Key[Arm]{
		gridfile.Text("strategy", func(a *Arm) *string { return &a.Strategy }, filled),
		gridfile.Text("mode", func(a *Arm) *string { return &a.Mode }, func(value string) error {
			if value != ModePaper && value != ModeFast {
				return fmt.Errorf("got %q, want %s or %s", value, ModePaper, ModeFast)
			}
			return nil
		}),
		gridfile.Text("solver", func(a *Arm) *string { return &a.Solver }, filled),
		{Name: "chains", Set: func(a *Arm, value string) (err error) {
			if a.Chains, err = strconv.Atoi(value); err != nil || a.Chains < 1 || a.Chains > search.MaxChains {
				return fmt.Errorf("got %q, want a whole number from 1 to %d", value, search.MaxChains)
			}
			return nil
		}},
	},
	Options: func(a *Arm, key string) (*map[string]string, string) {
		if name, ok := strings.CutPrefix(key, solverKey); ok {
			return &a.SolverSet, name
		}
		return &a.Set, optionOf(key)
	},
}

func filled(value string) error {
	if strings.TrimSpace(value) == "" {
		return errors.New("is empty: want a name")
	}
	return nil
}

// same reports whether two arms differ at most in their names.
func (a *Arm) same(o Arm) bool {
	return a.Strategy == o.Strategy && a.Mode == o.Mode && a.Chains == o.Chains && a.Solver == o.Solver &&
		maps.EqualFunc(a.Set, o.Set, gridfile.SameValue) && maps.EqualFunc(a.SolverSet, o.SolverSet, gridfile.SameValue)
}

// check returns an error for an arm without a strategy, with settings that contradict each other,
// or with an invalid name.
func (a *Arm) check() error {
	switch {
	case a.Strategy == "":
		return errors.New("names no strategy: set the key strategy")
	case a.Solver == "":
		return errors.New("names no solver: set the key solver to a name or to none, here or for all arms at the top of the file")
	case a.Solver == NoSolver && len(a.SolverSet) > 0:
		return errors.New("sets options of a solver, but has solver: none; leave solver_set out, or name a solver")
	case a.Chains > 0 && a.Mode != ModeFast:
		return errors.New("sets chains in paper mode, which has one: leave out the key chains, or set mode to fast")
	case strings.ContainsAny(a.Name, "\n\t|"):
		return fmt.Errorf("%q: want a name of one line, without tabs and |", a.Name)
	}
	return nil
}
