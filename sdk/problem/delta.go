package problem

import "fmt"

// Delta changes a loaded problem before one Solve. Changes are cumulative;
// Push and Pop bracket changes that can be undone. The fields apply in this order:
// Pop, Push, column bounds, rows or assertions, objective, start.
//
// ColumnBounds, Rows, Objective and Start belong to the MILP form, Assert to
// the SMT form; the network form supports none of them.
type Delta struct {
	// Pop discards that many levels and all their changes.
	Pop int
	// Push opens that many new levels.
	Push         int
	ColumnBounds []ColumnBound
	Rows         []Row
	// Objective replaces the objective, if not nil.
	Objective *Objective
	// Start replaces the start values, if not nil.
	Start []float64
	// Assert is SMT-LIB 2 text: declarations and assertions to add.
	Assert string
}

// ColumnBound gives a column new bounds.
type ColumnBound struct {
	Column int
	Lo, Hi float64
}

// Stack is a MILP or script under deltas: what sdk/serve keeps for a solver
// that is not incremental itself. The zero value is not usable; see NewStack.
// Not safe for concurrent use.
type Stack struct {
	levels []*Problem
}

// NewStack starts from p, which is not modified.
func NewStack(p *Problem) *Stack { return &Stack{levels: []*Problem{clone(p)}} }

// Apply changes the problem and returns the changed problem, which is valid until
// the next Apply. On an error nothing has changed.
func (s *Stack) Apply(d Delta) (*Problem, error) {
	if d.Pop < 0 || d.Push < 0 || d.Pop >= len(s.levels) {
		return nil, fmt.Errorf("cannot pop %d and push %d levels at depth %d: want 0 or more, and at most the depth to pop", d.Pop, d.Push, len(s.levels)-1)
	}
	levels := append([]*Problem(nil), s.levels[:len(s.levels)-d.Pop]...)
	for range d.Push {
		levels = append(levels, levels[len(levels)-1])
	}
	top := clone(levels[len(levels)-1])
	if err := applyTo(top, d); err != nil {
		return nil, err
	}
	if err := top.Validate(); err != nil {
		return nil, err
	}
	levels[len(levels)-1] = top
	s.levels = levels
	return top, nil
}

func applyTo(p *Problem, d Delta) error {
	milp := d.ColumnBounds != nil || d.Rows != nil || d.Objective != nil || d.Start != nil
	if milp && p.MILP == nil {
		return fmt.Errorf("the delta changes bounds, rows, the objective or start values, which a problem in the %s form does not have", p.Form())
	}
	if d.Assert != "" && p.SMT == nil {
		return fmt.Errorf("the delta has assertions, which a problem in the %s form does not take", p.Form())
	}
	if p.SMT != nil {
		p.SMT.Text += d.Assert
		return nil
	}
	if !milp {
		return nil
	}
	for _, b := range d.ColumnBounds {
		if b.Column < 0 || b.Column >= len(p.MILP.Columns) {
			return fmt.Errorf("the delta has bounds of column %d; there are %d columns", b.Column, len(p.MILP.Columns))
		}
		c := &p.MILP.Columns[b.Column]
		c.Lo, c.Hi = b.Lo, b.Hi
	}
	p.MILP.Rows = append(p.MILP.Rows, d.Rows...)
	if d.Objective != nil {
		p.MILP.Objective = *d.Objective
	}
	if d.Start != nil {
		p.MILP.Start = d.Start
	}
	return nil
}

// clone copies what applyTo may change and shares the rest.
func clone(p *Problem) *Problem {
	out := *p
	if p.MILP != nil {
		m := *p.MILP
		m.Columns = append([]Column(nil), p.MILP.Columns...)
		m.Rows = append([]Row(nil), p.MILP.Rows...)
		out.MILP = &m
	}
	if p.SMT != nil {
		t := *p.SMT
		out.SMT = &t
	}
	return &out
}
