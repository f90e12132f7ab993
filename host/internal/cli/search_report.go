package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/space"
)

// searchReport is the JSON object of hyfair search: the measures of its run,
// or their means, then the rest.
type searchReport struct {
	search.Measures
	SD        *search.Measures `json:"sd,omitempty"`
	RunsFound int              `json:"runs_found"`
	Best      *searchBest      `json:"best"`
	// Bound is there with --bound only.
	Bound *search.Bound `json:"bound,omitempty"`

	Strategy string  `json:"strategy"`
	Solver   string  `json:"solver"`
	Mode     string  `json:"mode"`
	Chains   int     `json:"chains,omitempty"`
	Study    string  `json:"study"`
	Model    string  `json:"model"`
	Seed     int64   `json:"seed"`
	Epsilon  string  `json:"epsilon"`
	Budget   string  `json:"budget"`
	Seconds  float64 `json:"seconds"`

	Interrupted bool        `json:"interrupted,omitempty"`
	Runs        []searchRun `json:"runs"`
	Journal     string      `json:"journal,omitempty"`
	// Run is the name of the first run in the journal.
	Run string `json:"run,omitempty"`
	Out string `json:"out,omitempty"`
}

// searchRun is one run.
type searchRun struct {
	// Run is its name in the journal.
	Run  string `json:"run,omitempty"`
	Seed int64  `json:"seed"`
	search.Measures
	Evaluations int64   `json:"evaluations"`
	Outside     int64   `json:"outside"`
	NoSeed      int64   `json:"no_seed"`
	Spurious    int64   `json:"spurious"`
	Seconds     float64 `json:"seconds"`
	// Ended is why the run ended before its budget did.
	Ended       string `json:"ended,omitempty"`
	Error       string `json:"error,omitempty"`
	SolverError string `json:"solver_error,omitempty"`
	// Faults tells what was wrong with answers of the solver, the first few.
	Faults []string `json:"faults,omitempty"`

	best *record.Found
}

// searchBest is the worst-treated individual of all runs.
type searchBest struct {
	X      map[string]float64 `json:"x"`
	Labels map[string]string  `json:"labels"`
	K      int                `json:"k"`
	Gap    float64            `json:"gap"`
	// Shannon and MinEntropy are in bits.
	Shannon    float64 `json:"shannon"`
	MinEntropy float64 `json:"min_entropy"`
	// Run counts from 1.
	Run    int           `json:"run"`
	Round  int64         `json:"round"`
	Scores []searchScore `json:"scores"`

	point []float64
}

// searchScore is one counterfactual of it.
type searchScore struct {
	Z      map[string]float64 `json:"z"`
	Labels map[string]string  `json:"labels"`
	Score  float64            `json:"score"`
}

// add takes a run's result; name is its own in the journal.
func (r *searchReport) add(name string, seed int64, result *search.Result, faults []string) {
	if len(r.Runs) == 0 {
		r.Run = name
	}
	run := searchRun{
		Run: name, Seed: seed, Measures: result.Measures, Evaluations: result.Evaluations, Outside: result.Outside,
		NoSeed: result.NoSeed, Spurious: result.Spurious, Seconds: result.Seconds, Ended: result.Ended, Faults: faults, best: result.Best,
	}
	if result.Err != nil {
		run.Error = result.Err.Error()
	}
	if result.SolverErr != nil {
		run.SolverError = result.SolverErr.Error()
	}
	r.Interrupted = r.Interrupted || result.Interrupted
	r.Runs = append(r.Runs, run)
}

// finish computes what is said of all runs together.
func (r *searchReport) finish(e *evaluate.Evaluator, s *space.Space) {
	measures := make([]search.Measures, len(r.Runs))
	for i := range r.Runs {
		measures[i] = r.Runs[i].Measures
	}
	summary := search.Summarise(measures)
	r.Measures, r.RunsFound = summary.Mean, summary.Found
	if len(r.Runs) > 1 {
		r.SD = &summary.SD
	}
	for i := range r.Runs {
		f := r.Runs[i].best
		if f == nil || r.Best != nil && (f.K < r.Best.K || f.K == r.Best.K && f.Gap <= r.Best.Gap) {
			continue
		}
		r.Best = &searchBest{
			X: valuesOf(s, f.X, false), Labels: labelsOf(s, f.X, false),
			K: f.K, Gap: f.Gap, Shannon: f.Shannon, MinEntropy: f.MinEntropy, Run: i + 1, Round: f.Round, point: f.X,
		}
	}
	if r.Best == nil {
		return
	}
	scores, combinations := e.Scores(r.Best.point)
	for i, c := range combinations {
		point := e.Point(r.Best.point, c)
		r.Best.Scores = append(r.Best.Scores, searchScore{
			Z: valuesOf(s, point, true), Labels: labelsOf(s, point, true), Score: scores[i],
		})
	}
}

