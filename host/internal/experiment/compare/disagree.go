package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Disagreement is a proof of one arm that a replayed witness refutes, or a claim that the host
// refuted and so did not accept as a proof. The witness may come from another arm, the same arm
// in another run, or the host.
type Disagreement struct {
	// The study's name.
	Study string `json:"study"`
	// The model's name.
	Model string `json:"model"`
	// The arm whose proof or claim was refuted.
	Prover string `json:"prover"`
	// The arm that found the individual, or hyfair.
	Finder string `json:"finder"`
	// The prover's notion.
	Notion string `json:"notion"`
	// The grade of the proof.
	Grade string `json:"grade"`
	// The proved limit of every margin in the region, tolerance included; null if only other claims were
	// refuted.
	Limit float64 `json:"limit"`
	// The first claim that the host refuted within a task, and the refutation.
	Claim string `json:"claim,omitempty"`
	// The number of contradictions between a claim and an individual; the other fields describe the one
	// with the largest margin.
	Count int `json:"count"`
	// The individual's margin; null without one.
	Margin float64 `json:"margin"`
	// The region of the proof.
	Region string `json:"region"`
	// The individual; null without one.
	X map[string]float64 `json:"x"`
	// The seed of the prover's run.
	ProverSeed int64 `json:"prover_seed"`
	// The seed of the finder's run.
	FinderSeed int64 `json:"finder_seed"`
}

// String describes the disagreement in one line.
func (d *Disagreement) String() string {
	if d.Claim != "" {
		return fmt.Sprintf("%s/%s: %s refuted %d of the claims of %s in its tasks (%s; %s): %s", d.Study, d.Model, d.Finder, d.Count, d.Prover, d.Grade, d.Region, d.Claim)
	}
	return fmt.Sprintf("%s/%s: %s claimed (%s) that no %s margin exceeds %.6g (%s), and %s found one of %.6g there",
		d.Study, d.Model, d.Prover, d.Grade, d.Notion, d.Limit, d.Region, d.Finder, d.Margin)
}

// theHost is the finder of individuals that the host found, during a task or after it.
const theHost = "hyfair"

// slack is the least distance of a margin above a proved limit that contradicts it: margins and
// limits are exact values rounded to float64.
func slack(limit float64) float64 { return 1e-9 * math.Max(1, math.Abs(limit)) }

// proved is a proof with the seed of its run.
type proved struct {
	*Proof
	seed int64
}

// found is an individual with the seed of its run.
type found struct {
	*Individual
	seed int64
}

// disagreements checks every proof on a subject against every individual found there, by any
// notion: a replayed pair of logits has a margin in each notion.
func disagreements(p *Plan, s *Subject, results func(arm *Arm) []run) ([]Disagreement, error) {
	proofs, finds, finders := map[string][]proved{}, map[string][]found{}, []string{theHost}
	var refuting []run
	for i := range p.Arms {
		a := &p.Arms[i]
		proofs[a.Name], finds[a.Name] = gather(results(a))
		for _, r := range results(a) {
			refuting = append(refuting, run{Result: &Result{Individuals: r.Refuting}, seed: r.seed})
			for k := range r.Refuted {
				if by := r.Refuted[k].By; by != nil {
					refuting = append(refuting, run{Result: &Result{Individuals: []Individual{*by}}, seed: r.seed})
				}
			}
		}
		finders = append(finders, a.Name)
	}
	_, finds[theHost] = gather(refuting)
	var out []Disagreement
	for i := range p.Arms {
		prover, err := p.arm(s, &p.Arms[i])
		if err != nil {
			return nil, err
		}
		notion, err := fairness.ParseNotion(prover.Notion)
		if err != nil {
			return nil, err
		}
		for _, finder := range finders {
			d := Disagreement{Study: s.Study, Model: s.Model, Prover: prover.Name, Finder: finder, Notion: prover.Notion, Margin: math.Inf(-1)}
			for _, one := range finds[d.Finder] {
				d.check(s, notion, one, proofs[d.Prover])
			}
			if finder == theHost {
				for _, r := range results(&p.Arms[i]) {
					d.refuted(s, notion, r)
				}
			}
			if d.Count > 0 {
				out = append(out, d)
			}
		}
	}
	return out, nil
}

