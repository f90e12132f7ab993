package quantify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/certify/partition"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Parts says how a question is answered in parts.
type Parts struct {
	Chunks partition.Chunks
	// Shard selects the chunks to ask about; the others stay undecided unless the Store has
	// them.
	Shard record.Shard
	// Store, if not nil, supplies earlier results and keeps new ones.
	Store record.Store
}

// Counts are the numbers of parts of a question, by outcome.
type Counts struct {
	// The number of parts.
	Total int `json:"total"`
	// The number of parts without an undecided share.
	Complete int `json:"complete"`
	// The number of those that an earlier run had completed.
	Resumed int `json:"resumed"`
}

func (c *Counts) String() string {
	text := fmt.Sprintf("%s of %s complete", view.Count(c.Complete), english.Plural(c.Total, "part", ""))
	if c.Resumed > 0 {
		text += fmt.Sprintf(", %s from before", view.Count(c.Resumed))
	}
	return text
}

// known is what the store keeps of a part. Individuals is empty if their number is not known;
// the part then counts as undecided.
type known struct {
	Fair        string    `json:"fair"`
	Unfair      string    `json:"unfair"`
	Individuals string    `json:"individuals,omitempty"`
	Grade       sdk.Grade `json:"grade,omitempty"`
	Boxes       int64     `json:"boxes"`
	Complete    bool      `json:"complete,omitempty"`
	Reason      string    `json:"reason,omitempty"`
}

// piece is one of the parts with its result; known is nil without one.
type piece struct {
	region space.Region
	key    string
	known  *known
}

// RunParts answers the question part by part, each with an equal share of the time that is left. Complete
// parts are kept for good; the next run asks again about parts that a limit left open.
func RunParts(ctx context.Context, q *problem.Query, o Options, parts Parts) (*Report, *Counts, error) {
	r, err := newRun(q, o)
	if err != nil {
		return nil, nil, err
	}
	if r.q.Space.HasReals() {
		return nil, nil, fmt.Errorf("%w: --partition adds up numbers of individuals, which spaces with real features do not have: leave it out", sdk.ErrInvalidProblem)
	}
	whole := r.q.RegionOrWhole()
	regions, err := parts.Chunks.Split(r.q.Space, whole)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", sdk.ErrInvalidOption, err)
	}
	r.evaluated(ctx)
	r.glimpse(nil, 0)
	counts, all := &Counts{Total: len(regions)}, make([]piece, len(regions))
	var open []*piece
	for i, region := range regions {
		p := &all[i]
		p.region, p.key = region, partition.Text(r.q.Space, whole, region)
		if p.known = parts.recall(p.key); p.known != nil && p.known.Complete {
			counts.Complete, counts.Resumed = counts.Complete+1, counts.Resumed+1
		} else if parts.Shard.Has(p.key) {
			open = append(open, p)
		}
	}
	for i, p := range open {
		if ctx.Err() != nil {
			break
		}
		asked := *r.q
		asked.Region = p.region
		one := o
		one.Samples, one.Rows, one.Pieces, one.Progress, one.doubt = min(o.Samples, batch), nil, nil, nil, max(1, engine.DoubtCopies/len(all))
		begun := time.Now()
		limited, cancel := session.PartOf(ctx, len(open)-i)
		rep, failed := Run(limited, &asked, one)
		cancel()
		if err = failed; rep == nil {
			break
		}
		r.report.Faults = append(r.report.Faults, rep.Faults...)
		if now := knownOf(rep); p.known == nil || now.Complete || !p.known.more(now) {
			p.known = now
			if wrong := parts.keep(p.key, now, time.Since(begun)); wrong != nil {
				err = wrong
			}
		}
		if p.known.Complete {
			counts.Complete++
		}
		if r.glimpse(r.together(all), 0); err != nil {
			break
		}
	}
	r.finish(ctx, all, counts, err)
	return r.report, counts, err
}

// finish concludes from the results of the parts.
func (r *run) finish(ctx context.Context, all []piece, counts *Counts, failed error) {
	res := &sdk.Result{Status: sdk.Unknown, Reason: sdk.Other, Shares: r.together(all)}
	if counts.Complete == counts.Total {
		res.Status = sdk.Optimal
	}
	faults := r.report.Faults
	r.report.Faults = nil
	r.conclude(ctx, res)
	r.report.Faults = append(slices.Compact(faults), r.report.Faults...)
	if res.Status != sdk.Optimal {
		r.report.Reason = cmp.Or(engine.Over(ctx), fmt.Sprintf("%d of %s not complete", counts.Total-counts.Complete, english.Plural(counts.Total, "part is", "parts are")))
	}
	if failed != nil {
		r.report.Reason = engine.FailureReason(failed)
	}
}

