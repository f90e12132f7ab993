package evaluate

// Bound is the kernel's error bound, +Inf where each logit is computed on its own.
func Bound(e *Evaluator) float64 { return e.bound }
