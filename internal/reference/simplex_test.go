package reference

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// The optimum of a linear program over a bounded box in the plane lies where
// two of its lines cross: an independent way to find it.
func TestSimplexFindsTheBestVertex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string) *big.Rat {
			return big.NewRat(int64(rapid.IntRange(-6, 6).Draw(t, name)), int64(rapid.IntRange(1, 3).Draw(t, name)))
		}
		rows := []inequality{line(1, 0, 5), line(-1, 0, 5), line(0, 1, 4), line(0, -1, 4)}
		for range rapid.IntRange(0, 4).Draw(t, "rows") {
			rows = append(rows, inequality{[]*big.Rat{number("a"), number("a")}, number("b")})
		}
		c := []*big.Rat{number("c"), number("c")}
		var best *big.Rat
		for i := range rows {
			for j := range i {
				p := crossing(rows[i], rows[j])
				if p == nil || !satisfies(rows, p) {
					continue
				}
				if v := dot(c, p); best == nil || v.Cmp(best) > 0 {
					best = v
				}
			}
		}
		x, status := maximise(rows, c)
		switch {
		case best == nil && status != lpInfeasible:
			t.Fatalf("found %v in an empty set", x)
		case best != nil && (status != lpOptimal || !satisfies(rows, x) || dot(c, x).Cmp(best) != 0):
			t.Fatalf("status %d at %v, want the value %v", status, x, best)
		}
	})
}

func TestSimplexWithoutBounds(t *testing.T) {
	for _, k := range []struct {
		rows []inequality
		c    []*big.Rat
		want lpStatus
	}{
		{nil, ints(0, 0), lpOptimal},
		{nil, ints(1, 0), lpUnbounded},
		{[]inequality{line(1, 1, 3)}, ints(1, 1), lpOptimal},
		{[]inequality{line(1, 1, 3)}, ints(1, 2), lpUnbounded},
		{[]inequality{line(1, 1, 3), line(-1, -1, -4)}, ints(1, 2), lpInfeasible},
		{[]inequality{line(0, 0, -1)}, ints(0, 0), lpInfeasible},
	} {
		x, status := maximise(k.rows, k.c)
		if status != k.want || status != lpInfeasible && !satisfies(k.rows, x) {
			t.Errorf("%v: status %d at %v, want %d", k.rows, status, x, k.want)
		}
	}
}

func ints(v ...int64) []*big.Rat {
	out := make([]*big.Rat, len(v))
	for i, x := range v {
		out[i] = big.NewRat(x, 1)
	}
	return out
}

func line(a, b, limit int64) inequality { return inequality{ints(a, b), big.NewRat(limit, 1)} }

func dot(a, x []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for i := range a {
		sum.Add(sum, new(big.Rat).Mul(a[i], x[i]))
	}
	return sum
}

func satisfies(rows []inequality, x []*big.Rat) bool {
	for _, r := range rows {
		if dot(r.a, x).Cmp(r.b) > 0 {
			return false
		}
	}
	return true
}

// crossing returns the point where two lines meet, by Cramer's rule; nil if there is
// none.
func crossing(p, q inequality) []*big.Rat {
	minus := func(a, b, c, d *big.Rat) *big.Rat {
		return new(big.Rat).Sub(new(big.Rat).Mul(a, b), new(big.Rat).Mul(c, d))
	}
	det := minus(p.a[0], q.a[1], p.a[1], q.a[0])
	if det.Sign() == 0 {
		return nil
	}
	return []*big.Rat{
		new(big.Rat).Quo(minus(p.b, q.a[1], p.a[1], q.b), det),
		new(big.Rat).Quo(minus(p.a[0], q.b, p.b, q.a[0]), det),
	}
}
