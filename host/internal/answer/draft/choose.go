package draft

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

// arrange determines the features in the order of the model's inputs.
func (d *drafter) arrange() (arrangement, error) {
	views, err := d.views()
	switch {
	case err != nil:
		return arrangement{}, err
	case d.model == nil:
		return d.plainly(views[0]), nil
	case d.Inputs != "":
		return d.paired(views)
	}
	t := d.truth
	if d.Scores != "" {
		if t.scores, views, err = readScores(d.Scores, d.table, views); err != nil {
			return arrangement{}, err
		}
		d.sigmoid(t.scores)
	}
	all, names := d.possible(views)
	if len(all) == 0 {
		d.lack = fmt.Sprintf("the model takes %d inputs, and no encoding that was tried makes that number from the columns: give its inputs for these rows with --inputs", d.model.Inputs())
		if unmade := d.unmade(views[0]); unmade != nil {
			d.lack = d.missed(unmade)
		}
		d.out.Doubts = append(d.out.Doubts, d.lack)
		return d.plainly(views[0]), nil
	}
	tried := d.normalised(all, d.scaled(all, t), t)
	switch {
	case t.scores != nil:
		return d.solved(d.judged(tried, t), all, t.scores, names)
	case t.labels == nil && t.numbers == nil:
		d.out.Doubts = append(d.out.Doubts, "there is no label to judge by: the study feeds the columns in their order, and numbers unchanged")
		return d.held(tried[0])
	}
	return d.fitted(tried, t, names)
}

// sigmoid appends a sigmoid to a network that ends in a linear unit, if all scores are from 0
// to 1 and the model does not predict a number: a study then takes the output as a logit and
// scores as probabilities.
func (d *drafter) sigmoid(scores []float64) {
	n, ok := d.model.(*relu.Network)
	if !ok || n.Head != relu.HeadLinear || d.truth.numbers != nil || slices.ContainsFunc(scores, func(v float64) bool { return !(v >= 0 && v <= 1) }) {
		return
	}
	with := *n
	with.Head = relu.HeadSigmoid
	d.plain, d.model = n, &with
}

// views returns the selections of rows to try: the rows without missing values and, if marks of
// missing values may be categories, the rows with these categories.
func (d *drafter) views() ([]*selection, error) {
	fill := (len(d.info.Fills) > 0 || d.sends()) && d.Inputs == ""
	views := []*selection{d.table.see(d.usable, d.label, true, fill)}
	if d.categoriesOfGaps() {
		views = append(views, d.table.see(d.usable, d.label, false, fill))
	}
	views = slices.DeleteFunc(views, func(v *selection) bool { return len(v.rows) == 0 })
	if len(views) == 0 {
		return nil, fmt.Errorf("%s: every row has a missing value: fill these cells, or remove the columns that have them", d.Data)
	}
	common := views[0].rows
	if d.sends() { // a pipeline may treat missing values differently than its file
		if whole := d.table.see(d.usable, d.label, true, false).rows; len(whole) > 0 {
			common = whole
		}
	}
	for _, v := range views {
		v.common = common
	}
	return views, nil
}

// sends reports whether the model's trees have a branch for missing values.
func (d *drafter) sends() bool {
	_, trees := d.model.(*trees.Ensemble)
	return trees
}

// forgets reports whether the model is an ONNX file of trees in which a missing value fails
// every comparison.
func (d *drafter) forgets() bool {
	e, ok := d.model.(*trees.Ensemble)
	return ok && d.info.Format == "onnx" && !slices.ContainsFunc(e.Trees, func(t trees.Tree) bool {
		return slices.ContainsFunc(t, func(n trees.Node) bool { return !n.IsLeaf() && n.Missing })
	})
}

