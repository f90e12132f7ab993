package encode

import (
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Rows is implemented by models that can be written as rows and columns. Networks of
// ReLU layers need not implement it: BigM, BigMDifferences and SOS1 each write their rows.
// For all other models the three write the same rows, those of the method Rows.
type Rows interface {
	model.Model
	// Rows is the model over a box of its inputs. The first columns are the inputs, then the
	// model's own; the objective is the logit. It has no sets and no start values. of, which may
	// be nil, gives for each of the model's own columns the only input that it depends on, or −1: copies that
	// share the input share the column.
	Rows(box []space.Interval) (rows *problem.MILP, of []int)
	// Sensitivity bounds how far the objective may lie from the true logit if each
	// row, bound and integer value of Rows is off by one unit, and input i by off[i].
	Sensitivity(off []float64) float64
}

// Placed is a model that writes different rows if the values of its inputs are known: a
// discontinuous model moves its jumps away from them.
type Placed interface {
	Rows
	// On returns the model, with Rows, for inputs of the space. exact is false if its
	// rows allow more than the model does.
	On(s *space.Space) (m model.Model, exact bool)
}

// Script is a model that can be written in SMT-LIB 2, in exact arithmetic.
type Script interface {
	model.Model
	// Script returns the logit as a term of sort Real over the terms of its inputs,
	// and the declarations, definitions and assertions that it needs. Their names
	// end in suffix.
	Script(suffix string, inputs []string) (declarations, logit string)
}

// Takes returns nil if the encoding can write m, and otherwise an error that says
// what m lacks.
func (e *Encoding) Takes(m model.Model) error {
	if _, ok := m.(*relu.Network); ok {
		return nil
	}
	switch e.Form {
	case problem.FormMILP:
		if _, ok := m.(Rows); !ok {
			return sdk.Lacks(m, "rows, which solvers of the milp form need")
		}
	case problem.FormSMT:
		if _, ok := m.(Script); !ok {
			return sdk.Lacks(m, "script, which solvers of the smt form need")
		}
	}
	return nil
}

// rows writes copies of one model for a builder.
type rows interface {
	// add writes a copy over the forms of its inputs. It returns the copy's logit and
	// the function that fills in the start values of its columns.
	add(suffix string, inputs []form) (logit form, lift func(inputs, start []float64))
	// relate adds rows that bound the first copy by the second, if there are any.
	relate()
	// sensitivity bounds the error of a copy's logit per unit of error in each row,
	// bound, integer value and set.
	sensitivity() float64
	// depth is the highest priority that its columns have.
	depth() int
}

// rowsOf returns the rows of the query's model. differences, if not nil, bounds the
// neurons of a network of ReLU layers.
func (e *builder) rowsOf(sets bool, differences *bound.Difference) (rows, error) {
	switch m := e.q.Model.(type) {
	case *relu.Network:
		return &reluRows{builder: e, n: m, sets: sets, differences: differences}, nil
	case Rows:
		return &otherRows{builder: e, m: e.placed(m)}, nil
	}
	return nil, (&Encoding{Form: problem.FormMILP}).Takes(e.q.Model)
}

// otherRows are the rows of a model that writes its own encoding.
type otherRows struct {
	*builder
	m Rows
	// The first copy's values: inputs holds those of its inputs, and first those of all
	// columns of Rows, which begin with the inputs. Both are nil until that copy is added.
	inputs, first []form
}

// placed returns the model that On gives for the query's space, or m if it is not Placed.
// If that model is not exact, the lowering becomes an over-approximation.
func (e *builder) placed(m Rows) Rows {
	p, ok := m.(Placed)
	if !ok {
		return m
	}
	on, exact := p.On(e.q.Space)
	if !exact {
		e.fidelity = max(e.fidelity, Over)
	}
	return on.(Rows)
}

func (o *otherRows) add(suffix string, inputs []form) (form, func(inputs, start []float64)) {
	of, alone := o.m.Rows(bound.Inputs(o.q.Space, RelaxedRegion(o.q)))
	at := append([]form(nil), inputs...)
	common := make([]bool, len(of.Columns)) // with the first copy
	for i := range inputs {
		common[i] = o.first != nil && inputs[i].same(&o.inputs[i])
	}
	for k, c := range of.Columns[len(inputs):] {
		n := len(inputs) + k
		if common[n] = alone != nil && alone[k] >= 0 && common[alone[k]]; common[n] {
			at = append(at, o.first[n])
			continue
		}
		c.Name += suffix
		own := form{}
		own.add(o.column(c), 1)
		at = append(at, own)
	}
	sum := func(terms []problem.Term, constant float64) form {
		out := form{constant: constant}
		for _, t := range terms {
			out.plus(at[t.Column], t.Coef)
		}
		return out
	}
	for _, r := range of.Rows {
		if !slices.ContainsFunc(r.Terms, func(t problem.Term) bool { return !common[t.Column] }) {
			continue // it is the first copy's row
		}
		o.row(r.Name+suffix, sum(r.Terms, 0), r.Lo, r.Hi)
	}
	if o.first == nil {
		o.inputs, o.first = inputs, at
	}
	return sum(of.Objective.Terms, of.Objective.Offset), func([]float64, []float64) {}
}

func (o *otherRows) relate() {}

func (o *otherRows) sensitivity() float64 { return o.m.Sensitivity(o.inputGain) }

func (o *otherRows) depth() int { return 0 }
