package statistics

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hyfair/hyfair/sdk/sdktest/tier"
)

// random is a table of arms' runs on one network, and one of arms' values on several.
type random struct {
	Arms     [][]float64 `json:"arms"`
	Networks [][]float64 `json:"networks"`
	Nemenyi  bool        `json:"nemenyi"`
}

// A thousand tables, most of them with ties, some with enough runs for the
// approximation, have the p-values that scipy has for them.
func TestScipyAgrees(t *testing.T) {
	tier.NeedUsual(t)
	python, err := filepath.Abs("../../../.deps/python/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, "-c", "import scipy").CombinedOutput(); err != nil {
		const missing = "no Python with scipy in .deps/python: make setup-python brings it"
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s\n%s", missing, out)
		}
		t.Skip("SKIPPED, " + missing)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	tables := make([]random, tier.Count(50, 1000))
	var asked bytes.Buffer
	for i := range tables {
		most := []int{1, 3, 10, 1000}[rng.IntN(4)]
		values := func(n int) (out []float64) {
			for range n {
				out = append(out, float64(rng.IntN(most+1)))
			}
			return out
		}
		one := random{Nemenyi: i < 20}
		for range 2 + rng.IntN(4) {
			runs := 2 + rng.IntN(4)
			if i%10 == 0 {
				runs += 40
			}
			one.Arms = append(one.Arms, values(runs))
		}
		arms := 2 + rng.IntN(3)
		for range 2 + rng.IntN(7) {
			one.Networks = append(one.Networks, values(arms))
		}
		tables[i] = one
		if err := json.NewEncoder(&asked).Encode(one); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(python, filepath.Join("testdata", "reference.py"))
	command.Stdin, command.Stderr = &asked, os.Stderr
	text, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(bytes.NewReader(text))
	for i, one := range tables {
		var want struct {
			P, Holm, Wilcoxon []float64
			Friedman          [2]float64
			Nemenyi           float64
		}
		if err := answers.Decode(&want); err != nil {
			t.Fatal(err)
		}
		same := func(what string, got, want, tolerance float64) {
			if !(math.Abs(got-want) <= tolerance) {
				t.Errorf("table %d, %s: %v, scipy has %v: %v", i, what, got, want, one)
			}
		}
		pair := 0
		cells, names := make([]*Cell, len(one.Arms)), make([]string, len(one.Arms))
		for k := range cells {
			cells[k], names[k] = &Cell{}, string(rune('a'+k))
		}
		Test(cells, names, one.Arms)
		for k := range one.Arms {
			for l := k + 1; l < len(one.Arms); l++ {
				a := cells[k].Against[l-1]
				same("Mann-Whitney", a.P, want.P[pair], 1e-9)
				same("Holm", a.PHolm, want.Holm[pair], 1e-9)
				pair++
			}
		}
		pair = 0
		for k := range one.Networks[0] {
			for l := k + 1; l < len(one.Networks[0]); l++ {
				var d []float64
				for _, row := range one.Networks {
					d = append(d, row[k]-row[l])
				}
				same("Wilcoxon", Wilcoxon(d), want.Wilcoxon[pair], 1e-9)
				pair++
			}
		}
		chi2, p := Friedman(one.Networks)
		same("Friedman", chi2, want.Friedman[0], 1e-9)
		same("Friedman's p", p, want.Friedman[1], 1e-9)
		if one.Nemenyi {
			k, n := len(one.Networks[0]), len(one.Networks)
			same("Nemenyi", CriticalDifference(k, n)*math.Sqrt(float64(12*n)/float64(k*(k+1))), want.Nemenyi, 1e-6)
		}
	}
}
