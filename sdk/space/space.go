// Package space describes the inputs of a network as named features: their
// kinds, domains, protected values, the rules that forbid combinations, and
// how each feature maps to network inputs.
//
// A point is a []float64 with one entry per feature, in the space's feature
// order: an integer, a category's index, or a real number. An individual is a
// point whose protected entries are ignored; Canonical sets them to zero.
package space

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hyfair/hyfair/internal/named"
)

// Kind says which values a feature takes.
type Kind uint8

const (
	// Integer features take every integer from Lo to Hi.
	Integer Kind = iota + 1
	// Categorical features take the indices 0 to len(Categories)−1.
	Categorical
	// Real features take every real number from Lo to Hi.
	Real
)

// String gives the name used in study files.
func (k Kind) String() string { return named.Of(k, "integer", "categorical", "real") }

// Feature is one named input of the model under study.
type Feature struct {
	Name string
	Kind Kind
	// Lo and Hi bound the domain, both inclusive. For a categorical feature
	// they are 0 and len(Categories)−1.
	Lo, Hi float64
	// Categories names the values of a categorical feature, by index.
	Categories []string
	// Protected lists the values that the copies take, strictly increasing; nil for
	// a non-protected feature. They need not be in the domain. Lo..Hi is the
	// feature's domain in questions that do not protect it.
	Protected []float64
	// Inputs says which network inputs the feature feeds, and how.
	Inputs []Input
	// Missing: Hi is not a number or a category, but stands for a missing value. The
	// numbers of an integer feature end at Hi−1; the last category of a categorical
	// feature is named MissingName.
	Missing bool
}

// MissingName is how a missing value is written.
const MissingName = "missing"

// Numbers is the domain of an integer or real feature, without the number for a missing value.
func (f *Feature) Numbers() Interval {
	if f.Missing {
		return Interval{f.Lo, f.Hi - 1}
	}
	return Interval{f.Lo, f.Hi}
}

// Input maps a feature value to one network input.
//
// With a nil Table the input is Scale·v + Offset, in exact arithmetic on the
// float64 coefficients. With a Table (integer and categorical features only)
// it is Table[v−Lo]; a one-hot input is a table of one 1 and zeros.
type Input struct {
	Index         int
	Scale, Offset float64
	Table         []float64
}

// IsProtected reports whether the feature varies between counterfactuals.
func (f *Feature) IsProtected() bool { return len(f.Protected) > 0 }

// Discrete reports whether the feature takes finitely many values.
func (f *Feature) Discrete() bool { return f.Kind != Real }

// Contains reports whether v is a value of the feature's domain.
func (f *Feature) Contains(v float64) bool {
	if !(v >= f.Lo && v <= f.Hi) {
		return false
	}
	return f.Kind == Real || v == math.Trunc(v)
}

// Space is the set of points under study. It is read-only once validated and
// may be shared between goroutines.
type Space struct {
	Features []Feature
	// Forbidden lists the constraints: a point at which all conditions of one
	// of these predicates hold is not in the space.
	Forbidden []Predicate
	// Inputs is the number of network inputs; every one is fed by exactly one
	// feature.
	Inputs int
}

// MaxInputs bounds the number of network inputs; it equals relu.MaxUnits.
const MaxInputs = 1 << 16

// MaxCombinations bounds the product of the protected features' value counts.
const MaxCombinations = 1 << 20

// Validate checks the whole space and names the first fault.
func (s *Space) Validate() error {
	if err := s.ValidateFeatures(); err != nil {
		return err
	}
	if s.Whole().Count() > MaxCombinations {
		return fmt.Errorf("more than %d protected combinations: protect fewer features, or list fewer of their values", MaxCombinations)
	}
	return nil
}

// ValidateFeatures is Validate for a space whose questions protect only some of its features: it does not
// count the combinations of all protected values.
func (s *Space) ValidateFeatures() error {
	if len(s.Features) == 0 {
		return errors.New("space has no features")
	}
	if s.Inputs < 0 || s.Inputs > MaxInputs {
		return fmt.Errorf("%d network inputs are outside 0 to %d", s.Inputs, MaxInputs)
	}
	fed := make([]string, s.Inputs)
	names := map[string]bool{}
	for i := range s.Features {
		f := &s.Features[i]
		if f.Name == "" {
			return fmt.Errorf("feature %d has no name", i)
		}
		if names[f.Name] {
			return fmt.Errorf("feature %q appears twice", f.Name)
		}
		names[f.Name] = true
		if err := f.validate(); err != nil {
			return fmt.Errorf("feature %q: %w", f.Name, err)
		}
		for _, in := range f.Inputs {
			if in.Index < 0 || in.Index >= s.Inputs {
				return fmt.Errorf("feature %q: network input %d is outside 0 to %d", f.Name, in.Index, s.Inputs-1)
			}
			if fed[in.Index] != "" {
				return fmt.Errorf("feature %q: network input %d is already fed by %q", f.Name, in.Index, fed[in.Index])
			}
			fed[in.Index] = f.Name
		}
	}
	for i, name := range fed {
		if name == "" {
			return fmt.Errorf("network input %d is fed by no feature", i)
		}
	}
	for i, p := range s.Forbidden {
		if len(p) == 0 {
			return fmt.Errorf("constraint %d has no conditions and would forbid everything", i)
		}
		if err := p.Validate(s); err != nil {
			return fmt.Errorf("constraint %d: %w", i, err)
		}
	}
	return nil
}

