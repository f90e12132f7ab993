package checker

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// original is a certificate with the strongest claim: ε is 2⁻⁴⁰ above the largest gap. The
// region is a part of the space, one combination is forbidden on a part of it, and the one
// individual with a larger gap is excluded. It has leaves with bounds and enumerated ones.
func original(t testing.TB) *certificate.Statement {
	t.Helper()
	s := &space.Space{Inputs: 6, Features: []space.Feature{
		{Name: "age", Kind: space.Integer, Lo: 0, Hi: 15, Inputs: []space.Input{{Index: 0, Scale: 0.25, Offset: -1}}},
		{Name: "sex", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
		{Name: "job", Kind: space.Categorical, Hi: 2, Categories: []string{"a", "b", "c"}, Inputs: []space.Input{
			{Index: 2, Table: []float64{1, 0, 0}}, {Index: 3, Table: []float64{0, 1, 0}}, {Index: 4, Table: []float64{0, 0, 1}},
		}},
		{Name: "race", Kind: space.Integer, Lo: 0, Hi: 3, Protected: []float64{0, 1, 3}, Inputs: []space.Input{{Index: 5, Scale: -0.5, Offset: 0.25}}},
	}}
	s.Forbidden = []space.Predicate{{{Feature: 1, Interval: space.Interval{Lo: 1, Hi: 1}}, {Feature: 2, Set: []int{2}}}}
	r := rand.New(rand.NewPCG(7, 7))
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 32}
	widths := []int{6, 5, 4, 1}
	for k := 1; k < len(widths); k++ {
		l := relu.Layer{In: widths[k-1], Out: widths[k], ReLU: k < len(widths)-1}
		for range l.In * l.Out {
			l.Weights = append(l.Weights, float64(float32(r.NormFloat64())))
		}
		for range l.Out {
			l.Bias = append(l.Bias, float64(float32(r.NormFloat64()/2)))
		}
		n.Layers = append(n.Layers, l)
	}
	st := &certificate.Statement{
		Producer: "a test", Study: "tiny", Network: n, Space: s, Region: s.Whole(), Notion: fairness.Score,
		Claim: certificate.Claim{Kind: certificate.Fair},
	}
	st.Region.Box[0].Hi = 13
	st.Region.Values[3] = []float64{0, 1}
	most, at := gapOf(st)
	var excluded space.Predicate
	for _, i := range s.Free() {
		excluded = append(excluded, space.Condition{Feature: i, Interval: space.Interval{Lo: at[i], Hi: at[i]}})
	}
	st.Forbid = []space.Predicate{excluded}
	second, _ := gapOf(st)
	if second.Cmp(most) >= 0 {
		t.Fatal("the excluded individual has no larger gap than all others")
	}
	st.Epsilon = second
	return st
}

// gapOf is a number at most 2⁻⁴⁰ above the largest score gap, and the individual that has
// it.
func gapOf(st *certificate.Statement) (most *big.Rat, at []float64) {
	most = new(big.Rat)
	individuals(st, func(x []float64, logits []*big.Rat) {
		if first, second, ok := fairness.Score.Pair(logits); ok {
			if _, hi := fairness.GapBounds(logits[first], logits[second], 40); hi.Cmp(most) > 0 {
				most, at = hi, slices.Clone(x)
			}
		}
	})
	return most, at
}

// document is a certificate as JSON, to be changed by hand.
type document struct {
	header, network, space, region map[string]any
	leaves                         []map[string]any
	end                            map[string]any
	after                          string // text behind the end
}

func parse(t testing.TB, text []byte) *document {
	t.Helper()
	d := tryParse(text)
	if d == nil {
		t.Fatalf("no lines of JSON: %s", text)
	}
	return d
}

func tryParse(text []byte) *document {
	d := &document{}
	var lines []map[string]any
	for part := range bytes.Lines(text) {
		v := map[string]any{}
		if json.Unmarshal(part, &v) != nil {
			return nil
		}
		lines = append(lines, v)
	}
	d.header, d.network, d.space, d.region = lines[0], lines[1], lines[2], lines[3]
	d.leaves, d.end = lines[4:len(lines)-1], lines[len(lines)-1]
	return d
}

