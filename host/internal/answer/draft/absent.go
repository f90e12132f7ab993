package draft

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

// usualAbsent lists numbers that commonly stand for a missing value. A sparse matrix omits
// zeros.
var usualAbsent = []float64{0, -1, -999, 9999, -9999, 999, 99, -99, 9, -9, 99999, -99999, 98, 97, 88, 8, 77, 7, 1e6, 999999}

// absent returns the model with v as its missing value; ok is false unless the model is trees.
func absent(m model.Model, v float64) (_ model.Model, ok bool) {
	e, ok := m.(*trees.Ensemble)
	if !ok {
		return m, false
	}
	return e.Absent(float32(v)), true
}

// absences lists numbers that may stand for a missing value: the usual ones and the ends of
// each column, or all values of a column with few.
func (a *arrangement) absences() []float64 {
	out := slices.Clone(usualAbsent)
	for i := range a.features {
		c := a.features[i].from
		k := a.view.of[c]
		if a.features[i].Kind == space.Categorical {
			continue
		}
		if out = append(out, k.lo, k.hi); len(c.texts) <= fewValues {
			out = append(out, c.numbers[:min(len(c.numbers), 1000)]...)
		}
	}
	var different []float64
	for _, v := range out {
		if !math.IsNaN(v) && !math.IsInf(float64(float32(v)), 0) && !slices.Contains(different, v) {
			different = append(different, v)
		}
	}
	return different
}

// unsaid reports whether the file's format does not store which value stands for a missing one.
func (d *drafter) unsaid() bool { return strings.HasPrefix(d.info.Format, "xgboost") }

// absentByScores looks for a missing value, in all inputs or in some columns, with which an
// arrangement gives the scores. If it finds one in all inputs, it sets d.model accordingly.
func (d *drafter) absentByScores(tried []arrangement, scores []float64, bound float64) (arrangement, bool) {
	first := tried[:min(len(tried), 40)]
	var values []float64
	for i := range first {
		for _, v := range first[i].absences() {
			if !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
	}
	for _, v := range values {
		m, ok := absent(d.model, v)
		for i := range first {
			if a := &first[i]; ok && a.gives(m, scores, bound) {
				d.absent, d.model = &v, m
				a.how += fmt.Sprintf(", %s standing for a missing value", decimal(v))
				return *a, true
			}
		}
	}
	for i := range tried[:min(len(tried), mostLooks)] {
		if a, ok := d.absentInColumns(tried[i], scores, bound); ok {
			return a, true
		}
	}
	return arrangement{}, false
}

// mostAbsent bounds the pairs of column and missing value that absentInColumns finds.
const mostAbsent = 8

// doubtAbsent adds a doubt about features whose domain has the number that stands for a missing
// value while no row has it: there it may be an ordinary value.
func (d *drafter) doubtAbsent() {
	if d.absent == nil {
		return
	}
	var names []string
	for i := range d.chosen.features {
		f := &d.chosen.features[i]
		if f.Kind == space.Categorical {
			continue
		}
		v := (*d.absent - f.Inputs[0].Offset) / f.Inputs[0].Scale
		if f.Lo <= v && v <= f.Hi && (f.Kind == space.Real || v == math.Trunc(v)) && !slices.ContainsFunc(d.chosen.view.rows, func(row int) bool { return f.from.numbers[row] == v }) {
			names = append(names, f.Name)
		}
	}
	if names != nil {
		d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("no row has %s, which stands for a missing value, in %s: that it does so there, too, is a guess", decimal(*d.absent), strings.Join(names, ", ")))
	}
}