func (f *Feature) validate() error {
	if math.IsNaN(f.Lo) || math.IsNaN(f.Hi) || math.IsInf(f.Lo, 0) || math.IsInf(f.Hi, 0) {
		return fmt.Errorf("domain %v to %v is not finite", f.Lo, f.Hi)
	}
	if f.Lo > f.Hi {
		return fmt.Errorf("domain %v to %v is empty", f.Lo, f.Hi)
	}
	switch f.Kind {
	case Integer:
		if f.Lo != math.Trunc(f.Lo) || f.Hi != math.Trunc(f.Hi) {
			return fmt.Errorf("integer domain %v to %v has fractional ends", f.Lo, f.Hi)
		}
		if math.Abs(f.Lo) > 1<<52 || math.Abs(f.Hi) > 1<<52 {
			return fmt.Errorf("integer domain %v to %v is beyond ±2^52", f.Lo, f.Hi)
		}
	case Categorical:
		if len(f.Categories) == 0 {
			return errors.New("categorical without categories")
		}
		if f.Lo != 0 || f.Hi != float64(len(f.Categories)-1) {
			return fmt.Errorf("domain %v to %v does not match %d categories", f.Lo, f.Hi, len(f.Categories))
		}
		seen := make(map[string]bool, len(f.Categories))
		for i, c := range f.Categories {
			if c == "" {
				return fmt.Errorf("category %d has no name", i)
			}
			if seen[c] {
				return fmt.Errorf("category %q appears twice", c)
			}
			seen[c] = true
		}
	case Real:
	default:
		return fmt.Errorf("unknown kind %d", f.Kind)
	}
	if f.Missing {
		if err := f.validateMissing(); err != nil {
			return err
		}
	}
	for i, v := range f.Protected {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("protected value %v: want a finite number", v)
		}
		if f.Missing && v > f.Hi {
			return fmt.Errorf("protected value %v is beyond %v, which stands for a missing value", v, f.Hi)
		}
		if f.Kind == Categorical && !f.Contains(v) {
			return fmt.Errorf("protected value %v is not the index of a category", v)
		}
		if f.Kind == Integer && v != math.Trunc(v) {
			return fmt.Errorf("protected value %v of an integer feature: want a whole number", v)
		}
		if i > 0 && v <= f.Protected[i-1] {
			return fmt.Errorf("protected values are not strictly increasing at %v", v)
		}
	}
	for _, in := range f.Inputs {
		if err := f.validateInput(in); err != nil {
			return fmt.Errorf("network input %d: %w", in.Index, err)
		}
	}
	return nil
}

// validateMissing checks that the value for missing differs from all others, both as a value
// of the feature and as its input.
func (f *Feature) validateMissing() error {
	switch {
	case f.Kind == Real || f.Lo == f.Hi:
		return fmt.Errorf("%s values %v to %v may not be missing: want two or more integers or categories", f.Kind, f.Lo, f.Hi)
	case f.Kind == Categorical && f.Categories[len(f.Categories)-1] != MissingName:
		return fmt.Errorf("may be missing, but its last category is not %q", MissingName)
	case len(f.Inputs) != 1:
		return fmt.Errorf("may be missing, but feeds %d inputs; want one", len(f.Inputs))
	}
	in := &f.Inputs[0]
	value := in.Table == nil && in.Scale == 1 && in.Offset == 0
	if !value && float64(len(in.Table)) != f.Hi-f.Lo+1 {
		return errors.New("may be missing, but its input is neither the value nor a table with an entry per value")
	}
	below, above := f.Beside()
	if between := below + (above-below)/2; !(below < between && between < above) {
		return fmt.Errorf("may be missing: the input for a missing value, %v, is not far enough above the largest other one, %v, to distinguish them", above, below)
	}
	return nil
}

