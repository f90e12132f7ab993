package statistics

import "testing"

// J. Demšar's example (2006, table 6 and section 3.2.2): four algorithms on 14 data sets.
func TestDemsar(t *testing.T) {
	networks := [][]float64{
		{.763, .768, .771, .798}, {.599, .591, .590, .569}, {.954, .971, .968, .967}, {.628, .661, .654, .657}, {.882, .888, .886, .898},
		{.936, .931, .916, .931}, {.661, .668, .609, .685}, {.583, .583, .563, .625}, {.775, .838, .866, .875}, {1, 1, 1, 1},
		{.940, .962, .965, .962}, {.619, .666, .614, .669}, {.972, .981, .9751, .975}, {.957, .978, .946, .970},
	}
	if chi2, p := Friedman(networks); p >= 0.05 || chi2 < 9 || chi2 > 10.5 {
		t.Errorf("χ² %v, p %v", chi2, p)
	}
	if cd := CriticalDifference(4, 14); !near(cd, 1.25, 0.005) {
		t.Errorf("critical difference %v", cd)
	}
	if cd := CriticalDifference(10, 10); !near(cd, 3.164*1.3540064, 0.002) { // its table 5
		t.Errorf("critical difference %v", cd)
	}
}

func TestWilcoxonByHand(t *testing.T) {
	for _, c := range []struct {
		d []float64
		p float64
	}{
		{nil, 1},
		{[]float64{0, 0}, 1},
		{[]float64{1, 2, 3, 4, 5, 6}, 2.0 / 64},
		{[]float64{1, -1}, 1},
		{[]float64{1, 1, 1, 1, -1}, 2 * 6.0 / 32}, // the sums of 3 and of 0 of five equal ranks
	} {
		if p := Wilcoxon(c.d); !near(p, c.p, 1e-12) {
			t.Errorf("%v: %v, want %v", c.d, p, c.p)
		}
	}
}
