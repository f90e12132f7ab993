package quantify

import "math"

// ClopperPearson is the interval of C. J. Clopper and E. S. Pearson (The use of
// confidence or fiducial limits illustrated in the case of the binomial,
// Biometrika 26, 1934) for the share behind k hits in n draws: it holds the true
// share with at least the confidence, whatever the share is. [0, 1] for n = 0.
func ClopperPearson(k, n int, confidence float64) (lo, hi float64) {
	if n <= 0 {
		return 0, 1
	}
	tail := (1 - confidence) / 2
	lo, hi = 0, 1
	if k > 0 {
		lo = quantile(float64(k), float64(n-k+1), tail)
	}
	if k < n {
		hi = 1 - quantile(float64(n-k), float64(k+1), tail)
	}
	return lo, hi
}

// quantile returns the p at which the beta distribution with parameters a and b
// reaches the probability, by bisection.
func quantile(a, b, probability float64) float64 {
	lo, hi := 0.0, 1.0
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if beta(mid, a, b) < probability {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// beta is the regularised incomplete beta function I_x(a, b), by the continued
// fraction 26.5.8 of M. Abramowitz and I. A. Stegun, Handbook of Mathematical
// Functions, evaluated after W. J. Lentz (Applied Optics 15, 1976).
func beta(x, a, b float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2): // where the fraction converges slowly
		return 1 - beta(1-x, b, a)
	}
	const tiny, enough = 1e-300, 1e-15
	away := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/away(1-(a+b)*x/(a+1))
	value := d
	for m := 1.0; m < 100_000; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d, c = 1/away(1+even*d), away(1+even/c)
		value *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d, c = 1/away(1+odd*d), away(1+odd/c)
		step := d * c
		if value *= step; math.Abs(step-1) < enough {
			break
		}
	}
	whole, _ := math.Lgamma(a + b)
	first, _ := math.Lgamma(a)
	second, _ := math.Lgamma(b)
	return value * math.Exp(whole-first-second+a*math.Log(x)+b*math.Log1p(-x)) / a
}
