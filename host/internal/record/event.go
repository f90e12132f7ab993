package record

import (
	"fmt"
	"time"
)

// Kind says what an event tells.
type Kind string

// The kinds. Each but the unknown ones of a later version has its own payload.
const (
	KindStarted  Kind = "started"  // first event of a run
	KindFound    Kind = "found"    // a distinct individual with gap > ε
	KindBest     Kind = "best"     // the best individual so far
	KindTally    Kind = "tally"    // distinct individuals with gap > ε, summed up
	KindClaim    Kind = "claim"    // what a solver answered
	KindWitness  Kind = "witness"  // a replayed witness
	KindVerdict  Kind = "verdict"  // what the host concluded
	KindShares   Kind = "shares"   // which share is discriminated against, as far as is known
	KindProgress Kind = "progress" // counters, about once a second
	KindFault    Kind = "fault"    // what a plugin did wrong
	KindFinished Kind = "finished" // last event of a run that was not killed
)

// Event is one thing that happened in a run. In a journal Run, Seq, Seconds and
// Kind are always set, and of the payloads the one that Kind names.
type Event struct {
	// Run tells the runs in one journal apart: see Task.NewRun.
	Run string `json:"run"`
	// Seq counts the events of a run from 0, so that a reader sees a gap.
	Seq int64 `json:"seq"`
	// Seconds that the run's clock shows: of wall time, where nothing else was asked for.
	Seconds float64 `json:"t"`
	Kind    Kind    `json:"kind"`
	// Task is the key of the task within the run that the event belongs to;
	// empty: to the run as a whole.
	Task string `json:"task,omitempty"`

	Started  *Started  `json:"started,omitempty"`
	Found    *Found    `json:"found,omitempty"`
	Best     *Found    `json:"best,omitempty"`
	Tally    *Tally    `json:"tally,omitempty"`
	Claim    *Claim    `json:"claim,omitempty"`
	Witness  *Witness  `json:"witness,omitempty"`
	Verdict  *Verdict  `json:"verdict,omitempty"`
	Shares   *Shares   `json:"shares,omitempty"`
	Progress *Progress `json:"progress,omitempty"`
	Fault    *Fault    `json:"fault,omitempty"`
	Finished *Finished `json:"finished,omitempty"`
}

// Started says what is run, by which versions, where and when.
type Started struct {
	Task Task      `json:"task"`
	At   time.Time `json:"at"` // when the clock started, UTC
	// Features names the entries of every point in the run's events.
	Features []string `json:"features"`
	// Domains of the features; nil in journals of earlier versions.
	Domains []Domain `json:"domains,omitempty"`
	// Study and Model are the names people know them by.
	Study string `json:"study"`
	Model string `json:"model"`
	// Versions of the program and of each plugin that takes part, by name.
	Versions map[string]string `json:"versions,omitempty"`
	Machine  Machine           `json:"machine"`
}

// Machine is where a run takes place. What a system does not tell is left out.
type Machine struct {
	// The operating system.
	OS string `json:"os"`
	// The architecture.
	Arch string `json:"arch"`
	// The number of processors.
	CPUs int `json:"cpus"`
	// The processor's name.
	CPU string `json:"cpu,omitempty"`
	// The memory in bytes.
	Memory int64 `json:"memory,omitempty"`
	// The frequency governor of Linux.
	Governor string `json:"governor,omitempty"`
}

// Same reports whether equal work takes equally long on two machines: they have the same
// system and processors.
func (m Machine) Same(o Machine) bool {
	return m.OS == o.OS && m.Arch == o.Arch && m.CPUs == o.CPUs && m.CPU == o.CPU
}

// String names the machine in a line.
func (m Machine) String() string {
	text := fmt.Sprintf("%s/%s, %d CPUs", m.OS, m.Arch, m.CPUs)
	if m.CPU != "" {
		text += " (" + m.CPU + ")"
	}
	if m.Memory > 0 {
		text += fmt.Sprintf(", %.3g GiB of memory", float64(m.Memory)/(1<<30))
	}
	if m.Governor != "" {
		text += ", governor " + m.Governor
	}
	return text
}

// Found is an individual and what was evaluated of it.
type Found struct {
	// X is the individual in the order of Started.Features, its protected
	// entries 0.
	X []float64 `json:"x"`
	K int       `json:"k"`
	// Gap is a score difference.
	Gap float64 `json:"gap"`
	// Shannon and MinEntropy are the entropies, in bits, of the counterfactuals'
	// distribution over the bins. Both are 0 only in journals of earlier versions, since an
	// individual with gap > ε has more.
	Shannon    float64 `json:"shannon,omitempty"`
	MinEntropy float64 `json:"min_entropy,omitempty"`
	// Round is the iteration of the search, from 0; Chain numbers parallel chains.
	Round int64 `json:"round"`
	Chain int   `json:"chain,omitempty"`
	// Seed: the solver found it, not the strategy.
	Seed bool `json:"seed,omitempty"`
	// Evals and Iter are the run's evaluations and rounds, this one included, as budgets
	// count them; 0 in journals of earlier versions.
	Evals int64 `json:"evals,omitempty"`
	Iter  int64 `json:"iter,omitempty"`
}

