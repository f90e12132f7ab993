package fleet

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math/big"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/internal/program"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// loan is the shipped study, as searches and comparisons ask about it.
func loan(t testing.TB, measured string) *subject {
	t.Helper()
	return asked(t, question.Spec{Notion: fairness.Score.String()}, measured)
}

func asked(t testing.TB, spec question.Spec, measured string) *subject {
	t.Helper()
	spec.Study = filepath.Join(program.Root(), "studies", "loan")
	s, err := open(spec, measured)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// worst is an individual who is discriminated against, and the pair that shows it.
func worst(t testing.TB, s *subject) (*record.Found, *record.Witness) {
	t.Helper()
	e, err := s.evaluator()
	if err != nil {
		t.Fatal(err)
	}
	q, err := s.asked.Query(problem.Decide)
	if err != nil {
		t.Fatal(err)
	}
	data, err := s.asked.Study.Data()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range data.Points {
		x := s.asked.Space.Canonical(row)
		if out := e.Evaluate(x); out.Violates {
			w := individual.NewJudge(q).Worst(t.Context(), x, q.Notion.Threshold(q.Epsilon))
			if w == nil && !q.Notion.UsesEpsilon() {
				continue
			}
			if w == nil {
				t.Fatalf("%v", out)
			}
			event := w.Event().Witness
			event.K = out.K
			return &record.Found{X: x, K: out.K, Gap: out.Gap, Shannon: out.Shannon, MinEntropy: out.MinEntropy}, event
		}
	}
	t.Fatal("nobody is")
	return nil, nil
}

// What a worker says of individuals counts as far as it holds.
func TestLiesDoNotCount(t *testing.T) {
	searched, compared := loan(t, ""), loan(t, "0.05")
	x, _ := worst(t, searched)
	_, w := worst(t, compared)
	found := func(change func(*record.Found)) record.Event {
		f := *x
		f.X = append([]float64(nil), x.X...)
		change(&f)
		return record.Event{Kind: record.KindFound, Found: &f}
	}
	lowered := asked(t, question.Spec{Notion: fairness.Decision.String(), Scope: question.Scope{Threshold: "0.3"}}, "0.05")
	_, flip := worst(t, lowered)
	pair := func(change func(*record.Witness)) record.Event {
		p := *w
		p.Copy1, p.Copy2 = append([]float64(nil), w.Copy1...), append([]float64(nil), w.Copy2...)
		change(&p)
		return record.Event{Kind: record.KindWitness, Witness: &p}
	}
	refuted := func(change func(*record.Witness)) record.Event {
		return record.Event{Kind: record.KindFault, Fault: &record.Fault{Error: "it claims nothing", Refuted: &record.Refuted{Grade: "exact", Witness: pair(change).Witness}}}
	}
	free := searched.asked.Space.Free()[0]
	for name, c := range map[string]struct {
		of     *subject
		events []record.Event
		holds  bool
	}{
		"the truth":             {searched, []record.Event{found(func(*record.Found) {})}, true},
		"a larger k":            {searched, []record.Event{found(func(f *record.Found) { f.K++ })}, false},
		"a larger gap":          {searched, []record.Event{found(func(f *record.Found) { f.Gap *= 1.001 })}, false},
		"other entropies":       {searched, []record.Event{found(func(f *record.Found) { f.Shannon++ })}, false},
		"somebody outside":      {searched, []record.Event{found(func(f *record.Found) { f.X[free] = 1e9 })}, false},
		"too few values":        {searched, []record.Event{found(func(f *record.Found) { f.X = f.X[1:] })}, false},
		"nobody":                {searched, []record.Event{found(func(f *record.Found) { f.X = nil })}, false},
		"the same twice":        {searched, []record.Event{found(func(*record.Found) {}), found(func(*record.Found) {})}, false},
		"a sum of larger ones":  {searched, []record.Event{found(func(*record.Found) {}), {Kind: record.KindTally, Tally: &record.Tally{K: map[int]int64{x.K + 1: 5}}}}, false},
		"a sum":                 {searched, []record.Event{found(func(*record.Found) {}), {Kind: record.KindTally, Tally: &record.Tally{K: map[int]int64{x.K: 5}}}}, true},
		"no sum":                {searched, []record.Event{{Kind: record.KindTally}}, false},
		"other features":        {searched, []record.Event{{Kind: record.KindStarted, Started: &record.Started{Features: []string{"x"}}}}, false},
		"a pair":                {compared, []record.Event{pair(func(*record.Witness) {})}, true},
		"a decision that flips": {lowered, []record.Event{{Kind: record.KindWitness, Witness: flip}}, true},
		"a pair, further apart": {compared, []record.Event{pair(func(p *record.Witness) { p.Logit1 += 0.5 })}, false},
		"a pair of more bins":   {compared, []record.Event{pair(func(p *record.Witness) { p.K++ })}, false},
		"a pair of two people":  {compared, []record.Event{pair(func(p *record.Witness) { p.Copy1[free], p.Copy2[free] = 1, 2 })}, false},
		"a refutation":          {compared, []record.Event{refuted(func(p *record.Witness) { p.K = 0 })}, true},
		"one, further apart":    {compared, []record.Event{refuted(func(p *record.Witness) { p.Logit1 += 0.5 })}, false},
		"one of nobody":         {compared, []record.Event{refuted(func(p *record.Witness) { p.Copy1 = nil })}, false},
		"one without values":    {compared, []record.Event{pair(func(p *record.Witness) { p.Copy2 = nil })}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var lines bytes.Buffer
			for _, e := range c.events {
				if err := json.NewEncoder(&lines).Encode(workers.Line{Event: e}); err != nil {
					t.Fatal(err)
				}
			}
			got := came{answer: answer{Lines: lines.String()}, worker: "w"}
			taken := 0
			usage, err := got.hand(c.of, func(record.Event) error { taken++; return nil }, nil)
			if c.holds != (err == nil) || c.holds != (taken == len(c.events)) || c.holds != (usage.Machine != nil) {
				t.Errorf("%d of %d events, %v", taken, len(c.events), err)
			}
		})
	}
}

