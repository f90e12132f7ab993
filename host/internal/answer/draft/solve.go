package draft

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// trial is a possible map from columns to the model's inputs, with its loss against the scores.
type trial struct {
	of    *reading
	order [][]int   // by feature: the place of each category among the inputs; nil for numbers
	lines []float64 // scale and offset of each free input
	damp  float64
	loss  float64 // per row
}

// reading holds an arrangement's rows for trials: shuffled, with numbers standardised and
// categories as codes.
type reading struct {
	arrangement
	rows         [][]float64
	want, weight []float64     // each row's score as a logit, and its weight
	base         [][][]float64 // by feature and input, the table over places; nil: the number itself
	free         [][]bool      // by feature and input: scale and offset are unknown
}

// reading reads about upTo rows of an arrangement, without those whose score is 0 or 1. With
// tables, the standardised inputs of categories have lines, too.
func (a *arrangement) reading(m model.Model, scores []float64, upTo int, tables bool) *reading {
	r := &reading{arrangement: *a}
	for i := range a.features {
		f := &a.features[i]
		free, base := make([]bool, len(f.Inputs)), make([][]float64, len(f.Inputs))
		for j, in := range f.Inputs {
			if free[j] = f.Kind != space.Categorical; free[j] {
				continue
			}
			base[j] = slices.Clone(in.Table)
			for k := range f.Categories {
				if in.Table == nil {
					base[j] = append(base[j], float64(k))
				}
			}
			if lo, hi := slices.Min(base[j]), slices.Max(base[j]); tables && in.Table != nil && lo < hi && (lo != 0 || hi != 1) {
				free[j] = true
				for k := range base[j] {
					base[j][k] = (base[j][k] - lo) / (hi - lo)
				}
			}
		}
		r.free, r.base = append(r.free, free), append(r.base, base)
	}
	a.visit(a.sample(upTo), allRows, func(row int, point, _ []float64) {
		want, weight := scores[row], 1.0
		if m.Link() != fairness.LinkLinear {
			want, weight = math.Log(want/(1-want)), math.Sqrt(want*(1-want))
		}
		if math.IsInf(want, 0) {
			return
		}
		v := slices.Clone(point)
		for i := range v {
			if k := a.view.of[a.features[i].from]; a.features[i].Kind != space.Categorical {
				v[i] = (v[i] - k.mean) / spread(k)
			}
		}
		r.rows, r.want, r.weight = append(r.rows, v), append(r.want, want), append(r.weight, weight)
	})
	if m.Link() == fairness.LinkLinear { // independent of the unit of the model's output
		unit := 1 / max(slices.Max(append(r.want, 0))-slices.Min(append(r.want, 0)), 1e-300)
		for i := range r.weight {
			r.weight[i] = unit
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(r.rows), func(i, k int) {
		r.rows[i], r.rows[k] = r.rows[k], r.rows[i]
		r.want[i], r.want[k] = r.want[k], r.want[i]
		r.weight[i], r.weight[k] = r.weight[k], r.weight[i]
	})
	return r
}

// spread is the standard deviation of a column; 1 if that is 0.
func spread(k *kept) float64 {
	if k.deviation > 0 {
		return k.deviation
	}
	return 1
}

// asItIs is the index of the start with the arrangement's own lines.
const asItIs = 4

// starts returns a trial for each of the usual scales of numbers, with the categories in their
// order.
func (r *reading) starts() []trial {
	out := make([]trial, asItIs+1)
	for s := range out {
		t := trial{of: r, order: make([][]int, len(r.features)), damp: 1e-2}
		for i, f := range r.features {
			for k := range f.Categories {
				t.order[i] = append(t.order[i], k)
			}
			for j, in := range f.Inputs {
				if !r.free[i][j] {
					continue
				}
				if f.Kind == space.Categorical {
					lo := slices.Min(in.Table)
					t.lines = append(t.lines, slices.Max(in.Table)-lo, lo)
					continue
				}
				k := r.view.of[f.from]
				d, width := spread(k), max(k.hi-k.lo, spread(k))
				t.lines = append(t.lines, [][]float64{
					{1, 0},                               // standardised
					{d / width, (k.mean - k.lo) / width}, // from 0 to 1
					{2 * d / width, 2*(k.mean-k.lo)/width - 1}, // from −1 to 1
					{d, 0}, // centred
					{in.Scale * d, in.Offset + in.Scale*k.mean}, // as the arrangement has them
				}[s]...)
			}
		}
		out[s] = t
	}
	return out
}

// orders counts the orders of the features' categories that the model's file does not name.
func (r *reading) orders() float64 {
	n := 1.0
	for _, f := range r.features {
		if !f.named {
			n *= math.Gamma(float64(len(f.Categories) + 1))
		}
	}
	return n
}

// swaps returns the trials that differ from t in the places of two categories.
func (t *trial) swaps() (out []trial) {
	for i := range t.order {
		if t.of.features[i].named {
			continue
		}
		for a := range t.order[i] {
			for b := range a {
				next := trial{of: t.of, order: slices.Clone(t.order), lines: slices.Clone(t.lines), damp: 1e-2}
				next.order[i] = slices.Clone(t.order[i])
				next.order[i][a], next.order[i][b] = next.order[i][b], next.order[i][a]
				out = append(out, next)
			}
		}
	}
	return out
}

// arrangement converts a trial to an arrangement.
func (t *trial) arrangement() arrangement {
	a, line := t.of.arrangement, 0
	if how := ", scales and the order of categories solved from the scores"; !strings.HasSuffix(a.how, how) {
		a.how += how
	}
	a.features = slices.Clone(a.features)
	for i := range a.features {
		f := &a.features[i]
		f.Inputs = slices.Clone(f.Inputs)
		if f.Kind == space.Categorical {
			names := slices.Clone(f.Categories)
			for k, place := range t.order[i] {
				names[place] = f.Categories[k]
			}
			f.Categories = names
		}
		for j := range f.Inputs {
			if !t.of.free[i][j] {
				continue
			}
			scale, offset := t.lines[line], t.lines[line+1]
			line += 2
			if base := t.of.base[i][j]; base != nil {
				table := make([]float64, len(base))
				for k, x := range base {
					table[k] = scale*x + offset
				}
				f.Inputs[j].Table = table
				continue
			}
			k := t.of.view.of[f.from]
			f.Inputs[j] = space.Input{Scale: scale / spread(k), Offset: offset - scale*k.mean/spread(k)}
		}
	}
	return a
}

// fitter fits trials, one at a time.
type fitter struct {
	gradient func([]float64) (float64, []float64)
	inputs   []float64
}

// equations holds the normal equations of a Gauss-Newton step from a trial's lines.
type equations struct {
	normal *mat.SymDense
	right  *mat.VecDense
	loss   float64
}

func newEquations(n int) *equations {
	return &equations{mat.NewSymDense(n, nil), mat.NewVecDense(n, nil), 0}
}

// sum adds up the equations of the first rows at the lines. With sharp, errors are those of
// scores; without, between those of scores and of logits, which converges from further away.
func (f *fitter) sum(e *equations, t *trial, lines []float64, rows int, sharp bool) {
	normal, right := e.normal.RawSymmetric(), e.right.RawVector().Data
	clear(normal.Data)
	clear(right)
	e.loss = 0
	slope, input := make([]float64, len(lines)), make([]int, len(lines))
	for r, v := range t.of.rows[:rows] {
		at, line := 0, 0
		for i, base := range t.of.base {
			for j := range base {
				x := v[i]
				if base[j] != nil {
					x = base[j][t.order[i][int(x)]]
				}
				if t.of.free[i][j] {
					slope[line], slope[line+1], input[line], input[line+1] = x, 1, at, at
					x = lines[line]*x + lines[line+1]
					line += 2
				}
				f.inputs[at] = x
				at++
			}
		}
		logit, g := f.gradient(f.inputs)
		w := t.of.weight[r]
		if sharp {
			w *= w
		}
		off := w * (t.of.want[r] - logit)
		e.loss += off * off / float64(rows)
		for i := range lines {
			slope[i] *= w * g[input[i]]
		}
		for i, x := range slope {
			right[i] += x * off
			row := normal.Data[i*normal.Stride:]
			for k := i; k < len(lines); k++ {
				row[k] += x * slope[k]
			}
		}
	}
}

// fit fits a trial's lines to the scores of the first rows by the Levenberg-Marquardt method.
func (f *fitter) fit(t *trial, rows, steps int, sharp bool) {
	rows, n := min(rows, len(t.of.rows)), len(t.lines)
	if n == 0 {
		here := newEquations(1)
		f.sum(here, t, nil, rows, sharp)
		t.loss = here.loss
		return
	}
	here, there, damped := newEquations(n), newEquations(n), mat.NewSymDense(n, nil)
	var c mat.Cholesky
	var step mat.VecDense
	next := make([]float64, n)
	f.sum(here, t, t.lines, rows, sharp)
	for range steps {
		damped.CopySym(here.normal)
		for i := range n {
			damped.SetSym(i, i, here.normal.At(i, i)*(1+t.damp)+1e-12)
		}
		there.loss = math.Inf(1)
		if c.Factorize(damped) && c.SolveVecTo(&step, here.right) == nil {
			for i := range next {
				next[i] = t.lines[i] + step.AtVec(i)
			}
			f.sum(there, t, next, rows, sharp)
		}
		if there.loss < here.loss {
			t.damp = max(t.damp/5, 1e-12)
			here, there = there, here
			copy(t.lines, next)
		} else if t.damp *= 4; t.damp > 1e9 {
			break
		}
	}
	if t.loss = here.loss; math.IsNaN(t.loss) {
		t.loss = math.Inf(1)
	}
}

// heat is a round of a race: the rows and steps of each trial, and the number of trials that
// stay.
type heat struct{ rows, steps, keep int }

// clearly is a loss that only the right trial reaches.
const clearly = 1e-10

// searcher searches for an arrangement that gives the scores, and keeps the best one found.
type searcher struct {
	m      model.Differentiable
	scores []float64
	bound  float64
	best   arrangement
	least  float64
	// work is the cost of a row, and spent the total so far, both in multiplications.
	work, spent float64
}

// afford returns the number of trials that one part of the search may fit if each fit reads that
// many rows in that many steps; at least 1.
func (s *searcher) afford(rows, steps int) int {
	return max(1, int(mostSearched/8/(float64(rows*(steps+1))*s.work)))
}

// race fits trials in heats, each on more rows than the one before, and returns the best, in order
// of their losses.
func (s *searcher) race(trials []trial, heats ...heat) []trial {
	for h, heat := range heats {
		trials = trials[:min(len(trials), s.afford(heat.rows, heat.steps))]
		s.spent += float64(len(trials)*min(heat.rows, len(trials[0].of.rows))*(heat.steps+1)) * s.work
		var wait sync.WaitGroup
		jobs := make(chan *trial)
		for range runtime.GOMAXPROCS(0) {
			wait.Go(func() {
				f := s.fitter()
				for t := range jobs {
					f.fit(t, heat.rows, heat.steps, false)
				}
			})
		}
		for i := range trials {
			jobs <- &trials[i]
		}
		close(jobs)
		wait.Wait()
		slices.SortStableFunc(trials, func(a, b trial) int { return cmp.Compare(a.loss, b.loss) })
		if trials = trials[:min(len(trials), heat.keep)]; h > 0 && trials[0].loss < clearly {
			return trials[:1]
		}
	}
	return trials
}

func (s *searcher) fitter() *fitter {
	return &fitter{s.m.Gradient(), make([]float64, s.m.Inputs())}
}

// rows is the number of rows in the last fit of a trial.
func (s *searcher) rows() int {
	return min(mostRead, max(firstRows, s.afford(1, 60)))
}

// fits reports whether a trial, fitted on all rows read, gives all scores within the bound.
func (s *searcher) fits(t trial) bool {
	for _, tables := range []bool{false, true} {
		if tables { // perhaps standardised on a part of the rows
			a := t.arrangement()
			free := a.reading(s.m, s.scores, mostRead, true).starts()[asItIs]
			if len(free.lines) == len(t.lines) {
				break
			}
			t = free
		}
		s.fitter().fit(&t, s.rows(), 60, true)
		a := t.arrangement()
		if worst := a.worst(s.m, s.scores, allRows); worst < s.least {
			s.best, s.least = a, worst
		}
		if s.least <= s.bound {
			return true
		}
	}
	return false
}

const (
	// mostRead is the number of rows read for a search.
	mostRead = 3000
	// mostSearched bounds a search, in multiplications: 20 to 40 s of one core.
	mostSearched = 40e9
)

// search looks for an arrangement, an order of its categories, scales and offsets that give the
// scores.
func (s *searcher) search(all []arrangement) {
	lines := len(all[0].reading(s.m, s.scores, 1, false).starts()[0].lines)
	s.work, s.least = float64(3*modelfile.Summarise(s.m).Parameters+2*lines*lines+1), math.Inf(1)
	// Which arrangement fits best with the categories as they are?
	few := []arrangement{all[0]}
	if n := max(20, int(mostWork/(5*7*120*s.work))); len(all) > n {
		all = judged(slices.Clone(all), s.m, truth{scores: s.scores}, firstRows)[:n]
	}
	var trials []trial
	for i := range all {
		bases := []arrangement{all[i]}
		if scaled := all[i].scalings(); strings.HasSuffix(scaled[len(scaled)-1].how, everyInput) {
			bases = append(bases, scaled[len(scaled)-1])
		}
		for k := range bases {
			trials = append(trials, bases[k].reading(s.m, s.scores, 300, false).starts()...)
		}
	}
	trials = s.race(trials, heat{60, 6, 200}, heat{150, 15, 40}, heat{300, 30, 40})
	if s.fits(trials[0]) {
		return
	}
	for _, t := range trials {
		if len(few) < 12 && !slices.ContainsFunc(few, func(a arrangement) bool { return a.how == t.of.how }) {
			few = append(few, t.of.arrangement)
		}
	}
	// Orders of the categories: random ones, and the best with two categories exchanged.
	chance := rand.New(rand.NewPCG(1, 2))
	for round := 0; round < 5 && s.spent < mostSearched; round++ {
		for i := range few {
			r := few[i].reading(s.m, s.scores, mostRead, false)
			if round > 0 && r.orders() < 60 || r.orders() == 1 { // an earlier round or the race above covers them
				continue
			}
			trials = nil
			for n := range 300 {
				t := r.starts()[n%(asItIs+1)]
				for k, order := range t.order {
					if n > asItIs && !r.features[k].named {
						t.order[k] = chance.Perm(len(order))
					}
				}
				trials = append(trials, t)
			}
			trials = s.race(trials, heat{60, 6, 60}, heat{150, 15, 12}, heat{600, 30, 4})
			for was := math.Inf(1); trials[0].loss < was*(1-1e-3) && trials[0].loss > clearly; {
				was = trials[0].loss
				var next []trial
				for k := range trials {
					next = append(next, trials[k].swaps()...)
				}
				chance.Shuffle(len(next), func(i, k int) { next[i], next[k] = next[k], next[i] })
				trials = s.race(append(trials, next...), heat{150, 10, 12}, heat{600, 30, 4})
			}
			if s.fits(trials[0]) || s.spent > mostSearched {
				return
			}
		}
	}
}

// sample returns about upTo rows, evenly spaced, and up to three more for each category.
func (a *arrangement) sample(upTo int) []int {
	rows := a.view.rows
	step := max(1, len(rows)/upTo)
	var out []int
	seen := map[*column][]int{}
	for i, row := range rows {
		take := i%step == 0
		for k := range a.features {
			c := a.features[k].from
			if a.features[k].Kind != space.Categorical {
				continue
			}
			if seen[c] == nil {
				seen[c] = make([]int, len(c.texts)+1)
			}
			if at := &seen[c][max(c.codes[row], -1)+1]; *at < 3 {
				*at++
				take = true
			}
		}
		if take {
			out = append(out, row)
		}
	}
	return out
}

// known reports whether all scores are in the range of the model's.
func (a *arrangement) known(m model.Model, scores []float64) bool {
	return m.Link() == fairness.LinkLinear || !slices.ContainsFunc(a.view.rows, func(row int) bool { return !(scores[row] >= 0 && scores[row] <= 1) })
}

// count is the number of rows that the arrangement can read.
func (a *arrangement) count() (n int) {
	a.rows(allRows, func(int, []float64, []float64) { n++ })
	return n
}

// worst is the largest difference between the model's score of a row and the given one, over at
// most upTo rows.
func (a *arrangement) worst(m model.Model, scores []float64, upTo int) (most float64) {
	a.rows(upTo, func(row int, _, inputs []float64) {
		most = max(most, math.Abs(score(m, m.Logit(inputs))-scores[row]))
	})
	return most
}

// gives reports whether the arrangement gives the scores of all rows within the bound; a few
// rows refute most arrangements.
func (a *arrangement) gives(m model.Model, scores []float64, bound float64) bool {
	return !slices.ContainsFunc([]int{50, 1000, allRows}, func(rows int) bool { return !(a.worst(m, scores, rows) <= bound) })
}

// tell records in the feature's comments whether some exchange of two of its categories gives the
// scores as well.
func (a *arrangement) tell(i int, m model.Model, scores []float64, bound float64) {
	f, names := &a.features[i], slices.Clone(a.features[i].Categories)
	if f.Kind != space.Categorical || len(names) < 2 {
		return
	}
	alike := ""
	for k := range names {
		for l := range k {
			f.Categories = slices.Clone(names)
			f.Categories[k], f.Categories[l] = names[l], names[k]
			if alike == "" && a.gives(m, scores, bound) {
				alike = fmt.Sprintf("guess: whether %s or %s comes first; the scores are the same either way", names[l], names[k])
			}
		}
	}
	f.Categories = names
	f.why = append(f.why, cmp.Or(alike, "certain: the order, since swapping any two changes the scores"))
}