// refuted adds the claims that the host refuted in a task.
func (d *Disagreement) refuted(s *Subject, n fairness.Notion, r run) {
	for i := range r.Refuted {
		c := &r.Refuted[i]
		d.Claim = cmp.Or(d.Claim, c.Text)
		if by := c.By; by != nil && by.margin(n, s) > c.Claimed.Limit+slack(c.Claimed.Limit) {
			continue // check has counted it
		}
		if d.Count++; d.Count == 1 {
			d.Limit, d.Margin = math.NaN(), math.NaN()
			if c.By != nil {
				d.Limit, d.Margin, d.X = c.Claimed.Limit, c.By.margin(n, s), s.named(c.By.X)
			}
			d.Grade, d.Region, d.ProverSeed, d.FinderSeed = c.Claimed.Grade, s.text(c.Claimed.Box), r.seed, r.seed
		}
	}
}

// margin is the individual's margin in a notion; with bands, the number of bands of its copies less 1.
func (i *Individual) margin(n fairness.Notion, s *Subject) float64 {
	border := s.Border
	if s.Banded() && n == fairness.Decision {
		return float64(i.K - 1)
	}
	if n.UsesEpsilon() {
		border = 0
	}
	margin := view.Finite(n.Between(max(i.Logit1, i.Logit2)-border, min(i.Logit1, i.Logit2)-border))
	if n.Binned() {
		margin = math.Max(margin, i.Gap)
	}
	return margin
}

// check counts the proofs whose limit an individual's margin exceeds, and describes the
// contradiction with the largest margin.
func (d *Disagreement) check(s *Subject, n fairness.Notion, one found, proofs []proved) {
	margin := one.margin(n, s)
	for _, p := range proofs {
		if margin <= p.Limit+slack(p.Limit) || !p.Box.Contains(one.X) {
			continue
		}
		d.Count++
		if margin > d.Margin {
			d.Margin, d.X, d.FinderSeed = margin, s.named(one.X), one.seed
			d.Limit, d.Grade, d.Region, d.ProverSeed = p.Limit, p.Grade, s.text(p.Box), p.seed
		}
	}
}

// named returns an individual's values by feature.
func (s *Subject) named(x []float64) map[string]float64 {
	out := map[string]float64{}
	for i, name := range s.Features {
		if name != "" {
			out[name] = x[i]
		}
	}
	return out
}

// text writes a box in the domain's values; categories by index.
func (s *Subject) text(b Box) string {
	if len(b) == 0 {
		return "everywhere"
	}
	var parts []string
	for _, side := range b {
		text := fmt.Sprintf("%s=%v..%v", s.Features[side.Feature], side.Lo, side.Hi)
		if side.Lo == side.Hi {
			text = fmt.Sprintf("%s=%v", s.Features[side.Feature], side.Lo)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ",")
}

// gather collects the proofs and refuted claims of an arm's runs, for each box only the one with
// the lowest limit. It also collects the individuals that the runs found, each once.
func gather(results []run) ([]proved, []found) {
	tightest := map[string]proved{}
	once := map[string]found{}
	for _, r := range results {
		take := func(p *Proof) {
			key := fmt.Sprint(p.Box)
			if have, ok := tightest[key]; !ok || p.Limit < have.Limit {
				tightest[key] = proved{p, r.seed}
			}
		}
		for i := range r.Proofs {
			take(&r.Proofs[i])
		}
		for i := range r.Refuted {
			if c := &r.Refuted[i]; c.By != nil {
				take(&c.Claimed)
			}
		}
		for i := range r.Individuals {
			one := &r.Individuals[i]
			key := identity(one.X)
			// Another run may have replayed a wider pair of the same individual.
			if have, ok := once[key]; !ok || one.Logit1-one.Logit2 > have.Logit1-have.Logit2 {
				once[key] = found{one, r.seed}
			}
		}
	}
	proofs := make([]proved, 0, len(tightest))
	for _, key := range slices.Sorted(maps.Keys(tightest)) {
		proofs = append(proofs, tightest[key])
	}
	finds := make([]found, 0, len(once))
	for _, key := range slices.Sorted(maps.Keys(once)) {
		finds = append(finds, once[key])
	}
	return proofs, finds
}
