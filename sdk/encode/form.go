package encode

import "github.com/hyfair/hyfair/sdk/problem"

// form is Σ coef·column + constant, its terms in order of first use.
type form struct {
	constant float64
	terms    []problem.Term
}

func (f *form) add(column int, coef float64) {
	if coef == 0 {
		return
	}
	for i := range f.terms {
		if f.terms[i].Column == column {
			f.terms[i].Coef += coef
			return
		}
	}
	f.terms = append(f.terms, problem.Term{Column: column, Coef: coef})
}

func (f *form) plus(g form, factor float64) {
	f.constant += factor * g.constant
	for _, t := range g.terms {
		f.add(t.Column, factor*t.Coef)
	}
}

func clone(f form) form {
	return form{constant: f.constant, terms: append([]problem.Term(nil), f.terms...)}
}
