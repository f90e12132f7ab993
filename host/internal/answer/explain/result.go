package explain

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// Result is the answer to a Request and the JSON object of hyfair explain.
type Result struct {
	// The study's name.
	Study string `json:"study"`
	// The file name of the model.
	Model string `json:"model"`
	// The value of --seed.
	Seed int64 `json:"seed"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
	// ε, exact, a difference of scores.
	Epsilon string `json:"epsilon"`
	// "decision" with --notion decision: k counts decisions, and epsilon is 0.5; "score" with --notion score against
	// the study's bands.
	Notion string `json:"notion,omitempty"`
	// The attributes that vary.
	Protected []string `json:"protected"`
	// The value of --where.
	Where string `json:"where,omitempty"`
	// The people of predicates[].plausible; absent with the uniform population.
	Population string `json:"population,omitempty"`
	// The origin of the individuals.
	Source *Source `json:"source"`
	// The largest k of these individuals; 0 if there are none.
	InitK int `json:"init_k"`
	// The individuals around which neighbours are drawn.
	Individuals []Individual `json:"individuals"`
	// The neighbours; absent without an individual.
	Sample *Sample `json:"sample,omitempty"`
	// The least difference of means that a predicate had to reach; 0 without a sample.
	Delta float64 `json:"delta"`
	// The confidence of all intervals.
	Confidence float64 `json:"confidence"`
	// The predicates kept, first the one that covers most neighbours with a high k.
	Predicates []Predicate `json:"predicates"`
	// The candidates that were rejected.
	Rejected []Predicate `json:"rejected"`
	// The reason why no predicate was kept.
	Nothing string `json:"nothing,omitempty"`
	// The price of a leaf at which the tree was pruned.
	Alpha float64 `json:"alpha"`
	// The tree's root; null without a sample.
	Tree *TreeJSON `json:"tree"`
	// The LIME explanation of the first individual; null without --lime.
	LIME *LIME `json:"lime"`
	// Bounds proved for all individuals outside all predicates, with --bound.
	Ceiling *Proved `json:"ceiling,omitempty"`
	// The solver that proved floors and ceiling.
	Prover *Prover `json:"prover,omitempty"`
	// A signal came before all bounds were proved.
	Interrupted bool `json:"interrupted,omitempty"`
	question.Grounds
}

// Individual is an individual that neighbours were drawn around.
type Individual struct {
	// The values by feature.
	X map[string]float64 `json:"x"`
	// The values as text.
	Labels map[string]string `json:"labels"`
	// The individual's k.
	K int `json:"k"`
	// The individual's score gap.
	Gap float64 `json:"gap"`
}

// result returns a Result with everything known before the explanation.
func (j *job) result(w *Worst, source *Source) *Result {
	st, s := j.question.Study, j.query.Space
	notion := ""
	if j.decisions {
		notion = fairness.Decision.String()
	}
	return &Result{
		Notion: notion,
		Study:  st.Name, Model: filepath.Base(st.ModelPath), Seed: j.request.Seed, Epsilon: fairness.FormatRat(j.query.Epsilon),
		Protected: question.Protected(s), Where: j.request.Where, Source: source, InitK: w.K,
		Individuals: []Individual{}, Predicates: []Predicate{}, Rejected: []Predicate{},
		Confidence: Confidence, Grounds: question.GroundsOf(st).About(j.decisions || j.query.Bands != nil),
	}
}

func (j *job) individual(x []float64) Individual {
	out, s := j.evaluator.Evaluate(x), j.query.Space
	return Individual{X: individual.Values(s, x, false), Labels: individual.Labels(s, x, false), K: out.K, Gap: out.Gap}
}

// take appends an explanation's predicates and adopts its sample, α, δ and tree.
func (r *Result) take(e *Explanation, s *space.Space) (err error) {
	r.Sample, r.Alpha, r.Delta, r.Nothing = &e.Sample, e.Alpha, e.Delta, e.Nothing
	r.Predicates = append(r.Predicates, e.Predicates...)
	r.Rejected = append(r.Rejected, e.Rejected...)
	if e.Tree != nil {
		r.Tree, err = e.Tree.JSON(s)
	}
	return err
}

// next suggests commands if nothing was explained.
func (r *Result) next() (out []string) {
	s := r.Sample
	if s == nil {
		return nil
	}
	most := 0.0 // largest difference of means
	for i := range r.Rejected {
		if p := &r.Rejected[i]; min(p.Inside.N, p.Outside.N) >= fewest {
			most = max(most, p.Diff)
		}
	}
	most = math.Floor(100*most) / 100
	switch width := float64(s.KMost - s.KLeast); {
	case width > 0 && r.Delta > width:
		out = append(out, fmt.Sprintf("Means of k from %d to %d cannot differ by δ = %v: omit --delta, for a δ of %v here.", s.KLeast, s.KMost, r.Delta, s.delta()))
	case most > 0:
		out = append(out, fmt.Sprintf("Try --delta %v, which the largest difference of means reaches.", most))
	}
	if r.Notion == "" && s.KMost <= 2 && len(r.Decision.Banded()) == 0 {
		out = append(out, "Or try --notion decision: if copies get at most two outcomes, it explains who would get the other decision.")
	}
	return out
}

// Document presents the result with the paper's table.
func (r *Result) Document() *view.Document {
	d := r.document((*Result).table)
	d.Blocks = slices.Insert(d.Blocks, 1, r.Caveats()...)
	return d
}

func (r *Result) document(table func(*Result) *view.Table) *view.Document {
	d := &view.Document{}
	where := ""
	if r.Where != "" {
		where = ", where " + r.Where
	}
	outcomes := "ε = " + r.Epsilon
	if bands := r.Decision.Banded(); len(bands) > 0 {
		outcomes = "bands " + strings.Join(bands, ", ")
	} else if r.Notion != "" {
		outcomes = "notion " + r.Notion
	}
	d.Say("Explanation of %s (%s): %s, %s%s", r.Study, r.Model, strings.Join(r.Protected, ", "), outcomes, where)
	if s := r.Sample; s != nil {
		people := fmt.Sprintf("%d people", s.Around)
		if s.Around == 1 {
			people = "one person"
		}
		sample := view.Paragraph{fmt.Sprintf("Around %s with k = %d (%s), %s neighbours have k from %d to %d, %.2f on average.",
			people, r.InitK, r.Source, view.Count(s.N), s.KLeast, s.KMost, s.KMean)}
		if s.High > 0 {
			sample = append(sample, fmt.Sprintf("High is k ≥ %d: %s neighbours (%s).", s.Threshold, view.Count(s.High), view.Percent(float64(s.High)/float64(s.N), 1)))
		}
		d.Add(sample)
	}
	if r.Nothing != "" {
		d.Add(append(view.Paragraph{fmt.Sprintf("No explanation: %s.", r.Nothing)}, r.next()...))
	}
	if len(r.Predicates) > 0 {
		var texts view.Paragraph
		for i := range r.Predicates {
			texts = append(texts, fmt.Sprintf("%3d  %s", i+1, r.Predicates[i].Text))
		}
		d.Add(texts, table(r))
		if r.Prover != nil {
			d.Add(r.proved())
		}
	}
	for i := range r.Rejected {
		d.Add(view.Paragraph{"not kept: " + r.Rejected[i].Text, "          " + r.Rejected[i].Rejected})
	}
	if r.Tree != nil {
		d.Say("The tree (each leaf cost α = %.3g):", r.Alpha)
		d.Add(&view.Tree{Root: r.Tree.View()})
	}
	if r.LIME != nil {
		r.LIME.show(d)
	}
	return d
}

// table returns the paper's table, with one row for each predicate.
func (r *Result) table() *view.Table {
	t := &view.Table{
		Columns: view.Columns("", "Init.K", "Size", "K", "", "Pert.K", "", "Diff", "Cov", "individuals", "rows", ""),
		Notes: []string{
			fmt.Sprintf("K, Pert.K: mean k of %s fresh neighbours for whom the predicate holds, and does not, with their %.0f %% intervals.",
				view.Count(r.Predicates[0].Inside.N), 100*r.Confidence),
			"Init.K: the largest k of the people whose neighbours were drawn. Size: the number of conditions. Diff: K − Pert.K.",
			"Cov: the predicate's share of the space, and its individuals. rows: people in the data for whom it holds, and their share.",
		},
	}
	t.Columns[0].Right = true
	for i := range r.Predicates {
		p := &r.Predicates[i]
		rows, share := "–", ""
		if p.Support != nil {
			rows, share = view.Count(p.Support.Rows), view.SmallShare(p.Support.Share)
		}
		t.Add(fmt.Sprint(i+1), fmt.Sprint(r.InitK), fmt.Sprint(p.Size),
			fmt.Sprintf("%.2f", p.Inside.Mean), ends(&p.Inside), fmt.Sprintf("%.2f", p.Outside.Mean), ends(&p.Outside),
			fmt.Sprintf("%.2f", p.Diff), view.SmallShare(p.Coverage.Share), counted(&p.Coverage), rows, share)
		t.Notes = slices.Concat(t.Notes, p.plausibly(i+1, r), p.broad(i+1))
	}
	return t
}

func ends(m *Mean) string { return fmt.Sprintf("%.2f–%.2f", m.Low, m.High) }

// counted formats a number of individuals: in full if it is short.
func counted(c *Coverage) string {
	switch {
	case c.Count == "":
		return "–"
	case len(c.Count) <= 12:
		var n int
		fmt.Sscan(c.Count, &n)
		return view.Count(n)
	}
	var v float64
	fmt.Sscan(c.Count, &v)
	return fmt.Sprintf("%.2fe%d", v/math.Pow(10, float64(len(c.Count)-1)), len(c.Count)-1)
}