// absentInColumns marks numbers of single columns as missing, each time the one that most
// reduces the distance to the scores, until the model gives all of them.
func (d *drafter) absentInColumns(a arrangement, scores []float64, bound float64) (arrangement, bool) {
	if _, ok := d.model.(*trees.Ensemble); !ok {
		return a, false
	}
	t := truth{scores: scores}
	texts := map[*column][]string{} // by original column
	from := make([]*column, len(a.features))
	for i := range a.features {
		from[i] = a.features[i].from
	}
	a.judge(d.model, t, 1000)
	for range mostAbsent {
		best, at, what := a, -1, ""
		for i := range a.features {
			f := &a.features[i]
			if k := a.view.of[f.from]; f.from.numeric && !f.from.dated && f.Kind == space.Integer && f.inputs == "" && k.lo < k.hi {
				for _, v := range append(slices.Clone(usualAbsent), k.lo, k.hi) {
					text := slices.IndexFunc(f.from.texts, func(text string) bool { n, ok := d.table.format.Number(text); return ok && n == v })
					if text < 0 {
						continue
					}
					b := a.without(i, f.from.texts[text])
					if b.judge(d.model, t, 1000); b.fit.loss < best.fit.loss {
						best, at, what = b, i, f.from.texts[text]
					}
				}
			}
		}
		if at < 0 {
			return a, false
		}
		a = best
		texts[from[at]] = append(texts[from[at]], what)
		if a.gives(d.model, scores, bound) {
			for i := range a.features {
				if marks := texts[from[i]]; marks != nil {
					f := &a.features[i]
					from[i].miss(marks)
					a.view.of[from[i]] = a.view.of[f.from]
					f.from = from[i]
					f.why = append(f.why, fmt.Sprintf("certain: the model gives the scores only if %s stands for a missing value", strings.Join(marks, " and ")))
				}
			}
			return a, true
		}
	}
	return a, false
}

// without marks a text as missing in the column of the i-th feature, and returns the resulting
// arrangement.
func (a arrangement) without(i int, text string) arrangement {
	a.features = slices.Clone(a.features)
	v := *a.view
	v.of = map[*column]*kept{}
	for c, k := range a.view.of {
		v.of[c] = k
	}
	f := &a.features[i]
	c := *f.from
	c.codes, c.numbers, c.marks, c.odd, c.oddRows = slices.Clone(c.codes), slices.Clone(c.numbers), slices.Clip(c.marks), slices.Clip(c.odd), nil
	c.miss([]string{text})
	f.from, f.sent = &c, true
	f.why = slices.Clip(f.why)
	v.of[&c] = c.kept(v.rows, v.drop)
	f.Lo, f.Hi = v.of[&c].lo, v.of[&c].hi
	a.view = &v
	return a
}

// absentByLabels looks for the missing value that best fits the labels, or the numbers to predict.
// It takes one, with a doubt, if its loss is far below the loss without a missing value and below
// that of a constant score, and not above the loss of the best other arrangement (than).
func (d *drafter) absentByLabels(a *arrangement, t truth, than float64) {
	doubt := "the file does not say which value stood for a missing one: if it was trained with missing=, or with sparse matrices (such as OneHotEncoder's, whose zeros count as missing: missing: 0), write model: {file:" + scalar(relative(d.Out, d.Model)) + ", missing: VALUE}; --scores finds it"
	if t.labels != nil || t.numbers != nil {
		own := d.model
		a.judge(own, t, 300)
		few := a.fit
		a.judge(own, t, 3000)
		was, least := a.fit, a.fit
		var best float64
		for _, v := range a.absences() {
			m, ok := absent(own, v)
			if a.judge(m, t, 300); !ok || a.fit.loss >= few.loss {
				continue
			}
			if a.judge(m, t, 3000); a.fit.loss < least.loss {
				least, best, d.model = a.fit, v, m
			}
		}
		if a.fit = least; a.tells(t) && least.loss < was.loss-a.closely(t) && least.loss <= than && !(least.accuracy <= was.accuracy) {
			d.absent = &best
			doubt = fmt.Sprintf("the file does not say which value stood for a missing one: with %s the model fits the label far better than without (%s; without %s), so the study says missing: %s; check that with --scores", decimal(best), least.said(), was.said(), decimal(best))
		} else {
			if d.model, a.fit = own, was; least.loss < was.loss-a.closely(t)/10 {
				doubt += fmt.Sprintf("; with %s the model fits the label a little better (%s; without %s)", decimal(best), least.said(), was.said())
			}
		}
	}
	d.out.Doubts = append(d.out.Doubts, doubt)
}