// together sums the shares of all parts. A part whose individuals are not known counts as
// undecided, with one individual for each point of its box.
func (r *run) together(all []piece) *sdk.Shares {
	fair, unfair, of, told := new(big.Rat), new(big.Rat), new(big.Rat), true
	out := &sdk.Shares{Fair: new(big.Rat), Unfair: new(big.Rat)}
	for i := range all {
		k := all[i].known
		if k != nil {
			out.Boxes += k.Boxes
		}
		most := points(r.q.Space, all[i].region)
		f, u, n, ok := k.shares()
		if !ok || n.Cmp(most) > 0 {
			told = false
			of.Add(of, most)
			continue
		}
		of.Add(of, n)
		fair.Add(fair, f.Mul(f, n))
		unfair.Add(unfair, u.Mul(u, n))
	}
	if told {
		out.Individuals = new(big.Int).Set(of.Num())
	}
	if of.Sign() > 0 {
		out.Fair.Quo(fair, of)
		out.Unfair.Quo(unfair, of)
	}
	return out
}

// points returns the number of points in a region's box.
func points(s *space.Space, region space.Region) *big.Rat {
	out := big.NewRat(1, 1)
	for _, i := range s.Free() {
		iv := region.Box[i]
		out.Mul(out, new(big.Rat).SetFloat64(iv.Hi-iv.Lo+1)) // its ends are values, see engine.Inward
	}
	return out
}

// shares parses the numbers of a part. ok is false if they are unknown or invalid, as in a
// damaged journal.
func (k *known) shares() (fair, unfair, individuals *big.Rat, ok bool) {
	if k == nil {
		return nil, nil, nil, false
	}
	fair, ok1 := fraction(k.Fair)
	unfair, ok2 := fraction(k.Unfair)
	individuals, ok3 := fraction(k.Individuals)
	if !ok1 || !ok2 || !ok3 || !individuals.IsInt() || new(big.Rat).Add(fair, unfair).Cmp(big.NewRat(1, 1)) > 0 {
		return nil, nil, nil, false
	}
	return fair, unfair, individuals, true
}

// more reports whether k settles a larger share of a part than o.
func (k *known) more(o *known) bool {
	f, u, _, ok := k.shares()
	g, v, _, other := o.shares()
	return ok && (!other || f.Add(f, u).Cmp(g.Add(g, v)) > 0)
}

// knownOf converts a report on a part.
func knownOf(rep *Report) *known {
	k := &known{Fair: rep.Fair.RatString(), Unfair: rep.Unfair.RatString(), Grade: rep.Grade, Boxes: rep.Boxes, Complete: rep.Complete, Reason: rep.Reason}
	if rep.Individuals != nil {
		k.Individuals = rep.Individuals.String()
	}
	if _, _, _, ok := k.shares(); !ok {
		k.Complete = false // nothing can be added up
	}
	return k
}

// recall returns the store's best result for a part; nil without one.
func (p *Parts) recall(key string) *known {
	if p.Store == nil {
		return nil
	}
	var best *known
	read := func(key string, whole bool) bool {
		text, _, ok := p.Store.Done(key)
		k := new(known)
		if ok && json.Unmarshal(text, k) == nil {
			k.Complete = k.Complete && whole
			if _, _, _, told := k.shares(); told && (best == nil || k.Complete || !best.more(k)) {
				best = k
			}
		}
		return ok
	}
	for n := 1; read(record.FailedKey(key, n), false); n++ {
	}
	read(key, true)
	return best
}

// keep stores the result of a part, under the part's key only if it is complete.
func (p *Parts) keep(key string, k *known, took time.Duration) error {
	if p.Store == nil {
		return nil
	}
	if !k.Complete {
		for n := 1; ; n++ {
			again := record.FailedKey(key, n)
			if _, _, ok := p.Store.Done(again); !ok {
				key = again
				break
			}
		}
	}
	return p.Store.Complete(key, k, took.Seconds())
}
