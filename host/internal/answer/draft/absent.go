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

// usualAbsent are the numbers that data commonly has where there is none. Zeros are also what a sparse matrix leaves out.
var usualAbsent = []float64{0, -1, -999, 9999, -9999, 999, 99, -99, 9, -9, 99999, -99999, 98, 97, 88, 8, 77, 7, 1e6, 999999}

// absent is the model with a number that stands for a missing value; ok: it is trees.
func absent(m model.Model, v float64) (_ model.Model, ok bool) {
	e, ok := m.(*trees.Ensemble)
	if !ok {
		return m, false
	}
	return e.Absent(float32(v)), true
}

// absences are the numbers that may stand for a missing value: the usual ones, and of each column the ends, or all
// where these are few.
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

// unsaid reports a file that does not hold which value stood for a missing one.
func (d *drafter) unsaid() bool { return strings.HasPrefix(d.info.Format, "xgboost") }

// absentByScores looks for the number that stands for a missing value, in all inputs or in some columns, with which
// one of the arrangements gives the scores; the model becomes the one that takes it so.
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

// mostAbsent bounds the columns in which a number is found to stand for a missing value.
const mostAbsent = 8

// doubtAbsent says of which features no row has the number that stands for a missing value, though the domain does:
// there it may be one as well.
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
		d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("no row has the %s that stands for a missing value in %s, so that it does so there, too, is a guess", decimal(*d.absent), strings.Join(names, ", ")))
	}
}

// absentInColumns adds columns in which a number stands for a missing value, each time the one that brings the scores
// nearest, until all are met.
func (d *drafter) absentInColumns(a arrangement, scores []float64, bound float64) (arrangement, bool) {
	if _, ok := d.model.(*trees.Ensemble); !ok {
		return a, false
	}
	t := truth{scores: scores}
	texts := map[*column][]string{} // by the column as it was
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
					f.why = append(f.why, fmt.Sprintf("certain: %s stands for a missing value, since only so the scores are met", strings.Join(marks, " and ")))
				}
			}
			return a, true
		}
	}
	return a, false
}

// without is the arrangement with a text of a feature's column for a missing value.
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

// absentByLabels asks the labels, or the numbers that the model predicts, which number stands for a missing value. What
// fits them better by far, than a constant score and than another arrangement's loss, is taken, with a doubt; none is
// certain.
func (d *drafter) absentByLabels(a *arrangement, t truth, than float64) {
	doubt := "the file does not say which value stood for a missing one: if missing= was given in training, or the model gets sparse matrices (as OneHotEncoder makes them, whose zeros are missing values: missing: 0), say so by model: {file: " + scalar(relative(d.Out, d.Model)) + ", missing: VALUE}; --scores finds it"
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
