package train_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/space"
)

// The region planted by studies/loan/generate.
const (
	plantedRating = 4  // credit_rating at most
	plantedAmount = 12 // loan_amount at least
)

var loanFolder = filepath.Join("..", "..", "..", "..", "studies", "loan")

// person is an individual of the loan study and its k.
type person struct {
	rating, amount, k int
}

func (p person) planted() bool { return p.rating <= plantedRating && p.amount >= plantedAmount }

// people draws individuals uniformly from the study's space.
func people(t *testing.T, s *study.Study, count int) []person {
	t.Helper()
	rating, ok1 := s.Space.Index("credit_rating")
	amount, ok2 := s.Space.Index("loan_amount")
	if !ok1 || !ok2 {
		t.Fatalf("the features are %v", s.Space.Names())
	}
	e, err := evaluate.New(s.Model, s.Space, space.Region{}, s.Epsilon)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(11, 0))
	var out []person
	x := make([]float64, len(s.Space.Features))
	for len(out) < count {
		for i := range x {
			f := &s.Space.Features[i]
			x[i] = f.Lo + float64(rng.IntN(int(f.Hi-f.Lo)+1))
		}
		if o := e.Evaluate(x); o.N > 0 { // else a constraint forbids x
			out = append(out, person{int(x[rating]), int(x[amount]), o.K})
		}
	}
	return out
}

func mean(people []person, where func(person) bool) float64 {
	sum, n := 0, 0
	for _, p := range people {
		if where(p) {
			sum += p.k
			n++
		}
	}
	return float64(sum) / float64(n)
}

func share(people []person, where func(person) bool) float64 {
	n := 0
	for _, p := range people {
		if where(p) {
			n++
		}
	}
	return float64(n) / float64(len(people))
}

// TestLoanHasItsPlantedCluster compares the committed network of studies/loan
// with docs/user/loan.md.
func TestLoanHasItsPlantedCluster(t *testing.T) {
	for _, rules := range []string{"none", "all"} {
		t.Run("rules "+rules, func(t *testing.T) {
			s, err := study.Load(loanFolder, study.Options{Rules: []string{rules}})
			if err != nil {
				t.Fatal(err)
			}
			all := people(t, s, 30000)
			var inside, outside []person
			for _, p := range all {
				if p.planted() {
					inside = append(inside, p)
				} else {
					outside = append(outside, p)
				}
			}
			in, out := mean(inside, person.any), mean(outside, person.any)
			most := slices.MaxFunc(inside, func(a, b person) int { return a.k - b.k }).k
			low := share(inside, func(p person) bool { return p.k < 15 })
			some := share(outside, func(p person) bool { return p.k > 2 })
			t.Logf("inside: mean k %.2f, largest %d, below 15 %.2f %%; outside: mean k %.2f, above 2 %.2f %%",
				in, most, 100*low, out, 100*some)
			if in < 19 || most != 20 || low > 0.005 {
				t.Error("the cluster is not as strong as documented: want mean k 19 or more, largest 20, at most 0.5 % below 15")
			}
			if out > 1.1 || some > 0.01 {
				t.Error("the model is not as fair elsewhere as documented: want mean k at most 1.1, at most 1 % above 2")
			}
			for _, p := range outside {
				limit := 4
				if p.rating <= plantedRating+1 && p.amount >= plantedAmount-1 { // beside the region
					limit = 11
				}
				if p.k > limit {
					t.Errorf("k = %d at credit rating %d and loan amount %d, documented as at most %d", p.k, p.rating, p.amount, limit)
				}
			}

			// Of all pairs of thresholds, the planted ones best separate high k from low.
			best, bestRating, bestAmount := math.Inf(-1), 0, 0
			for rating := 1; rating <= 9; rating++ {
				for amount := 2; amount <= 20; amount++ {
					holds := func(p person) bool { return p.rating <= rating && p.amount >= amount }
					difference := mean(all, holds) - mean(all, func(p person) bool { return !holds(p) })
					if difference > best {
						best, bestRating, bestAmount = difference, rating, amount
					}
				}
			}
			if bestRating != plantedRating || bestAmount != plantedAmount {
				t.Errorf("credit_rating <= %d and loan_amount >= %d explains k best, but %d and %d were planted",
					bestRating, bestAmount, plantedRating, plantedAmount)
			}
		})
	}
}

func (person) any() bool { return true }

// TestLoanDataFitsItsStudy checks that every applicant lies in the space and obeys
// the rules, and that there are enough rows to train on and to hold back.
func TestLoanDataFitsItsStudy(t *testing.T) {
	s, err := study.Load(loanFolder, study.Options{Rules: []string{"all"}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Data()
	if err != nil {
		t.Fatal(err)
	}
	if of, outside, forbidden := d.Outside(s.Space); outside != 0 || forbidden != 0 || d.Dropped != 0 {
		t.Errorf("%d rows outside their domains (%v), %d forbidden, %d dropped", outside, of, forbidden, d.Dropped)
	}
	if len(d.Points) < 5000 || len(d.Test) < len(d.Points)/12 {
		t.Errorf("%d rows, %d of them held back", len(d.Points), len(d.Test))
	}
	scores, err := individual.ScoresOf(s)
	if err != nil {
		t.Fatal(err)
	}
	// The officers disagree in the planted region, which bounds what can be learnt.
	if accuracy := scores.Accuracy(d.Test); accuracy < 84 {
		t.Errorf("accuracy on the rows held back is %.2f %%", accuracy)
	}
}
