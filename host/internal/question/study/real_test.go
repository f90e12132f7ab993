package study_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/internal/tier"
)

const studies = "../../../../studies/"

// dataRoot is the folder with the public data sets and networks: $HYFAIR_DATA,
// or ../shared/data beside the repository. Without it the test is skipped.
func dataRoot(t testing.TB) string {
	t.Helper()
	root := tier.NeedData(t, "adult", "adult.data")
	return root
}

// TestShippedStudies needs neither networks nor data.
func TestShippedStudies(t *testing.T) {
	for name, want := range map[string]struct {
		inputs, k int
		free      string // the lattice points of the non-protected features
	}{
		// The products of the domains' sizes, as in the published queries.
		"adult":          {13, 90, "7 16 16 7 14 6 20 20 100 41"},
		"adult-all-ages": {13, 910, "7 16 16 7 14 6 20 20 100 41"},
		"bank":           {16, 2, "11 3 7 2 2 2 2 12 7 5001 5 50 1000 8 3"},
		"bank-ages":      {16, 9, "11 3 7 2 2 2 2 12 7 5001 5 50 1000 8 3"},
	} {
		s := mustLoad(t, studies+name+".yaml", study.Options{NoModel: true})
		if s.Name != name || s.Summary == "" || s.Space.Inputs != want.inputs {
			t.Errorf("%s: name %q, summary %q, %d inputs", name, s.Name, s.Summary, s.Space.Inputs)
		}
		if k, exact := s.Space.MaxCounterfactuals(s.Space.Whole()); k != want.k || !exact {
			t.Errorf("%s: K = %d (exact %v), want %d", name, k, exact, want.k)
		}
		var sizes []string
		for _, i := range s.Space.Free() {
			f := &s.Space.Features[i]
			sizes = append(sizes, fmt.Sprint(f.Hi-f.Lo+1))
		}
		if got := strings.Join(sizes, " "); got != want.free {
			t.Errorf("%s: sizes %s, want %s", name, got, want.free)
		}
		if len(s.Space.Forbidden) != 0 {
			t.Errorf("%s: rules are on", name)
		}
		if extrapolated := len(s.Extrapolated) > 0; extrapolated != (name == "bank-ages") {
			t.Errorf("%s: extrapolated %v", name, s.Extrapolated)
		}
	}
	s := mustLoad(t, studies+"adult.yaml", study.Options{NoModel: true, Rules: []string{"husbands-are-male", "wives-are-female"}})
	if k, exact := s.Space.MaxCounterfactuals(s.Space.Whole()); k != 90 || !exact {
		t.Errorf("K = %d (exact %v) with rules: those who are no spouses keep all 90", k, exact)
	}
	i, _ := s.Space.Index("relationship")
	x := make([]float64, len(s.Space.Features))
	if n := len(s.Space.Counterfactuals(s.Space.Whole(), x)); s.Space.Features[i].Label(x[i]) != "Husband" || n != 45 {
		t.Errorf("a husband has %d counterfactuals, want 45", n)
	}
}

// TestPublicData holds the rows against what is known of the data sets.
func TestPublicData(t *testing.T) {
	root := dataRoot(t)
	for name, want := range map[string]struct{ rows, dropped, test, positive int }{
		"adult": {45222, 3620, 15060, 11208},
		"bank":  {3090, 1029, 618, 370},
	} {
		s := mustLoad(t, studies+name+".yaml", study.Options{DataRoot: root, Rules: []string{"all"}})
		d, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		positive := 0
		for _, l := range d.Labels {
			positive += l
		}
		if len(d.Points) != want.rows || d.Dropped != want.dropped || len(d.Test) != want.test || positive != want.positive {
			t.Errorf("%s: %d rows, %d dropped, %d for testing, %d positive; want %v", name, len(d.Points), d.Dropped, len(d.Test), positive, want)
		}
		features, outside, forbidden := d.Outside(s.Space)
		if outside != 0 {
			t.Errorf("%s: %d rows outside the domains: %v", name, outside, features)
		}
		if name == "adult" && forbidden != 2 {
			t.Errorf("%d rows break a rule; the study says one husband and one wife", forbidden)
		}
	}
}

func BenchmarkAdultRows(b *testing.B) {
	root := dataRoot(b)
	for b.Loop() {
		s, err := study.Load(studies+"adult.yaml", study.Options{DataRoot: root, NoModel: true})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Data(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestShippedStudiesAreChecked: the checks that come with the studies hold for them as they are. What
// changes how rows become inputs has to be checked again: scripts/check_public.py.
func TestShippedStudiesAreChecked(t *testing.T) {
	checked := func(path string, o study.Options) {
		t.Helper()
		st, err := study.Load(path, o)
		if err != nil {
			t.Fatal(err)
		}
		if c := st.InputCheck(); !c.Checked || c.Rows == 0 {
			t.Errorf("%s, %s: %+v", path, o.Model, c)
		}
	}
	checked(studies+"loan", study.Options{})
	t.Run("public", func(t *testing.T) {
		root := dataRoot(t)
		for i := range 20 {
			name, of := fmt.Sprintf("AC-%d", i+1), []string{"adult", "adult-all-ages"}
			if i >= 12 {
				name, of = fmt.Sprintf("BM-%d", i-11), []string{"bank", "bank-ages"}
			}
			for _, one := range of {
				checked(studies+one+".yaml", study.Options{DataRoot: root, Model: name})
			}
		}
	})
}
