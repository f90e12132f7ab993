// Package compare puts one fairness question to several arms (solvers, encodings, ways to
// partition the space) under equal rules, each task in a separate process. It tabulates
// answers and times, and lists arms that contradict each other. User page: docs/user/compare.md.
package compare

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Values of Arm.Goal.
const (
	// GoalDecide stops a question at the first witness.
	GoalDecide = "decide"
	// GoalMaximise continues to the largest gap or margin, as the paper's MILP arm does.
	GoalMaximise = "maximise"
	// The other goals ask one question about the entire space. A proof of its answer ends the task.
	GoalLargestGap = "largest-gap"
	GoalLargestK   = "largest-k"
	GoalShares     = "shares"
)

// single returns the goal of an arm that asks one question; empty for an arm that looks for
// individuals.
func (a *Arm) single() string {
	switch a.Goal {
	case GoalLargestGap, GoalLargestK, GoalShares:
		return a.Goal
	}
	return ""
}

// Values of Arm.Start.
const (
	StartNone = "none"
	// StartSearch hands the solver the best point of a short local search.
	StartSearch = "search"
)

// PartitionOfStudy selects the partition that a comparison file gives for the study.
const PartitionOfStudy = "study"

// Arm is one way to look for discriminated individuals. Empty fields mean defaults, which Resolve
// fills in.
type Arm struct {
	// The arm's name.
	Name string `json:"name"`
	// The solver, or the members of a portfolio, joined with +.
	Solver string `json:"solver"`
	// The notion; absent for the study's.
	Notion string `json:"notion,omitempty"`
	// ε in the notion's unit; absent for the study's.
	Epsilon string `json:"epsilon,omitempty"`
	// The lowering; absent for the solver's default.
	Encoding string `json:"encoding,omitempty"`
	// The bounds of the lowering; absent for the solver's default.
	Bounds string `json:"bounds,omitempty"`
	// The chunk size that cuts the space into regions, for every feature or for each named one
	// ("age=10,hours=20"); absent if the space is one region.
	Partition string `json:"partition,omitempty"`
	// The goal: decide, maximise, largest-gap, largest-k or shares.
	Goal string `json:"goal,omitempty"`
	// The relative optimality gap at which maximising may stop.
	Gap float64 `json:"gap,omitempty"`
	// The solver's start: none or search.
	Start string `json:"start,omitempty"`
	// The time limit of a region's first question. An undecided region is queued again, with twice the
	// limit, behind all others; absent: the rest of the budget.
	Soft Duration `json:"soft,omitempty"`
	// The solver's options.
	Set map[string]string `json:"set,omitempty"`

	// The values that a grid gives to its keys; absent for an arm outside grids.
	Point gridfile.Point `json:"point,omitempty"`

	// At is the place of the arm's description, as file:line:column, for messages.
	At string `json:"-"`
}

// Form describes arms on the command line and in comparison files.
var Form = gridfile.Form[Arm]{
	Name:  func(a *Arm) *string { return &a.Name },
	Point: func(a *Arm) *gridfile.Point { return &a.Point },
	Keys: []gridfile.Key[Arm]{
		gridfile.Text("solver", func(a *Arm) *string { return &a.Solver }, func(v string) error {
			if strings.TrimSpace(v) == "" {
				return errors.New("names no solver: want a name, or several joined with +")
			}
			return nil
		}),
		gridfile.Text("notion", func(a *Arm) *string { return &a.Notion }, func(v string) error { _, err := fairness.ParseNotion(v); return err }),
		gridfile.Text("epsilon", func(a *Arm) *string { return &a.Epsilon }, nil),
		gridfile.Text("encoding", func(a *Arm) *string { return &a.Encoding }, func(v string) error { _, err := engine.LookupEncoding(v); return err }),
		gridfile.Text("bounds", func(a *Arm) *string { return &a.Bounds }, func(v string) error { _, err := engine.LookupBounds(v); return err }),
		gridfile.Text("partition", func(a *Arm) *string { return &a.Partition }, nil),
		gridfile.Text("goal", func(a *Arm) *string { return &a.Goal }, oneOf(GoalDecide, GoalMaximise, GoalLargestGap, GoalLargestK, GoalShares)),
		{Name: "gap", Set: func(a *Arm, value string) (err error) {
			if a.Gap, err = strconv.ParseFloat(value, 64); err != nil {
				return fmt.Errorf("got %q, want a number", value)
			}
			if !(a.Gap >= 0 && a.Gap < 1) {
				return fmt.Errorf("got %v, want a relative gap of at least 0 and below 1", a.Gap)
			}
			return nil
		}},
		gridfile.Text("start", func(a *Arm) *string { return &a.Start }, oneOf(StartNone, StartSearch)),
		{Name: "soft", Set: func(a *Arm, value string) error {
			soft, err := time.ParseDuration(value)
			if err != nil {
				return fmt.Errorf("got %q, want a time such as 10s", value)
			}
			if a.Soft = Duration(soft); soft <= 0 {
				return fmt.Errorf("got %v, want a time above 0", a.Soft)
			}
			return nil
		}},
	},
	Options: func(a *Arm, key string) (*map[string]string, string) {
		if name, ok := strings.CutPrefix(key, gridfile.OptionKey); ok && name != "" {
			return &a.Set, name
		}
		return nil, ""
	},
}

