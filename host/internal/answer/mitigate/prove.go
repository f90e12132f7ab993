package mitigate

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Proved bounds the share of all individuals that an arm answers and treats unfairly.
type Proved struct {
	// The proved lower end of the share of individuals with a gap above ε.
	Lo float64 `json:"lo"`
	// The proved upper end of that share.
	Hi float64 `json:"hi"`
	// The grade of the proof; absent if nothing is proved.
	Grade string `json:"grade,omitempty"`
	// The reason why lo and hi differ.
	Reason string `json:"reason,omitempty"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
	// The people that the share is of; absent if each combination of values counts once.
	Population string `json:"population,omitempty"`
	// lo and hi as fractions; absent if no individual is answered.
	Exact []string `json:"exact,omitempty"`
}

// openProver starts the solver that is asked about every arm.
func (j *job) openProver(ctx context.Context) (*discover.Plugin, error) {
	p, err := j.session.Plugins.DefaultSolver(ctx, nil, problem.FormNetwork, problem.Quantify)
	if err != nil {
		return nil, fmt.Errorf("--prove: %w", err)
	}
	return p, nil
}

// prove returns Config.Prove, which runs hyfair quantify over the individuals that no guardrail
// refuses.
func (j *job) prove(p *discover.Plugin, people *population.Population) func(context.Context, Subject) (*Proved, error) {
	return func(ctx context.Context, subject Subject) (*Proved, error) {
		d := p.Description()
		if err := d.Refuses(subject.Model); err != nil {
			return &Proved{Hi: 1, Reason: err.Error(), Exact: []string{"0", "1"}}, nil
		}
		q := *j.query
		q.Model, q.Goal = subject.Model, problem.Quantify
		q.Forbid = append(slices.Clone(q.Forbid), subject.Guards...)
		begin := time.Now()
		within, cancel := context.WithTimeout(ctx, j.request.Prove)
		defer cancel()
		report, err := quantify.Run(within, &q, quantify.Options{
			Solver: p.Solver(), Description: d, Threads: j.session.Threads, Memory: j.session.Memory, Seed: j.request.Search.Seed, Population: people,
			Progress: func(p quantify.Progress) { j.session.Show(p.String()) },
		})
		if report == nil || ctx.Err() != nil {
			return nil, err
		}
		j.refuted = append(j.refuted, report.Faults...)
		return proved(report.Shares(), time.Since(begin)), nil // a lost or refuted solver proves nothing; Reason says so
	}
}

// proved converts shares for the JSON result.
func proved(s quantify.Shares, took time.Duration) *Proved {
	out := &Proved{Grade: s.Grade, Reason: s.Reason, Seconds: took.Seconds(), Population: s.Population}
	if in := s.Interval; in != nil {
		out.Lo, out.Hi = in.Lo, in.Hi
	}
	if least, most := s.Bounds(); most != nil {
		out.Exact = []string{least.RatString(), most.RatString()}
	}
	return out
}

// of names the people that the share is of.
func (p *Proved) of() string {
	if p.Population != "" {
		return "people (" + p.Population + ")"
	}
	return "all possible people"
}

// bounds parses Exact; nil if no individual is answered.
func (p *Proved) bounds() (least, most *big.Rat) {
	if len(p.Exact) != 2 {
		return nil, nil
	}
	least, ok1 := new(big.Rat).SetString(p.Exact[0])
	most, ok2 := new(big.Rat).SetString(p.Exact[1])
	if !ok1 || !ok2 {
		return nil, nil
	}
	return least, most
}

// cell formats the bounds for a table.
func (p *Proved) cell() string {
	if p == nil {
		return "–"
	}
	if p.Lo == p.Hi {
		return percent(&p.Lo)
	}
	return percent(&p.Lo) + "–" + percent(&p.Hi)
}
