package explain

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/space"
)

// proving is a loaded request with solver-bnb available.
func proving(t *testing.T, r Request) *job {
	t.Helper()
	plugins, err := discover.New(plugintest.Folder(t, map[string]string{"hyfair-solver-bnb": "plugins/solver-bnb"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	j := &job{session: &session.Session{Plugins: plugins, Threads: 1, Begun: time.Now()}, request: r}
	if j.question, err = question.Open(r.Spec); err != nil {
		t.Fatal(err)
	}
	if j.query, err = j.question.Scores(); err != nil {
		t.Fatal(err)
	}
	return j
}

// A signal keeps the bounds proved so far.
func TestProvingIsInterrupted(t *testing.T) {
	// The bins are so narrow that the proof outlasts the signal.
	ctx, cancel := context.WithCancel(t.Context())
	j := proving(t, Request{
		Spec: question.Spec{Study: "../../../../studies/loan", Scope: question.Scope{Epsilon: "0.0003"}}, Bound: time.Hour,
	})
	planted, err := space.ParsePredicate(j.query.Space, "credit_rating=..4,loan_amount=12..")
	if err != nil {
		t.Fatal(err)
	}
	r := &Result{Predicates: []Predicate{{Holds: planted}}}
	signal := sync.OnceFunc(func() { time.AfterFunc(2*time.Second, cancel) })
	j.session.Progress = func(text string) {
		if strings.Contains(text, "proving") {
			signal()
		}
	}
	begin := time.Now()
	err = j.prove(ctx, r, nil)
	if spent := time.Since(begin); err != nil || !r.Interrupted || spent > time.Minute {
		t.Fatalf("%v after %v: %+v", err, spent, r)
	}
	if k := r.Predicates[0].Floor.K; k == nil || k.Certified || k.Found != nil && k.Proved > *k.Found || k.Reason != "interrupted" || r.Ceiling.K != nil {
		t.Errorf("%+v, %+v", k, r.Ceiling)
	}
}

// Floor and ceiling on a published network equal the extremes over all three million
// individuals with ninety copies each.
func TestBoundsOfAdult(t *testing.T) {
	tier.NeedUsual(t)
	root := tier.NeedData(t, "adult", "models", "AC-1.h5")
	j := proving(t, Request{Bound: time.Minute, Spec: question.Spec{
		Study: "../../../../studies/adult.yaml", Data: root, Model: "AC-1",
		Scope: question.Scope{Where: fmt.Sprintf("capital-gain=0,capital-loss=0,hours-per-week=%d..50,workclass=Private,native-country=United-States", tier.Count(45, 30))},
	}})
	q := j.query
	married, err := space.ParsePredicate(q.Space, "education-num=10..,marital-status=Married-AF-spouse|Married-civ-spouse|Married-spouse-absent")
	if err != nil {
		t.Fatal(err)
	}
	e, err := evaluate.New(q.Model, q.Space, q.Region, q.Epsilon)
	if err != nil {
		t.Fatal(err)
	}
	leastK, leastGap, mostK, mostGap := 99, 9.0, 0, 0.0
	people, out := [][]float64{}, make([]evaluate.Outcome, 4096)
	flush := func() {
		e.EvaluateAll(people, out)
		for i, x := range people {
			if o := &out[i]; married.Holds(x) {
				leastK, leastGap = min(leastK, o.K), min(leastGap, o.Gap)
			} else {
				mostK, mostGap = max(mostK, o.K), max(mostGap, o.Gap)
			}
		}
		people = people[:0]
	}
	free, x := q.Space.Free(), make([]float64, len(q.Space.Features))
	var each func(k int)
	each = func(k int) {
		if k == len(free) {
			if people = append(people, slices.Clone(x)); len(people) == len(out) {
				flush()
			}
			return
		}
		for x[free[k]] = q.Region.Box[free[k]].Lo; x[free[k]] <= q.Region.Box[free[k]].Hi; x[free[k]]++ {
			each(k + 1)
		}
	}
	each(0)
	flush()

	r := &Result{Predicates: []Predicate{{Holds: married}}}
	if err := j.prove(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	floor, ceiling := r.Predicates[0].Floor, r.Ceiling
	for _, c := range []struct {
		name string
		l    *Limit
		want float64
	}{{"least k", floor.K, float64(leastK)}, {"least gap", floor.Gap, leastGap}, {"most k", ceiling.K, float64(mostK)}, {"largest gap", ceiling.Gap, mostGap}} {
		if c.l == nil || !c.l.Certified || math.Abs(c.l.Proved-c.want) > 1e-7 {
			t.Errorf("%s: %+v; enumeration has %v", c.name, c.l, c.want)
		}
	}
}
