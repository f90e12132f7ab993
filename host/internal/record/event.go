package record

import (
	"fmt"
	"time"
)

// Kind is the kind of an event.
type Kind string

// The kinds of this version. Each has its own payload.
const (
	KindStarted  Kind = "started"  // first event of a run
	KindFound    Kind = "found"    // a distinct individual with gap > ε
	KindBest     Kind = "best"     // the best individual so far
	KindTally    Kind = "tally"    // distinct individuals with gap > ε, summed up
	KindClaim    Kind = "claim"    // an answer of a solver
	KindWitness  Kind = "witness"  // a replayed witness
	KindVerdict  Kind = "verdict"  // a conclusion of the host
	KindShares   Kind = "shares"   // the proved bounds of the share discriminated against
	KindProgress Kind = "progress" // counters, about once a second
	KindFault    Kind = "fault"    // a mistake of a plugin
	KindFinished Kind = "finished" // last event of a run that was not killed
)

// Event is one thing that happened in a run. In a journal Run, Seq, Seconds and
// Kind are always set, and of the payloads the one that Kind names.
type Event struct {
	// The run's name.
	Run string `json:"run"`
	// The event's number in the run, from 0, without gaps.
	Seq int64 `json:"seq"`
	// Seconds on the run's clock: of wall time, unless the budget counts another clock.
	Seconds float64 `json:"t"`
	// The kind, which names the field that holds the payload. Ignore kinds that you do not know.
	Kind Kind `json:"kind"`
	// The key of the task that the event belongs to; absent for the run as a whole.
	Task string `json:"task,omitempty"`

	// The first event of a run.
	Started *Started `json:"started,omitempty"`
	// A distinct individual with a gap above ε.
	Found *Found `json:"found,omitempty"`
	// The best individual so far: largest k, then largest gap.
	Best *Found `json:"best,omitempty"`
	// A sum over individuals that have no found event of their own.
	Tally *Tally `json:"tally,omitempty"`
	// A solver's answer, before it is checked.
	Claim *Claim `json:"claim,omitempty"`
	// A pair replayed in exact arithmetic.
	Witness *Witness `json:"witness,omitempty"`
	// The host's conclusion about a region.
	Verdict *Verdict `json:"verdict,omitempty"`
	// The shares known so far, about once a second and at the end. The last one of a run counts.
	Shares *Shares `json:"shares,omitempty"`
	// Counters, about once a second.
	Progress *Progress `json:"progress,omitempty"`
	// A mistake of a plugin, or its loss.
	Fault *Fault `json:"fault,omitempty"`
	// The end of a run. A resumed run can have several; the last one counts.
	Finished *Finished `json:"finished,omitempty"`
}

// Started describes the start of a run: the task, versions, machine and time.
type Started struct {
	// The request.
	Task Task `json:"task"`
	// The time when the clock started, in UTC.
	At time.Time `json:"at"`
	// The names of the entries of every point in the run's events.
	Features []string `json:"features"`
	// The features' domains; absent in journals of earlier versions.
	Domains []Domain `json:"domains,omitempty"`
	// The study's name.
	Study string `json:"study"`
	// The file name of the model.
	Model string `json:"model"`
	// The versions of the program and of each plugin, by name.
	Versions map[string]string `json:"versions,omitempty"`
	// The machine.
	Machine Machine `json:"machine"`
}

// Machine describes the machine of a run. What the system does not report is left out.
type Machine struct {
	// The operating system.
	OS string `json:"os"`
	// The architecture.
	Arch string `json:"arch"`
	// The number of processors.
	CPUs int `json:"cpus"`
	// The processor's name.
	CPU string `json:"cpu,omitempty"`
	// The sizes of the first processor's caches, level 1 first.
	Caches string `json:"caches,omitempty"`
	// The memory in bytes.
	Memory int64 `json:"memory,omitempty"`
	// The frequency governor of Linux.
	Governor string `json:"governor,omitempty"`
	// The kernel's version.
	Kernel string `json:"kernel,omitempty"`
}

// Same reports whether times on two machines are comparable: they have the same system and
// processors. Caches that one of them does not report are assumed to be equal.
func (m Machine) Same(o Machine) bool {
	caches := m.Caches == o.Caches || m.Caches == "" || o.Caches == ""
	return m.OS == o.OS && m.Arch == o.Arch && m.CPUs == o.CPUs && m.CPU == o.CPU && caches
}

// String describes the machine in one line.
func (m Machine) String() string {
	text := fmt.Sprintf("%s/%s, %d CPUs", m.OS, m.Arch, m.CPUs)
	if m.CPU != "" {
		text += " (" + m.CPU + ")"
	}
	if m.Caches != "" {
		text += ", caches " + m.Caches
	}
	if m.Memory > 0 {
		text += fmt.Sprintf(", %.3g GiB of memory", float64(m.Memory)/(1<<30))
	}
	if m.Governor != "" {
		text += ", governor " + m.Governor
	}
	if m.Kernel != "" {
		text += ", kernel " + m.Kernel
	}
	return text
}

// Found is an individual and its measures.
type Found struct {
	// The individual in the order of the features, its protected entries 0.
	X []float64 `json:"x"`
	// The individual's k.
	K int `json:"k"`
	// The individual's score gap.
	Gap float64 `json:"gap"`
	// The Shannon entropy of the counterfactuals' distribution over the bins, in bits; absent in journals
	// of earlier versions.
	Shannon float64 `json:"shannon,omitempty"`
	// The min-entropy of that distribution, in bits; absent in journals of earlier versions.
	MinEntropy float64 `json:"min_entropy,omitempty"`
	// The round of the search, from 0.
	Round int64 `json:"round"`
	// The chain, from 0.
	Chain int `json:"chain,omitempty"`
	// The solver found the individual, not the strategy.
	Seed bool `json:"seed,omitempty"`
	// The run's evaluations, this one included; absent in journals of earlier versions.
	Evals int64 `json:"evals,omitempty"`
	// The run's rounds, this one included; absent in journals of earlier versions.
	Iter int64 `json:"iter,omitempty"`
}

