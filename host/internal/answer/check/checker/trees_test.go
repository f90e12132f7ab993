package checker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// notions are those for forests; questions about shares use Share.
var notions = append(slices.Clone(fairness.Notions), fairness.Share)

// randomForest is randomStatement with trees.
func randomForest(r *rand.Rand, notion fairness.Notion, reals bool) *certificate.Statement {
	st := randomStatement(r, notion, reals)
	st.Network = nil
	if reals {
		st.Space.Features[len(st.Space.Features)-1].Inputs[0] = space.Input{Index: st.Space.Inputs - 1, Scale: []float64{1, -1}[r.IntN(2)]}
	}
	if st.Trees = known.Trees(r, st.Space); notion == fairness.Share {
		known.Shares(r, st.Trees)
	}
	return st
}

// quarters are leaves that partition a region, cut at random along two features.
func quarters(r *rand.Rand, st *certificate.Statement) (leaves []*certificate.Leaf) {
	whole := st.RegionOrWhole().Box
	cut := func(box space.Box, i int) []space.Box {
		if box[i].Lo == box[i].Hi {
			return []space.Box{box}
		}
		low, high := slices.Clone(box), slices.Clone(box)
		low[i].Hi = box[i].Lo + float64(r.IntN(int(box[i].Hi-box[i].Lo)))
		high[i].Lo = low[i].Hi + 1
		return []space.Box{low, high}
	}
	for _, half := range cut(whole, 0) {
		for _, box := range cut(half, 2) {
			leaves = append(leaves, &certificate.Leaf{Box: box, Enumerated: r.IntN(2) == 0 && !st.Space.HasReals()})
		}
	}
	return leaves
}

// TestTreesAreDecidedExactly: a claim about a forest is accepted exactly if it is true, to
// the last bit.
func TestTreesAreDecidedExactly(t *testing.T) {
	told := [2]int{}
	for seed := range uint64(tier.Count(30, 400)) {
		for _, notion := range notions {
			r := rand.New(rand.NewPCG(seed, uint64(notion)+60))
			st := randomForest(r, notion, false)
			most := largest(st)
			if math.IsInf(most, 0) || most <= 1e-9 {
				continue
			}
			for _, by := range []float64{1e-12 * (1 + most), -1e-12 * (1 + most)} {
				st.Claim.Bound.SetFloat64(most + by)
				why := judge(t, write(t, st, quarters(r, st)))
				told[map[bool]int{true: 1}[why == ""]]++
				if (why == "") != holds(st) {
					t.Errorf("seed %d, %s: the largest is %v, claimed %+g: %q", seed, notion, most, by, why)
				}
			}
			if notion.Binned() {
				st.Claim = certificate.Claim{Kind: certificate.MaxK, K: 1}
				individuals(st, func(_ []float64, logits []*big.Rat) {
					st.Claim.K = max(st.Claim.K, st.Trees.Link().KBins(logits, st.Epsilon))
				})
				for right := range 2 {
					if why := judge(t, write(t, st, quarters(r, st))); (why == "") != (right == 0) {
						t.Errorf("seed %d: k = %d: %q", seed, st.Claim.K, why)
					}
					if st.Claim.K--; st.Claim.K == 0 {
						break
					}
				}
			}
		}
	}
	if min(told[0], told[1]) < 20 {
		t.Errorf("%v refused and accepted: too few", told)
	}
}

