package batch

// CommonSlope returns the row of the slopes at input i that Align subtracts. The caller
// fills it in; it begins as zeros.
func (w *Workspace) CommonSlope(i int) []float64 { return w.row(w.common, 1+i) }

// Align encloses, after Bound, each lane's form f less the common slopes over the lane's
// box. It writes the enclosures to the rows mid and rad, and adds the row slack to rad.
//
// It sums one term per input, whose magnitude is at most that of the form's own term
// plus that of the common slope's. So four times the plan's Error covers the rounding if
// the common slopes are those of other lanes' forms, or lie between them.
func (w *Workspace) Align(f *Form, slack, mid, rad []float64) {
	w.alignment = alignment{
		rows: &f.slopes[f.stride], rowStride: 8 * f.stride, common: &w.common[w.Lanes()], centre: &w.centre[w.Lanes()], radius: &w.radius[w.Lanes()],
		stride: 8 * w.Lanes(), n: w.p.inputs, base: &f.Base[0], slack: &slack[0], mid: &mid[0], rad: &rad[0], octets: w.octets,
	}
	w.p.align(&w.alignment)
}
