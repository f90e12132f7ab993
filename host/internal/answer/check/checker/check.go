// Package checker decides whether a certificate proves its claim. It trusts nothing in the
// certificate except the question, and computes in exact arithmetic throughout. It shares no
// code with the bounds elsewhere in this program: ReLU relaxation, propagation of forms, leaves
// of trees and the cover of the region are implemented again here. From the SDK it takes the
// types (network, space, notion) and the exact definitions of sdk/fairness.
//
// docs/reference/certificates.md says what is checked, and why that suffices.
package checker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/hyfair/hyfair/internal/certificate"
)

// Options of Run. The zero value uses every processor and reports no progress.
type Options struct {
	// Workers is the number of leaves checked in parallel; 0: GOMAXPROCS.
	Workers int
	// Progress is called from time to time, from one goroutine at a time.
	Progress func(Progress)
}

// Progress is a snapshot of a running check.
type Progress struct {
	// Leaves counts the checked leaves. Once all are checked, Placed counts those whose place in
	// the region is checked as well.
	Leaves, Placed int64
}

// Report is the outcome of a check.
type Report struct {
	// Refusal is the reason for a refusal; nil if the certificate is accepted.
	Refusal *Refusal
	// Leaves counts the checked leaves, the sum of ByBounds, Enumerated and Void: proved by
	// enclosures of the logits, by enumeration of individuals, and void, without an
	// individual that the claim is about.
	Leaves, ByBounds, Enumerated, Void int64
}

// Refusal says why a certificate is refused.
type Refusal struct {
	// Leaf is the first faulty leaf, from 1, and Line its line; 0 if the fault is in no
	// single leaf.
	Leaf, Line int64
	Reason     string
}

func (r *Refusal) String() string {
	if r.Leaf == 0 {
		return r.Reason
	}
	return fmt.Sprintf("leaf %d (line %d): %s", r.Leaf, r.Line, r.Reason)
}

// Run reads and checks the leaves. The error is ctx's; a faulty certificate gives a
// Refusal, and the report then counts the leaves checked before it.
func Run(ctx context.Context, r *certificate.Reader, o Options) (*Report, error) {
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	st := r.Statement()
	report := &Report{}
	s, err := newSubject(st)
	if err != nil {
		report.Refusal = &Refusal{Reason: err.Error()}
		return report, nil
	}
	c := &run{subject: s, options: o, reader: r, cover: newCover(st), report: report}
	c.leaves(ctx)
	if err := ctx.Err(); err != nil {
		return report, err
	}
	if report.Refusal == nil {
		c.region(ctx)
	}
	return report, ctx.Err()
}

// run is the state of one check.
type run struct {
	*subject
	options Options
	reader  *certificate.Reader
	cover   *cover
	report  *Report
	found   atomic.Bool // a refusal was found: no further leaf is handed out
	mu      sync.Mutex  // guards report
}

// task is a leaf to check, by number from 1 and line.
type task struct {
	leaf         *certificate.Leaf
	number, line int64
}

// leaves distributes the leaves to the workers.
func (c *run) leaves(ctx context.Context) {
	tasks := make(chan task, c.options.Workers)
	var done sync.WaitGroup
	for range c.options.Workers {
		done.Go(func() {
			leaf := (&encloser{subject: c.subject}).leaf
			if c.forest != nil {
				leaf = newGrove(c.subject).leaf
			}
			for t := range tasks {
				by, err := leaf(ctx, t.leaf)
				c.note(t, by, err)
			}
		})
	}
	for number := int64(1); !c.found.Load() && ctx.Err() == nil; number++ {
		leaf, err := c.reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		t := task{leaf, number, c.reader.Line()}
		if err == nil {
			err = c.cover.add(leaf.Box)
		}
		if err != nil {
			var fault *certificate.Fault
			if errors.As(err, &fault) {
				err = fault.Err // the refusal has the line in a field
			}
			c.note(t, 0, err)
			break
		}
		tasks <- t
	}
	close(tasks)
	done.Wait()
}

// note records the result of a leaf. Leaves are handed out in order, so the first faulty
// one is checked before the workers stop.
func (c *run) note(t task, by method, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.report
	if err != nil {
		c.found.Store(true)
		if r.Refusal == nil || t.number < r.Refusal.Leaf {
			r.Refusal = &Refusal{Leaf: t.number, Line: t.line, Reason: err.Error()}
		}
		return
	}
	r.Leaves++
	switch by {
	case byBounds:
		r.ByBounds++
	case byEnumeration:
		r.Enumerated++
	case byVoid:
		r.Void++
	}
	c.options.Progress(Progress{Leaves: r.Leaves})
}

// region checks that the leaves partition the region.
func (c *run) region(ctx context.Context) {
	r := c.report
	err := c.cover.check(ctx, func(placed int) { c.options.Progress(Progress{Leaves: r.Leaves, Placed: int64(placed)}) })
	if err == nil || ctx.Err() != nil {
		return
	}
	r.Refusal = &Refusal{Reason: err.Error()}
	var two *overlap
	if errors.As(err, &two) {
		r.Refusal.Leaf, r.Refusal.Line = int64(two.second)+1, int64(two.second)+1+certificate.StatementLines
	}
}
