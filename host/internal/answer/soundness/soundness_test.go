package soundness

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// folder writes a new bench.
func folder(t *testing.T, rungs int, seed int64) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bench")
	out, err := New(t.Context(), &session.Session{Begun: time.Now()}, Request{Rungs: rungs, Seed: seed, Out: dir})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Instances) != len(kinds)*rungs {
		t.Fatalf("%d instances", len(out.Instances))
	}
	return dir
}

// Every answer of every truth agrees with enumeration.
func TestTruth(t *testing.T) {
	for seed := range int64(tier.Count(2, 20)) {
		dir := folder(t, 1, seed)
		truths, err := Read(dir)
		if err != nil || len(truths) != len(kinds) {
			t.Fatalf("%d truths, %v", len(truths), err)
		}
		for _, truth := range truths {
			found := map[string]*known.Truth{} // by notion
			for i := range truth.Questions {
				q := &truth.Questions[i]
				if found[q.Notion] == nil {
					found[q.Notion] = enumerated(t, dir, truth, q)
				}
				if wrong := unlike(truth, q, found[q.Notion]); wrong != "" {
					t.Errorf("seed %d, %s, %s: %s", seed, truth.Name, q.Called(), wrong)
				}
			}
		}
	}
}

// enumerated computes the answers about a question's people one by one.
func enumerated(t *testing.T, dir string, truth *Truth, q *Question) *known.Truth {
	t.Helper()
	asked, err := question.Open(truth.Spec(dir, q))
	if err != nil {
		t.Fatal(err)
	}
	query, err := asked.Query(problem.Decide)
	if err != nil {
		t.Fatal(err)
	}
	return known.Enumerate(query)
}

// unlike returns where the truth disagrees with enumeration.
func unlike(truth *Truth, q *Question, all *known.Truth) string {
	margin := new(big.Rat)
	if all.Some && (q.Epsilon != "" || all.Unfair > 0) {
		margin = all.Margin
	}
	m, _ := margin.Float64()
	switch {
	case truth.People != fmt.Sprint(len(all.People)):
		return fmt.Sprintf("%s people, found %d", truth.People, len(all.People))
	case q.Unfair != (all.Unfair > 0):
		return fmt.Sprintf("unfair %v, found %d", q.Unfair, all.Unfair)
	case m < q.Margin[0] || m > q.Margin[1] || q.Margin[1]-q.Margin[0] > 1e-12:
		return fmt.Sprintf("margin %v, found %v", q.Margin, m)
	case q.Goal == MaxK && q.K != all.K:
		return fmt.Sprintf("k %d, found %d", q.K, all.K)
	case q.Goal == Share && q.People != fmt.Sprint(all.Unfair):
		return fmt.Sprintf("%s treated unfairly, found %d", q.People, all.Unfair)
	}
	return ""
}

// Every kind keeps its promise: planted people exist, and twins are fair by scores.
func TestKinds(t *testing.T) {
	tier.NeedUsual(t)
	// At 3, the tenth region first draws a bin next to its own; at 10, the second one's first features give it two people.
	for seed := range int64(tier.Count(11, 30)) {
		for rung := 1; rung <= MaxRungs; rung++ {
			_, bins := targets(rung)
			for _, kind := range kinds {
				in := draw(seed, rung, kind)
				score, logit := in.answer(Share, fairness.Score, epsilon), in.answer(Witness, fairness.Logit, in.logitEpsilon())
				k := in.answer(MaxK, fairness.Score, epsilon).K
				real := in.widest(true) >= 0.25 && kind != justBelow
				says := fmt.Sprintf("seed %d, rung %d, %s: %+v, logit %+v, k %d", seed, rung, kind, score, logit, k)
				switch kind {
				case onePerson, fixed:
					if score.People != "1" || !logit.Unfair || score.Margin[0] > 0.0525 {
						t.Error(says)
					}
				case tenPeople:
					if score.People != "10" || !logit.Unfair || k < min(rung, 2) {
						t.Error(says)
					}
				case aRegion:
					if n, _ := whole(score.People); n.Cmp(big.NewInt(10)) < 0 || !logit.Unfair || k != bins {
						t.Error(says)
					}
				case justBelow:
					if score.Unfair || logit.Unfair || score.Margin[1] < 0.045 {
						t.Error(says)
					}
				default:
					if score.Unfair || logit.Unfair || score.Margin[1] > 0 || k != 1 || real != (kind != outside) {
						t.Error(says)
					}
				}
			}
		}
	}
}