// TestTreesOfRealFeatures: a forest is constant between borders of a real feature. Borders,
// their neighbours and the ends therefore determine the largest gap.
func TestTreesOfRealFeatures(t *testing.T) {
	for seed := range uint64(tier.Count(8, 150)) {
		for _, notion := range notions {
			r := rand.New(rand.NewPCG(seed, uint64(notion)+70))
			st := randomForest(r, notion, true)
			real := len(st.Space.Features) - 1
			f := &st.Space.Features[real]
			ends := []float64{f.Lo, f.Hi}
			for _, tree := range st.Trees.Trees {
				for i := range tree {
					if n := &tree[i]; !n.IsLeaf() && int(n.Input) == f.Inputs[0].Index {
						n.Borders(func(b float64) {
							for _, v := range []float64{math.Nextafter(b, -9), b, math.Nextafter(b, 9)} {
								if v *= f.Inputs[0].Scale; v >= f.Lo && v <= f.Hi {
									ends = append(ends, v)
								}
							}
						})
					}
				}
			}
			most := math.Inf(-1)
			for _, v := range ends {
				one := *st
				one.Region = st.RegionOrWhole().Clone()
				one.Region.Box[real] = space.Interval{Lo: v, Hi: v}
				most = max(most, largest(&one))
			}
			if most <= 1e-9 {
				continue
			}
			for _, by := range []float64{1e-12 * (1 + most), -1e-9 * (1 + most)} {
				st.Claim.Bound.SetFloat64(most + by)
				if why := judge(t, write(t, st, quarters(r, st))); (why == "") != (by > 0) {
					t.Errorf("seed %d, %s: the largest is %v, claimed %+g: %q", seed, notion, most, by, why)
				}
			}
		}
	}
}

// TestCertificatesOfTreesByTheSolver are accepted, also with missing values.
func TestCertificatesOfTreesByTheSolver(t *testing.T) {
	solver, _ := plugintest.Solver(t, "bnb")
	accepted := 0
	for seed := range uint64(tier.Count(20, 300)) {
		for _, goal := range []problem.Goal{problem.Decide, problem.Maximise, problem.MaxK} {
			notion := notions[seed%5]
			r := rand.New(rand.NewPCG(seed, uint64(goal)+80))
			q := known.Query(r, notion)
			if seed%3 == 2 {
				known.Missing(r, q.Space)
			}
			forest := known.Trees(r, q.Space)
			if q.Model = known.Lacking(forest, q.Space); notion == fairness.Share {
				known.Shares(r, forest)
			}
			truth := known.Enumerate(q)
			q.Model = forest.Coded(q.Space)
			if q.Goal = goal; goal == problem.MaxK && (!notion.Binned() || fairness.Bins(q.Epsilon) > 4096) {
				continue
			}
			_, err := certificate.FromQuery(q)
			if err != nil || q.TellsCopiesApart() {
				continue
			}
			if goal == problem.Decide && truth.Unfair > 0 || goal == problem.MaxK && truth.K == 0 || goal == problem.Maximise && !truth.Some {
				continue // unfair, or no individual to bound
			}
			text, result := solved(t, solver, q)
			if why := judge(t, text); why != "" {
				t.Errorf("seed %d, %s, %s: %s, %s: %s", seed, notion, goal, result.Status, result.Native, why)
			}
			accepted++
		}
	}
	if accepted < 20 {
		t.Errorf("only %d", accepted)
	}
}

