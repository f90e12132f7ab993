package space_test

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk/space"
)

// people is a small space with every kind of feature: sex and age group are
// protected, a husband is male, and no retired person is young.
func people() *space.Space {
	return &space.Space{
		Inputs: 6,
		Features: []space.Feature{
			{Name: "age", Kind: space.Integer, Lo: 0, Hi: 100, Protected: []float64{15, 45, 75},
				Inputs: []space.Input{{Index: 0, Scale: 0.01}}},
			{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"Female", "Male"}, Protected: []float64{0, 1},
				Inputs: []space.Input{{Index: 1, Table: []float64{0, 1}}}},
			{Name: "job", Kind: space.Categorical, Hi: 2, Categories: []string{"none", "clerk", "retired"},
				Inputs: []space.Input{{Index: 2, Table: []float64{1, 0, 0}}, {Index: 3, Table: []float64{0, 1, 0}}}},
			{Name: "relationship", Kind: space.Categorical, Hi: 2, Categories: []string{"Husband", "Wife", "Own-child"},
				Inputs: []space.Input{{Index: 4, Scale: 1}}},
			{Name: "income", Kind: space.Real, Lo: -1, Hi: 10, Inputs: []space.Input{{Index: 5, Scale: 2, Offset: -0.1}}},
		},
		Forbidden: []space.Predicate{
			{{Feature: 1, Set: []int{0}}, {Feature: 3, Set: []int{0}}},
			{{Feature: 0, Interval: space.Interval{Lo: 0, Hi: 30}}, {Feature: 2, Set: []int{2}}},
		},
	}
}

