package lime

import (
	"errors"
	"math"
)

// moments holds the sums over weighted samples (x, y) that a linear regression needs.
type moments struct {
	d int
	// y is measured from origin, the first y, so that the sums keep the differences of scores
	// that differ only in their last digits. begun: origin is set.
	begun  bool
	origin float64
	// Sums of weight, weight·x, weight·x·xᵀ (lower half, d × d), weight·y, weight·x·y
	// and weight·y².
	w, wy, wyy   float64
	wx, wxy, wxx []float64
}

func newMoments(d int) *moments {
	return &moments{d: d, wx: make([]float64, d), wxy: make([]float64, d), wxx: make([]float64, d*d)}
}

// add adds a sample to the sums. The first label becomes their origin.
func (m *moments) add(x []float64, y, weight float64) {
	if !m.begun {
		m.begun, m.origin = true, y
	}
	y -= m.origin
	m.w += weight
	m.wy += float64(weight * y)
	m.wyy += float64(weight * y * y)
	for i, v := range x {
		if v == 0 {
			continue // most entries are 0
		}
		m.wx[i] += float64(weight * v)
		m.wxy[i] += float64(weight * v * y)
		for j := range i + 1 {
			m.wxx[i*m.d+j] += float64(weight * v * x[j])
		}
	}
}

// regression is a set of moments with x and y centred at their weighted means.
type regression struct {
	d          int
	w, my, syy float64
	mx, sxy    []float64
	sxx        []float64 // d × d, both halves
}

func (m *moments) centred() *regression {
	d := m.d
	r := &regression{d: d, w: m.w, my: m.origin + m.wy/m.w, mx: make([]float64, d), sxy: make([]float64, d), sxx: make([]float64, d*d)}
	r.syy = m.wyy - m.wy*m.wy/m.w
	for i := range d {
		r.mx[i] = m.wx[i] / m.w
		r.sxy[i] = m.wxy[i] - m.wx[i]*m.wy/m.w
		for j := range i + 1 {
			s := m.wxx[i*d+j] - m.wx[i]*m.wx[j]/m.w
			r.sxx[i*d+j], r.sxx[j*d+i] = s, s
		}
	}
	return r
}

// fitted is a linear model with weights for all features, 0 for those left out.
type fitted struct {
	weights       []float64
	intercept, r2 float64
}

// independent bounds the pivots that count as rounding error, relative to the samples' total
// weight: a feature with a smaller pivot depends linearly on those before it.
const independent = 1e-12

// fit minimises Σ weight·(y − b − x·β)² + α·|β|² over these features. After centring this
// is (Sxx + αI)·β = Sxy, solved by Cholesky's method. With α = 0, features that depend
// linearly on those before them are omitted.
func (r *regression) fit(features []int, alpha float64) (*fitted, error) {
	n := len(features)
	l, b := make([]float64, n*n), make([]float64, n)
	for i, f := range features {
		for j := range i + 1 {
			sum := r.sxx[f*r.d+features[j]]
			if i == j {
				sum += alpha
			}
			for k := range j {
				sum -= float64(l[i*n+k] * l[j*n+k])
			}
			switch {
			case math.IsNaN(sum) || math.IsInf(sum, 0):
				return nil, errNotFinite
			case i != j && l[j*n+j] > 0:
				l[i*n+j] = sum / l[j*n+j]
			case i == j && sum > independent*r.w:
				l[i*n+i] = math.Sqrt(sum)
			}
		}
		if l[i*n+i] > 0 {
			b[i] = r.sxy[f]
			for k := range i {
				b[i] -= float64(l[i*n+k] * b[k])
			}
			b[i] /= l[i*n+i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		if l[i*n+i] == 0 {
			b[i] = 0
			continue
		}
		for k := i + 1; k < n; k++ {
			b[i] -= float64(l[k*n+i] * b[k])
		}
		b[i] /= l[i*n+i]
	}
	return r.model(features, b)
}

var errNotFinite = errors.New("LIME cannot fit a model: the model's scores around this point are not finite")

// model evaluates the weights of these features: R² = 1 − Σ weight·residual² / Syy.
func (r *regression) model(features []int, b []float64) (*fitted, error) {
	out := &fitted{weights: make([]float64, r.d), intercept: r.my, r2: 1}
	explained := 0.0
	for i, f := range features {
		out.weights[f] = b[i]
		out.intercept -= float64(b[i] * r.mx[f])
		explained += float64(2 * b[i] * r.sxy[f])
		for j, g := range features {
			explained -= float64(b[i] * r.sxx[f*r.d+g] * b[j])
		}
	}
	if math.IsNaN(out.intercept) || math.IsInf(out.intercept, 0) {
		return nil, errNotFinite
	}
	if r.syy > 0 {
		out.r2 = explained / r.syy
	}
	return out, nil
}
