package notion

import "math"

// Tangent is a line in the plane of two logits p and q: if σ(p) exceeds σ(q) by more than some v,
// Up·p − Down·q exceeds Beyond.
type Tangent struct{ Up, Down, Beyond float64 }

// touched are the points at which Tangents touch, as shares of 1 − v, the middle first.
var touched = [...]float64{0.5, 0.25, 0.75, 0.1, 0.9, 0.03, 0.97, 0.005, 0.995}

// Tangents appends to out tangents of the set of all p and q with σ(p) − σ(q) > v. The first has equal weights.
// There are none for a v outside 2⁻³⁰ to 1 − 2⁻³⁰.
//
// For v > 0 the set is convex, since logit(v + σ(q)) is convex in q. At σ(q) = s, its border is touched by the
// line with Up : Down = σ'(p) : σ'(q) = (v+s)(1−v−s) : s(1−s).
func Tangents(v float64, out []Tangent) []Tangent {
	if !(v >= 0x1p-30 && v <= 1-0x1p-30) {
		return out
	}
	for _, share := range touched {
		s := (1 - v) * share
		up, down := (v+s)*(1-v-s), s*(1-s)
		if share == 0.5 {
			up = down
		}
		m := max(up, down)
		t := Tangent{Up: up / m, Down: down / m}
		t.Beyond = t.at(v, s)
		out = append(out, t)
	}
	return out
}

// Alone returns what the larger of two logits, and the negative of the smaller one, exceed if their scores differ by more
// than v, because scores lie between 0 and 1: logit(v), or slightly less.
func Alone(v float64) float64 { return logit(v) - touching }

// at returns the Beyond of the line with t's slope through the border at σ(q) = s, rounded down.
// At the point of contact it is the least on the border, so an error δ of s counts only as δ².
func (t *Tangent) at(v, s float64) float64 {
	return t.Up*math.Log((v+s)/(1-v-s)) - t.Down*math.Log(s/(1-s)) - touching
}

// touching exceeds the error of at: v + s and 1 − v − s are at least 0.005·min(½, 1 − v), so their
// relative error is 2⁻⁴⁴, and logarithms below 32 have an error of 2⁻⁴⁶.
const touching = 0x1p-40

// Most bounds σ(p) − σ(q) for all p and q with Up·p − Down·q ≤ most, to about 2⁻¹¹.
func (t *Tangent) Most(most float64) float64 {
	least, bound := 0.0, 1.0
	for range 11 {
		// The line touches at the s with (v+s)(1−v−s)·Down = s(1−s)·Up; there is one below 1 − v.
		v := (least + bound) / 2
		a, b, c := t.Up-t.Down, t.Down*(1-2*v)-t.Up, t.Down*v*(1-v)
		if s := 2 * c / (math.Sqrt(b*b-4*a*c) - b); t.at(v, s) >= most {
			bound = v
		} else {
			least = v
		}
	}
	return bound
}