func oneOf(words ...string) func(string) error {
	return func(word string) error {
		if slices.Contains(words, word) {
			return nil
		}
		return fmt.Errorf("got %q, want one of %s", word, strings.Join(words, ", "))
	}
}

// ParseArm reads name=key:value,key:value,… A piece without a key belongs to
// the value before it, so that partition:age=10,hours=20 is one value.
func ParseArm(text string) (Arm, error) {
	name, settings, ok := strings.Cut(text, "=")
	a := Arm{Name: strings.TrimSpace(name)}
	if !ok || a.Name == "" {
		return a, fmt.Errorf("arm %q: want name=solver:…,notion:…", text)
	}
	var keys []string
	values := map[string]string{}
	for _, piece := range strings.Split(settings, ",") {
		key, value, ok := strings.Cut(piece, ":")
		key = strings.TrimSpace(key)
		if !ok {
			if len(keys) == 0 {
				return a, fmt.Errorf("arm %s: %q: want key:value; the keys are %s", a.Name, piece, strings.Join(Form.Names(), ", "))
			}
			values[keys[len(keys)-1]] += "," + piece
			continue
		}
		if slices.Contains(keys, key) {
			return a, fmt.Errorf("arm %s: %s is given twice", a.Name, key)
		}
		keys = append(keys, key)
		values[key] = strings.TrimSpace(value)
	}
	for _, key := range keys {
		if err := Form.Set(&a, key, values[key]); err != nil {
			return a, fmt.Errorf("arm %s: %s: %w", a.Name, key, err)
		}
	}
	if a.Solver == "" {
		return a, fmt.Errorf("arm %s: names no solver: want solver:NAME", a.Name)
	}
	return a, nil
}

// LikeForLike returns arms that differ in the solver only.
func LikeForLike(solvers []string) []Arm {
	arms := make([]Arm, len(solvers))
	for i, s := range solvers {
		arms[i] = Arm{Name: strings.TrimSpace(s), Solver: strings.TrimSpace(s)}
	}
	return arms
}

// checkArms returns an error for an empty list, and for names that are missing, used twice,
// reserved or malformed.
func checkArms(arms []Arm) error {
	if len(arms) == 0 {
		return errors.New("no arms to compare: give --solvers a,b or --arm name=solver:…, or a comparison file")
	}
	seen := map[string]bool{}
	for i := range arms {
		switch name := arms[i].Name; {
		case name == "":
			return errors.New("an arm has no name: name every arm, and every solver of --solvers")
		case seen[name]:
			return fmt.Errorf("two arms are called %q: rename one", name)
		case name == theHost:
			return fmt.Errorf("the arm name %q is reserved for the host, which refutes proofs: choose another", name)
		case strings.ContainsAny(name, "\n\t|"):
			return fmt.Errorf("arm %q: want a name of one line, without tabs and |", name)
		}
		seen[arms[i].Name] = true
	}
	return nil
}

// Duration is a time.Duration that is written as text: 1m30s.
type Duration time.Duration

// String omits zero units, and writes up to ten minutes in seconds if they are not a multiple of
// a minute: 100s, 2m.
func (d Duration) String() string {
	t := time.Duration(d)
	if s := t / time.Second; t%time.Second == 0 && s%60 != 0 && s < 600 {
		return strconv.Itoa(int(s)) + "s"
	}
	text := t.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	t, err := time.ParseDuration(string(text))
	*d = Duration(t)
	return err
}