// TestMutatedTreesAreRefused changes a certificate of a forest's largest gap, and seals it
// again as a forger would.
func TestMutatedTreesAreRefused(t *testing.T) {
	s := &space.Space{Inputs: 3, Features: []space.Feature{
		{Name: "age", Kind: space.Integer, Hi: 9, Inputs: []space.Input{{Index: 0, Scale: 1}}},
		{Name: "sex", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
		{Name: "hours", Kind: space.Real, Hi: 4, Inputs: []space.Input{{Index: 2, Scale: 0.5}}},
	}}
	e := &trees.Ensemble{Columns: 3, Output: 1, Base: -1, Trees: []trees.Tree{
		{{Input: 0, Value: 4, Closed: true, Left: 1, Right: 4}, {Input: 1, Value: 0.5, Left: 2, Right: 3}, trees.Leaf(0), trees.Leaf(1), trees.Leaf(0.25)},
		{{Input: 2, Value: 1, More: []float64{1.5}, Left: 1, Right: 2}, trees.Leaf(-2), trees.Leaf(0.5)},
	}}
	st := &certificate.Statement{Trees: e, Space: s, Notion: fairness.Logit, Epsilon: big.NewRat(1, 1), Claim: certificate.Claim{Kind: certificate.Fair}}
	box := func(lo, hi float64) *certificate.Leaf {
		return &certificate.Leaf{Box: space.Box{{Lo: lo, Hi: hi}, {}, {Lo: 0, Hi: 4}}}
	}
	text := write(t, st, []*certificate.Leaf{box(0, 3), box(4, 9)})
	if why := judge(t, text); why != "" {
		t.Fatal(why)
	}
	for name, m := range map[string]struct{ old, new, why string }{
		"epsilon":             {`"epsilon":"1"`, `"epsilon":"0.999"`, "does not hold"},
		"a leaf of a tree":    {`{"leaf":1}`, `{"leaf":1.001}`, "does not hold"},
		"the seal":            {`"base":-1`, `"base":-2`, ""},
		"link":                {`"link":"sigmoid"`, `"link":"tanh"`, "known: sigmoid, linear, share"},
		"an input":            {`{"input":2,`, `{"input":3,`, "compares input 3"},
		"a child":             {`"left":2,"right":3`, `"left":2,"right":2`, "two parents"},
		"a cycle":             {`"left":2,"right":3`, `"left":1,"right":3`, "not come after it"},
		"borders":             {`"borders":[1,1.5]`, `"borders":[1.5,1]`, "border 1 after 1.5"},
		"no border":           {`"borders":[1,1.5]`, `"borders":[]`, "no border"},
		"half a node":         {`{"leaf":-2}`, `{"leaf":-2,"left":1}`, "a node must have"},
		"a node of nothing":   {`{"leaf":-2}`, `{}`, "a node must have"},
		"a closed leaf":       {`{"leaf":-2}`, `{"leaf":-2,"closed":true}`, "a node must have"},
		"a network beside":    {`{"trees":`, `{"network":{"precision":32,"head":"sigmoid","layers":[]},"trees":`, "one of network and trees"},
		"an unknown field":    {`"base":-1`, `"base":-1,"missing":[]`, "unknown field"},
		"no trees' inputs":    {`{"trees":{"inputs":3`, `{"trees":{"inputs":2`, "compares input 2, want 0 to 1"},
		"a leaf less":         {`{"box":[0,3,0,4]}` + "\n", "", "it states"},
		"a hole":              {`{"box":[0,3,0,4]}`, `{"box":[0,2,0,4]}`, "no leaf covers age=3"},
		"a hole in the reals": {`{"box":[0,3,0,4]}`, `{"box":[0,3,0,3.5]}`, "no leaf covers"},
		"an overlap":          {`{"box":[0,3,0,4]}`, `{"box":[0,4,0,4]}`, "overlap"},
		"copies":              {`{"box":[0,3,0,4]}`, `{"box":[0,3,0,4],"copies":[{"protected":[0]}]}`, "copies are for networks"},
	} {
		changed := bytes.Replace(text, []byte(m.old), []byte(m.new), 1)
		if bytes.Equal(changed, text) {
			t.Fatalf("%s: nothing was changed:\n%s", name, text)
		}
		if m.why != "" {
			if d := tryParse(changed); d != nil && name != "a node of nothing" {
				d.seal(t)
				changed = d.bytes(t)
			}
		}
		if why := judge(t, changed); why == "" || !strings.Contains(why, m.why) {
			t.Errorf("%s: %q, want %q", name, why, m.why)
		}
	}
	// For a forest whose output is a share, link and notion must match.
	shares := &trees.Ensemble{Columns: 3, Output: fairness.LinkShare, Base: -fairness.Half, Trees: []trees.Tree{
		{{Input: 0, Value: 4, Closed: true, Left: 1, Right: 4}, {Input: 1, Value: 0.5, Left: 2, Right: 3}, trees.Leaf(0.25), trees.Leaf(0.5), trees.Leaf(0.25)},
		{{Input: 2, Value: 1, Left: 1, Right: 2}, trees.Leaf(0), trees.Leaf(0.5)},
	}}
	for claim, mutations := range map[certificate.Claim][][3]string{
		{Kind: certificate.Fair}: {
			{`"epsilon":"0.25"`, `"epsilon":"0.249"`, "does not hold"}, {`{"leaf":0.25},{"leaf":0.5}`, `{"leaf":0.249},{"leaf":0.5}`, "does not hold"}, {`{"leaf":0.5}`, `{"leaf":0.75}`, "want a share from 0 to 1"},
			{`"link":"share"`, `"link":"linear"`, "the notion share is not for"}, {`"notion":"share"`, `"notion":"score"`, "the notion score is not for"}, {`"notion":"share"`, `"notion":"shares"`, "share"},
		},
		{Kind: certificate.MaxK, K: 2}: {{`"k":2`, `"k":1`, "does not hold"}, {`{"leaf":0.5}`, `{"leaf":0.25}`, ""}},
	} {
		st := &certificate.Statement{Trees: shares, Space: s, Notion: fairness.Share, Epsilon: big.NewRat(1, 4), Claim: claim}
		text := write(t, st, []*certificate.Leaf{box(0, 3), box(4, 9)})
		if why := judge(t, text); why != "" {
			t.Fatal(why)
		}
		for _, m := range mutations {
			changed := bytes.Replace(text, []byte(m[0]), []byte(m[1]), 1)
			if bytes.Equal(changed, text) {
				t.Fatalf("%v: nothing was changed:\n%s", m, text)
			}
			if m[2] != "" {
				if d := tryParse(changed); d != nil {
					d.seal(t)
					changed = d.bytes(t)
				}
			}
			if why := judge(t, changed); why == "" || !strings.Contains(why, m[2]) {
				t.Errorf("%v: %q", m, why)
			}
		}
	}
	// The largest gap is 1: at 4 years and below, the sex decides.
	if lower := fmt.Sprint(largest(&certificate.Statement{Trees: e, Space: s, Notion: fairness.Logit, Region: space.Region{
		Box: space.Box{{Lo: 4, Hi: 4}, {}, {Lo: 3, Hi: 3}}, Values: s.Whole().Values,
	}})); lower != "1" {
		t.Errorf("the gap at four is %s", lower)
	}
}

// endsSoon is a context that ends at the third check.
type endsSoon struct {
	context.Context
	looks *int
}

func (c endsSoon) Err() error {
	if *c.looks++; *c.looks > 2 {
		return context.Canceled
	}
	return nil
}

// A check stops within a walk through a tree as well. Here one individual's copies reach
// two trees of 4,096 leaves without a common feature.
func TestWalksEndWithTheirContext(t *testing.T) {
	const depth = 12
	st := &certificate.Statement{Space: &space.Space{Inputs: 2*depth + 1}, Notion: fairness.Logit, Epsilon: big.NewRat(1, 2)}
	for i := range 2*depth + 1 {
		st.Space.Features = append(st.Space.Features, space.Feature{Name: fmt.Sprint("f", i), Kind: space.Integer, Hi: 1, Inputs: []space.Input{{Index: i, Scale: 1}}})
	}
	st.Space.Features[2*depth].Protected = []float64{0, 1}
	one := trees.Tree{{Input: 2 * depth, Value: 0.5}}
	var grow func(from, levels int) int32
	grow = func(from, levels int) int32 {
		at := int32(len(one))
		if levels == 0 {
			one = append(one, trees.Leaf(float64(at)))
			return at
		}
		one = append(one, trees.Node{Input: int32(from), Value: 0.5})
		left := grow(from+1, levels-1)
		right := grow(from+1, levels-1)
		one[at].Left, one[at].Right = left, right
		return at
	}
	left := grow(0, depth)
	right := grow(depth, depth)
	one[0].Left, one[0].Right = left, right
	st.Trees = &trees.Ensemble{Columns: 2*depth + 1, Trees: []trees.Tree{one}}
	of, err := newSubject(st)
	if err != nil {
		t.Fatal(err)
	}
	g, looks := newGrove(of), 0
	_, err = g.leaf(endsSoon{t.Context(), &looks}, &certificate.Leaf{Box: st.Space.Whole().Box})
	if !errors.Is(err, context.Canceled) || g.steps > 4*stepsUnseen {
		t.Errorf("%v after %d steps", err, g.steps)
	}
}
