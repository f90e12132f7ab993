package batch

// CommonSlope is the row of the slopes at input i that Align takes off, for the caller
// to fill in; zeros to begin with.
func (w *Workspace) CommonSlope(i int) []float64 { return w.row(w.common, 1+i) }

// Align encloses, after Bound, what is left of a form of each lane over its box
// when the common slopes are taken off: the rows mid ± rad. slack is a row that is
// added to rad.
//
// It is one sum of as many terms as inputs, of magnitudes at most those of the
// form's own and the common slopes', so that four times the plan's Error covers
// its rounding where these are slopes of other lanes' forms or between such.
func (w *Workspace) Align(f *Form, slack, mid, rad []float64) {
	w.alignment = alignment{
		rows: &f.slopes[f.stride], rowStride: 8 * f.stride, common: &w.common[w.Lanes()], centre: &w.centre[w.Lanes()], radius: &w.radius[w.Lanes()],
		stride: 8 * w.Lanes(), n: w.p.inputs, base: &f.Base[0], slack: &slack[0], mid: &mid[0], rad: &rad[0], octets: w.octets,
	}
	w.p.align(&w.alignment)
}
