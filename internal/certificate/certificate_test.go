package certificate_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

var update = flag.Bool("update", false, "write the golden file again")

// people returns a statement in which every optional field is set.
func people() certificate.Statement {
	s := &space.Space{Inputs: 5, Features: []space.Feature{
		{Name: "age", Kind: space.Integer, Lo: 17, Hi: 90, Inputs: []space.Input{{Index: 0, Scale: 0.1, Offset: -5e-324}}},
		{Name: "job, \"old\"", Kind: space.Categorical, Hi: 1, Categories: []string{"cook", "Köchin <&>\u2028"}, Inputs: []space.Input{
			{Index: 1, Table: []float64{1, 0}}, {Index: 2, Table: []float64{0, 1}},
		}},
		{Name: "income", Kind: space.Real, Lo: -1.5, Hi: 1e30, Inputs: []space.Input{{Index: 3, Scale: 1}}},
		{Name: "sex", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 4, Scale: 1, Offset: math.Copysign(0, -1)}}},
	}}
	s.Forbidden = []space.Predicate{
		{{Feature: 1, Set: []int{0}}, {Feature: 3, Interval: space.Interval{Lo: 1, Hi: math.Inf(1)}}},
	}
	region := s.Whole()
	region.Box[0].Hi = 40
	return certificate.Statement{
		Producer: "tests", Study: "people",
		Network: &relu.Network{Head: relu.HeadSoftmax, Precision: 64, Layers: []relu.Layer{
			{Name: "hidden", In: 5, Out: 2, Weights: []float64{0.1, -1, 1e-7, 1.0 / 3, 1e21, 0, 2, 3, 4, 5e-324}, Bias: []float64{0, -0.25}, ReLU: true},
			{In: 2, Out: 2, Weights: []float64{1, -2, math.MaxFloat64, 4}, Bias: []float64{0, 1}},
		}},
		Space: s, Region: region, Notion: fairness.Score, Epsilon: big.NewRat(1, 20),
		Require: []space.Predicate{{{Feature: 1, Set: []int{0, 1}}}},
		Forbid:  []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: math.Inf(-1), Hi: 18}}, {Feature: 2, Interval: space.Interval{Lo: 0, Hi: 0}}}},
		Claim:   certificate.Claim{Kind: certificate.Fair},
	}
}

// forest is people with trees instead of a network.
func forest() certificate.Statement {
	s := people()
	s.Network, s.Trees = nil, &trees.Ensemble{Columns: 5, Output: fairness.LinkLinear, Base: 0.5, Trees: []trees.Tree{
		{{Input: 0, Value: 3, Closed: true, Left: 1, Right: 2}, trees.Leaf(5e-324), {Input: 3, Value: 0.1, More: []float64{1.0 / 3, 2}, Left: 3, Right: 4}, trees.Leaf(-1), trees.Leaf(1e21)},
		{trees.Leaf(0)},
	}}
	return s
}

// TestTreesAreReadAsWritten: to the same bits.
func TestTreesAreReadAsWritten(t *testing.T) {
	s := forest()
	r, err := certificate.NewReader(bytes.NewReader(write(t, s, peoplesLeaves()[1:])))
	if err != nil {
		t.Fatal(err)
	}
	s.Version = 1 // which has all that trees need
	if diff := cmp.Diff(&s, r.Statement(), alike, cmpopts.IgnoreUnexported(trees.Ensemble{})); diff != "" {
		t.Errorf("statement, -want +got:\n%s", diff)
	}
	if leaves, err := read(r); err != nil || len(leaves) != 2 {
		t.Errorf("%d leaves, %v", len(leaves), err)
	}
}

// jointLeaves are peoplesLeaves with joint bounds of the first leaf's two copies.
func jointLeaves() []*certificate.Leaf {
	l := peoplesLeaves()
	l[0].Copies[0].Joint = []sdk.JointSlope{{Own: -1e3, Other: 1.0 / 3}, {Neuron: 1, Other: 5e-324}}
	l[0].Copies[0].Up, l[0].Copies[0].Down = 1, 0.1
	return l
}

// caseLeaves are jointLeaves with a proof by cases of the first leaf.
func caseLeaves() []*certificate.Leaf {
	l := jointLeaves()
	end := func(slopes ...float64) sdk.CaseStep {
		return sdk.CaseStep{Kind: sdk.CaseEnd, Up: 1, Down: 0.1, Slopes: slopes}
	}
	l[0].Cases = []sdk.CaseProof{
		{
			First: sdk.CaseSide{Copies: []int{0}, Neurons: []sdk.Neuron{{}, {Index: 1}}}, Second: sdk.CaseSide{Copies: []int{0, 1}, Neurons: []sdk.Neuron{{Index: 1}}}, Bin: 2,
			Steps: []sdk.CaseStep{
				{Kind: sdk.CaseReLU, ReLU: 2}, end(1.0/3, -1e300, 0),
				{Kind: sdk.CaseCut, Feature: 0, At: 20}, end(5e-324, 0, 1), end(1, 2, 3),
			},
		},
		{First: sdk.CaseSide{Copies: []int{1}}, Second: sdk.CaseSide{Copies: []int{0}}, Steps: []sdk.CaseStep{end()}},
	}
	return l
}

