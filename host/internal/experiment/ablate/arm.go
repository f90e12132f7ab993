// Package ablate runs several arms (strategies, their options, modes, with and without a solver)
// on the same networks under equal budgets, each task in a process of its own, and tabulates and
// ranks their finds. User page: docs/ablate.md.
package ablate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
)

// Modes of an arm, see docs/search.md.
const (
	ModePaper = "paper"
	ModeFast  = "fast"
)

// NoSolver is the solver of an arm that searches without one.
const NoSolver = "none"

// Arm is one way to search.
type Arm struct {
	Name string `json:"name"`
	// Strategy is a strategy plugin or one of its presets, with Set for options.
	Strategy string            `json:"strategy"`
	Set      map[string]string `json:"set,omitempty"`
	// Mode is paper or fast; Chains of fast mode, 0 for its default.
	Mode   string `json:"mode"`
	Chains int    `json:"chains,omitempty"`
	// Solver is the plugin in the loop, or none, with SolverSet for options.
	Solver    string            `json:"solver"`
	SolverSet map[string]string `json:"solver_set,omitempty"`

	// At is where the arm is described, as file:line:column, for messages.
	At string `json:"-"`
}

// armKeys are the keys of an arm that a grid may vary beside the strategy's
// options.
var armKeys = []string{"strategy", "mode", "solver", "chains"}

// solverKey is what the keys of a solver's options begin with.
const solverKey = "solver_set."

// set gives what a key of a grid stands for its value: a field of the arm, or
// an option of its strategy or, with solver_set. before it, of its solver.
func (a *Arm) set(key, value string) error {
	switch key {
	case "strategy":
		a.Strategy = value
	case "mode":
		if value != ModePaper && value != ModeFast {
			return fmt.Errorf("got %q, want %s or %s", value, ModePaper, ModeFast)
		}
		a.Mode = value
	case "solver":
		a.Solver = value
	case "chains":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > search.MaxChains {
			return fmt.Errorf("%q is not a whole number from 1 to %d", value, search.MaxChains)
		}
		a.Chains = n
	default:
		if name, ok := strings.CutPrefix(key, solverKey); ok {
			a.SolverSet = gridfile.WithOption(a.SolverSet, name, value)
		} else {
			a.Set = gridfile.WithOption(a.Set, optionOf(key), value)
		}
	}
	if slices.Contains(armKeys, key) && strings.TrimSpace(value) == "" {
		return errors.New("is empty")
	}
	return nil
}

// same reports arms that differ in nothing but their names.
func (a *Arm) same(o Arm) bool {
	return a.Strategy == o.Strategy && a.Mode == o.Mode && a.Chains == o.Chains && a.Solver == o.Solver &&
		maps.EqualFunc(a.Set, o.Set, gridfile.SameValue) && maps.EqualFunc(a.SolverSet, o.SolverSet, gridfile.SameValue)
}

// check looks at an arm by itself.
func (a *Arm) check() error {
	switch {
	case a.Strategy == "":
		return errors.New("names no strategy")
	case a.Solver == "":
		return errors.New("names no solver: give solver: NAME or solver: none, here or for all arms at the top of the file")
	case a.Solver == NoSolver && len(a.SolverSet) > 0:
		return errors.New("sets options of a solver, but has no solver")
	case a.Chains > 0 && a.Mode != ModeFast:
		return errors.New("chains are of mode: fast; paper mode has one")
	case strings.ContainsAny(a.Name, "\n\t|"):
		return fmt.Errorf("%q: a name is one line, without |", a.Name)
	}
	return nil
}
