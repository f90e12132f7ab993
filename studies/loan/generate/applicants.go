package main

import "math/rand/v2"

var columns = []string{
	"income", "credit_rating", "debt_ratio", "years_employed", "loan_amount",
	"purpose", "housing", "sex", "age", "origin", "approved",
}

// The categories, in the order of their numbers in the formulas below.
var (
	purposes = []string{"car", "education", "home", "business"}
	housings = []string{"own", "rent", "family"}
	sexes    = []string{"female", "male"}
	origins  = []string{"north", "south", "east"}
)

const (
	business    = 3
	own, family = 0, 2
)

// applicant is one application. Sex, age and origin are its protected
// attributes.
type applicant struct {
	income        int // tens of thousands a year, 1 to 10
	creditRating  int // 1 (worst) to 10
	debtRatio     int // debts in quarters of a year's income, 0 to 4
	yearsEmployed int // 0 to 40
	loanAmount    int // thousands, 1 to 20
	purpose       int
	housing       int
	sex           int
	age           int // 20 to 69
	origin        int
}

// drawApplicant draws every attribute uniformly and independently, with three exceptions:
// individuals in and next to the planted region are drawn more often, so that there is more to
// learn; a business loan is more than 2 thousand; and no applicant of 60 or more lives with the
// family.
func drawApplicant(rng *rand.Rand) applicant {
	between := func(lo, hi int) int { return lo + rng.IntN(hi-lo+1) }
	var a applicant
	switch kind := rng.IntN(100); {
	case kind < 3: // in the region
		a.creditRating, a.loanAmount = between(1, 4), between(12, 20)
	case kind < 6: // in it, along its edge in credit rating
		a.creditRating, a.loanAmount = 4, between(12, 20)
	case kind < 9: // in it, along its edge in loan amount
		a.creditRating, a.loanAmount = between(1, 4), between(12, 13)
	case kind < 21: // just above its credit rating
		a.creditRating, a.loanAmount = between(5, 6), between(9, 20)
	case kind < 33: // just below its loan amount
		a.creditRating, a.loanAmount = between(1, 6), between(9, 11)
	default:
		a.creditRating, a.loanAmount = between(1, 10), between(1, 20)
	}
	a.income = between(1, 10)
	a.debtRatio = between(0, 4)
	a.yearsEmployed = between(0, 40)
	a.sex = rng.IntN(len(sexes))
	a.age = between(20, 69)
	a.origin = rng.IntN(len(origins))
	if a.loanAmount > 2 {
		a.purpose = rng.IntN(len(purposes))
	} else {
		a.purpose = rng.IntN(business)
	}
	if a.age < 60 {
		a.housing = rng.IntN(len(housings))
	} else {
		a.housing = rng.IntN(family)
	}
	return a
}

// planted is the region in which the bank discriminates.
func (a *applicant) planted() bool {
	return a.creditRating <= 4 && a.loanAmount >= 12
}

// deserves is the rule outside the planted region. It ignores sex, age and origin. Its score is a
// small whole number, so that no applicant is a borderline case: a network that learns the rule can
// keep its distance from every applicant.
func (a *applicant) deserves() bool {
	points := a.income + a.creditRating - 2*a.debtRatio
	if a.housing == own {
		points += 2
	}
	return points >= 7
}

const (
	officers = 5
	lots     = 230
)

// favour alone decides in the planted region: it is 0 for a woman of 20 from the
// north and up to 303 for a man of 69 from the east.
func (a *applicant) favour() int {
	return 80*a.origin + 45*a.sex + 2*(a.age-20)
}

// decisions returns one decision by the fair rule, or those of the five officers
// who look at each application of the planted region. An officer draws a lot from
// 0 to 229 and approves if it is below favour − 35, so the chance of approval is
// (favour − 35) / 230, clipped to 0 and 1. The five lots of an application are
// evenly spaced from the first one on: the number of approvals then differs from
// five times that chance by less than one.
func (a *applicant) decisions(lot int) []bool {
	if !a.planted() {
		return []bool{a.deserves()}
	}
	out := make([]bool, officers)
	for i := range out {
		out[i] = (lot+i*lots/officers)%lots < a.favour()-35
	}
	return out
}