// possible returns the candidate arrangements: by the names of the model's inputs, if it has
// names, else those with as many inputs.
func (d *drafter) possible(views []*selection) (all []arrangement, names bool) {
	for _, v := range slices.Backward(views) {
		if a, ok := v.named(d.usable, d.info.InputNames); ok && len(d.info.InputNames) == d.model.Inputs() && (v == views[0] || !a.blindTo()) {
			if all = append(all, a); !a.numbered() {
				break
			}
		}
	}
	if names = len(all) > 0; !names {
		for _, v := range views {
			all = append(all, v.arrangements(d.usable, d.model.Inputs())...)
		}
	}
	if !names && len(d.info.InputNames) == d.model.Inputs() {
		all = slices.DeleteFunc(all, func(a arrangement) bool { return a.mismatch(&d.info) != "" })
		if unmade := d.unmade(views[0]); unmade != nil {
			d.unnamed = fmt.Sprintf("the model takes %s, and no column has such a name: which column feeds which input is a guess", quoted(unmade, mostQuoted))
		} else {
			d.unnamed = fmt.Sprintf("the model calls its inputs %s, and the file's columns do not match these names: which column feeds which input is a guess", quoted(d.info.InputNames, mostQuoted))
		}
		if len(all) > 0 {
			d.out.Doubts = append(d.out.Doubts, d.unnamed)
		}
	}
	for i := range all {
		all[i].fill(d.info.Fills, d.sends())
	}
	return all, names
}

// unmade returns the model's inputs whose names match no column; nil if no name matches.
func (d *drafter) unmade(v *selection) (names []string) {
	for _, name := range d.info.InputNames {
		if _, _, ok := v.source(d.usable, name); !ok {
			names = append(names, name)
		}
	}
	if len(names) == len(d.info.InputNames) {
		return nil
	}
	return names
}

// missed says of each input without a column whether the column of its name is not used, or
// does not exist.
func (d *drafter) missed(unmade []string) string {
	var without, reasons []string
	for _, name := range unmade {
		if i := slices.IndexFunc(d.left, func(left string) bool { return strings.HasPrefix(left, name+" (") }); i >= 0 {
			reasons = append(reasons, d.left[i])
		} else {
			without = append(without, name)
		}
	}
	said := fmt.Sprintf("the model takes %s", quoted(unmade, mostQuoted))
	if len(reasons) > 0 {
		said += ", and its columns are not used: " + strings.Join(reasons[:min(len(reasons), mostQuoted)], ", ")
	}
	if len(without) > 0 {
		said += fmt.Sprintf(", and no column of %s is called %s: add it", d.Data, quoted(without, mostQuoted))
	}
	return said
}

// mismatch says why an arrangement contradicts the model's file; "" if it does not.
func (a *arrangement) mismatch(info *modelfile.Info) string {
	fed, at := make([]modelfile.Fed, len(a.features)), 0
	for i := range fed {
		f := a.features[i].Feature
		f.Inputs = slices.Clone(f.Inputs)
		for k := range f.Inputs {
			f.Inputs[k].Index = at
			at++
		}
		fed[i] = modelfile.Fed{Feature: &f, Columns: []string{a.features[i].from.name}}
	}
	_, why := info.Mismatch(fed)
	return why
}

// normalised returns the arrangements tried. For a .nnet file it also tries without the file's
// means and ranges, which some programs ignore, and returns the better ones.
func (d *drafter) normalised(all, tried []arrangement, t truth) []arrangement {
	if d.info.Format != "nnet" || t.labels == nil && t.numbers == nil && t.scores == nil {
		return tried
	}
	raw, info, err := modelfile.Read(d.Model, modelfile.Choice{Class: d.Class, Raw: true})
	if err != nil || info.SHA256 != d.info.SHA256 {
		return tried
	}
	least := d.judged(tried, t)[0].fit.loss
	if t.scores == nil {
		least -= tried[0].closely(t)
	}
	own, plain := d.model, d.plain
	if d.model = raw; plain != nil {
		d.sigmoid(t.scores)
	}
	if again := d.scaled(all, t); d.judged(again, t)[0].fit.loss < least {
		d.raw = true
		return again
	}
	d.model, d.plain = own, plain
	return tried
}

// scaled returns the arrangements in each of the usual scales of numbers: all of them, or those
// that fit best if there are too many.
func (d *drafter) scaled(all []arrangement, t truth) (tried []arrangement) {
	few := max(20, int(mostWork/float64(4*firstRows*max(1, modelfile.Summarise(d.model).Parameters))))
	if _, smooth := d.model.(model.Differentiable); !smooth {
		few = 20 // trees commonly see numbers as they are
	}
	if len(all) > few && (t.labels != nil || t.numbers != nil || t.scores != nil) {
		all = judged(all, d.model, t, max(20, firstRows*few/len(all)))[:few]
	}
	for i := range all {
		tried = append(tried, all[i].scalings()...)
	}
	return tried
}

