package trees_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// stump compares input 0 with a border, with leaves 1 and 2.
func stump(n trees.Node) *trees.Ensemble {
	n.Left, n.Right = 1, 2
	return &trees.Ensemble{Columns: 1, Output: fairness.LinkSigmoid, Trees: []trees.Tree{{n, trees.Leaf(1), trees.Leaf(2)}}}
}

// What is rounded to a float32 and then compared is compared with the border.
func TestRoundedBordersAreWhereRoundingChangesSides(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		v := math.Float32frombits(r.Uint32())
		switch r.IntN(4) {
		case 0:
			v = float32(r.IntN(100) - 50)
		case 1:
			v = math.Float32frombits(uint32(r.IntN(4)))
		}
		if v != v || math.IsInf(float64(v), 0) {
			continue
		}
		orEqual := r.IntN(2) == 0
		n := trees.Node{}
		n.Value, n.Closed = trees.Rounded(v, orEqual)
		for _, x := range []float64{
			float64(v), n.Value, math.Nextafter(n.Value, math.Inf(1)), math.Nextafter(n.Value, math.Inf(-1)),
			math.Nextafter(float64(v), math.Inf(1)), math.Nextafter(float64(v), math.Inf(-1)), r.NormFloat64(),
		} {
			want := float32(x) < v || orEqual && float32(x) == v
			if got := n.GoesLeft(new(big.Rat).SetFloat64(x)); got != want {
				t.Fatalf("%v against %v (or equal: %v): %v, rounded %v", x, v, orEqual, got, want)
			}
		}
	}
}

// Where an input goes is decided by what it exactly is, beside a border too near for
// floats.
func TestExactInputsBesideABorder(t *testing.T) {
	third := big.NewRat(1, 3)
	near, _ := third.Float64() // below a third
	for _, c := range []struct {
		node trees.Node
		x    *big.Rat
		want int64
	}{
		{trees.Node{Value: near, Closed: true}, third, 2},
		{trees.Node{Value: near}, third, 2},
		{trees.Node{Value: near, Closed: true}, new(big.Rat).SetFloat64(near), 1},
		{trees.Node{Value: near}, new(big.Rat).SetFloat64(near), 2},
		{trees.Node{Value: 1, More: []float64{2, 3}}, big.NewRat(1, 1), 2},
		{trees.Node{Value: 1, More: []float64{2, 3}}, big.NewRat(2, 1), 1},
		{trees.Node{Value: 1, More: []float64{2, 3}}, big.NewRat(7, 2), 2},
		{trees.Node{Value: 1, Missing: true}, nil, 1},
		{trees.Node{Value: 1}, nil, 2},
	} {
		if got := stump(c.node).Exact().Logit([]*big.Rat{c.x}); got.Cmp(big.NewRat(c.want, 1)) != 0 {
			t.Errorf("%+v at %v: %v, want %d", c.node, c.x, got, c.want)
		}
	}
}

// Rows leave room for the leaf behind an open border at the end of a box, where the
// greatest input goes.
func TestRowsOfABorderAtTheEndOfABox(t *testing.T) {
	for _, c := range []struct {
		node   trees.Node
		leaves int
	}{
		{trees.Node{Value: 1}, 2},
		{trees.Node{Value: 2}, 1},
		{trees.Node{Value: 0, Closed: true}, 2},
	} {
		rows, _ := stump(c.node).Rows([]space.Interval{{Lo: 0, Hi: 1}})
		if got := max(1, len(rows.Objective.Terms)); got != c.leaves {
			t.Errorf("%+v: %d leaves in rows, want %d", c.node, got, c.leaves)
		}
	}
}

