package draft

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

// feature is a feature of the study, read from a column.
type feature struct {
	space.Feature
	from *column
	// inputs is the text of the study's inputs key; "": the value as it is.
	inputs string
	// fill is the model's replacement for a missing input; fills: it has one.
	fill  float64
	fills bool
	// sent: the model has a branch for a missing value.
	sent bool
	// named: the model's file names the category of each input.
	named bool
	// strangers are the last of the categories, for which the model has no input.
	strangers []string
	// gapName is the category of the column's missing cells; "": they are not a category.
	gapName string
	// why holds the comments above the feature.
	why []string
}

// arrangement holds the features in the order of the model's inputs.
type arrangement struct {
	features []feature
	view     *selection
	how      string // in words
	fit      fit
}

// fit says how well an arrangement fits the known labels, numbers or scores.
type fit struct {
	loss     float64 // mean log loss; for scores and numbers, the mean distance
	accuracy float64 // NaN for numbers
	flipped  bool    // with the other label as the positive one
}

// said formats a fit to labels or numbers.
func (f fit) said() string {
	if math.IsNaN(f.accuracy) {
		return fmt.Sprintf("off by %.4g on average", f.loss)
	}
	return fmt.Sprintf("log loss %.3f, accuracy %.2f%%", f.loss, f.accuracy)
}

// Encodings of columns.
const (
	oneHot     = "one-hot"
	binary     = "one-hot, but one input for two values"
	dropFirst  = "one-hot without the first value"
	ordinal    = "numbered in sorted order"
	appearance = "numbered as they first come up"
)

// widthOf is the number of inputs that a column takes.
func (v *selection) widthOf(c *column, how string) int {
	n := len(v.of[c].categories)
	switch {
	case c.numeric || c.listed != nil || how == ordinal || how == appearance || how == binary && n == 2:
		return 1
	case how == dropFirst:
		return n - 1
	}
	return n
}

// number returns a numeric feature over the column's range: Integer if its values are whole,
// else Real.
func (v *selection) number(c *column) feature {
	k := v.of[c]
	f := feature{from: c, Feature: space.Feature{Name: c.name, Kind: space.Real, Lo: k.lo, Hi: k.hi, Inputs: []space.Input{{Scale: 1}}}}
	if c.whole {
		f.Kind = space.Integer
	}
	return f
}

// unchanged reports whether the first input is the feature's value as it is.
func (f *feature) unchanged() bool {
	return f.inputs == "" && f.Inputs[0].Scale == 1 && f.Inputs[0].Offset == 0
}

// filled reports whether the model replaces missing values of the feature.
func (f *feature) filled() bool { return f.fills && f.unchanged() }

// lacks reports whether values of the feature may be missing.
func (f *feature) lacks() bool {
	return f.sent && f.Kind != space.Real && len(f.Inputs) == 1 && (f.unchanged() || f.Inputs[0].Table != nil)
}

// unread reports whether the feature has no value in a row.
func (f *feature) unread(row int) bool { return f.from.gap(row) && !f.filled() && !f.lacks() }

// fill records how the model treats missing values: its replacements for numbers, by input, or
// a branch.
func (a *arrangement) fill(fills map[int]float64, sent bool) {
	at := 0
	for i := range a.features {
		f := &a.features[i]
		fill, ok := fills[at]
		f.fill, f.fills = fill, ok && f.Kind != space.Categorical && f.from.missing > 0 && !f.from.dated
		f.sent = sent && !f.fills && !f.from.refused && f.from.missing > 0 && (f.from.numeric || f.from.listed != nil || a.view.drop)
		at += len(f.Inputs)
	}
}

// narrowed returns the arrangement over the rows in which it has every value, with the domains
// of these rows.
func (a arrangement) narrowed() arrangement {
	v := *a.view
	v.rows, v.of = nil, map[*column]*kept{}
	a.rows(allRows, func(row int, _, _ []float64) { v.rows = append(v.rows, row) })
	for c := range a.view.of {
		v.of[c] = c.kept(v.rows, v.drop)
	}
	a.view = &v
	for i := range a.features {
		if f := &a.features[i]; f.Kind != space.Categorical {
			k := v.of[f.from]
			f.Lo, f.Hi = k.lo, k.hi
		}
	}
	return a
}

