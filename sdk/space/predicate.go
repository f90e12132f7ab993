package space

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Interval is a closed interval; the zero value is the point 0.
type Interval struct{ Lo, Hi float64 }

// Contains reports whether Lo ≤ v ≤ Hi.
func (i Interval) Contains(v float64) bool { return v >= i.Lo && v <= i.Hi }

// Empty reports whether the interval contains no number.
func (i Interval) Empty() bool { return !(i.Lo <= i.Hi) }

// Intersect returns the intersection, possibly empty.
func (i Interval) Intersect(j Interval) Interval {
	return Interval{math.Max(i.Lo, j.Lo), math.Min(i.Hi, j.Hi)}
}

// Condition restricts one feature: to the category indices in Set if Set is not nil
// (sorted, categorical features only), else to Interval, whose ends may be infinite.
type Condition struct {
	Feature  int
	Interval Interval
	Set      []int
}

// Holds reports whether the feature value v satisfies the condition.
func (c *Condition) Holds(v float64) bool {
	if c.Set == nil {
		return c.Interval.Contains(v)
	}
	_, found := slices.BinarySearch(c.Set, int(v))
	return found
}

// Predicate is a conjunction of conditions; the empty one always holds. Constraints,
// --where, guardrails, explanations and certificates all use it.
type Predicate []Condition

// Holds reports whether every condition holds at the point.
func (p Predicate) Holds(point []float64) bool {
	for i := range p {
		if !p[i].Holds(point[p[i].Feature]) {
			return false
		}
	}
	return true
}

// Validate checks that each condition names a feature of the space and suits its kind, and
// reports the first that does not. An interval may lie outside the domain.
func (p Predicate) Validate(s *Space) error {
	for i := range p {
		c := &p[i]
		if c.Feature < 0 || c.Feature >= len(s.Features) {
			return fmt.Errorf("condition %d: no feature %d among %d", i, c.Feature, len(s.Features))
		}
		f := &s.Features[c.Feature]
		if c.Set == nil {
			if math.IsNaN(c.Interval.Lo) || math.IsNaN(c.Interval.Hi) {
				return fmt.Errorf("condition on %q: bound is NaN", f.Name)
			}
			continue
		}
		if f.Kind != Categorical {
			return fmt.Errorf("condition on %q: a set of categories for a feature of kind %s; want an interval", f.Name, f.Kind)
		}
		for k, v := range c.Set {
			if v < 0 || v >= len(f.Categories) {
				return fmt.Errorf("condition on %q: no category %d among %d", f.Name, v, len(f.Categories))
			}
			if k > 0 && v <= c.Set[k-1] {
				return fmt.Errorf("condition on %q: category %d after %d: want ascending order, and each once", f.Name, v, c.Set[k-1])
			}
		}
	}
	return nil
}

// ParsePredicate reads "age=30..39,hours-per-week=..40,sex=Female|Male": conditions on
// features, separated by commas. A condition is lo..hi, where either end may be left
// out, a single value, or category names or indices separated by |. If a number may be
// missing, MissingName stands for a missing value; as an upper end it also includes
// all numbers of at least the lower end, and no other end includes missing values. In
// names, a backslash escapes the next character: \, \| \= \. \\
func ParsePredicate(s *Space, text string) (Predicate, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var p Predicate
	for _, part := range splitUnescaped(text, ",") {
		name, value, ok := cutUnescaped(part, "=")
		name, value = unescape(name), trim(value)
		if !ok || value == "" {
			return nil, fmt.Errorf("%q: want feature=value, feature=lo..hi or feature=a|b", part)
		}
		i, found := s.Index(name)
		if !found {
			return nil, fmt.Errorf("no feature %q; the features are %s", name, strings.Join(s.Names(), ", "))
		}
		c, err := ParseCondition(&s.Features[i], value)
		if err != nil {
			return nil, fmt.Errorf("feature %q: %w", name, err)
		}
		c.Feature = i
		p = append(p, c)
	}
	return p, nil
}