// Tally sums up distinct individuals with gap > ε that have no found event:
// those of a fast search beyond the ones it keeps. None of them has
// a k above that of an earlier found event. The zero value counts none.
type Tally struct {
	// The number of individuals by k.
	K map[int]int64 `json:"k"`
	// The sum of their Shannon entropies, in bits.
	Shannon float64 `json:"shannon"`
	// The sum of their min-entropies, in bits.
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

// Claim is a solver's answer to one question, before it is checked.
type Claim struct {
	// The region asked about, as a predicate.
	Region string `json:"region,omitempty"`
	// The answer's status.
	Status string `json:"status"`
	// The reason of an open answer.
	Reason string `json:"reason,omitempty"`
	// The native status of the solver's library.
	Native string `json:"native,omitempty"`
	// The seconds that the solver took.
	Seconds float64 `json:"seconds"`
	// The number of the solver's nodes.
	Nodes int64 `json:"nodes,omitempty"`
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
	// The region, as a predicate.
	Region string `json:"region,omitempty"`
	// The verdict: fair, unfair or undecided.
	Verdict string `json:"verdict"`
	// The grade of the proof.
	Grade string `json:"grade,omitempty"`
	// The tolerance of the proof.
	Tolerance float64 `json:"tolerance,omitempty"`
	// The bound of the gap or margin, if known.
	Bound *float64 `json:"bound,omitempty"`
	// The method that decided.
	By string `json:"by,omitempty"`
	// The reason of an undecided verdict.
	Reason string `json:"reason,omitempty"`
}

// Shares is the knowledge so far of the share of individuals discriminated against.
// The last one of a run counts.
type Shares struct {
	// The share proved fair as a fraction, such as "3/8".
	Fair string `json:"fair"`
	// The share proved unfair as a fraction.
	Unfair string `json:"unfair"`
	// The grade of the proof; absent if nothing is proved.
	Grade string `json:"grade,omitempty"`
	// The number of individuals of the region in decimal digits; absent if unknown.
	Individuals string `json:"individuals,omitempty"`
	// The number of boxes that the solver examined.
	Boxes int64 `json:"boxes"`
	// The solver finished.
	Complete bool `json:"complete,omitempty"`
	// The reason why it did not finish.
	Reason string `json:"reason,omitempty"`
	// The sample, evaluated exactly.
	Sampled *Counted `json:"sampled,omitempty"`
	// The rows of the data set, evaluated exactly.
	Rows *Counted `json:"rows,omitempty"`
	// The number of different discriminated individuals that were evaluated exactly.
	Met int `json:"met,omitempty"`
	// Population describes the people that the shares are of; empty: each combination of values once.
	Population string `json:"population,omitempty"`
	// ProvedBy is convolution if the shares were proved so; empty: with boxes.
	ProvedBy string `json:"proved_by,omitempty"`
}

// Counted counts evaluated individuals: Unfair of N are discriminated against.
type Counted struct {
	// The number of discriminated individuals.
	Unfair int `json:"unfair"`
	// The number of individuals evaluated.
	N int `json:"n"`
	// The number of rows outside the region; n leaves them out.
	Outside int `json:"outside,omitempty"`
	// The evaluated individuals are all individuals of the region.
	All bool `json:"all,omitempty"`
}

// Progress is a snapshot of a run's counters.
type Progress struct {
	// The number of closed rounds of a search.
	Iter int64 `json:"iter,omitempty"`
	// The number of distinct individuals with a gap above ε.
	Found int64 `json:"found,omitempty"`
	// The largest k among them.
	MaxK int `json:"max_k,omitempty"`
	// The number of open regions.
	Open int `json:"open,omitempty"`
	// The number of decided regions.
	Decided int `json:"decided,omitempty"`
}

// Fault is a mistake of a plugin, or its loss.
type Fault struct {
	// The plugin.
	Plugin string `json:"plugin"`
	// The mistake.
	Error string `json:"error"`
	// The claim that an evaluated individual refutes; absent for another mistake.
	Refuted *Refuted `json:"refuted,omitempty"`
}

// Refuted is a refuted claim about a region.
type Refuted struct {
	// The region of the claim.
	Region string `json:"region,omitempty"`
	// The grade of the claim.
	Grade string `json:"grade,omitempty"`
	// The claimed bound of the region.
	Limit float64 `json:"limit,omitempty"`
	// An individual with a margin above limit; absent for another kind of claim, such as an invalid
	// witness.
	Witness *Witness `json:"witness,omitempty"`
}

// Finished ends a run.
type Finished struct {
	// The number of closed rounds of a search.
	Iter int64 `json:"iter,omitempty"`
	// A strategy that holds the model reported fewer evaluations of its own than one in two rounds.
	Uncounted bool `json:"uncounted,omitempty"`
	// The user stopped the run.
	Interrupted bool `json:"interrupted,omitempty"`
	// The error that ended the run.
	Error string `json:"error,omitempty"`
	// The measures by name; null if no individual was found.
	Measures map[string]*float64 `json:"measures,omitempty"`
}