// category returns a feature of categories. how names its encoding.
func (v *selection) category(c *column, how string) feature {
	names := slices.Clone(v.of[c].categories)
	if c.listed != nil {
		names, how = slices.Clone(c.listed), ordinal
	}
	f := feature{from: c, inputs: "one-hot"}
	f.Feature = space.Feature{Name: c.name, Kind: space.Categorical, Categories: names, Hi: float64(len(names) - 1)}
	switch {
	case v.widthOf(c, how) == 1 && how != oneHot && how != dropFirst:
		if how == appearance {
			slices.SortFunc(names, func(a, b string) int { return c.first(a) - c.first(b) })
		}
		if f.inputs, f.Inputs = "", []space.Input{{Scale: 1}}; c.listed != nil {
			f.why = append(f.why, "certain: the model's file has the categories in the order of their codes")
		}
	default:
		for i := range names {
			if i > 0 || how != dropFirst {
				f.Inputs = append(f.Inputs, space.Input{Table: indicator(len(names), i)})
			}
		}
		if how == dropFirst {
			f.inputs = tables(f.Inputs)
		}
	}
	return f
}

// first ranks a category by where it first occurs in the column; a category that does not occur
// comes last.
func (c *column) first(name string) int {
	if code, ok := c.index[name]; ok {
		return int(code)
	}
	return len(c.texts)
}

func indicator(n, at int) []float64 {
	out := make([]float64, n)
	if at >= 0 {
		out[at] = 1
	}
	return out
}