// ParseCondition reads the right-hand side of one condition on f. The caller
// sets Condition.Feature.
func ParseCondition(f *Feature, value string) (Condition, error) {
	lo, hi, isRange := cutUnescaped(value, "..")
	if f.Kind == Categorical && !isRange {
		return parseSet(f, value)
	}
	// A category range is over indices, or over names in declared order.
	c := Condition{Interval: Interval{math.Inf(-1), math.Inf(1)}}
	parse := number
	gap := f.Missing && f.Kind != Categorical
	if gap {
		parse = func(text string) (float64, error) {
			if trim(text) == MissingName {
				return f.Hi, nil
			}
			return number(text)
		}
	}
	if f.Kind == Categorical {
		c.Interval = Interval{0, f.Hi}
		parse = func(text string) (float64, error) { return category(f, unescape(text)) }
	}
	if !isRange {
		hi = lo
	}
	var err error
	if trim(lo) != "" {
		if c.Interval.Lo, err = parse(lo); err != nil {
			return c, err
		}
	}
	if trim(hi) != "" {
		if c.Interval.Hi, err = parse(hi); err != nil {
			return c, err
		}
	}
	if gap {
		c.Interval.Lo = min(c.Interval.Lo, f.Hi)
	}
	if gap && trim(hi) != MissingName {
		c.Interval.Hi = min(c.Interval.Hi, f.Numbers().Hi)
	}
	switch {
	case c.Interval.Empty() && gap:
		return c, fmt.Errorf("range %s has no value of %v..%v, nor %s", value, f.Lo, f.Numbers().Hi, MissingName)
	case c.Interval.Empty():
		return c, fmt.Errorf("range %s is empty", value)
	}
	return c, nil
}

func parseSet(f *Feature, value string) (Condition, error) {
	c := Condition{Set: []int{}}
	for _, name := range splitUnescaped(value, "|") {
		v, err := category(f, unescape(name))
		if err != nil {
			return c, err
		}
		c.Set = append(c.Set, int(v))
	}
	slices.Sort(c.Set)
	c.Set = slices.Compact(c.Set)
	return c, nil
}

// category finds a category by name, or else by index.
func category(f *Feature, name string) (float64, error) {
	if i := slices.Index(f.Categories, name); i >= 0 {
		return float64(i), nil
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(f.Categories) {
		return float64(i), nil
	}
	return 0, fmt.Errorf("no category %q; the categories are %s", name, strings.Join(f.Categories, ", "))
}

func number(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(v) {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return v, nil
}

// Format writes the predicate in the form that ParsePredicate reads, with the space's
// names.
func (p Predicate) Format(s *Space) string {
	parts := make([]string, len(p))
	for i := range p {
		f := &s.Features[p[i].Feature]
		parts[i] = escape(f.Name) + "=" + p[i].format(f)
	}
	return strings.Join(parts, ",")
}

func (c *Condition) format(f *Feature) string {
	if c.Set != nil {
		names := make([]string, len(c.Set))
		for k, v := range c.Set {
			names[k] = escape(f.Categories[v])
		}
		return strings.Join(names, "|")
	}
	lo, hi := c.Interval.Lo, c.Interval.Hi
	if f.Kind == Categorical {
		// Ends between or beyond the categories have no name.
		if lo, hi = math.Ceil(lo), math.Floor(hi); lo < f.Lo {
			lo = math.Inf(-1)
		}
		if hi > f.Hi {
			hi = math.Inf(1)
		}
	}
	if f.Missing && hi >= f.Hi && f.Kind != Categorical {
		hi = f.Hi
	}
	if lo == hi {
		return escape(f.Label(lo))
	}
	end := func(v float64) string {
		if math.IsInf(v, 0) {
			return ""
		}
		return escape(f.Label(v))
	}
	from := end(lo)
	if strings.HasSuffix(from, ".") { // three dots in a row would be read wrongly
		from = strings.TrimSuffix(from, ".") + `\.`
	}
	return from + ".." + end(hi)
}

// Label returns the value for display: the category's name, MissingName, or the number in
// its shortest form, an integer with all its digits.
func (f *Feature) Label(v float64) string {
	if f.Kind == Categorical && f.Contains(v) {
		return f.Categories[int(v)]
	}
	if f.Missing && v == f.Hi {
		return MissingName
	}
	if math.Trunc(v) == v && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// ErrEmpty is returned if a cut leaves nothing of a region.
var ErrEmpty = errors.New("nothing is left of the space")