func peoplesLeaves() []*certificate.Leaf {
	box := func(lo, hi float64) space.Box {
		return space.Box{{Lo: lo, Hi: hi}, {Lo: 0, Hi: 1}, {Lo: -1.5, Hi: 1e30}, {}}
	}
	unknown := space.Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}
	return []*certificate.Leaf{
		{Box: box(17, 30), Copies: []sdk.CopyProof{
			{Protected: []float64{0}, Logit: space.Interval{Lo: -1.0 / 3, Hi: 1e-300}, Slopes: []sdk.Slope{{Value: 0.1}, {Neuron: 1, Value: 1}}},
			{Protected: []float64{1}, Logit: unknown},
		}},
		{Box: box(31, 35)},
		{Box: box(36, 40), Enumerated: true},
	}
}

func write(t testing.TB, s certificate.Statement, leaves []*certificate.Leaf) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := certificate.NewWriter(&b, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range leaves {
		if err := w.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(r *certificate.Reader) ([]*certificate.Leaf, error) {
	var leaves []*certificate.Leaf
	for {
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			return leaves, nil
		}
		if err != nil {
			return leaves, err
		}
		leaves = append(leaves, l)
	}
}

var alike = cmp.Options{
	cmp.Comparer(func(a, b *big.Rat) bool { return a == b || a != nil && b != nil && a.Cmp(b) == 0 }),
	cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }),
	cmpopts.EquateEmpty(),
}

// TestGolden compares the written form with a stored one, and reads it back to the same bits. Earlier
// versions are written and read unchanged.
func TestGolden(t *testing.T) {
	for version, name := range map[int]string{1: "people-1.cert", 2: "people-2.cert", 3: "people.cert"} {
		t.Run(name, func(t *testing.T) {
			golden(t, version, filepath.Join("testdata", name), map[int][]*certificate.Leaf{1: peoplesLeaves(), 2: jointLeaves(), 3: caseLeaves()}[version])
		})
	}
}

func golden(t *testing.T, version int, path string, of []*certificate.Leaf) {
	s := people()
	if s.Version = version; version == certificate.Version {
		s.Version = 0 // which it is by itself
	}
	got := write(t, s, of)
	s.Version = version
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	r, err := certificate.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	leaves, err := read(r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&s, r.Statement(), alike); diff != "" {
		t.Errorf("statement, -want +got:\n%s", diff)
	}
	if diff := cmp.Diff(of, leaves, alike); diff != "" {
		t.Errorf("leaves, -want +got:\n%s", diff)
	}
}