// Tally sums up distinct individuals with gap > ε that have no found event of
// their own: those of a fast search beyond the ones it keeps. None of them has
// a k above that of an earlier found event. The zero value counts none.
type Tally struct {
	// K counts the individuals by k.
	K map[int]int64 `json:"k"`
	// Shannon and MinEntropy are sums over the individuals, in bits.
	Shannon    float64 `json:"shannon"`
	MinEntropy float64 `json:"min_entropy"`
}

// Add counts one individual.
func (t *Tally) Add(k int, shannon, minEntropy float64) {
	if t.K == nil {
		t.K = map[int]int64{}
	}
	t.K[k]++
	t.Shannon += shannon
	t.MinEntropy += minEntropy
}

// Claim is a solver's answer to one question, not yet believed.
type Claim struct {
	// Region asked about, as a predicate in the space's own names.
	Region string `json:"region,omitempty"`
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	Native string `json:"native,omitempty"`
	// Seconds the solver took; Nodes of its search.
	Seconds float64 `json:"seconds"`
	Nodes   int64   `json:"nodes,omitempty"`
}

// Witness is two counterfactuals of one individual, replayed exactly.
type Witness struct {
	// The first copy, by the run's features.
	Copy1 []float64 `json:"copy1"`
	// The second copy.
	Copy2 []float64 `json:"copy2"`
	// The logit of the first copy.
	Logit1 float64 `json:"logit1"`
	// The logit of the second copy.
	Logit2 float64 `json:"logit2"`
	// The score of the first copy.
	Score1 float64 `json:"score1"`
	// The score of the second copy.
	Score2 float64 `json:"score2"`
	// The margin in the notion's unit.
	Margin float64 `json:"margin"`
	// The number of bins that the individual's scores fall into.
	K int `json:"k"`
}

// Verdict is what the host concluded about a region.
type Verdict struct {
	Region    string  `json:"region,omitempty"`
	Verdict   string  `json:"verdict"`
	Grade     string  `json:"grade,omitempty"`
	Tolerance float64 `json:"tolerance,omitempty"`
	// Bound on the gap or margin, where one is known.
	Bound  *float64 `json:"bound,omitempty"`
	By     string   `json:"by,omitempty"`
	Reason string   `json:"reason,omitempty"`
}

// Shares is what is known of how many individuals are discriminated against. The
// last one of a run counts.
type Shares struct {
	// Fair and Unfair are the proved shares as fractions, such as "3/8".
	Fair   string `json:"fair"`
	Unfair string `json:"unfair"`
	// Grade of the proof; empty where nothing is proved.
	Grade string `json:"grade,omitempty"`
	// Individuals of the region in decimal digits; empty where that is not known.
	Individuals string `json:"individuals,omitempty"`
	// Boxes that the solver looked at.
	Boxes int64 `json:"boxes"`
	// Complete: the solver came to its end; Reason says why it did not.
	Complete bool   `json:"complete,omitempty"`
	Reason   string `json:"reason,omitempty"`
	// Sampled individuals and Rows of the data set were evaluated exactly; nil for
	// none.
	Sampled *Counted `json:"sampled,omitempty"`
	Rows    *Counted `json:"rows,omitempty"`
	// Met is how many different individuals who are discriminated against were
	// evaluated exactly.
	Met int `json:"met,omitempty"`
}

// Counted is individuals of whom Unfair of N are discriminated against.
type Counted struct {
	Unfair int `json:"unfair"`
	N      int `json:"n"`
	// Outside are rows that are no individuals of the region; N does not count them.
	Outside int `json:"outside,omitempty"`
	// All: they are all individuals of the region.
	All bool `json:"all,omitempty"`
}

// Progress is a snapshot of a run's counters.
type Progress struct {
	// Iter counts closed rounds of a search; Found its distinct individuals
	// with gap > ε, MaxK the largest k among them.
	Iter  int64 `json:"iter,omitempty"`
	Found int64 `json:"found,omitempty"`
	MaxK  int   `json:"max_k,omitempty"`
	// Open and Decided count the regions of a certification.
	Open    int `json:"open,omitempty"`
	Decided int `json:"decided,omitempty"`
}

// Fault is what a plugin did wrong, or that it is gone.
type Fault struct {
	Plugin string `json:"plugin"`
	Error  string `json:"error"`
	// Refuted: the fault is a claim that an evaluated individual refutes; nil: it is another.
	Refuted *Refuted `json:"refuted,omitempty"`
}

// Refuted is such a claim, made about a region to a grade.
type Refuted struct {
	Region string `json:"region,omitempty"`
	Grade  string `json:"grade,omitempty"`
	// Witness has a margin above Limit, the claimed bound of the region; nil if the claim is
	// of another kind, such as an invalid witness.
	Limit   float64  `json:"limit,omitempty"`
	Witness *Witness `json:"witness,omitempty"`
}

// Finished ends a run.
type Finished struct {
	// Iter counts the closed rounds of a search.
	Iter int64 `json:"iter,omitempty"`
	// Uncounted: a strategy that holds the model reported fewer evaluations of its own than one in two rounds.
	Uncounted bool `json:"uncounted,omitempty"`
	// Interrupted: the user stopped the run.
	Interrupted bool `json:"interrupted,omitempty"`
	// Error ended the run, where one did.
	Error string `json:"error,omitempty"`
	// Measures as shown to the user, by their names; null where nothing was
	// found.
	Measures map[string]*float64 `json:"measures,omitempty"`
}