// firstRows is the number of rows by which each arrangement is first judged.
const firstRows = 200

// judged returns the best arrangements, in order of their losses.
func (d *drafter) judged(tried []arrangement, t truth) []arrangement {
	all := slices.Clone(tried)
	for _, rows := range []int{firstRows, 3000} {
		all = judged(all, d.model, t, rows)
		all = all[:min(len(all), 40)]
	}
	return all
}

// faint limits what labels decide. If a fit's loss is above this share of the loss of the best
// constant score, labels do not decide between arrangements: a wrong one may fit a poor model's
// labels better than the right one.
const faint = 0.8

// fitted chooses an arrangement by the labels, and says how sure that is.
func (d *drafter) fitted(tried []arrangement, t truth, names bool) (arrangement, error) {
	all := d.judged(tried, t)
	// A model of defaults calls "bad" 1, and --positive may name the wrong value.
	if !t.free && t.numbers == nil && (d.Positive == nil || !all[0].tells(t)) {
		either := t
		either.free = true
		if turned := d.judged(tried, either); turned[0].fit.loss < all[0].fit.loss-all[0].closely(t) {
			all, t = turned, either
		}
	}
	best := all[0]
	if d.unsaid() {
		plain := best
		if i := slices.IndexFunc(all, func(a arrangement) bool { return strings.HasSuffix(a.how, "as they are") }); i >= 0 {
			plain = all[i]
		}
		if m, ok := absent(d.model, 0); ok && plain.fit.loss > 0.9*best.blind(t) { // without the zeros of sparse matrices nothing fits
			if sparse := judged(judged(slices.Clone(tried), m, t, firstRows)[:min(len(tried), 5)], m, t, 3000)[0]; sparse.fit.loss < plain.fit.loss {
				plain = sparse
			}
		}
		if d.absentByLabels(&plain, t, best.fit.loss); d.absent != nil {
			best = plain
		}
	}
	why := best.how + ": " + best.fit.said()
	sure := "likely"
	if len(all) > 1 {
		why += "; next best, " + all[1].how + ": " + all[1].fit.said()
		if all[1].fit.loss-best.fit.loss < best.closely(t) {
			sure = "guess"
		}
	}
	switch {
	case !best.tells(t):
		sure = "guess"
		d.out.Doubts = append(d.out.Doubts, "the model's scores say next to nothing about the label, so the model likely gets other inputs: give --inputs or --scores")
	case !names && t.labels != nil && best.fit.loss > faint*best.blind(t):
		sure = "guess"
		d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("the file does not name its inputs, and the model's scores say little about the label (%s; a constant score: %.3f), so the model may get other inputs: give --inputs or --scores", best.fit.said(), best.blind(t)))
	}
	if names && d.info.Format == "onnx" && sure != "guess" {
		if open := best.unchecked(d.info.InputNames); open == nil {
			sure, d.out.Solved = "certain", true
		} else {
			d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("the file names its inputs, but does not say how %s are prepared, such as scaled, or in which unit it takes them; --scores settles it", strings.Join(open, ", ")))
		}
	}
	d.out.Inputs = sure + ": " + why
	return d.held(best)
}