// The first bin of shares is wider than ε. An individual with a larger gap may have k = 1, and
// may be counted; with scores this is refuted.
func TestOneOutcomeOfShares(t *testing.T) {
	in := func(i int) []space.Input { return []space.Input{{Index: i, Scale: 1}} }
	s := &space.Space{Inputs: 2, Features: []space.Feature{
		{Name: "n", Kind: space.Integer, Hi: 3, Inputs: in(0)},
		{Name: "p", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: in(1)},
	}}
	e := &trees.Ensemble{Columns: 2, Output: fairness.LinkShare, Base: -fairness.Half, Trees: []trees.Tree{
		{{Input: 1, Left: 1, Right: 2, Value: 0.5}, trees.Leaf(0), trees.Leaf(float64(float32(0.05)))},
	}}
	shares := &subject{asked: &question.Question{Study: &study.Study{Model: e}, Space: s, Region: s.Whole()}}
	shares.evaluator = func() (*evaluate.Evaluator, error) { return evaluate.New(e, s, s.Whole(), big.NewRat(1, 20)) }
	evaluator, err := shares.evaluator()
	if err != nil {
		t.Fatal(err)
	}
	out := evaluator.Evaluate(make([]float64, 2))
	one := &record.Found{X: make([]float64, 2), K: out.K, Gap: out.Gap}
	if !out.Violates || out.K != 1 {
		t.Fatalf("k = %d, violates ε: %v", out.K, out.Violates)
	}
	scores := loan(t, "")
	other, _ := worst(t, scores)
	tally := func(k int) record.Event {
		return record.Event{Kind: record.KindTally, Tally: &record.Tally{K: map[int]int64{k: 5}}}
	}
	for _, c := range []struct {
		of    *subject
		first *record.Found
		k     int
		holds bool
	}{{shares, one, 1, true}, {shares, one, 0, false}, {shares, one, 2, false}, {scores, other, 1, false}, {scores, other, 2, true}} {
		r := &replay{subject: c.of, seen: map[string]bool{}}
		if err := r.check(&record.Event{Kind: record.KindFound, Found: c.first}); err != nil {
			t.Fatal(err)
		}
		event := tally(c.k)
		if err := r.check(&event); c.holds != (err == nil) {
			t.Errorf("some of k = %d: %v", c.k, err)
		}
	}
}

// Any message from a worker: nothing panics, a result is accepted once and only if a parcel
// awaits it, and no individual counts that the replay refutes.
func FuzzResult(f *testing.F) {
	of := loan(f, "")
	x, _ := worst(f, of)
	line, err := json.Marshal(workers.Line{Event: record.Event{Kind: record.KindFound, Found: x}})
	if err != nil {
		f.Fatal(err)
	}
	text, err := json.Marshal(&answers{Worker: "w", Answers: []answer{{Content: "c", Lines: string(line) + "\n"}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(partSubject("p", "id", "a", 0, 1), text, true)
	f.Add(partSubject("p", "id", "a", 1, 2), text, false)
	f.Add(partSubject("p", "other", "a", 0, 1), []byte("{}"), true)
	f.Add(strings.Replace(partSubject("p", "id", "a", 0, 1), "p", "*", 1), []byte("null"), true)
	f.Add(resultPrefix+"p.id.a.0.1", bytes.Replace(text, []byte(`"kind":"found"`), []byte(`"kind":"started"`), 1), true)
	e, err := of.evaluator()
	if err != nil {
		f.Fatal(err)
	}
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed) // one for all: it has tables of a megabyte
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, subject string, body []byte, packed bool) {
		if packed {
			var b bytes.Buffer
			z.Reset(&b)
			z.Write(body)
			z.Close()
			body = b.Bytes()
		}
		c := coordinator(nil, nil)
		c.plan = "p"
		waits := &errand{task: task{Content: "c"}, from: of, came: make(chan came, 1)}
		c.waiting["id"], c.out = &wait{errands: []*errand{waits}}, 1
		c.take(0, subject, body, 1)
		c.take(0, subject, body, 1)
		if len(c.waiting) == 1 {
			return
		}
		got := <-waits.came
		got.hand(of, func(one record.Event) error {
			if one.Kind == record.KindFound {
				if out := e.Evaluate(one.Found.X); !out.Violates || out.K != one.Found.K {
					t.Errorf("%+v counts", one.Found)
				}
			}
			return nil
		}, func(*workers.Said) {})
	})
}

