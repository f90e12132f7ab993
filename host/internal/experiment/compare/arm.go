// Package compare puts one fairness question to several arms (solvers, encodings, ways to
// partition the space) under equal rules, each task in a process of its own. It tabulates
// answers and times, and lists arms that contradict each other. User page: docs/compare.md.
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

// Goals of an arm.
const (
	// GoalDecide stops a question at the first witness.
	GoalDecide = "decide"
	// GoalMaximise continues to the largest gap or margin, as the paper's MILP arm does.
	GoalMaximise = "maximise"
)

// Starts of an arm.
const (
	StartNone = "none"
	// StartSearch hands the solver the best point of a short local search.
	StartSearch = "search"
)

// PartitionOfStudy stands for the partition that a comparison file gives for
// the study.
const PartitionOfStudy = "study"

// Arm is one way to look for discriminated individuals. Empty fields stand for
// defaults; an arm that runs has them filled in, see Resolve.
type Arm struct {
	Name   string `json:"name"`
	Solver string `json:"solver"`
	// Notion of the questions, by default the study's.
	Notion string `json:"notion,omitempty"`
	// Epsilon in the notion's unit, by default the study's; unused by the decision
	// notions.
	Epsilon string `json:"epsilon,omitempty"`
	// Encoding and Bounds of the lowering; by default what suits the solver.
	Encoding string `json:"encoding,omitempty"`
	Bounds   string `json:"bounds,omitempty"`
	// Partition cuts the space into regions that are asked about one by one: a
	// chunk size for every feature, or one for each named ("age=10,hours=20").
	// Empty: the whole space.
	Partition string `json:"partition,omitempty"`
	// Goal is decide or maximise.
	Goal string `json:"goal,omitempty"`
	// Gap is the relative optimality gap at which maximising may stop.
	Gap float64 `json:"gap,omitempty"`
	// Start is "none" or "search".
	Start string `json:"start,omitempty"`
	// Soft limits a region's first question; a region that stays undecided is
	// asked about again, with twice the limit, when all others had their turn. 0:
	// what is left of the budget.
	Soft Duration `json:"soft,omitempty"`
	// Set are the solver's own options.
	Set map[string]string `json:"set,omitempty"`

	// At is where a file describes the arm, as file:line:column, for messages.
	At string `json:"-"`
}

// armKeys are the keys of an arm on the command line and in comparison files, beside
// the options of its solver, which begin with gridfile.OptionKey.
var armKeys = []string{"solver", "notion", "epsilon", "encoding", "bounds", "partition", "goal", "gap", "start", "soft"}

// set gives the field of a key its value. name and value are the user's.
func (a *Arm) set(key, value string) error {
	switch key {
	case "solver":
		a.Solver = value
	case "notion":
		a.Notion = value
	case "epsilon":
		a.Epsilon = value
	case "encoding":
		a.Encoding = value
	case "bounds":
		a.Bounds = value
	case "partition":
		a.Partition = value
	case "goal":
		a.Goal = value
	case "gap":
		gap, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number", value)
		}
		a.Gap = gap
	case "start":
		a.Start = value
	case "soft":
		soft, err := time.ParseDuration(value)
		if err != nil {
			return fmt.Errorf("%q is not a time such as 10s", value)
		}
		a.Soft = Duration(soft)
	default:
		name, ok := strings.CutPrefix(key, gridfile.OptionKey)
		if !ok || name == "" {
			return fmt.Errorf("unknown key; the keys are %s, and %sOPTION for an option of the solver", strings.Join(armKeys, ", "), gridfile.OptionKey)
		}
		a.Set = gridfile.WithOption(a.Set, name, value)
	}
	return a.check(key)
}

// check looks at the field of one key as far as it can be judged alone.
func (a *Arm) check(key string) error {
	switch key {
	case "solver":
		if strings.TrimSpace(a.Solver) == "" {
			return errors.New("names no solver")
		}
	case "notion":
		_, err := fairness.ParseNotion(a.Notion)
		return err
	case "encoding":
		_, err := engine.LookupEncoding(a.Encoding)
		return err
	case "bounds":
		_, err := engine.LookupBounds(a.Bounds)
		return err
	case "goal":
		return oneOf(a.Goal, GoalDecide, GoalMaximise)
	case "gap":
		if !(a.Gap >= 0 && a.Gap < 1) {
			return fmt.Errorf("%v is not a relative gap from 0 to below 1", a.Gap)
		}
	case "start":
		return oneOf(a.Start, StartNone, StartSearch)
	case "soft":
		if a.Soft <= 0 {
			return fmt.Errorf("%v is not above 0", a.Soft)
		}
	}
	return nil
}

func oneOf(word string, words ...string) error {
	if slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("got %q, want one of %s", word, strings.Join(words, ", "))
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
				return a, fmt.Errorf("arm %s: %q: want key:value; the keys are %s", a.Name, piece, strings.Join(armKeys, ", "))
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
		if err := a.set(key, values[key]); err != nil {
			return a, fmt.Errorf("arm %s: %s: %w", a.Name, key, err)
		}
	}
	if a.Solver == "" {
		return a, fmt.Errorf("arm %s: names no solver", a.Name)
	}
	return a, nil
}

// LikeForLike are arms that differ in the solver only.
func LikeForLike(solvers []string) []Arm {
	arms := make([]Arm, len(solvers))
	for i, s := range solvers {
		arms[i] = Arm{Name: strings.TrimSpace(s), Solver: strings.TrimSpace(s)}
	}
	return arms
}

// checkArms looks at arms that are to be compared with each other.
func checkArms(arms []Arm) error {
	if len(arms) == 0 {
		return errors.New("no arms to compare: give --solvers a,b or --arm name=solver:…, or a comparison file")
	}
	seen := map[string]bool{}
	for i := range arms {
		switch name := arms[i].Name; {
		case name == "":
			return errors.New("an arm has no name")
		case seen[name]:
			return fmt.Errorf("two arms are called %q", name)
		case name == theHost:
			return fmt.Errorf("an arm is called %q, which is who refutes proofs once their task has ended: give it another name", name)
		case strings.ContainsAny(name, "\n\t|"):
			return fmt.Errorf("arm %q: a name is one line, without |", name)
		}
		seen[arms[i].Name] = true
	}
	return nil
}

// Duration is a time.Duration that is written as text: 1m30s.
type Duration time.Duration

// String is time.Duration's, but 100s stays 100s where minutes are not whole.
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
