package train

import "math"

const (
	// ln2 in two parts, so that k·ln2Hi is exact for every exponent k of a float64.
	ln2Hi = 0x1.62e42feep-1
	ln2Lo = 0x1.a39ef35793c76p-33
)

// exp is e^x, to within a few units in the last place and with the same bits
// on every processor. exp(NaN) is NaN.
func exp(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > 709.78:
		return math.Inf(1)
	case x < -708.39: // subnormal results count as zero here
		return 0
	}
	// x = k·ln2 + r with |r| ≤ ln2/2, and e^r by its Taylor series: the first
	// term left out is r^14/14!, below 5e-18.
	k := math.Round(float64(x / math.Ln2))
	r := float64(x-float64(k*ln2Hi)) - float64(k*ln2Lo)
	sum := 1.0
	for n := 13.0; n >= 1; n-- {
		sum = 1 + float64(float64(r*sum)/n)
	}
	return math.Ldexp(sum, int(k))
}

// log1p is ln(1 + t) for 0 ≤ t ≤ 1, the only range a logistic loss needs, with
// the same bits on every processor.
func log1p(t float64) float64 {
	// ln(1 + t) = 2·artanh(s), s = t/(2 + t) ≤ 1/3: the series' first term left
	// out is s^35/35, below 1e-18.
	s := float64(t / (2 + t))
	square := float64(s * s)
	sum := 0.0
	for n := 33.0; n >= 1; n -= 2 {
		sum = float64(1/n) + float64(square*sum)
	}
	return 2 * float64(s*sum)
}

// sigmoid is 1/(1 + e^−t), without overflow.
func sigmoid(t float64) float64 {
	e := exp(-math.Abs(t))
	if t >= 0 {
		return 1 / (1 + e)
	}
	return e / (1 + e)
}