// tables formats inputs for a study, one table each.
func tables(inputs []space.Input) string {
	out := make([]string, len(inputs))
	for i, in := range inputs {
		numbers := make([]string, len(in.Table))
		for k, x := range in.Table {
			numbers[k] = decimal(x)
		}
		out[i] = "{table: [" + strings.Join(numbers, ", ") + "]}"
	}
	if len(out) == 1 {
		return out[0]
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func decimal(x float64) string { return strconv.FormatFloat(x+0, 'g', -1, 64) }

const (
	// most bounds the arrangements tried per selection of rows.
	most = 1000
	// mostWork bounds, in multiplications, the first comparison of all arrangements.
	mostWork = 4e9
	// mostLooked bounds the work on arrangements that leave columns out, in columns.
	mostLooked = 1_000_000
)

// arrangements returns every arrangement of the columns, with up to three left out, that has
// as many inputs as the model.
func (v *selection) arrangements(columns []*column, inputs int) (out []arrangement) {
	words := slices.ContainsFunc(columns, func(c *column) bool { return !c.numeric })
	hows := []string{oneHot, binary, dropFirst, ordinal, appearance}
	if !words {
		hows = hows[:1]
	}
	choices := len(columns) // columns times subsets with this many columns left out
	for left := range min(4, len(columns)) {
		if left > 0 {
			choices = choices * (len(columns) - left + 1) / left
		}
		if left > 0 && choices > mostLooked {
			break
		}
		each(len(columns), left, func(without []int) {
			var used []*column
			for i, c := range columns {
				if !slices.Contains(without, i) {
					used = append(used, c)
				}
			}
			for _, how := range hows {
				width := 0
				for _, c := range used {
					width += v.widthOf(c, how)
				}
				if width != inputs || len(out) > most {
					continue
				}
				for _, order := range []string{"in the file's order", "numbers first", "numbers last", "sorted by name"} {
					ordered := slices.Clone(used)
					switch order {
					case "sorted by name":
						slices.SortStableFunc(ordered, func(a, b *column) int { return strings.Compare(a.name, b.name) })
					case "numbers first", "numbers last":
						rank := func(c *column) int {
							return map[bool]int{c.numeric: 0, !c.numeric: 1}[order == "numbers first"]
						}
						slices.SortStableFunc(ordered, func(a, b *column) int { return rank(a) - rank(b) })
					}
					if order != "in the file's order" && slices.Equal(ordered, used) {
						continue
					}
					a := arrangement{view: v, how: order}
					if words {
						a.how += ", categories " + how
					}
					for _, i := range without {
						a.how += ", without " + columns[i].name
					}
					if !v.drop {
						a.how += ", missing values a category"
					}
					for _, c := range ordered {
						if c.numeric {
							a.features = append(a.features, v.number(c))
						} else {
							a.features = append(a.features, v.category(c, how))
						}
					}
					if !slices.ContainsFunc(out, func(b arrangement) bool { return same(a.features, b.features) }) {
						out = append(out, a)
					}
				}
			}
		})
	}
	return out
}

// same reports whether two lists of features read the same columns and feed the same inputs.
func same(a, b []feature) bool {
	return slices.EqualFunc(a, b, func(f, g feature) bool {
		return f.from == g.from && f.inputs == g.inputs && slices.Equal(f.Categories, g.Categories) && len(f.Inputs) == len(g.Inputs)
	})
}

// each calls f with every subset of k of the numbers below n, in increasing order. f must not
// keep its argument.
func each(n, k int, f func([]int)) {
	choice := make([]int, 0, k)
	var next func(from int)
	next = func(from int) {
		if len(choice) == k {
			f(choice)
			return
		}
		for i := from; i < n; i++ {
			choice = append(choice, i)
			next(i + 1)
			choice = choice[:len(choice)-1]
		}
	}
	next(0)
}

// everyInput ends the description of an arrangement that standardises the inputs of categories,
// too.
const everyInput = ", every input standardised"

// scalings returns the arrangement with numbers as they are, standardised, from 0 to 1, and
// with every input standardised.
func (a *arrangement) scalings() []arrangement {
	out := []arrangement{*a}
	for _, s := range []struct {
		how string
		all bool
	}{{"standardised", false}, {"from 0 to 1", false}, {"standardised", true}} {
		b := *a
		b.features = slices.Clone(a.features)
		changed := false
		for i := range b.features {
			f := &b.features[i]
			k := a.view.of[f.from]
			switch {
			case f.Kind != space.Categorical && s.how == "standardised" && k.deviation > 0:
				f.affine(fmt.Sprintf("{mean: %s, deviation: %s}", decimal(k.mean), decimal(k.deviation)), 1/k.deviation, -k.mean/k.deviation)
			case f.Kind != space.Categorical && s.how == "from 0 to 1" && k.hi > k.lo:
				f.affine(fmt.Sprintf("{min: %s, max: %s}", decimal(k.lo), decimal(k.hi)), 1/(k.hi-k.lo), -k.lo/(k.hi-k.lo))
			case f.Kind == space.Categorical && s.all:
				f.standardise(a.view)
			default:
				continue
			}
			changed = changed || s.all == (f.Kind == space.Categorical)
		}
		if b.how += ", numbers " + s.how; s.all {
			b.how = a.how + everyInput
		}
		if changed {
			out = append(out, b)
		}
	}
	out[0].how += ", numbers as they are"
	return out
}

func (f *feature) affine(text string, scale, offset float64) {
	f.inputs, f.Inputs = text, []space.Input{{Scale: scale, Offset: offset + 0}}
}

// standardise scales every input of a category to mean 0 and standard deviation 1.
func (f *feature) standardise(v *selection) {
	counts := make([]float64, len(f.Categories))
	for _, row := range v.rows {
		if k := slices.Index(f.Categories, f.from.text(row)); k >= 0 {
			counts[k]++
		}
	}
	inputs := slices.Clone(f.Inputs)
	for i := range inputs {
		table := make([]float64, len(counts))
		mean, square := 0.0, 0.0
		for k := range table {
			if table[k] = float64(k); inputs[i].Table != nil {
				table[k] = inputs[i].Table[k]
			}
			mean += table[k] * counts[k] / float64(len(v.rows))
		}
		for k := range table {
			square += (table[k] - mean) * (table[k] - mean) * counts[k] / float64(len(v.rows))
		}
		for k := range table {
			if table[k] -= mean; square > 0 {
				table[k] /= math.Sqrt(square)
			}
		}
		inputs[i] = space.Input{Table: table}
	}
	f.inputs, f.Inputs = tables(inputs), inputs
}

// truth is what the model's scores are compared with: labels, the numbers that a regression
// predicts, or given scores.
type truth struct {
	labels  []bool // by row
	numbers []float64
	scores  []float64
	// free: the positive label is not known.
	free bool
}

// space returns the arrangement's space and, by feature, a function that reads a row's value.
func (a *arrangement) space() (*space.Space, []func(row int) float64) {
	s := &space.Space{}
	read := make([]func(int) float64, len(a.features))
	for i := range a.features {
		f := a.features[i]
		for k := range f.Inputs {
			if k == 0 {
				f.Inputs = slices.Clone(f.Inputs)
			}
			f.Inputs[k].Index = s.Inputs
			s.Inputs++
		}
		s.Features = append(s.Features, f.Feature)
		c := f.from
		read[i] = func(row int) float64 { return c.numbers[row] }
		switch {
		case f.filled():
			read[i] = func(row int) float64 {
				if c.gap(row) {
					return f.fill
				}
				return c.numbers[row]
			}
		case f.Kind == space.Categorical:
			places := map[string]float64{}
			for k, name := range f.Categories {
				places[name] = float64(k)
			}
			read[i] = func(row int) float64 {
				if at, ok := places[c.text(row)]; ok {
					return at
				}
				return math.NaN()
			}
		}
	}
	return s, read
}

// rows visits at most upTo of the rows that the arrangement can read, with the model's inputs.
func (a *arrangement) rows(upTo int, visit func(row int, point, inputs []float64)) {
	a.visit(a.view.rows, upTo, visit)
}

func (a *arrangement) visit(rows []int, upTo int, visit func(row int, point, inputs []float64)) {
	s, read := a.space()
	point, inputs, gaps := make([]float64, len(read)), make([]float64, s.Inputs), make([]bool, len(read))
	step := max(1, (len(rows)+upTo-1)/upTo)
	for at := 0; at < len(rows); at += step {
		row := rows[at]
		known := true
		for i := range read {
			point[i] = read[i](row)
			known = known && (!math.IsNaN(point[i]) || a.features[i].lacks() && a.features[i].from.gap(row))
		}
		if !known {
			continue
		}
		for i := range a.features { // a table has no entry for a missing value
			if gaps[i] = math.IsNaN(point[i]) && a.features[i].Inputs[0].Table != nil; gaps[i] {
				point[i] = 0
			}
		}
		s.NetworkInputs(inputs, point)
		for i := range a.features {
			if gaps[i] {
				point[i], inputs[s.Features[i].Inputs[0].Index] = math.NaN(), math.NaN()
			}
		}
		visit(row, point, inputs)
	}
}

// judge compares the model's scores of at most upTo rows with the truth.
func (a *arrangement) judge(m model.Model, t truth, upTo int) {
	n, right, loss, other := 0.0, 0.0, 0.0, 0.0
	unit := 1.0
	if m.Link() == fairness.LinkShare || regresses(m) {
		unit = 4 // the slope of the logit near a share of ½
	}
	a.visit(a.view.compared(), upTo, func(row int, _, inputs []float64) {
		logit := m.Logit(inputs)
		if t.scores != nil {
			loss += math.Abs(score(m, logit) - t.scores[row])
		} else if t.numbers != nil {
			loss += math.Abs(score(m, logit) - t.numbers[row])
		}
		if t.labels != nil {
			if (logit > 0) == t.labels[row] {
				right++
			}
			if t.scores == nil {
				yes, no := softplus(-unit*logit), softplus(unit*logit)
				if !t.labels[row] {
					yes, no = no, yes
				}
				loss, other = loss+yes, other+no
			}
		}
		n++
	})
	if t.numbers != nil {
		right = math.NaN()
	}
	if a.fit = (fit{loss: loss / n, accuracy: 100 * right / n}); n == 0 {
		a.fit.loss = math.Inf(1)
	}
	if t.free && t.scores == nil && other < loss {
		a.fit = fit{other / n, 100 - 100*right/n, true}
	}
}

// judged returns the arrangements in order of their losses.
func judged(all []arrangement, m model.Model, t truth, upTo int) []arrangement {
	for i := range all {
		all[i].judge(m, t, upTo)
	}
	slices.SortStableFunc(all, func(a, b arrangement) int { return cmp.Compare(a.fit.loss, b.fit.loss) })
	return all
}

// blind is the smallest loss of a constant score.
func (a *arrangement) blind(t truth) float64 {
	if t.numbers != nil {
		var all []float64
		for _, row := range a.view.compared() {
			all = append(all, t.numbers[row])
		}
		slices.Sort(all)
		loss := 0.0
		for _, v := range all {
			loss += math.Abs(v-all[len(all)/2]) / float64(len(all))
		}
		return loss
	}
	ones := 0.0
	for _, row := range a.view.compared() {
		if t.labels[row] {
			ones++
		}
	}
	p := ones / float64(len(a.view.compared()))
	if p == 0 || p == 1 {
		return 0
	}
	return -p*math.Log(p) - (1-p)*math.Log(1-p)
}

// closely is the largest difference of two losses that counts as a tie.
func (a *arrangement) closely(t truth) float64 {
	if t.numbers != nil {
		return 0.02 * a.blind(t)
	}
	return 0.02
}

// tells reports whether the judged scores say something about the labels.
func (a *arrangement) tells(t truth) bool { return a.fit.loss <= 0.95*a.blind(t) }

// regresses reports whether the model is a regression by trees, so that σ does not apply.
func regresses(m model.Model) bool {
	return m.Link() == fairness.LinkLinear && m.Family() == trees.Family
}

// asShare returns a regression by trees with its output as a share, if that always lies between
// 0 and 1.
func asShare(m model.Model) model.Model {
	if e, ok := m.(*trees.Ensemble); ok && regresses(m) {
		if share := e.Share(); share.Validate() == nil {
			return share
		}
	}
	return m
}

// score returns the model's output in its user's unit.
func score(m model.Model, logit float64) float64 {
	if m.Link() == fairness.LinkLinear {
		return logit
	}
	return m.Link().Score(logit)
}

func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
