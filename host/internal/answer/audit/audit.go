// Package audit measures how much the protected attributes matter for every
// person of a data set: k, gap and extreme counterfactuals of each, and the
// effect of each attribute by itself.
//
// A person is a row: an individual x together with the person's own protected
// values z0. These join the question's values: in Z(x), each protected
// attribute takes its listed values and the person's own, in every combination
// that no constraint forbids. So Z(x) contains the person, and every permitted
// copy that differs from the person in one attribute only.
package audit

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/system/overtime"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// Config says what is audited.
type Config struct {
	// Model and Space must have passed Validate. Copies of a person differ in the protected
	// features of Space.
	Model model.Model
	Space *space.Space
	// Region has the values that copies take. Its box is ignored; Where selects people.
	Region space.Region
	// Where restricts the audit to the people for whom it holds; nil: all.
	Where space.Predicate
	// Epsilon is the width of bins, a score difference.
	Epsilon *big.Rat
	// Notion decides who is treated unfairly, with Limit as its ε. Zero: people with a score gap above
	// Epsilon; with Bands or Classes, those whose copies get different ones.
	Notion fairness.Notion
	Limit  *big.Rat
	// Rule says which scores are a positive decision. With Bands it only says whether low scores are favourable.
	Rule fairness.Rule
	// Bands are the outcomes of the decision in place of yes and no; nil: the decision is yes or no. k counts bands
	// unless Notion is set. The favourable bands are those up to the place Best, see fairness.Bands.Place.
	Bands fairness.Bands
	Best  int
	// Thresholds are additional thresholds, in ascending order, at which decisions are counted.
	Thresholds []*big.Rat
	// Classes has a model for each of several classes, which decides whether that class wins; nil: Model decides.
	// With classes, k counts them, and there are no scores and no Rule.
	Classes []model.Model
	// Weights are the weights of the rows, in shares and means; nil: each row counts once.
	Weights []float64
	// Number: the model predicts a number. Then scores are predictions and gaps their differences, all
	// decisions are the same, and bins mean nothing.
	Number bool
	// Progress, if not nil, is called from time to time with the numbers of people audited and of all,
	// one call at a time.
	Progress func(done, total int)
}

// Outcome is the result of an audit.
type Outcome struct {
	// People are the audited people, the worst-treated first: by k, then by gap,
	// then in the order of the rows.
	People []Person
	// Skipped are the rows outside the space, in their order.
	Skipped []Skipped
	// Curve has an entry for each of Thresholds.
	Curve []Threshold
	// Rule is the decision rule of the audit.
	Rule fairness.Rule
	// Classes is the number of the model's classes; 0 unless it chooses between several.
	Classes int
	// Bands are those of Config.
	Bands fairness.Bands
	// Weights are the weights of the rows; nil: each counts once.
	Weights []float64
	// Excluded counts the rows for which Where does not hold, Unreached those not audited when
	// the context ended.
	Excluded, Unreached int
}

// weight returns the weight of a person's row; 1 if rows have no weights.
func (o *Outcome) weight(p *Person) float64 {
	if o.Weights == nil {
		return 1
	}
	return o.Weights[p.Index]
}

// weigh returns the total weight of the audited people.
func (o *Outcome) weigh() (sum float64) {
	for i := range o.People {
		sum += o.weight(&o.People[i])
	}
	return sum
}

// Skipped is a row that is not in the space.
type Skipped struct {
	Index int
	// Feature has a value outside its domain; −1: a constraint forbids the row.
	Feature int
}

// Person is an audited row. Scores are computed in float64.
type Person struct {
	// Index is the row's index in the rows given to Run.
	Index int
	// N is |Z(x)|, the person's own combination included; at least 1.
	N int
	// K is k(x), exact. Gap is the largest score minus the smallest. Unfair: the
	// counterfactuals violate the notion; exact.
	K      int
	Gap    float64
	Unfair bool
	// Shannon and MinEntropy are entropies of the counterfactuals' distribution
	// over the bins, in bits.
	Shannon, MinEntropy float64
	// Score is the person's own. Positive: the person's decision is positive;
	// exact. Flips: some counterfactual gets the other decision; exact.
	Score           float64
	Positive, Flips bool
	// Class is the winning class, for a model of several classes; a tie is given as the number of
	// classes. With bands it is the place of the band, 0 for the best. Enters lists the other classes that the
	// counterfactuals get, ascending.
	Class  int
	Enters []int
	// High and Low are the counterfactuals with the extreme scores.
	High, Low Copy
	// Effects has an entry for each protected feature, in the space's order.
	Effects []Effect
}

// Copy is a counterfactual.
type Copy struct {
	// Z has the values of the protected features, in the space's order.
	Z     []float64
	Score float64
}

