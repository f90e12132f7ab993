package encode

import (
	"slices"

	"github.com/hyfair/hyfair/sdk/problem"
)

// form is Σ coef·column + constant, its terms in order of first use.
type form struct {
	constant float64
	terms    []problem.Term
	// at maps columns to positions in terms, if there are more than manyTerms; find
	// builds it.
	at map[int]int
}

// manyTerms is the number of terms above which find uses a map.
const manyTerms = 16

func (f *form) add(column int, coef float64) {
	if coef == 0 {
		return
	}
	if i, ok := f.find(column); ok {
		f.terms[i].Coef += coef
		return
	}
	if f.at != nil {
		f.at[column] = len(f.terms)
	}
	f.terms = append(f.terms, problem.Term{Column: column, Coef: coef})
}

func (f *form) find(column int) (i int, ok bool) {
	if len(f.terms) <= manyTerms {
		i = slices.IndexFunc(f.terms, func(t problem.Term) bool { return t.Column == column })
		return i, i >= 0
	}
	if len(f.at) != len(f.terms) {
		f.at = make(map[int]int, 2*len(f.terms))
		for i := range f.terms {
			f.at[f.terms[i].Column] = i
		}
	}
	i, ok = f.at[column]
	return i, ok
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

// same reports whether both forms have the same constant, and the same terms in the same order.
func (f *form) same(other *form) bool {
	return f.constant == other.constant && slices.Equal(f.terms, other.terms)
}