// A disguise changes no value, and float arithmetic of the width of a deployment computes it
// exactly.
func TestDisguise(t *testing.T) {
	for seed := range int64(tier.Count(1, 5)) {
		for rung := 1; rung <= MaxRungs; rung++ {
			for _, kind := range kinds {
				if rung > 4 && seed == 0 && kind != kinds[rung%len(kinds)] && !tier.Long() {
					continue // they take most of the time
				}
				in := draw(seed, rung, kind)
				n, d, err := in.disguised()
				if err != nil {
					t.Fatal(err)
				}
				want, _ := targets(rung)
				if n.Neurons() < want || n.Neurons() > 2*want+16 || d.Split+d.Dead == 0 && n.Neurons() == want && in.plain().relu(len(in.features)).Neurons() < want {
					t.Errorf("rung %d, %s: %d neurons for %d, %+v", rung, kind, n.Neurons(), want, d.Disguise)
				}
				plain := in.plain().relu(len(in.features))
				before, after := plain.Exact(), n.Exact()
				for p := range tier.Count(20, 150) {
					x := in.point(p)
					exact := make([]*big.Rat, len(x))
					for i := range x {
						exact[i] = exactly(x[i])
					}
					a, b := before.Logit(exact), after.Logit(exact)
					float, _ := b.Float64()
					if a.Cmp(b) != 0 || n.Logit(x) != float || float64(n.Logit32(x)) != float {
						t.Fatalf("seed %d, rung %d, %s at %v: %s plain, %s disguised, %v and %v in floats", seed, rung, kind, x, a.RatString(), b.RatString(), n.Logit(x), n.Logit32(x))
					}
				}
			}
		}
	}
}

// point draws a point of the lattice; every other one is near a site.
func (in *instance) point(number int) []float64 {
	x := make([]float64, len(in.features))
	for i := range in.features {
		f := &in.features[i]
		x[i] = f.lo + float64(in.rng.IntN(f.size()))
		if f.values != nil {
			x[i] = f.values[in.rng.IntN(len(f.values))]
		}
	}
	if s := &in.sites[number%len(in.sites)]; number%2 == 0 {
		for k, i := range in.free {
			x[i] = min(max(float64(int(s.lo[k]))+float64(in.rng.IntN(3)/2), in.features[i].lo), in.features[i].hi)
		}
		if number%4 == 0 {
			for k, i := range in.prot {
				x[i] = s.hits[number%len(s.hits)].z[k]
			}
		}
	}
	return x
}

// The same seed gives the same bytes, and another seed others.
func TestSameSeedSameBytes(t *testing.T) {
	one, two, other := contents(t, folder(t, 2, 5)), contents(t, folder(t, 2, 5)), contents(t, folder(t, 2, 6))
	if d := cmp.Diff(one, two); d != "" {
		t.Error(d)
	}
	same := 0
	for name, text := range one {
		if other[name] == text {
			same++
		}
	}
	if want := len(kinds)*2*6 + 1; len(one) != want || same > 1 { // the list of files
		t.Errorf("%d files, %d of them the same with another seed", len(one), same)
	}
}

// contents returns the files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// An interrupted bench leaves an empty folder, which may be used again.
func TestHalfABenchIsNone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	shown := 0
	s := &session.Session{Begun: time.Now(), Progress: func(string) {
		if shown++; shown == 4 {
			cancel()
		}
	}}
	if _, err := New(ctx, s, Request{Rungs: 1, Seed: 1, Out: dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if there, err := os.ReadDir(dir); err != nil || len(there) > 0 {
		t.Errorf("%v, %v", there, err)
	}
}
