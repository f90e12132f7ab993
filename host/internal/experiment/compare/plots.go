package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/view"
)

// decisions returns the answers to a subject's tasks that every arm has done, by task and arm.
func decisions(p *Plan, results map[*Arm][]run) (tasks [][]answer) {
	of := map[int64][]answer{}
	for i := range p.Arms {
		for _, r := range results[&p.Arms[i]] {
			if len(of[r.seed]) == i { // otherwise an earlier arm has not done the task
				of[r.seed] = append(of[r.seed], r.answer)
			}
		}
	}
	for _, seed := range p.Listed().Seeds {
		if len(of[seed]) == len(p.Arms) {
			tasks = append(tasks, of[seed])
		}
	}
	return tasks
}

// maxScatters is the maximum number of scatter plots, each of two arms.
const maxScatters = 8

// pictures makes figures of a comparison.
type pictures struct {
	*Comparison
	// names are the arms' names in figures, with † if a proof of the arm was refuted.
	names []string
	// best is, per task, the arm that decided it fastest; -1: none.
	best []int
	// from and limit are the ends of the time axes.
	from, limit float64
}

// Figures returns a comparison's plots, and the reasons for missing ones.
func (c *Comparison) Figures() (figures []*view.Figure, without []string) {
	p := pictures{Comparison: c, limit: c.Limit().Seconds()}
	p.from = p.limit / 10
	for i := range c.Arms {
		name := c.Arms[i].Name
		if slices.ContainsFunc(c.Disagreements, func(d Disagreement) bool { return d.Prover == name }) {
			name = "†" + name
		}
		p.names = append(p.names, name)
	}
	p.names = view.ShortNames(p.names)
	decided := false
	for _, task := range c.tasks {
		best := -1
		for i, a := range task {
			if a.decision != undecided {
				p.from = min(p.from, max(0.8*a.seconds, 1e-3))
			}
			if a.good() && (best < 0 || a.seconds < task[best].seconds) {
				best, decided = i, true
			}
		}
		p.best = append(p.best, best)
	}
	switch {
	case len(c.tasks) == 0:
		return nil, []string{"no plots: no task has been done by every arm"}
	case !decided:
		return nil, []string{"no plots: no arm decided any task"}
	case len(c.Arms) < 2:
		return p.cactus().Panels(), []string{"one arm: scatter, profile and contribution need at least two"}
	}
	figures = append(slices.Concat(p.cactus().Panels(), p.profile().Panels()), p.contribution())
	ranking := p.ranking()
	for _, other := range ranking[1:min(len(ranking), 1+maxScatters)] {
		figures = append(figures, p.scatter(ranking[0], other))
	}
	if n := len(ranking) - 1; n > maxScatters {
		without = append(without, fmt.Sprintf("scatter: %s, which decided most, against the %d next best of %d other arms", c.Arms[ranking[0]].Name, maxScatters, n))
	}
	return slices.Concat(figures, c.CriticalDifferences(c.Title, c.lines().Names()), c.EffectFigures(c.Title)), without
}

// figure returns an empty figure with the parts that all figures share.
func (p *pictures) figure(name, title, caption string) *view.Figure {
	if n := p.Tasks/len(p.Arms) - len(p.tasks); n > 0 {
		caption += fmt.Sprintf(" INCOMPLETE: without %d task(s) that not every arm has done.", n)
	}
	if len(p.Disagreements) > 0 {
		caption += " †: a proof of this arm was refuted."
	}
	return &view.Figure{Name: name, Title: p.Title(title), Caption: caption}
}

// total states the number of tasks.
func (p *pictures) total() string {
	return fmt.Sprintf("Tasks (a network and a seed each): %d.", len(p.tasks))
}

// ideal names the series that takes the best arm on each task.
const ideal = "virtual best"

// cactus shows the number of tasks that each arm decided, over time.
func (p *pictures) cactus() *view.Figure {
	f := p.figure("cactus", "tasks decided over time", p.total()+" Decided: an individual was found, or the entire space was proved fair by the arm's notion.")
	f.X = view.Axis{Label: p.TimeLabel(), Min: p.from, Max: p.limit, Log: true}
	f.Y = view.Axis{Label: "tasks decided", Max: 1.02 * float64(len(p.tasks)), Whole: true}
	if len(p.Arms) > 1 {
		f.Series = append(f.Series, view.Series{Name: ideal, Look: view.Ideal, Steps: p.counted(p.best, func(a answer, _ int) float64 { return a.seconds }, p.from, p.limit, 1)})
	}
	for i, name := range p.names {
		steps := p.counted(p.always(i), func(a answer, _ int) float64 { return a.seconds }, p.from, p.limit, 1)
		f.Series = append(f.Series, view.Series{Name: name, Look: i + 1, Steps: steps})
	}
	return f
}

// always selects one arm for every task.
func (p *pictures) always(arm int) []int { return slices.Repeat([]int{arm}, len(p.tasks)) }

// counted returns the cumulative number of good answers by a value, which is clamped to [from, to].
// arms selects the arm whose answer counts, per task (negative: none). The last argument is the
// height of one step.
func (p *pictures) counted(arms []int, value func(a answer, task int) float64, from, to, each float64) []view.Point {
	var values []float64
	for task, arm := range arms {
		if arm >= 0 && p.tasks[task][arm].good() {
			values = append(values, min(max(value(p.tasks[task][arm], task), from), to))
		}
	}
	slices.Sort(values)
	steps := []view.Point{{X: from}}
	for i, v := range values {
		steps = append(steps, view.Point{X: v, Y: float64(i+1) * each})
	}
	return append(steps, view.Point{X: to, Y: float64(len(values)) * each})
}

