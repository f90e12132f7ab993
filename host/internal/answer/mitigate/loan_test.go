package mitigate

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// loan is the loan study with everything that a comparison needs. Its cluster of
// discrimination is planted: see docs/user/loan.md.
type loan struct {
	*study.Study
	config Config
	// searches are the names that Search was called with.
	searches []string
}

const plantedRule = "credit_rating=..4,loan_amount=12.."

func openLoan(t testing.TB, arms ...string) *loan {
	t.Helper()
	st, err := study.Load("../../../../studies/loan", study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	l := &loan{Study: st}
	r := DefaultRetraining()
	r.Epochs, r.Patience = 3, 0
	l.config = Config{
		Model: st.Model, Space: st.Space, Region: st.Space.Whole(), Retraining: r, MostRefused: 1,
		Search: func(_ context.Context, name string, s Subject) (*Searched, error) {
			l.searches = append(l.searches, name)
			return draws(t, st.Space, s, 20000), nil
		},
	}
	for _, i := range data.Train() {
		l.config.Train, l.config.TrainLabels = append(l.config.Train, data.Points[i]), append(l.config.TrainLabels, data.Labels[i])
	}
	for _, i := range data.Test {
		l.config.Test, l.config.TestLabels = append(l.config.Test, data.Points[i]), append(l.config.TestLabels, data.Labels[i])
	}
	if l.config.Arms, err = ParseArms(arms); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *loan) rule(t testing.TB, text string) space.Predicate {
	t.Helper()
	p, err := space.ParsePredicate(l.Space, text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// draws is a search that draws individuals uniformly, the same for every subject, so that
// results are comparable.
func draws(t testing.TB, s *space.Space, subject Subject, count int) *Searched {
	t.Helper()
	region := s.Whole()
	e, err := evaluate.New(subject.Model, s, region, big.NewRat(1, 20))
	if err != nil {
		t.Fatal(err)
	}
	m := material{space: s, region: region}
	rng := rand.New(rand.NewPCG(7, 0))
	var events []record.Event
	out := &Searched{}
	for range count {
		x := make([]float64, len(s.Features))
		m.draw(rng, x)
		if _, refused := guard.Refuses(subject.Guards, x); refused {
			out.Refused++
			continue
		}
		o := e.Evaluate(x)
		out.Evaluations++
		if o.Violates {
			found := record.Found{X: s.Canonical(x), K: o.K, Gap: o.Gap}
			out.Found = append(out.Found, found)
			events = append(events, record.Event{Kind: record.KindFound, Found: &found})
		}
	}
	events = append(events, record.Event{Kind: record.KindFinished, Finished: &record.Finished{Iter: int64(count)}})
	out.Runs = []search.Measures{search.Measure(events)}
	return out
}

func runLoan(t *testing.T, l *loan) map[string]*Outcome {
	t.Helper()
	outcomes, err := Run(t.Context(), l.config)
	if err != nil {
		t.Fatal(err)
	}
	byArm := map[string]*Outcome{}
	for i := range outcomes {
		byArm[outcomes[i].Arm.String()] = &outcomes[i]
	}
	return byArm
}

// lattice visits every individual of the loan study, with only every eighth value of
// years_employed.
func lattice(s *space.Space, visit func(x []float64)) {
	x := make([]float64, len(s.Features))
	var next func(free []int)
	next = func(free []int) {
		if len(free) == 0 {
			visit(x)
			return
		}
		f := &s.Features[free[0]]
		step := 1.0
		if f.Name == "years_employed" {
			step = 8
		}
		for v := f.Lo; v <= f.Hi; v += step {
			x[free[0]] = v
			next(free[1:])
		}
	}
	next(s.Free())
}

// TestGuardingTheClusterLeavesTheRest: a handwritten rule that describes the planted
// cluster lowers Max.K from 20 to exactly the maximum outside the cluster, by enumeration.
// It refuses every individual in the cluster.
func TestGuardingTheClusterLeavesTheRest(t *testing.T) {
	tier.NeedUsual(t)
	l := openLoan(t, "original", "original+guards")
	rule := l.rule(t, plantedRule)
	l.config.Rules = []space.Predicate{rule}
	e, err := evaluate.New(l.Model, l.Space, l.config.Region, big.NewRat(1, 20))
	if err != nil {
		t.Fatal(err)
	}
	l.config.Search = func(_ context.Context, _ string, s Subject) (*Searched, error) {
		var measures search.Measures
		id, most, found := 0.0, 0.0, &Searched{}
		lattice(l.Space, func(x []float64) {
			if _, refused := guard.Refuses(s.Guards, x); refused {
				found.Refused++
				return
			}
			if o := e.Evaluate(x); o.Violates {
				id, most = id+1, max(most, float64(o.K))
			}
		})
		measures.ID, measures.MaxK = &id, &most
		found.Runs = []search.Measures{measures}
		return found, nil
	}
	rating, _ := l.Space.Index("credit_rating")
	amount, _ := l.Space.Index("loan_amount")
	inside, rest, refused := 0, 0, int64(0)
	lattice(l.Space, func(x []float64) { // the cluster by its definition, not by a predicate
		o := e.Evaluate(x)
		if x[rating] <= 4 && x[amount] >= 12 {
			inside = max(inside, o.K)
			refused++
		} else if o.Violates {
			rest = max(rest, o.K)
		}
	})
	arms := runLoan(t, l)
	before, after := arms["original"], arms["original+guards"]
	if inside != 20 || before.MaxK() != 20 {
		t.Errorf("the cluster has k up to %d, the unguarded search found %v; want 20", inside, before.MaxK())
	}
	if after.MaxK() != float64(rest) || rest < 2 || rest > 11 {
		t.Errorf("guarded: Max.K %v, the rest of the model has %d (documented: at most 11)", after.MaxK(), rest)
	}
	if after.Refused != refused || before.Refused != 0 {
		t.Errorf("%d individuals refused, %d are in the cluster; without guards %d", after.Refused, refused, before.Refused)
	}
	if q := after.Quality; *q.Refused < 0.4 || *q.AccuracyAnswered < *before.Quality.Accuracy || *q.Accuracy > *q.AccuracyAnswered {
		t.Errorf("refused %v, accuracy %v, on the answered rows %v; before %v", *q.Refused, *q.Accuracy, *q.AccuracyAnswered, *before.Quality.Accuracy)
	}
}

// TestArmsShareTheirNetworks: each network is made once, searched once without guardrails,
// and explained from that search.
func TestArmsShareTheirNetworks(t *testing.T) {
	l := openLoan(t, "retrained+guards", "original", "consistent", "original+guards", "retrained")
	rule := l.rule(t, plantedRule)
	var explained []int
	l.config.Explain = func(_ context.Context, _ model.Model, found []record.Found) ([]space.Predicate, error) {
		explained = append(explained, len(found))
		return []space.Predicate{rule}, nil
	}
	kept := map[string]*relu.Network{}
	l.config.Trained = func(way string, n *relu.Network) error { kept[way] = n; return nil }
	arms := runLoan(t, l)
	want := []string{"original", "original+guards", "retrained", "retrained+guards", "consistent"}
	if len(l.searches) != len(want) {
		t.Fatalf("searched %q, want each of %q once", l.searches, want)
	}
	for i, name := range want {
		if l.searches[i] != name || arms[name] == nil || arms[name].Skipped != "" {
			t.Errorf("search %d is of %s, want %s; %+v", i, l.searches[i], name, arms[name])
		}
	}
	if len(explained) != 2 || explained[0] != len(arms["original"].Found) || explained[1] != len(arms["retrained"].Found) {
		t.Errorf("explained %v individuals", explained)
	}
	for _, way := range []string{Retrained, Consistent} {
		if n := arms[way].Subject.Model; kept[way] != n || n == l.config.Model || arms[way].Trained == nil {
			t.Errorf("%s: the network kept is not the one searched", way)
		}
	}
	if arms["retrained+guards"].Subject.Model != kept[Retrained] || kept[Original] != nil {
		t.Error("the guarded arm has another network, or the original was taken for a new one")
	}
	// The penalty's purpose: copies agree better, as the search confirms.
	if before, after := *arms["original"].Runs[0].AvgK, *arms["consistent"].Runs[0].AvgK; after > before*2/3 {
		t.Errorf("Avg.K is %v of the consistent network, %v of the original one", after, before)
	}
}

// TestBlindIsTheSameForAllCopies: all copies of any individual get the same logit, and the
// rest of the network has been trained.
func TestBlindIsTheSameForAllCopies(t *testing.T) {
	l := openLoan(t, "blind", "blind+guards")
	l.config.Explain = func(context.Context, model.Model, []record.Found) ([]space.Predicate, error) {
		return nil, ErrNoRules
	}
	arms := runLoan(t, l)
	blind := arms["blind"]
	m := material{space: l.Space, region: l.config.Region}
	rng := rand.New(rand.NewPCG(1, 0))
	x := make([]float64, len(l.Space.Features))
	for range 500 {
		m.draw(rng, x)
		var logits []float64
		for _, point := range l.Space.Counterfactuals(l.config.Region, x) {
			logits = append(logits, blind.Subject.Model.Logit(l.Space.NetworkInputs(nil, point)))
		}
		for _, logit := range logits {
			if logit != logits[0] {
				t.Fatalf("copies of %v have the logits %v", x, logits)
			}
		}
	}
	if blind.ID() != 0 || *blind.Quality.Accuracy < 0.65 {
		t.Errorf("%v individuals, accuracy %v", blind.ID(), *blind.Quality.Accuracy)
	}
	if arms["blind+guards"].Skipped == "" {
		t.Error("an arm without an explanation was not left out")
	}
}

// TestTrainingIsDeterministic: equal seeds give equal networks, bit for bit; other seeds
// give others.
func TestTrainingIsDeterministic(t *testing.T) {
	networks := func(seed int64) map[string]*relu.Network {
		l := openLoan(t, Retrained, Consistent, Blind)
		l.config.Retraining.Seed, l.config.Retraining.Epochs = seed, 1
		l.config.Train, l.config.TrainLabels = l.config.Train[:1000], l.config.TrainLabels[:1000]
		out := map[string]*relu.Network{}
		for name, o := range runLoan(t, l) {
			out[name] = o.Subject.Model.(*relu.Network)
		}
		return out
	}
	first, same, other := networks(3), networks(3), networks(4)
	for name := range first {
		for k := range first[name].Layers {
			a, b, c := first[name].Layers[k].Weights, same[name].Layers[k].Weights, other[name].Layers[k].Weights
			differs := false
			for i := range a {
				if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
					t.Fatalf("%s, layer %d: %v and %v with the same seed", name, k, a[i], b[i])
				}
				differs = differs || a[i] != c[i]
			}
			if !differs {
				t.Errorf("%s, layer %d: another seed changed nothing", name, k)
			}
		}
	}
}

// BenchmarkConsistent trains one epoch.
func BenchmarkConsistent(b *testing.B) {
	l := openLoan(b, Consistent)
	m := material{Retraining: l.config.Retraining, space: l.Space, region: l.config.Region, rows: l.config.Train, labels: l.config.TrainLabels}
	m.Epochs = 1
	for b.Loop() {
		if _, _, err := m.consistent(b.Context(), l.config.Model.(*relu.Network), nil); err != nil {
			b.Fatal(err)
		}
	}
}
