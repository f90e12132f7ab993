package train

import "math"

// Loss is what training minimises: the loss of one row with the given logit and
// label (0 or 1), and its derivative by the logit. It must be a pure function,
// and for runs with the same bits everywhere it must follow the rules of the
// package comment.
type Loss func(logit float64, label int) (value, slope float64)

// CrossEntropy is binary cross-entropy as a function of the logit t, in a form
// that cannot overflow: ln(1 + e^t) − y·t, with slope σ(t) − y.
func CrossEntropy(logit float64, label int) (value, slope float64) {
	y := float64(label)
	value = max(logit, 0) - float64(y*logit) + log1p(exp(-math.Abs(logit)))
	return value, sigmoid(logit) - y
}
