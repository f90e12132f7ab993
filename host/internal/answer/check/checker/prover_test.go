package checker

import (
	"bytes"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// The reference prover: its own floating-point bounds, parallel lines, and bisection. It is
// simple, not strong. It widens its claims by far more than its rounding errors.

const slack = 1e-7

// bounds encloses the logit at one protected combination over the box, and returns its
// slopes. It treats network inputs as independent.
func bounds(st *certificate.Statement, box space.Box, protected []float64) (space.Interval, []sdk.Slope) {
	s := st.Space
	point := make([]float64, len(s.Features))
	lo, hi := make([]float64, s.Inputs), make([]float64, s.Inputs)
	k := 0
	for i := range s.Features {
		f := &s.Features[i]
		iv := box[i]
		if f.IsProtected() {
			iv = space.Interval{Lo: protected[k], Hi: protected[k]}
			k++
		}
		point[i] = iv.Lo
		for n := range f.Inputs {
			in := &f.Inputs[n]
			ends := []float64{in.Scale*iv.Lo + in.Offset, in.Scale*iv.Hi + in.Offset}
			if in.Table != nil {
				ends = in.Table[int(iv.Lo-f.Lo) : int(iv.Hi-f.Lo)+1]
			}
			lo[in.Index], hi[in.Index] = math.Inf(1), math.Inf(-1)
			for _, v := range ends {
				lo[in.Index], hi[in.Index] = math.Min(lo[in.Index], v), math.Max(hi[in.Index], v)
			}
		}
	}
	// rows[j] is the form of unit j: a constant and coefficients of variables in [0, 1].
	rows := make([][]float64, s.Inputs)
	for j := range rows {
		rows[j] = make([]float64, 1+s.Inputs)
		rows[j][0], rows[j][1+j] = lo[j], hi[j]-lo[j]
	}
	enclose := func(row []float64) (l, u float64) {
		l, u = row[0], row[0]
		for _, c := range row[1:] {
			l, u = l+math.Min(0, c), u+math.Max(0, c)
		}
		return l, u
	}
	var slopes []sdk.Slope
	for k := range st.Network.Layers {
		layer := &st.Network.Layers[k]
		next := make([][]float64, layer.Out)
		for j := range next {
			next[j] = make([]float64, len(rows[0]))
			next[j][0] = layer.Bias[j]
			for i, w := range layer.Row(j) {
				for v := range rows[i] {
					next[j][v] += w * rows[i][v]
				}
			}
		}
		rows = next
		if !layer.ReLU {
			continue
		}
		for j := range rows {
			l, u := enclose(rows[j])
			slope, mu := 1.0, 0.0
			switch {
			case u <= -slack:
				slope = 0
			case l < slack:
				slope = math.Min(1, math.Max(0, u/(u-l)))
				slopes = append(slopes, sdk.Slope{Layer: k, Neuron: j, Value: slope})
				mu = math.Max(-slope*l, (1-slope)*u)
			}
			for v := range rows[j] {
				rows[j][v] *= slope
			}
			for o := range rows {
				if o == j {
					rows[o] = append(rows[o], mu)
				} else {
					rows[o] = append(rows[o], 0)
				}
			}
		}
	}
	if st.Network.Head == relu.HeadSoftmax {
		for v := range rows[0] {
			rows[0][v] = rows[1][v] - rows[0][v]
		}
	}
	l, u := enclose(rows[0])
	wide := slack * (1 + math.Abs(l) + math.Abs(u))
	return space.Interval{Lo: l - wide, Hi: u + wide}, slopes
}

// copies bounds every combination that the checker would ask for.
func copies(st *certificate.Statement, r *reach, box space.Box) []sdk.CopyProof {
	out := []sdk.CopyProof{}
	for _, c := range r.allowed(box) {
		logit, slopes := bounds(st, box, r.combinations[c])
		out = append(out, sdk.CopyProof{Protected: r.combinations[c], Logit: logit, Slopes: slopes})
	}
	return out
}

// worst is the largest gap, margin or k that the enclosures allow.
func worst(st *certificate.Statement, of []sdk.CopyProof) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, c := range of {
		lo, hi = math.Min(lo, c.Logit.Lo), math.Max(hi, c.Logit.Hi)
	}
	if st.Claim.Kind == certificate.MaxK {
		var rats []enclosure
		for _, c := range of {
			rats = append(rats, enclosure{lo: new(big.Rat).SetFloat64(c.Logit.Lo), hi: new(big.Rat).SetFloat64(c.Logit.Hi)})
		}
		bins := fairness.LinkSigmoid.Binning(st.Epsilon, nil)
		return float64(maxBins(&bins, rats))
	}
	if len(of) < 2 {
		return math.Inf(-1)
	}
	switch st.Notion {
	case fairness.Score:
		return fairness.Sigmoid(hi) - fairness.Sigmoid(lo) + slack
	case fairness.Logit, fairness.Share:
		return hi - lo
	case fairness.Decision:
		if lo > 0 {
			return math.Inf(-1)
		}
		return hi
	}
	return math.Min(hi, -lo)
}