func valid(t testing.TB, s *space.Space) *space.Space {
	t.Helper()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestValidateAccepts(t *testing.T) { valid(t, people()) }

// TestValidateRefuses breaks one thing at a time; the message must name it.
func TestValidateRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		spoil func(*space.Space)
		want  string
	}{
		"no features":           {func(s *space.Space) { s.Features = nil }, "no features"},
		"negative inputs":       {func(s *space.Space) { s.Inputs = -1 }, "-1 network inputs"},
		"absurd inputs":         {func(s *space.Space) { s.Inputs = math.MaxInt }, "network inputs"},
		"unnamed":               {func(s *space.Space) { s.Features[2].Name = "" }, "feature 2 has no name"},
		"same name":             {func(s *space.Space) { s.Features[2].Name = "sex" }, `"sex" appears twice`},
		"NaN domain":            {func(s *space.Space) { s.Features[4].Lo = nan }, `"income": domain NaN`},
		"infinite domain":       {func(s *space.Space) { s.Features[4].Hi = inf }, "not finite"},
		"reversed domain":       {func(s *space.Space) { s.Features[4].Hi = -2 }, "empty"},
		"fractional integer":    {func(s *space.Space) { s.Features[0].Hi = 99.5 }, "fractional"},
		"integer too large":     {func(s *space.Space) { s.Features[0].Hi = 1 << 60 }, "2^52"},
		"no categories":         {func(s *space.Space) { s.Features[3].Categories = nil }, "without categories"},
		"categories and domain": {func(s *space.Space) { s.Features[3].Hi = 5 }, "does not match 3 categories"},
		"category twice":        {func(s *space.Space) { s.Features[3].Categories[2] = "Wife" }, `"Wife" appears twice`},
		"category unnamed":      {func(s *space.Space) { s.Features[3].Categories[2] = "" }, "category 2 has no name"},
		"unknown kind":          {func(s *space.Space) { s.Features[4].Kind = 9 }, "unknown kind"},
		"zero kind":             {func(s *space.Space) { s.Features[4].Kind = 0 }, "unknown kind"},
		"protected NaN":         {func(s *space.Space) { s.Features[0].Protected[1] = nan }, "protected value NaN"},
		"protected no category": {func(s *space.Space) { s.Features[1].Protected = []float64{0, 2} }, "not the index of a category"},
		"protected fraction":    {func(s *space.Space) { s.Features[0].Protected[1] = 44.5 }, "of an integer feature"},
		"protected unsorted":    {func(s *space.Space) { s.Features[0].Protected[1] = 5 }, "not strictly increasing"},
		"protected repeated":    {func(s *space.Space) { s.Features[0].Protected[1] = 15 }, "not strictly increasing"},
		"input out of range":    {func(s *space.Space) { s.Features[4].Inputs[0].Index = 6 }, "network input 6 is outside"},
		"input negative":        {func(s *space.Space) { s.Features[4].Inputs[0].Index = -1 }, "network input -1 is outside"},
		"input fed twice":       {func(s *space.Space) { s.Features[4].Inputs[0].Index = 2 }, `already fed by "job"`},
		"input fed by nothing":  {func(s *space.Space) { s.Inputs = 7 }, "input 6 is fed by no feature"},
		"map not finite":        {func(s *space.Space) { s.Features[4].Inputs[0].Scale = inf }, "not finite"},
		"offset not finite":     {func(s *space.Space) { s.Features[4].Inputs[0].Offset = nan }, "not finite"},
		"table for a real":      {func(s *space.Space) { s.Features[4].Inputs[0].Table = []float64{1} }, "real feature"},
		"table too short":       {func(s *space.Space) { s.Features[2].Inputs[0].Table = []float64{1, 0} }, "table has 2 entries"},
		"table entry NaN":       {func(s *space.Space) { s.Features[2].Inputs[0].Table[1] = nan }, "table entry NaN"},
		"protected off table": {func(s *space.Space) {
			s.Features[0].Inputs[0].Table = make([]float64, 101)
			s.Features[0].Protected = []float64{15, 101}
		}, "outside the table"},
		"empty constraint":      {func(s *space.Space) { s.Forbidden[0] = nil }, "constraint 0 has no conditions"},
		"constraint on nothing": {func(s *space.Space) { s.Forbidden[1][0].Feature = 5 }, "constraint 1: condition 0: no feature 5"},
		"constraint NaN":        {func(s *space.Space) { s.Forbidden[1][0].Interval.Lo = nan }, "NaN"},
		"set on a number":       {func(s *space.Space) { s.Forbidden[1][0].Set = []int{1} }, "set of categories"},
		"set of nothing known":  {func(s *space.Space) { s.Forbidden[0][0].Set = []int{2} }, "no category 2"},
		"set unsorted":          {func(s *space.Space) { s.Forbidden[0][1].Set = []int{1, 0} }, "category 0 after 1"},
		"too many combinations": {func(s *space.Space) {
			for v := range 1 << 20 {
				s.Features[4].Protected = append(s.Features[4].Protected, float64(v))
			}
		}, "protected combinations"},
	} {
		s := people()
		c.spoil(s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

func TestProtect(t *testing.T) {
	s := people()
	only, err := s.Protect("sex")
	if err != nil {
		t.Fatal(err)
	}
	valid(t, only)
	if got := only.Protected(); !slices.Equal(got, []int{1}) {
		t.Errorf("protected features %v, want sex alone", got)
	}
	// age has become an ordinary feature over its whole domain.
	if box := only.Whole().Box[0]; box != (space.Interval{Lo: 0, Hi: 100}) {
		t.Errorf("age over %v", box)
	}
	if only.Whole().Count() != 2 || s.Whole().Count() != 6 {
		t.Errorf("%d and %d combinations, want 2 and 6", only.Whole().Count(), s.Whole().Count())
	}
	if !s.Features[0].IsProtected() {
		t.Error("Protect changed the space it was asked of")
	}
	none, err := s.Protect()
	if err != nil || none.Whole().Count() != 1 {
		t.Errorf("nothing protected: %d combinations, %v", none.Whole().Count(), err)
	}
	for _, name := range []string{"shoe size", "income"} {
		if _, err := s.Protect("sex", name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Protect(%q): %v", name, err)
		}
	}
}

func TestMembership(t *testing.T) {
	s := people()
	for _, c := range []struct {
		name                 string
		point                []float64
		contains, individual bool
	}{
		{"legal", []float64{45, 1, 1, 0, 2.5}, true, true},
		{"forbidden pair", []float64{45, 0, 1, 0, 2.5}, false, true},
		{"forbidden range", []float64{15, 1, 2, 2, 2.5}, false, true},
		{"age is no protected value", []float64{46, 1, 1, 0, 2.5}, false, true},
		{"half a job", []float64{45, 1, 0.5, 0, 2.5}, false, false},
		{"income out of range", []float64{45, 1, 1, 0, 11}, false, false},
		{"NaN", []float64{45, 1, 1, 0, math.NaN()}, false, false},
		{"too short", []float64{45, 1, 1, 0}, false, false},
	} {
		if got := s.Contains(c.point); got != c.contains {
			t.Errorf("%s: Contains %v", c.name, got)
		}
		if got := s.ContainsIndividual(c.point); got != c.individual {
			t.Errorf("%s: ContainsIndividual %v", c.name, got)
		}
	}
	x := []float64{45, 1, 1, 0, 2.5}
	if got := s.Canonical(x); !slices.Equal(got, []float64{0, 0, 1, 0, 2.5}) || x[0] != 45 {
		t.Errorf("Canonical gives %v, leaves %v", got, x)
	}
	if got := s.Free(); !slices.Equal(got, []int{2, 3, 4}) {
		t.Errorf("non-protected features %v", got)
	}
}

func TestNetworkInputs(t *testing.T) {
	s := people()
	point := []float64{75, 1, 1, 2, 0.1}
	scale := new(big.Rat).SetFloat64(0.01)
	tenth := new(big.Rat).SetFloat64(0.1)
	exact := []*big.Rat{
		scale.Mul(scale, big.NewRat(75, 1)), big.NewRat(1, 1), new(big.Rat), big.NewRat(1, 1), big.NewRat(2, 1),
		new(big.Rat).Sub(new(big.Rat).Mul(big.NewRat(2, 1), tenth), tenth),
	}
	got := s.ExactInputs(point)
	floats := s.NetworkInputs(nil, point)
	if len(got) != len(exact) || len(floats) != len(exact) {
		t.Fatalf("%d and %d inputs, want %d", len(got), len(floats), len(exact))
	}
	for i := range exact {
		if got[i].Cmp(exact[i]) != 0 {
			t.Errorf("input %d is %s, want %s", i, got[i], exact[i])
		}
		if near, _ := exact[i].Float64(); math.Abs(floats[i]-near) > 1e-15 {
			t.Errorf("input %d is %v, want %v", i, floats[i], near)
		}
	}
	buffer := make([]float64, 10)
	if reused := s.NetworkInputs(buffer, point); &reused[0] != &buffer[0] || !slices.Equal(reused, floats) {
		t.Error("a long enough buffer is not used, or gives other inputs")
	}
}
