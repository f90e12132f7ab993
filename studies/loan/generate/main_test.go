package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommittedFileIsWhatThisWrites(t *testing.T) {
	committed, err := os.ReadFile("../applicants.csv")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "applicants.csv")
	if err := run([]string{"-out", path}, nil, os.Stderr); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(committed, written) {
		t.Errorf("studies/loan/applicants.csv (%d bytes) is not what go run ./studies/loan/generate writes (%d bytes)", len(committed), len(written))
	}
}

func TestSeeds(t *testing.T) {
	var one, again, two bytes.Buffer
	for seed, buffer := range map[string]*bytes.Buffer{"1": &one, "01": &again, "2": &two} {
		if err := run([]string{"-seed", seed, "-files", "50"}, buffer, os.Stderr); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), again.Bytes()) {
		t.Error("the same seed gave other applicants")
	}
	if bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("seeds 1 and 2 gave the same applicants")
	}
}

func TestRefusals(t *testing.T) {
	for want, args := range map[string][]string{
		"want 1 to":           {"-files", "0"},
		"unexpected argument": {"more"},
		"invalid value":       {"-seed", "x"},
		"no such file":        {"-out", filepath.Join(t.TempDir(), "missing", "a.csv")},
	} {
		var out bytes.Buffer
		if err := run(args, &out, &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v does not say %q", args, err, want)
		}
	}
}

// applicants draws files as the committed data has them.
func applicants(files int, each func(applicant)) {
	rng := newRand(defaultSeed)
	for range files {
		each(drawApplicant(rng))
	}
}

func TestFairRuleIgnoresProtectedAttributes(t *testing.T) {
	approved, checked := 0, 0
	applicants(defaultFiles, func(a applicant) {
		if a.planted() {
			return
		}
		want := a.decisions(0)
		if len(want) != 1 {
			t.Fatalf("%d decisions outside the region", len(want))
		}
		checked++
		if want[0] {
			approved++
		}
		for a.sex = range sexes {
			for a.origin = range origins {
				for a.age = 20; a.age <= 69; a.age++ {
					if got := a.decisions(lots - 1); got[0] != want[0] {
						t.Fatalf("decision on %+v depends on who asks", a)
					}
				}
			}
		}
	})
	// With nearly all approved or refused, there would be no rule to learn.
	if share := float64(approved) / float64(checked); share < 0.3 || share > 0.7 {
		t.Errorf("the fair rule approves %.0f %%", 100*share)
	}
}

func TestPlantedDecisionsFollowTheStatedChance(t *testing.T) {
	a := applicant{creditRating: 4, loanAmount: 12, income: 8}
	if !a.planted() {
		t.Fatal("credit rating 4 and loan amount 12 are not in the region")
	}
	for a.sex = range sexes {
		for a.origin = range origins {
			for a.age = 20; a.age <= 69; a.age++ {
				chance := min(max(float64(80*a.origin+45*a.sex+2*(a.age-20)-35)/230, 0), 1)
				total := 0
				for lot := range lots {
					approvals := 0
					for _, approved := range a.decisions(lot) {
						if approved {
							approvals++
						}
					}
					if math.Abs(float64(approvals)-officers*chance) >= 1 {
						t.Fatalf("%+v, lot %d: %d of %d approve at a chance of %.3f", a, lot, approvals, officers, chance)
					}
					total += approvals
				}
				if got := float64(total) / (lots * officers); math.Abs(got-chance) > 1e-12 {
					t.Fatalf("%+v: approved in %.4f of all lots, want %.4f", a, got, chance)
				}
			}
		}
	}
	for _, outside := range []applicant{{creditRating: 5, loanAmount: 12}, {creditRating: 4, loanAmount: 11}} {
		if outside.planted() {
			t.Errorf("%+v is in the region", outside)
		}
	}
}

func TestAttributesStayInTheirDomainsAndRules(t *testing.T) {
	var decisions, planted int
	applicants(defaultFiles, func(a applicant) {
		in := func(name string, v, lo, hi int) {
			if v < lo || v > hi {
				t.Errorf("%s is %d, outside %d to %d", name, v, lo, hi)
			}
		}
		in("income", a.income, 1, 10)
		in("credit rating", a.creditRating, 1, 10)
		in("debt ratio", a.debtRatio, 0, 4)
		in("years employed", a.yearsEmployed, 0, 40)
		in("loan amount", a.loanAmount, 1, 20)
		in("age", a.age, 20, 69)
		if a.purpose == business && a.loanAmount <= 2 {
			t.Errorf("a business loan of %d thousand", a.loanAmount)
		}
		if a.housing == family && a.age >= 60 {
			t.Errorf("at %d with the family", a.age)
		}
		n := len(a.decisions(0))
		decisions += n
		if a.planted() {
			planted += n
		}
	})
	if share := float64(planted) / float64(decisions); share < 0.4 || share > 0.6 {
		t.Errorf("%.0f %% of the rows lie in the planted region; docs/user/loan.md says about half", 100*share)
	}
}