// prove bisects the region into leaves with worst ≤ most. With cuts < 0 it continues down
// to boxes of few individuals, to be enumerated. Otherwise it stops after that many
// consecutive cuts, and reached is the bound proved.
func prove(r *rand.Rand, st *certificate.Statement, most float64, cuts int) (leaves []*certificate.Leaf, reached float64) {
	reach := newReach(st)
	reached = math.Inf(-1)
	var settle func(box space.Box, left int)
	settle = func(box space.Box, left int) {
		of := copies(st, reach, box)
		w := worst(st, of)
		var wide []int
		for _, i := range st.Space.Free() {
			if box[i].Lo < box[i].Hi {
				wide = append(wide, i)
			}
		}
		if w <= most || left == 0 || left > 0 && len(wide) == 0 {
			reached = math.Max(reached, w)
			leaves = append(leaves, &certificate.Leaf{Box: box, Copies: of})
			return
		}
		if left < 0 && Points(st.Space, box).Cmp(big.NewInt(4)) <= 0 {
			leaves = append(leaves, &certificate.Leaf{Box: box, Enumerated: true})
			return
		}
		i := wide[r.IntN(len(wide))]
		low, high := space.Bisect(box[i], st.Space.Features[i].Discrete())
		for _, half := range []space.Interval{low, high} {
			part := append(space.Box(nil), box...)
			part[i] = half
			settle(part, left-1)
		}
	}
	settle(st.RegionOrWhole().Box, cuts)
	r.Shuffle(len(leaves), func(i, j int) { leaves[i], leaves[j] = leaves[j], leaves[i] })
	return leaves, reached
}

// write makes a certificate of the statement and the leaves.
func write(t testing.TB, st *certificate.Statement, leaves []*certificate.Leaf) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := certificate.NewWriter(&b, *st)
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

// judge checks a certificate and returns the reason of a refusal, empty if accepted.
func judge(t testing.TB, text []byte) string {
	t.Helper()
	r, err := certificate.NewReader(bytes.NewReader(text))
	if err != nil {
		return "not read: " + err.Error()
	}
	report, err := Run(t.Context(), r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report.Refusal == nil {
		return ""
	}
	return report.Refusal.String()
}

// individuals calls visit with the exact logits of every individual of the statement. The
// space must not have real features.
func individuals(st *certificate.Statement, visit func(x []float64, logits []*big.Rat)) {
	q := &problem.Query{Space: st.Space, Region: st.RegionOrWhole(), Require: st.Require, Forbid: st.Forbid}
	exact := st.Model().Exact()
	for x := range q.Space.Individuals(q.Region.Box) {
		if logits := q.Logits(exact, x); q.Describes(x) && len(logits) > 0 {
			visit(x, logits)
		}
	}
}

// holds decides the claim by enumeration.
func holds(st *certificate.Statement) bool {
	ok := true
	individuals(st, func(_ []float64, logits []*big.Rat) { ok = ok && holdsAt(st, logits) })
	return ok
}

func holdsAt(st *certificate.Statement, logits []*big.Rat) bool {
	yes := func(l *big.Rat) bool { return st.Rule.Yes(st.Model().Link(), l) }
	switch st.Claim.Kind {
	case certificate.Fair:
		if st.Notion == fairness.Decision {
			return !slices.ContainsFunc(logits, func(l *big.Rat) bool { return yes(l) != yes(logits[0]) })
		}
		return !st.Notion.Violates(logits, st.Epsilon)
	case certificate.MaxK:
		bins := st.Model().Link().Binning(st.Epsilon, st.Bands)
		return bins.K(logits) <= st.Claim.K
	}
	if st.Notion == fairness.Decision {
		no := slices.ContainsFunc(logits, func(l *big.Rat) bool { return !yes(l) })
		return !no || !slices.ContainsFunc(logits, func(l *big.Rat) bool { return yes(new(big.Rat).Sub(l, st.Claim.Bound)) })
	}
	first, second, ok := st.Notion.Pair(logits)
	if !ok {
		return true
	}
	a, b, most := logits[first], logits[second], st.Claim.Bound
	switch st.Notion {
	case fairness.Score:
		return !fairness.GapExceeds(a, b, most)
	case fairness.Logit, fairness.Share:
		return new(big.Rat).Sub(a, b).Cmp(most) <= 0
	}
	return a.Cmp(most) <= 0 || new(big.Rat).Neg(b).Cmp(most) <= 0
}