// print shows the report to a person.
func (r *searchReport) print(w io.Writer, s *space.Space) {
	mode := r.Mode + " mode"
	if r.Chains > 0 {
		mode = fmt.Sprintf("%s with %d chains", mode, r.Chains)
	}
	fmt.Fprintf(w, "%s on %s (%s), ε = %s, solver %s, %s, budget %s, ", r.Strategy, r.Study, r.Model, r.Epsilon, r.Solver, mode, r.Budget)
	if len(r.Runs) == 1 {
		fmt.Fprintf(w, "seed %d\n\n", r.Seed)
	} else {
		fmt.Fprintf(w, "%d runs with seeds %d to %d, mean ± standard deviation\n\n", len(r.Runs), r.Seed, r.Runs[len(r.Runs)-1].Seed)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, strings.Join(search.Names, "\t")+"\t")
	cells := make([]string, len(search.Names))
	for i, cell := range r.Cells() {
		cells[i] = decimal(*cell)
		if r.SD != nil && *r.SD.Cells()[i] != nil {
			cells[i] += " ± " + decimal(*r.SD.Cells()[i])
		}
	}
	fmt.Fprintln(t, strings.Join(cells, "\t")+"\t")
	t.Flush()
	if len(r.Runs) > 1 {
		fmt.Fprintf(w, "\n%d of %d runs found something.\n", r.RunsFound, len(r.Runs))
	}
	r.printNotes(w)
	fmt.Fprintln(w)
	if r.Best == nil {
		fmt.Fprintln(w, "No individual with a gap above ε was found. That proves nothing: ask hyfair certify.")
	} else {
		r.Best.print(w, s)
	}
	printBound(w, r.Bound)
	if r.Out != "" {
		fmt.Fprintf(w, "\nAll individuals found: %s\n", r.Out)
	}
}

// printNotes says what the measures do not.
func (r *searchReport) printNotes(w io.Writer) {
	var outside, spurious int64
	for i := range r.Runs {
		run := &r.Runs[i]
		outside += run.Outside
		spurious += run.Spurious
		for _, fault := range run.Faults {
			fmt.Fprintf(w, "\nThe solver's answer was of no use (run with seed %d): %s\n", run.Seed, fault)
		}
		if run.Ended != "" {
			fmt.Fprintf(w, "\nThe run with seed %d ended before its budget did: %s.\n", run.Seed, run.Ended)
		}
		if run.SolverError != "" {
			fmt.Fprintf(w, "\nThe solver was lost in the run with seed %d, which went on without: %s\n", run.Seed, run.SolverError)
		}
	}
	if outside > 0 {
		fmt.Fprintf(w, "\n%d proposals lay outside the space.\n", outside)
	}
	if spurious > 0 {
		fmt.Fprintf(w, "\n%d answers of the solver were no individual with a gap above ε, and were dropped.\n", spurious)
	}
	if r.Interrupted {
		fmt.Fprintln(w, "\nInterrupted; this is what was found until then.")
	}
}

// print tells who is treated worst: the individual, and the copies with the
// lowest and the highest score.
func (b *searchBest) print(w io.Writer, s *space.Space) {
	byScore := func(x, y searchScore) int { return cmp.Compare(x.Score, y.Score) }
	low, high := slices.MinFunc(b.Scores, byScore), slices.MaxFunc(b.Scores, byScore)
	fmt.Fprintf(w, "The worst-treated individual: %d different outcomes over %d copies, scores from %.4f to %.4f\n\n", b.K, len(b.Scores), low.Score, high.Score)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, i := range s.Free() {
		name := s.Features[i].Name
		fmt.Fprintf(t, "  %s\t%s\n", name, b.Labels[name])
	}
	t.Flush()
	fmt.Fprintln(w)
	for _, end := range []struct {
		name string
		of   searchScore
	}{{"lowest", low}, {"highest", high}} {
		var words []string
		for _, i := range s.Protected() {
			name := s.Features[i].Name
			words = append(words, name+" = "+end.of.Labels[name])
		}
		fmt.Fprintf(t, "  %s\t%.4f\t%s\n", end.name, end.of.Score, strings.Join(words, ", "))
	}
	t.Flush()
}

// decimal shows a measure: N/A, a whole number, or three decimals.
func decimal(v *float64) string {
	switch {
	case v == nil:
		return "N/A"
	case *v == math.Trunc(*v):
		return strconv.FormatFloat(*v, 'f', 0, 64)
	}
	return strconv.FormatFloat(*v, 'f', 3, 64)
}