// profile is the performance profile of E. Dolan and J. Moré (2002).
func (p *pictures) profile() *view.Figure {
	decided, most := 0, 2.0
	factor := func(a answer, task int) float64 {
		return max(a.seconds, 1e-3) / max(p.tasks[task][p.best[task]].seconds, 1e-3)
	}
	for task, best := range p.best {
		if best < 0 {
			continue
		}
		decided++
		for _, a := range p.tasks[task] {
			if a.good() {
				most = max(most, factor(a, task))
			}
		}
	}
	f := p.figure("profile", "performance profile", fmt.Sprintf("%s Decided by at least one arm: %d. Lines: the share of those on which an arm took at most τ times as long as the fastest.", p.total(), decided))
	f.X = view.Axis{Label: "τ: " + strings.TrimSuffix(p.TimeLabel(), " (s)") + " over that of the fastest arm", Min: 1, Max: 1.1 * most, Log: true}
	f.Y = view.Axis{Label: "share of tasks", Max: 1.02}
	for i, name := range p.names {
		steps := p.counted(p.always(i), factor, 1, 1.1*most, 1/float64(decided))
		f.Series = append(f.Series, view.Series{Name: name, Look: i + 1, Steps: steps})
	}
	return f
}

// contribution shows what each arm adds to the virtual best.
func (p *pictures) contribution() *view.Figure {
	f := p.figure("contribution", "what each arm contributes", p.total())
	f.X = view.Axis{Label: "tasks decided", Max: float64(len(p.tasks)), Whole: true}
	rows := len(p.names) + 1
	alone, first, later := make([]float64, rows), make([]float64, rows), make([]float64, rows)
	for task, best := range p.best {
		if best < 0 {
			continue
		}
		others := 0
		for i, a := range p.tasks[task] {
			if a.good() && i != best {
				later[i]++
				others++
			}
		}
		count := first
		if others == 0 {
			count = alone
		}
		count[best]++
		count[rows-1]++
	}
	f.Y = view.Axis{Min: 0.5, Max: float64(rows) + 0.5}
	bars := func(name string, counts []float64) {
		s := view.Series{Name: name, Bars: []view.Point{}}
		for i, n := range counts {
			if n > 0 {
				s.Bars = append(s.Bars, view.Point{X: n, Y: float64(rows - i)})
			}
		}
		f.Series = append(f.Series, s)
	}
	bars("by this arm alone", alone)
	bars("first of several", first)
	bars("after another", later)
	f.Y.Names = append(slices.Clone(p.names), ideal)
	slices.Reverse(f.Y.Names)
	return f
}

// ranking orders the arms by the number of decided tasks, largest first, then by time.
func (p *pictures) ranking() []int {
	decided, seconds, order := make([]int, len(p.Arms)), make([]float64, len(p.Arms)), make([]int, len(p.Arms))
	for i := range p.Arms {
		order[i] = i
		for _, task := range p.tasks {
			if task[i].good() {
				decided[i]++
				seconds[i] += task[i].seconds
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(decided[b], decided[a]), cmp.Compare(seconds[a], seconds[b]))
	})
	return order
}

// label is the label of an axis with the times of an arm's answers.
func (p *pictures) label(arm int) string {
	found, proved := false, false
	for _, task := range p.tasks {
		found = found || task[arm].decision == witnessed
		proved = proved || task[arm].decision == fair || task[arm].decision == refuted
	}
	until := " to the first individual"
	switch {
	case found && proved:
		until += ", or to the proof"
	case proved:
		until = " to the proof"
	case !found:
		until = ""
	}
	what, unit, _ := strings.Cut(p.TimeLabel(), " (")
	return p.names[arm] + ": " + what + until + " (" + unit
}

// scatter compares two arms, task by task.
func (p *pictures) scatter(a, b int) *view.Figure {
	border := 1.5 * p.limit
	f := p.figure("scatter-"+p.Arms[a].Name+"-"+p.Arms[b].Name, p.names[a]+" against "+p.names[b],
		fmt.Sprintf("%s Above the diagonal, %s is faster. Beyond the lines at %s: not decided.", p.total(), p.names[a], p.Budget))
	axis := view.Axis{Min: p.from, Max: 1.1 * border, Log: true}
	f.X, f.Y, f.Square = axis, axis, true
	f.X.Label, f.Y.Label = p.label(a), p.label(b)
	line := func(x1, y1, x2, y2 float64) {
		f.Series = append(f.Series, view.Series{Lines: [][]view.Point{{{X: x1, Y: y1}, {X: x2, Y: y2}}}})
	}
	line(axis.Min, axis.Min, axis.Max, axis.Max)
	line(p.limit, axis.Min, p.limit, axis.Max)
	line(axis.Min, p.limit, axis.Max, p.limit)
	at := func(a answer) float64 {
		if a.decision == undecided {
			return border
		}
		return min(a.seconds, p.limit)
	}
	var dots [refuted + 1][]view.Point
	for _, task := range p.tasks {
		kind := max(task[a].decision, task[b].decision)
		dots[kind] = append(dots[kind], view.Point{X: at(task[a]), Y: at(task[b])})
	}
	for kind, s := range []view.Series{
		witnessed: {Name: "individual found", Look: 1}, fair: {Name: "proved fair", Look: 2}, undecided: {Name: "decided by neither", Look: 9}, refuted: {Name: "proof refuted", Look: view.Alarm},
	} {
		if s.Dots = dots[kind]; len(s.Dots) > 0 {
			s.Name += fmt.Sprintf(" (%d)", len(s.Dots))
			f.Series = append(f.Series, s)
		}
	}
	return f
}