func (d *document) bytes(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, v := range slices.Concat([]map[string]any{d.header, d.network, d.space, d.region}, d.leaves, []map[string]any{d.end}) {
		if v == nil {
			continue
		}
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	return append(b.Bytes(), d.after...)
}

// seal recomputes the fingerprints of the network and the space, as a forger would. An
// invalid network keeps the old ones.
func (d *document) seal(t testing.TB) {
	t.Helper()
	for range 2 { // the error names one sum at a time
		_, err := certificate.NewReader(bytes.NewReader(d.bytes(t)))
		if err == nil {
			return
		}
		for _, name := range []string{"network_sha256", "space_sha256"} {
			if _, sum, found := strings.Cut(err.Error(), "below has "); found && strings.Contains(err.Error(), name) {
				d.header[name] = sum
			}
		}
	}
}

// get walks through objects by name and lists by number.
func get(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}

// leaf finds the first leaf with bounds, or the first enumerated one of several
// individuals.
func (d *document) leaf(enumerated bool) int {
	return slices.IndexFunc(d.leaves, func(l map[string]any) bool { return (l["enumerated"] == true) == enumerated })
}

// bounded is the first leaf proved by bounds, without the constraint, that has a copy with
// slopes; slopes is that copy.
func (d *document) bounded() (leaf map[string]any, slopes map[string]any) {
	for _, l := range d.leaves {
		for _, c := range list(l["copies"]) {
			if c := c.(map[string]any); len(list(c["slopes"])) >= 6 && len(list(l["copies"])) == 4 {
				return l, c
			}
		}
	}
	panic("no leaf with slopes")
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// attained is the range of the exact logits of a leaf's copy.
func attained(st *certificate.Statement, leaf, c map[string]any) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	exact := st.Model().Exact()
	box, values := list(leaf["box"]), list(c["protected"])
	for age := box[0].(float64); age <= box[1].(float64); age++ {
		for job := box[2].(float64); job <= box[3].(float64); job++ {
			point := []float64{age, values[0].(float64), job, values[1].(float64)}
			v, _ := exact.Logit(st.Space.ExactInputs(point)).Float64()
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	return lo, hi
}

// mutation changes a certificate so that it no longer proves its claim.
type mutation struct {
	name string
	// untrue: the changed claim is false, as the test verifies. The others break the form,
	// the cover, or a statement of a leaf.
	untrue bool
	change func(t testing.TB, st *certificate.Statement, d *document)
	// why is a part of the reason for the refusal.
	why string
}

// TestEveryMutationIsRefused applies each mutation to a certificate that is accepted.
func TestEveryMutationIsRefused(t *testing.T) {
	st := original(t)
	limit, _ := st.Epsilon.Float64()
	leaves, _ := prove(rand.New(rand.NewPCG(3, 3)), st, limit-slack, -1)
	text := write(t, st, leaves)
	if why := judge(t, parse(t, text).bytes(t)); why != "" {
		t.Fatalf("the original: %s", why)
	}
	if d := parse(t, text); d.leaf(true) < 0 || d.leaf(false) < 0 || len(d.leaves) < 8 {
		t.Fatalf("%d leaves do not show enough", len(d.leaves))
	}
	list := slices.Concat(claimMutations(), subjectMutations(), regionMutations(), leafMutations(), copyMutations(), formMutations())
	if len(list) < 50 {
		t.Fatalf("only %d mutations", len(list))
	}
	for _, m := range list {
		t.Run(m.name, func(t *testing.T) {
			d := parse(t, text)
			m.change(t, st, d)
			changed := d.bytes(t)
			if bytes.Equal(changed, parse(t, text).bytes(t)) {
				t.Fatal("nothing was changed")
			}
			if m.untrue {
				r, err := certificate.NewReader(bytes.NewReader(changed))
				if err != nil {
					t.Fatalf("not read, so that nothing is tried: %v", err)
				}
				if holds(r.Statement()) {
					t.Fatal("the changed claim holds: this is no mutation to be refused")
				}
			}
			why := judge(t, changed)
			if why == "" {
				t.Fatal("accepted")
			}
			if !strings.Contains(why, m.why) {
				t.Errorf("refused for another reason than %q: %s", m.why, why)
			}
		})
	}
}
