package certify

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/check"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Certificate describes a certificate that was written.
type Certificate struct {
	// The file written.
	File string `json:"file"`
	// The claim, as a sentence.
	Claim string `json:"claim"`
	// The number of leaves.
	Leaves int64 `json:"leaves"`
	// Wall time of solving and writing, in seconds.
	Seconds float64 `json:"seconds"`
}

// certifiable checks that the request and its solver can produce a certificate.
func (r *Request) certifiable(queries []*problem.Query, plugins discover.Solvers) error {
	switch {
	case r.Certificate == "":
		return nil
	case len(queries) != 1:
		return errors.New("--certificate proves the answer to one question, but class: any in the study, --protected each and --protected subsets ask several")
	case proverOf(plugins, r.goal()) == nil:
		return fmt.Errorf("--certificate: %s gives no proofs that can be checked; use --solver bnb", plugins)
	}
	q := *queries[0]
	q.Goal = r.goal()
	if _, err := certificate.FromQuery(&q); err != nil {
		return fmt.Errorf("--certificate: %w", err)
	}
	return nil
}

// proverOf returns the first plugin that takes the model itself and can prove the goal; nil
// if none can.
func proverOf(plugins discover.Solvers, goal problem.Goal) *discover.Plugin {
	for _, p := range plugins {
		if d := p.Description(); d.Answers(problem.FormNetwork, goal) {
			return p
		}
	}
	return nil
}

// goal is the goal that the certificate proves.
func (r *Request) goal() problem.Goal {
	switch {
	case r.Maximise:
		return problem.Maximise
	case r.MaxK:
		return problem.MaxK
	}
	return problem.Decide
}

// certificate solves the whole region again with proofs on, and writes them. It returns nil
// without an error if the verdict leaves nothing to prove. maxK is the known enclosure of the
// largest k, or nil.
func (a *asker) certificate(ctx context.Context, rep *engine.Report, maxK *engine.Extreme) (*Certificate, error) {
	switch {
	case a.Certificate == "":
		return nil, nil
	case a.goal() == problem.Decide && rep.Verdict != engine.Fair:
		a.session.Note("no certificate: the verdict is %s", rep.Verdict)
		return nil, nil
	}
	start := time.Now()
	q := *a.query
	if q.Goal = a.goal(); rep.Nobody {
		q.Goal = problem.Decide // no pair, hence no largest gap
	}
	known := rep.Witness
	if q.Goal == problem.MaxK && maxK != nil && maxK.Witness != nil {
		known = maxK.Witness
	}
	if known != nil {
		q.Near = known.Copy1 // a good start value for the solver's primal bound
	}
	out, err := a.write(ctx, &q)
	if err != nil {
		return nil, fmt.Errorf("no certificate: %w", err)
	}
	out.Seconds = time.Since(start).Seconds()
	return out, nil
}

func (a *asker) write(ctx context.Context, q *problem.Query) (*Certificate, error) {
	plugin := proverOf(a.plugins, q.Goal)
	d := plugin.Description()
	st, err := certificate.FromQuery(q)
	if err != nil {
		return nil, err
	}
	st.Study, st.Producer = a.study.Name, strings.TrimSpace(d.Name+" "+d.Version)
	file, err := certificate.Create(a.Certificate, st)
	if err != nil {
		return nil, err
	}
	defer file.Abort() // no effect after Close
	ctx, giveUp := client.GiveUp(ctx)
	defer giveUp()
	var broken error
	var open bool // some part of the region is open
	settings := a.options(discover.Solvers{plugin})
	o := settings.Solving(ctx)
	o.Proofs, o.Pieces = true, func(pieces []sdk.Piece) {
		for _, p := range pieces {
			if broken == nil {
				if broken = file.AddPiece(p); broken != nil {
					open = p.Claim == sdk.PieceUndecided
					giveUp() // one open part makes the certificate incomplete
				}
			}
		}
	}
	res, err := plugin.Solver().Solve(ctx, &problem.Problem{Name: "certificate", Query: q}, o)
	switch {
	case err != nil:
		return nil, err
	case open && res.Reason != sdk.NoReason:
		return nil, fmt.Errorf("the solver stopped (%s) with parts of the region open", res.Reason)
	case broken != nil:
		return nil, broken
	case q.Goal == problem.Decide && res.Status != sdk.Infeasible:
		return nil, fmt.Errorf("with proofs on, the solver claims %s instead of infeasible", res.Status)
	case q.Goal != problem.Decide && !res.HasBound:
		return nil, errors.New("the solver gave no bound to certify")
	case q.Goal == problem.Maximise:
		st.Claim = certificate.Claim{Kind: certificate.Gap, Bound: roundUp(res.Bound)}
		file.SetClaim(st.Claim)
	case q.Goal == problem.MaxK:
		st.Claim = certificate.Claim{Kind: certificate.MaxK, K: int(res.Bound)}
		file.SetClaim(st.Claim)
	}
	out := &Certificate{File: a.Certificate, Claim: check.Sentence(&st), Leaves: file.Leaves()}
	return out, files.Write(a.Certificate, func(to *os.File) error { return file.Close(to) })
}

// roundUp returns the least decimal of nine digits that is at least v: shorter to read as a
// claim than 53 binary places.
func roundUp(v float64) *big.Rat {
	exact := new(big.Rat).SetFloat64(v)
	text := strconv.FormatFloat(v, 'e', 8, 64)
	r, _ := new(big.Rat).SetString(text)
	if r.Cmp(exact) >= 0 {
		return r
	}
	_, exponent, _ := strings.Cut(text, "e")
	unit, _ := new(big.Rat).SetString("0.00000001e" + exponent)
	return r.Add(r, unit)
}