// Beside returns two inputs of a feature whose value may be missing: above stands for a
// missing value, and below is the largest input of any other value.
func (f *Feature) Beside() (below, above float64) {
	if t := f.Inputs[0].Table; t != nil {
		return slices.Max(t[:len(t)-1]), t[len(t)-1]
	}
	return f.Hi - 1, f.Hi
}

func (f *Feature) validateInput(in Input) error {
	if in.Table == nil {
		if math.IsNaN(in.Scale) || math.IsInf(in.Scale, 0) || math.IsNaN(in.Offset) || math.IsInf(in.Offset, 0) {
			return fmt.Errorf("map %v·v + %v is not finite", in.Scale, in.Offset)
		}
		return nil
	}
	if f.Kind == Real {
		return errors.New("a real feature cannot map through a table")
	}
	if float64(len(in.Table)) != f.Hi-f.Lo+1 {
		return fmt.Errorf("table has %d entries for domain %v to %v", len(in.Table), f.Lo, f.Hi)
	}
	for _, t := range in.Table {
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return fmt.Errorf("table entry %v: want a finite number", t)
		}
	}
	for _, v := range f.Protected {
		if !f.Contains(v) {
			return fmt.Errorf("protected value %v is outside the table", v)
		}
	}
	return nil
}

// Index returns the index of the feature with the name; −1 and false if there is none.
func (s *Space) Index(name string) (int, bool) {
	i := slices.IndexFunc(s.Features, func(f Feature) bool { return f.Name == name })
	return i, i >= 0
}

// Names lists the feature names in order.
func (s *Space) Names() []string {
	names := make([]string, len(s.Features))
	for i := range s.Features {
		names[i] = s.Features[i].Name
	}
	return names
}

// Free lists the indices of the non-protected features.
func (s *Space) Free() []int { return s.where(false) }

// Protected lists the indices of the protected features.
func (s *Space) Protected() []int { return s.where(true) }

// HasReals reports whether a non-protected feature is real.
func (s *Space) HasReals() bool {
	return slices.ContainsFunc(s.Features, func(f Feature) bool { return !f.IsProtected() && !f.Discrete() })
}

func (s *Space) where(protected bool) []int {
	var out []int
	for i := range s.Features {
		if s.Features[i].IsProtected() == protected {
			out = append(out, i)
		}
	}
	return out
}

// Protect returns a copy in which only the named features are protected; the others
// become ordinary features over their entire domain. It fails if a name does not
// exist, or has no protected values in s.
func (s *Space) Protect(names ...string) (*Space, error) {
	out := *s
	out.Features = slices.Clone(s.Features)
	for _, name := range names {
		i, ok := s.Index(name)
		if !ok {
			return nil, fmt.Errorf("no feature %q; the features are %v", name, s.Names())
		}
		if !s.Features[i].IsProtected() {
			return nil, fmt.Errorf("feature %q has no protected values in this study", name)
		}
	}
	for i := range out.Features {
		if !slices.Contains(names, out.Features[i].Name) {
			out.Features[i].Protected = nil
		}
	}
	return &out, nil
}

// Allowed reports whether no constraint forbids the point. It does not check
// the domain: see Contains.
func (s *Space) Allowed(point []float64) bool {
	for _, p := range s.Forbidden {
		if p.Holds(point) {
			return false
		}
	}
	return true
}

// Contains reports whether the point has a legal value in every feature (a
// protected one: one of its protected values) and breaks no constraint.
func (s *Space) Contains(point []float64) bool {
	if len(point) != len(s.Features) {
		return false
	}
	for i := range s.Features {
		f := &s.Features[i]
		if f.IsProtected() {
			if !slices.Contains(f.Protected, point[i]) {
				return false
			}
		} else if !f.Contains(point[i]) {
			return false
		}
	}
	return s.Allowed(point)
}

// ContainsIndividual reports whether the non-protected entries of x lie in
// their domains. It does not check whether x has allowed counterfactuals.
func (s *Space) ContainsIndividual(x []float64) bool {
	if len(x) != len(s.Features) {
		return false
	}
	for i := range s.Features {
		if f := &s.Features[i]; !f.IsProtected() && !f.Contains(x[i]) {
			return false
		}
	}
	return true
}

// Canonical returns x with its protected entries set to zero, the form in
// which individuals are compared and stored.
func (s *Space) Canonical(x []float64) []float64 {
	out := slices.Clone(x)
	for i := range s.Features {
		if s.Features[i].IsProtected() {
			out[i] = 0
		}
	}
	return out
}
