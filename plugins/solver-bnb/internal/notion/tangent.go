package notion

import "math"

// Tangent is a line in the plane of two logits p and q: where σ(p) is more than some v above σ(q),
// Up·p − Down·q is more than Beyond.
type Tangent struct{ Up, Down, Beyond float64 }

// touched are the shares of 1 − v at which Tangents touch, the middle first.
var touched = [...]float64{0.5, 0.25, 0.75, 0.1, 0.9, 0.03, 0.97, 0.005, 0.995}

// Tangents appends to out tangents of the set of all p and q with σ(p) − σ(q) > v. The first
// is that of p − q. There are none for a v outside 2⁻³⁰ to 1 − 2⁻³⁰.
//
// For v > 0 the set is convex, as logit(v + σ(q)) is in q. Where σ(q) = s, its border is touched by the line with
// Up : Down = σ'(p) : σ'(q) = (v+s)(1−v−s) : s(1−s).
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

// Alone is what the larger of two logits, and the smaller one with the other sign, are more than where their scores are more than v apart, as no score is
// negative, or more than 1: logit(v), or a little less.
func Alone(v float64) float64 { return logit(v) - touching }

// at is where the line with t's slope through the border at σ(q) = s lies, rounded down. Where it
// touches there, it is the least on the border, so an error δ of s counts as δ² only.
func (t *Tangent) at(v, s float64) float64 {
	return t.Up*math.Log((v+s)/(1-v-s)) - t.Down*math.Log(s/(1-s)) - touching
}

// touching outweighs the error of at: v + s and 1 − v − s are at least 0.005·min(½, 1 − v), and so good to
// 2⁻⁴⁴ of themselves, and logarithms below 32 to 2⁻⁴⁶.
const touching = 0x1p-40

// Most bounds σ(p) − σ(q) for all p and q with Up·p − Down·q at most most, to 2⁻¹¹ or so.
func (t *Tangent) Most(most float64) float64 {
	least, bound := 0.0, 1.0
	for range 11 {
		// With (v+s)(1−v−s)·Down = s(1−s)·Up the line touches at s, of which there is one below 1 − v.
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