// A second result is compared with the first, and a difference is noted.
func TestSecondResultsAreCompared(t *testing.T) {
	of := loan(t, "")
	x, _ := worst(t, of)
	line, err := json.Marshal(workers.Line{Event: record.Event{Kind: record.KindFound, Found: x}})
	if err != nil {
		t.Fatal(err)
	}
	for second, differs := range map[string]bool{string(line) + "\n": false, "": true} {
		told := make(chan string, 1)
		c := coordinator(nil, &session.Session{Tell: func(text string) { told <- text }})
		c.plan = "p"
		e := &errand{task: task{Content: "c", Key: "the task"}, from: of, parcel: "id", came: make(chan came, 1)}
		c.waiting["id"], c.out = &wait{errands: []*errand{e}}, 1
		give := func(attempt, lines string) {
			parts, err := pack(&answers{Worker: "w", Answers: []answer{{Content: "c", Lines: lines}}})
			if err != nil {
				t.Fatal(err)
			}
			c.take(0, partSubject("p", "id", attempt, 0, 1), parts[0], 1)
		}
		give("a", string(line)+"\n")
		got := <-e.came
		if _, err := c.end(e, &got, func(record.Event) error { return nil }, nil); err != nil {
			t.Fatal(err)
		}
		give("b", second)
		for over := false; !over; { // until it was compared
			c.mu.Lock()
			over = !c.comparing
			c.mu.Unlock()
			runtime.Gosched()
		}
		select {
		case text := <-told:
			if !differs || !strings.Contains(text, "the task") {
				t.Error(text)
			}
		default:
			if differs {
				t.Error("nobody is told")
			}
		}
	}
}

// FuzzState and FuzzParcel: a coordinator reads the one, a worker the other.
func FuzzState(f *testing.F) {
	text, _ := json.Marshal(State{Name: "w", Role: RoleWorker, Slots: 2, Busy: []Doing{{Task: "t"}}})
	f.Add(text)
	f.Add([]byte(`{"name":"w","role":"worker","host":"\u001b[2J","machine":{"cpu":"\u001b]0;x\u0007"},"slots":1,"busy":[{"task":"a\u202eb\n","latest":"\u0000"}],"lacks":["\r"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, err := parseState(text); err == nil {
			var out strings.Builder
			(&Status{Workers: []*State{s}, Coordinators: []*State{s}}).Document().Write(&out, view.Text, view.Options{})
			if i := strings.IndexFunc(out.String(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
				t.Errorf("%q reaches the terminal", out.String()[i:])
			}
		}
	})
}

func FuzzParcel(f *testing.F) {
	text, _ := json.Marshal(parcel{Plan: "p", ID: "i", Files: map[string]file{"../x": {SHA256: strings.Repeat("0", 64)}}, Tasks: []task{{Content: "c", Threads: 1}}})
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parseParcel(text)
		if err != nil {
			return
		}
		for name, one := range p.Files {
			if filepath.Base(one.SHA256) != one.SHA256 {
				t.Errorf("%q would be kept as %q", name, one.SHA256)
			}
		}
	})
}

// Results without a waiting parcel are bounded, however small each is.
func TestEarlyResultsAreBounded(t *testing.T) {
	c := coordinator(nil, nil)
	c.plan = "plan"
	for i := range maxEarly/overhead + 1000 {
		c.take(0, partSubject(c.plan, strconv.Itoa(i), "a", 0, 1), []byte{1}, uint64(i))
	}
	if n := len(c.early); n == 0 || n > maxEarly/overhead {
		t.Errorf("%d results wait", n)
	}
}

// A message of an ended subscription changes nothing, and an older message leaves latest.
func TestWhoWasEndedIsNotHeard(t *testing.T) {
	c := coordinator(nil, nil)
	c.plan = "plan"
	give := func(subscription int, id string, seq uint64, latest uint64, results int) {
		t.Helper()
		if c.take(subscription, partSubject(c.plan, id, "a", 0, 1), []byte{1}, seq); c.latest != latest || len(c.early) != results {
			t.Errorf("latest %d with %d results, want %d with %d", c.latest, len(c.early), latest, results)
		}
	}
	give(0, "one", 7, 7, 1)
	c.unsubscribe()
	give(0, "two", 9, 7, 1)
	give(1, "three", 8, 8, 2)
	give(1, "four", 6, 8, 3)
}