// Everything that evaluates or encloses a forest agrees with its exact sum.
func TestEvaluationsAgree(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := known.Space(r)
		e := known.Trees(r, s)
		if err := e.Validate(); err != nil {
			t.Fatal(err)
		}
		content, err := e.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		read, known, err := model.Read(trees.Family, content)
		if err != nil || !known || read.Validate() != nil || read.Fingerprint() != e.Fingerprint() {
			t.Fatalf("seed %d: over the wire: %v", seed, err)
		}
		on, _ := e.On(s)
		box := make([]space.Interval, s.Inputs)
		for i := range box {
			box[i] = space.Interval{Lo: math.Inf(1), Hi: math.Inf(-1)}
		}
		var logits []*big.Rat
		exact, other, middle := e.Exact(), read.Exact(), on.Exact()
		for x := range s.Individuals(s.Whole().Box) {
			points := s.Counterfactuals(s.Whole(), x)
			if len(points) == 0 {
				continue
			}
			var varying []int
			for _, f := range s.Protected() {
				for _, in := range s.Features[f].Inputs {
					varying = append(varying, in.Index)
				}
			}
			var values [][]*big.Rat
			for _, p := range points {
				inputs := s.ExactInputs(p)
				values = append(values, nil)
				for _, i := range varying {
					values[len(values)-1] = append(values[len(values)-1], inputs[i])
				}
			}
			off := make([]float64, s.Inputs)
			for i := range off {
				off[i] = 1e-9
			}
			together := make([]float64, len(points))
			known := e.Copies(varying, values).Logits(s.NetworkInputs(nil, points[0]), off, together)
			for k, p := range points {
				inputs := s.ExactInputs(p)
				want := exact.Logit(inputs)
				logits = append(logits, want)
				if other.Logit(inputs).Cmp(want) != 0 || middle.Logit(inputs).Cmp(want) != 0 {
					t.Fatalf("seed %d: other exact logits", seed)
				}
				floats := s.NetworkInputs(nil, p)
				for i, v := range floats {
					box[i] = space.Interval{Lo: min(box[i].Lo, v-1e-9), Hi: max(box[i].Hi, v+1e-9)}
				}
				if near, err := e.LogitNear(floats, off); !within(near, want, err) {
					t.Fatalf("seed %d: %v ± %v, exactly %v", seed, near, err, want)
				}
				if known && !within(together[k], want, e.SumError()) {
					t.Fatalf("seed %d: together %v, exactly %v", seed, together[k], want)
				}
			}
		}
		b := e.Bounds(box)
		for _, l := range logits {
			if !within(b.Lo+(b.Hi-b.Lo)/2, l, (b.Hi-b.Lo)/2*(1+1e-9)+1e-300) {
				t.Fatalf("seed %d: %v is outside %v", seed, l, b)
			}
		}
	}
}

// Inputs that are just what they are, on borders, beside them and missing, end in the leaves that exact inputs end in,
// one by one and as copies.
func TestInputsOnBorders(t *testing.T) {
	for seed := range uint64(tier.Count(100, 400)) {
		r := rand.New(rand.NewPCG(seed, 17))
		e := known.Trees(r, known.Space(r))
		var borders []float64
		for _, tree := range e.Trees {
			for i := range tree {
				if !tree[i].IsLeaf() {
					tree[i].Borders(func(b float64) { borders = append(borders, b) })
				}
			}
		}
		exact, none := e.Exact(), make([]float64, e.Columns)
		draw := func(missing bool) (float64, *big.Rat) {
			v := r.NormFloat64()
			switch r.IntN(5) {
			case 0:
			case 1:
				if missing {
					return math.NaN(), nil
				}
			default:
				if len(borders) > 0 {
					v = borders[r.IntN(len(borders))]
					v = []float64{v, math.Nextafter(v, math.Inf(1)), math.Nextafter(v, math.Inf(-1))}[r.IntN(3)]
				}
			}
			return v, new(big.Rat).SetFloat64(v)
		}
		for round := range 20 {
			floats, rats := make([]float64, e.Columns), make([]*big.Rat, e.Columns)
			for i := range floats {
				floats[i], rats[i] = draw(round%2 == 0)
			}
			want := exact.Logit(rats)
			if got := e.Logit(floats); !within(got, want, e.SumError()) {
				t.Fatalf("seed %d: %v at %v, exactly %v", seed, got, floats, want)
			}
			if got, err := e.LogitNear(floats, none); !within(got, want, err) || math.IsInf(err, 1) {
				t.Fatalf("seed %d: %v ± %v near %v, exactly %v", seed, got, err, floats, want)
			}
			varying := r.Perm(e.Columns)[:r.IntN(e.Columns+1)]
			values := make([][]*big.Rat, 1+r.IntN(70))
			for k := range values {
				for range varying {
					_, v := draw(true)
					values[k] = append(values[k], v)
				}
			}
			together := make([]float64, len(values))
			if known := e.Copies(varying, values).Logits(floats, none, together); !known {
				if round%2 != 0 {
					t.Fatalf("seed %d: nothing is known of %v", seed, floats)
				}
				continue
			}
			for k := range values {
				at := slices.Clone(rats)
				for i, v := range varying {
					at[v] = values[k][i]
				}
				if want := exact.Logit(at); !within(together[k], want, e.SumError()) {
					t.Fatalf("seed %d: copy %d of %v: %v, exactly %v", seed, k, floats, together[k], want)
				}
			}
		}
	}
}