// paired solves the arrangement from the inputs given with --inputs.
func (d *drafter) paired(views []*selection) (arrangement, error) {
	p, fit, err := readPairs(d.Inputs, d.table, views, d.model.Inputs(), d.sends())
	if err != nil {
		return arrangement{}, err
	}
	var scores []float64
	if d.Scores != "" {
		if scores, fit, err = readScores(d.Scores, d.table, fit); err != nil {
			return arrangement{}, err
		}
		d.sigmoid(scores)
	}
	var a arrangement
	for _, v := range slices.Backward(fit) {
		if a, err = p.solve(v, d.usable); err != nil {
			continue
		}
		if d.out.Solved = len(p.alike) == 0; !d.out.Solved {
			d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("these rows give the same inputs for %s: which of them the model takes is a guess; a header with their names in %s settles it", strings.Join(p.alike, ", and of "), d.Inputs))
		}
		if p.absent != nil {
			d.absent = p.absent
			d.model, _ = absent(d.model, *p.absent)
			a.how += fmt.Sprintf(", in which %s is missing", decimal(*p.absent))
		}
		for c, texts := range p.gaps {
			c.miss(texts)
		}
		a = d.lacking(a, p)
		for i := range a.features {
			f := &a.features[i]
			switch gaps := p.gaps[f.from]; {
			case gaps == nil:
			case f.lacks():
				f.why = append(f.why, fmt.Sprintf("certain: the input is missing in every row with %s", strings.Join(gaps, " or ")))
			default:
				d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("%s: the model takes %s for a missing value, which a study cannot state for this feature, so such rows are left out", f.Name, strings.Join(gaps, " and ")))
			}
		}
		switch {
		case scores != nil:
			a = d.matched(a, scores)
		case !p.some && d.unsaid():
			d.absentByLabels(&a, d.truth, math.Inf(1))
			if d.out.Solved = false; d.out.Inputs == "" {
				d.out.Inputs = "likely: " + a.how
			}
		}
		return d.held(a)
	}
	return a, err
}

// matched compares the arrangement solved from inputs with the scores.
func (d *drafter) matched(a arrangement, scores []float64) arrangement {
	bound := boundOf(d.model, scores)
	worst := a.worst(d.model, scores, allRows)
	if worst > bound {
		if found, ok := d.absentByScores([]arrangement{a}, scores, bound); ok {
			a, worst = found, found.worst(d.model, scores, allRows)
		}
	}
	if d.out.Worst = &worst; worst > bound {
		d.out.Solved = false
		d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("with the inputs of %s the model's scores differ from those of %s by up to %.3g: they are from another model, or it gets other inputs", d.Inputs, d.Scores, worst))
	}
	d.sayInputs(a, worst)
	return a
}

// sayInputs describes how the inputs are made. worst is the largest error of the arrangement's
// scores.
func (d *drafter) sayInputs(a arrangement, worst float64) {
	d.out.Inputs = fmt.Sprintf("%s: %s; the scores of all %d rows to %.2g", d.sure(), a.how, a.count(), worst)
}

// boundOf is the largest accepted error of a score.
func boundOf(m model.Model, scores []float64) float64 {
	bound := exactly
	if m.Link() == fairness.LinkLinear {
		for _, score := range scores {
			bound = max(bound, exactly*math.Abs(score))
		}
	}
	return bound
}

// lacking extends a solved arrangement to rows with missing values, provided that the model's
// input is missing there as well.
func (d *drafter) lacking(a arrangement, p *pairs) arrangement {
	wide := a
	wide.features, wide.view = slices.Clone(a.features), d.table.see(d.usable, d.label, a.view.drop, true)
	wide.fill(nil, d.sends())
	at := 0
	for i := range wide.features {
		f, x := &wide.features[i], p.inputs[at]
		f.sent = f.sent && !slices.ContainsFunc(wide.view.rows, func(row int) bool { return f.from.gap(row) && !math.IsNaN(x[row]) })
		at += len(f.Inputs)
	}
	all := 0
	for _, row := range wide.view.rows {
		if !slices.ContainsFunc(wide.features, func(f feature) bool { return f.unread(row) }) {
			all++
		}
	}
	some := slices.ContainsFunc(wide.features, func(f feature) bool { return f.lacks() })
	if wide = wide.narrowed(); some && len(wide.view.rows) == all || len(p.gaps) > 0 { // else these rows have categories that no other row has
		return wide
	}
	return a
}

const (
	// exactly is the error of a score that float32 and printed digits explain; for numbers,
	// relative to the largest.
	exactly = 1e-5
	allRows = math.MaxInt32
)