// TestClaims writes and reads every claim.
func TestClaims(t *testing.T) {
	third := big.NewRat(1, 3)
	for _, c := range []struct {
		notion fairness.Notion
		claim  certificate.Claim
		fault  string
	}{
		{fairness.Logit, certificate.Claim{Kind: certificate.Gap, Bound: third}, ""},
		{fairness.Decision, certificate.Claim{Kind: certificate.Gap, Bound: big.NewRat(-5, 4)}, ""},
		{fairness.DecisionStrict, certificate.Claim{Kind: certificate.Fair}, ""},
		{fairness.Score, certificate.Claim{Kind: certificate.MaxK, K: 3}, ""},
		{fairness.Score, certificate.Claim{}, "unknown claim kind"},
		{fairness.Score, certificate.Claim{Kind: certificate.Gap}, "needs a bound"},
		{fairness.Score, certificate.Claim{Kind: certificate.Gap, Bound: big.NewRat(-1, 9)}, "not negative"},
		{fairness.Score, certificate.Claim{Kind: certificate.MaxK}, "at least 1"},
		{fairness.Logit, certificate.Claim{Kind: certificate.MaxK, K: 3}, "a claim about bins needs a notion"},
	} {
		s := people()
		s.Version, s.Notion, s.Claim = certificate.Version, c.notion, c.claim
		if !c.notion.UsesEpsilon() {
			s.Epsilon = nil
		}
		var b bytes.Buffer
		w, err := certificate.NewWriter(&b, s)
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%v: %v, want %q", c.claim, err, c.fault)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := certificate.NewReader(&b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&s, r.Statement(), alike); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// TestFileWithALateClaim writes files, plain and compressed, whose claim is set at the
// end only, and leaves no other file behind.
func TestFileWithALateClaim(t *testing.T) {
	for _, name := range []string{"a.cert", "a.cert.gz"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		s := people()
		s.Claim = certificate.Claim{}
		f, err := certificate.Create(path, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range peoplesLeaves() {
			if err := f.Add(l); err != nil {
				t.Fatal(err)
			}
		}
		f.SetClaim(certificate.Claim{Kind: certificate.Gap, Bound: big.NewRat(1, 7)})
		to, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Close(to), to.Close()); err != nil {
			t.Fatal(err)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 1 {
			t.Errorf("%v in the folder", entries)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if zipped := raw[0] == 0x1f; zipped != strings.HasSuffix(name, ".gz") {
			t.Errorf("%s begins with %q", name, raw[:4])
		}
		r, err := certificate.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		leaves, err := read(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if c := r.Statement().Claim; c.Bound.Cmp(big.NewRat(1, 7)) != 0 || len(leaves) != 3 {
			t.Errorf("%v, %d leaves", c, len(leaves))
		}
	}
}

// TestNoFileOnFailure: without a claim, or after Abort, no file is left.
func TestNoFileOnFailure(t *testing.T) {
	dir := t.TempDir()
	s := people()
	s.Claim = certificate.Claim{}
	f, err := certificate.Create(filepath.Join(dir, "a.cert"), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(io.Discard); err == nil || !strings.Contains(err.Error(), "unknown claim") {
		t.Errorf("closed without a claim: %v", err)
	}
	if f, err = certificate.Create(filepath.Join(dir, "b.cert"), s); err != nil {
		t.Fatal(err)
	}
	if err := f.Abort(); err != nil {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("%v left", entries)
	}
}

// TestWriterRefuses: the writer refuses what the reader would.
func TestWriterRefuses(t *testing.T) {
	for name, change := range map[string]func(l *certificate.Leaf){
		"outside the region":   func(l *certificate.Leaf) { l.Box[0].Hi = 41 },
		"fractional":           func(l *certificate.Leaf) { l.Box[0].Hi = 20.5 },
		"NaN":                  func(l *certificate.Leaf) { l.Box[2].Lo = math.NaN() },
		"upside down":          func(l *certificate.Leaf) { l.Box[2] = space.Interval{Lo: 1, Hi: 0} },
		"short":                func(l *certificate.Leaf) { l.Box = l.Box[:2] },
		"nobody":               func(l *certificate.Leaf) { l.Copies[0].Protected[0] = 2 },
		"order":                func(l *certificate.Leaf) { l.Copies[0], l.Copies[1] = l.Copies[1], l.Copies[0] },
		"half an enclosure":    func(l *certificate.Leaf) { l.Copies[0].Logit.Hi = math.Inf(1) },
		"NaN logit":            func(l *certificate.Leaf) { l.Copies[0].Logit.Hi = math.NaN() },
		"slope":                func(l *certificate.Leaf) { l.Copies[0].Slopes[0].Value = math.NaN() },
		"slope of the output":  func(l *certificate.Leaf) { l.Copies[0].Slopes[1].Layer = 1 },
		"slopes out of order":  func(l *certificate.Leaf) { l.Copies[0].Slopes[0].Neuron = 1 },
		"joint of no neuron":   func(l *certificate.Leaf) { l.Copies[0].Joint[0].Neuron = 2 },
		"joint out of order":   func(l *certificate.Leaf) { l.Copies[0].Joint[0].Neuron = 1 },
		"joint of infinity":    func(l *certificate.Leaf) { l.Copies[0].Joint[0].Own = math.Inf(1) },
		"joint of one copy":    func(l *certificate.Leaf) { l.Copies = l.Copies[:1] },
		"half a tangent":       func(l *certificate.Leaf) { l.Copies[0].Down = 0 },
		"a steep tangent":      func(l *certificate.Leaf) { l.Copies[0].Up = 1.5 },
		"enumerated and bound": func(l *certificate.Leaf) { l.Enumerated = true },
	} {
		w, err := certificate.NewWriter(io.Discard, people())
		if err != nil {
			t.Fatal(err)
		}
		l := jointLeaves()[0]
		change(l)
		if err := w.Add(l); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if err := w.Close(); err == nil {
			t.Errorf("%s: closed after an error", name)
		}
	}
	s := people()
	s.Version = 1
	w, err := certificate.NewWriter(io.Discard, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(jointLeaves()[0]); err == nil {
		t.Error("joint slopes in version 1: accepted")
	}
}

// TestCasesThatAreNone: the writer and the reader refuse invalid proofs by cases.
func TestCasesThatAreNone(t *testing.T) {
	for name, change := range map[string]func(*certificate.Leaf){
		"dropped branch":     func(l *certificate.Leaf) { l.Cases[0].Steps = l.Cases[0].Steps[:4] },
		"one step too many":  func(l *certificate.Leaf) { l.Cases[1].Steps = append(l.Cases[1].Steps, l.Cases[1].Steps[0]) },
		"no steps":           func(l *certificate.Leaf) { l.Cases[1].Steps = nil },
		"unknown step":       func(l *certificate.Leaf) { l.Cases[1].Steps[0].Kind = 9 },
		"unknown neuron":     func(l *certificate.Leaf) { l.Cases[0].Steps[0].ReLU = 3 },
		"negative neuron":    func(l *certificate.Leaf) { l.Cases[0].Steps[0].ReLU = -1 },
		"missing slope":      func(l *certificate.Leaf) { l.Cases[0].Steps[1].Slopes = []float64{1, 2} },
		"slope that is none": func(l *certificate.Leaf) { l.Cases[0].Steps[1].Slopes[0] = math.NaN() },
		"infinite slope":     func(l *certificate.Leaf) { l.Cases[0].Steps[1].Slopes[0] = math.Inf(-1) },
		"negative weight":    func(l *certificate.Leaf) { l.Cases[0].Steps[1].Up = -1 },
		"infinite weight":    func(l *certificate.Leaf) { l.Cases[0].Steps[1].Down = math.Inf(1) },
		"weight NaN":         func(l *certificate.Leaf) { l.Cases[0].Steps[1].Down = math.NaN() },
		"protected feature":  func(l *certificate.Leaf) { l.Cases[0].Steps[2].Feature = 3 },
		"real feature":       func(l *certificate.Leaf) { l.Cases[0].Steps[2].Feature = 2 },
		"no feature":         func(l *certificate.Leaf) { l.Cases[0].Steps[2].Feature = 4 },
		"cut between":        func(l *certificate.Leaf) { l.Cases[0].Steps[2].At = 20.5 },
		"cut outside":        func(l *certificate.Leaf) { l.Cases[0].Steps[2].At = 91 },
		"bin":                func(l *certificate.Leaf) { l.Cases[0].Bin = -1 },
		"unknown copy":       func(l *certificate.Leaf) { l.Cases[0].First.Copies[0] = 2 },
		"copy twice":         func(l *certificate.Leaf) { l.Cases[0].Second.Copies[1] = 0 },
		"no copies":          func(l *certificate.Leaf) { l.Cases[0].Second.Copies = nil },
		"neuron too high":    func(l *certificate.Leaf) { l.Cases[0].Second.Neurons[0].Index = 2 },
		"no ReLU":            func(l *certificate.Leaf) { l.Cases[0].Second.Neurons[0].Layer = 1 },
		"neurons in disorder": func(l *certificate.Leaf) {
			l.Cases[0].First.Neurons[0], l.Cases[0].First.Neurons[1] = l.Cases[0].First.Neurons[1], l.Cases[0].First.Neurons[0]
		},
		"no copies at all": func(l *certificate.Leaf) { l.Copies = nil },
		"too deep": func(l *certificate.Leaf) {
			end := l.Cases[1].Steps[0]
			for range 300 {
				l.Cases[1].Steps = append([]sdk.CaseStep{{Kind: sdk.CaseCut, At: 20}, end}, l.Cases[1].Steps...)
			}
		},
	} {
		s, l := people(), caseLeaves()[0]
		if err := s.CheckLeaf(l); err != nil {
			t.Fatal(err)
		}
		if change(l); s.CheckLeaf(l) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	s := people()
	if s.Version = 2; s.CheckLeaf(caseLeaves()[0]) == nil {
		t.Error("cases in version 2: accepted")
	}
	if s.Version, s.Notion = 0, fairness.Logit; s.CheckLeaf(caseLeaves()[0]) == nil {
		t.Error("cases of logits: accepted")
	}
}

// TestFingerprints: names of layers do not change a fingerprint, everything else does.
func TestFingerprints(t *testing.T) {
	a, b := people(), people()
	b.Network.Layers[0].Name = "another"
	sum := (*relu.Network).Fingerprint
	if sum(a.Network) != sum(b.Network) {
		t.Error("a name changes the fingerprint")
	}
	if b.Network.Layers[0].Weights[2] = math.Nextafter(b.Network.Layers[0].Weights[2], 1); sum(a.Network) == sum(b.Network) {
		t.Error("a weight does not change the fingerprint")
	}
	one, err := certificate.SpaceSHA256(a.Space)
	if err != nil {
		t.Fatal(err)
	}
	b.Space.Forbidden = nil
	if two, err := certificate.SpaceSHA256(b.Space); err != nil || one == two {
		t.Errorf("a constraint does not change the fingerprint: %v", err)
	}
}