func within(v float64, exact *big.Rat, err float64) bool {
	if math.IsInf(err, 1) {
		return true
	}
	d := new(big.Rat).SetFloat64(v)
	return d.Abs(d.Sub(d, exact)).Cmp(new(big.Rat).SetFloat64(err)) <= 0
}

func TestMalformedEnsembles(t *testing.T) {
	leaf := trees.Leaf(1)
	chain := trees.Tree{}
	for i := range int32(trees.MaxDepth + 1) {
		chain = append(chain, trees.Node{Left: 2*i + 1, Right: 2*i + 2}, leaf)
	}
	for i := range chain {
		if !chain[i].IsLeaf() {
			chain[i].Left, chain[i].Right = int32(i+1), int32(i+2)
		}
	}
	for want, tree := range map[string]trees.Tree{
		"no nodes":           {},
		"has the value NaN":  {trees.Leaf(math.NaN())},
		"compares input 1":   {{Input: 1, Left: 1, Right: 2}, leaf, leaf},
		"has two parents":    {{Left: 1, Right: 1}, leaf},
		"not come after it":  {{Left: 0, Right: 1}, leaf},
		"no parent":          {{Left: 2, Right: 3}, leaf, leaf, leaf},
		"after 1024":         append(chain, leaf),
		"border 1 after 1":   {{Left: 1, Right: 2, Value: 1, More: []float64{1}}, leaf, leaf},
		"in a tree of 2 nod": {{Left: 1, Right: 2}, leaf},
	} {
		e := &trees.Ensemble{Columns: 1, Output: fairness.LinkSigmoid, Trees: []trees.Tree{tree}}
		if err := e.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Content from a plugin or a host may be anything.
func FuzzRead(f *testing.F) {
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 7))
		content, _ := known.Trees(r, known.Space(r)).MarshalBinary()
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		m, _, err := model.Read(trees.Family, content)
		if err != nil || m.Validate() != nil {
			return
		}
		inputs := slices.Repeat([]float64{0.5}, m.Inputs())
		if v := m.Logit(inputs); v != v {
			t.Errorf("%v", v)
		}
	})
}

// Coded borders send what stands for a missing value where the library sends a missing one, and all
// others where they went.
func TestCodedBordersSayWhereMissingValuesGo(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	some := 0
	for seed := range 1000 {
		s := known.Space(r)
		known.Missing(r, s)
		forest := known.Trees(r, s)
		coded, want := forest.Coded(s), known.Lacking(forest, s).Exact()
		if err := coded.Validate(); err != nil {
			t.Fatal(err)
		}
		exact := coded.Exact()
		for x := range s.Individuals(s.Whole().Box) {
			for _, p := range s.Counterfactuals(s.Whole(), x) {
				lacks := s.NetworkInputs(nil, p)
				for i := range s.Features {
					if f := &s.Features[i]; f.Missing && p[i] == f.Hi {
						lacks[f.Inputs[0].Index] = math.NaN()
						some++
					}
				}
				inputs := s.NetworkInputs(nil, p)
				if exact.Logit(s.ExactInputs(p)).Cmp(want.Logit(s.ExactInputs(p))) != 0 || coded.Logit(inputs) != forest.Logit(lacks) || coded.Logit32(inputs) != forest.Logit32(lacks) {
					t.Fatalf("seed %d, %v: %v, want %v", seed, p, coded.Logit(inputs), forest.Logit(lacks))
				}
			}
		}
	}
	if some < 1000 {
		t.Errorf("only %d values are missing", some)
	}
}