// solved chooses by the given scores, and searches for an arrangement if no usual one gives
// them. names: the arrangements follow the names of the model's inputs; then only a search that
// gives all scores may replace them.
func (d *drafter) solved(tried, all []arrangement, scores []float64, names bool) (arrangement, error) {
	best, least := tried[0], math.Inf(1)
	bound := boundOf(d.model, scores)
	for i := range tried[:min(len(tried), mostLooks)] {
		if worst := tried[i].worst(d.model, scores, allRows); worst < least {
			best, least = tried[i], worst
		}
		if least <= bound {
			break
		}
	}
	if least > bound {
		if a, ok := d.absentByScores(tried, scores, bound); ok {
			best, least = a, a.worst(d.model, scores, allRows)
		}
	}
	others := ""
	if least > bound {
		others = d.others(tried, scores)
	}
	alike, settled, ended := "", false, false
	if others == "" && (least > bound || d.sends() && slices.ContainsFunc(best.features, feature.coded)) {
		open := slices.Concat(tried, all)
		if least <= bound {
			open = slices.Insert(open, 0, best)
		}
		var a arrangement
		var worst float64
		a, worst, alike, ended = d.recode(open, scores, bound)
		if settled = worst <= bound; settled {
			best, least = a, worst
		} else if least <= bound {
			alike = "the search ended before all others were tried"
		}
	}
	if m, smooth := d.model.(model.Differentiable); least > bound && others == "" && smooth && best.known(m, scores) {
		s := searcher{m: m, scores: scores, bound: bound}
		if s.search(all); s.least <= bound || s.least < least && !names {
			best, least = s.best, s.least
		}
	}
	d.out.Worst = &least
	if d.out.Solved = least <= bound; d.out.Solved {
		d.out.Doubts = slices.DeleteFunc(d.out.Doubts, func(doubt string) bool { return doubt == d.unnamed })
		own := 2*least + 1e-12
		for i := range best.features {
			best.simplify(i, d.model, scores, own)
			if !settled || !best.features[i].coded() {
				best.tell(i, d.model, scores, bound)
			}
		}
		if alike != "" {
			d.out.Solved = false
			d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("the scores of %s do not settle all codes of categories: %s, so these are a guess: give --inputs, or scores of more rows", d.Scores, alike))
		}
		least = best.worst(d.model, scores, allRows)
		for i := range tried[:min(len(tried), mostLooks)] {
			if a := &tried[i]; !sameColumns(a.features, best.features) && a.gives(d.model, scores, bound) {
				d.out.Solved = false
				d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("other columns give the scores of %s, too (%s), so which of them the model takes is a guess: give --inputs with the columns' names", d.Scores, a.how))
				break
			}
		}
	} else {
		unfinished := map[bool]string{true: " (the search for the codes of categories ended before all were tried)"}[ended]
		d.out.Doubts = append(d.out.Doubts, cmp.Or(others, d.rounded(scores, least), fmt.Sprintf("no arrangement gives the scores of %s; the best is off by up to %.3g: give the model's inputs for these rows with --inputs%s", d.Scores, least, unfinished)))
	}
	d.sayInputs(best, least)
	return d.held(best)
}

// simplify shortens the numbers of a feature's map as far as the scores allow.
func (a *arrangement) simplify(i int, m model.Model, scores []float64, bound float64) {
	f := &a.features[i]
	if f.Kind == space.Categorical {
		if f.inputs != "" && f.inputs != "one-hot" {
			f.inputs = tables(f.Inputs)
		}
		return
	}
	in := f.Inputs[0]
	if in.Scale == 1 && in.Offset == 0 {
		return
	}
	worst := func(scale, offset float64) float64 {
		f.Inputs = []space.Input{{Scale: scale, Offset: offset}}
		return a.worst(m, scores, 1000)
	}
	f.settle(a.view.of[f.from], in.Scale, in.Offset, bound, worst, len(a.view.rows))
}

// categoriesOfGaps reports whether the marks of missing values may be categories: each column
// of texts has one mark, and no mark occurs in a column of numbers or the label.
func (d *drafter) categoriesOfGaps() bool {
	var others []string
	for _, c := range d.table.columns {
		if c.numeric || c == d.label {
			others = append(others, c.marks...)
		}
	}
	some := false
	for _, c := range d.usable {
		if c.numeric || c.listed != nil || c.missing == 0 {
			continue
		}
		if some = true; len(c.marks) > 1 || c.marks[0] == "" || slices.Contains(others, c.marks[0]) {
			return false
		}
	}
	return some
}

// plainly returns the arrangement with every column as it is.
func (d *drafter) plainly(v *selection) arrangement {
	a := arrangement{view: v, how: "every column as it is"}
	for _, c := range d.usable {
		if c.numeric {
			a.features = append(a.features, v.number(c))
		} else {
			a.features = append(a.features, v.category(c, oneHot))
		}
	}
	return a
}