// Effect is what one protected feature does to a person whose other features
// keep their values.
type Effect struct {
	// N counts the values that the feature may take, the person's own included.
	// K, Gap and Unfair are over these values.
	N, K   int
	Gap    float64
	Unfair bool
	// Best and Worst are the values with the largest and the smallest score, or the reverse if a low score
	// is favourable; the person's own value if no other has a larger (smaller) score.
	Best, Worst           float64
	BestScore, WorstScore float64
	// Flips: another value brings the other decision; exact.
	Flips bool
	// Enters lists the classes or bands that other values lead to.
	Enters []int
	// Advantage is the person's score minus the mean score at the other values, or the reverse if a low score
	// is favourable; 0 if there are none.
	Advantage float64
}

// Run audits the rows, which have a value for each feature of the space. Rows outside the space are
// skipped. When the context ends, Run returns the people audited so far and the context's error. Any other error
// concerns the question; the outcome is then nil. Rows are evaluated on
// GOMAXPROCS goroutines, whose number does not change the result.
func Run(ctx context.Context, c Config, rows [][]float64) (*Outcome, error) {
	a, err := newAuditor(c, rows)
	if err != nil {
		return nil, err
	}
	groups := a.sort()
	for _, g := range groups {
		a.total += len(g.rows)
	}
	a.result.People = make([]Person, 0, a.total)
	if err, heard := overtime.Within(ctx, func(context.Context) error { return a.all(ctx, groups) }); heard && err != nil {
		return nil, err
	}
	r := a.end()
	r.Unreached = a.total - len(r.People)
	for i := range r.Curve {
		r.Curve[i].sum(r.weigh(), c.Rule, false)
	}
	slices.SortFunc(r.People, func(p, q Person) int {
		return cmp.Or(cmp.Compare(q.K, p.K), cmp.Compare(q.Gap, p.Gap), cmp.Compare(p.Index, q.Index))
	})
	if r.Unreached > 0 {
		return r, ctx.Err()
	}
	return r, nil
}

type auditor struct {
	Config
	rows      [][]float64
	protected []int
	lines     []line // copied by each goroutine
	decider   *individual.Decider
	deciders  []*individual.Decider // of the thresholds
	classes   []*individual.Decider
	bander    *individual.Bander // nil without bands
	total     int

	mu     sync.Mutex // guards what follows, and calls of Progress
	result Outcome
	over   bool // people audited later are dropped
}

func newAuditor(c Config, rows [][]float64) (*auditor, error) {
	a := &auditor{Config: c, rows: rows, protected: c.Space.Protected()}
	if len(a.protected) == 0 {
		return nil, errors.New("no feature is protected: an audit needs at least one")
	}
	for _, f := range a.protected {
		l, err := newLine(&c, f)
		if err != nil {
			return nil, err
		}
		a.lines = append(a.lines, l)
	}
	a.result.Rule, a.result.Classes, a.result.Bands, a.result.Weights = c.Rule, len(c.Classes), c.Bands, c.Weights
	for _, m := range c.Classes {
		a.classes = append(a.classes, individual.New(m, c.Space, fairness.Rule{}))
	}
	a.decider = individual.New(c.Model, c.Space, c.Rule)
	if c.Bands != nil {
		a.bander = a.decider.Bander(c.Bands, c.Rule.Low)
	}
	a.result.Curve = make([]Threshold, len(c.Thresholds))
	for i, t := range c.Thresholds {
		a.deciders = append(a.deciders, a.decider.With(fairness.Rule{Threshold: t, At: c.Rule.At}))
		a.result.Curve[i].Threshold = fairness.FormatRat(t)
	}
	return a, nil
}

// all runs the audit of the groups, several at a time: making a group's evaluators can take as long
// as using them.
func (a *auditor) all(ctx context.Context, groups []group) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wait sync.WaitGroup
	var next atomic.Int64
	var failed error
	var once sync.Once
	for range min(len(groups), runtime.GOMAXPROCS(0)) {
		b := a.newBench()
		wait.Go(func() {
			for at := next.Add(1) - 1; at < int64(len(groups)) && ctx.Err() == nil; at = next.Add(1) - 1 {
				if err := b.audit(ctx, groups[at]); err != nil {
					once.Do(func() { failed = err })
					stop()
				}
			}
		})
	}
	wait.Wait()
	return failed
}

// done adds audited people to the result, with the decision about each at each threshold.
func (a *auditor) done(people []Person, decisions [][]at) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return
	}
	for i := range people {
		a.result.count(a.result.weight(&people[i]), decisions[i])
	}
	a.result.People = append(a.result.People, people...)
	if a.Progress != nil {
		a.Progress(len(a.result.People), a.total)
	}
}

// end returns the result. People audited later are dropped.
func (a *auditor) end() *Outcome {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	return &a.result
}