// An input that is rounded to the value that stands for a missing one goes where that goes; every other input goes
// where it went.
func TestAbsentValuesGoWhereMissingOnesGo(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	values := []float32{0, float32(math.Copysign(0, -1)), -1, 1, 2, 3, 9999, 0.1, -999}
	for range 20000 {
		v := values[r.IntN(len(values))]
		var n trees.Node
		switch r.IntN(3) {
		case 0: // XGBoost's
			n.Value, n.Closed = trees.Rounded([]float32{values[r.IntN(len(values))], r.Float32()}[r.IntN(2)], r.IntN(2) == 0)
		case 1: // a set of categories
			for c := range 5 {
				if border, _ := trees.Rounded(float32(c), false); r.IntN(2) == 0 {
					n.More = append(n.More, border)
				}
			}
			if n.Value = math.MaxFloat64; len(n.More) > 0 {
				n.Value, n.More = n.More[0], n.More[1:]
			}
		default: // LightGBM's
			n.Value, n.Closed = r.NormFloat64(), true
		}
		n.Missing = r.IntN(2) == 0
		was := stump(n)
		got := was.Absent(v)
		if err := got.Validate(); err != nil {
			t.Fatal(err)
		}
		near := float64(v)
		for _, x := range []float64{near, math.Nextafter(near, 99), math.Nextafter(near, -99), near + 1e-6, near - 1e-6, near + 1, near - 1, n.Value, math.Nextafter(n.Value, 1e9), math.Nextafter(n.Value, -1e9), r.NormFloat64(), math.NaN(),
			float64(math.Nextafter32(v, 1e9)), float64(math.Nextafter32(v, -1e9))} {
			want := was.Logit([]float64{x})
			if float32(x) == v {
				want = was.Logit([]float64{math.NaN()})
			}
			if have := got.Logit([]float64{x}); have != want {
				t.Fatalf("%+v with %v missing, at %v: leaf %v, want %v", n, v, x, have, want)
			}
		}
	}
}

// Apart is no less than what the logits of any two points of a box that agree in the other
// inputs differ by, and 0 where no tree compares the inputs that differ.
func TestApart(t *testing.T) {
	blind := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 6))
		q := &problem.Query{Space: known.Space(r)}
		e := known.Trees(r, q.Space)
		if q.Model = e; seed%2 == 0 {
			known.Overlook(r, q)
		}
		region := q.Space.Whole()
		for _, i := range q.Space.Free() { // a part
			if box := &region.Box[i]; r.IntN(2) == 0 {
				box.Hi = box.Lo + float64(r.IntN(int(box.Hi-box.Lo)+1))
			}
		}
		differs, sees := make([]bool, q.Space.Inputs), false
		for _, i := range q.Space.Protected() {
			for _, in := range q.Space.Features[i].Inputs {
				differs[in.Index] = true
			}
		}
		for _, tree := range e.Trees {
			for i := range tree {
				sees = sees || !tree[i].IsLeaf() && differs[tree[i].Input]
			}
		}
		apart := e.Apart(bound.Inputs(q.Space, region), differs)
		if !sees {
			if blind++; apart != 0 {
				t.Errorf("seed %d: logits of trees that do not see what differs are %v apart", seed, apart)
			}
		}
		exact, most := e.Exact(), new(big.Rat).SetFloat64(apart)
		for x := range q.Space.Individuals(region.Box) {
			var logits []*big.Rat
			for _, p := range q.Space.Counterfactuals(region, x) {
				logits = append(logits, exact.Logit(q.Space.ExactInputs(p)))
			}
			for _, one := range logits {
				for _, two := range logits {
					if new(big.Rat).Sub(one, two).Cmp(most) > 0 {
						t.Fatalf("seed %d: at %v logits %v and %v, which may be %v apart", seed, x, one, two, apart)
					}
				}
			}
		}
	}
	if blind < 50 {
		t.Errorf("only %d forests saw nothing of what differs", blind)
	}
}
