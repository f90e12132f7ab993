// Package checker decides whether a certificate proves what it claims. It trusts
// nothing that is written there but the question itself, and works in exact
// arithmetic from end to end. Of the code that bounds models elsewhere in
// this program it shares nothing: what a relaxed ReLU encloses, how forms are
// carried through layers, where trees end and how boxes make up a region is written here again,
// for this purpose alone. From the SDK it takes the words (network, space,
// notion) and the exact definitions of sdk/fairness.
//
// What is checked, and why it suffices, is in docs/certificates.md.
package checker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/hyfair/hyfair/sdk/certificate"
)

// Options of Run. The zero value uses every processor and tells of no progress.
type Options struct {
	// Workers check leaves side by side; 0: as many as GOMAXPROCS.
	Workers int
	// Progress is called now and then, from one goroutine at a time.
	Progress func(Progress)
}

// Progress is a glimpse of a running check.
type Progress struct {
	// Leaves that were checked. Once all are, Placed tells how many have found
	// their place in the region.
	Leaves, Placed int64
}

// Report is the outcome of a check.
type Report struct {
	// Refusal is why the certificate is refused; nil where it is accepted.
	Refusal *Refusal
	// Leaves is how many leaves were checked; ByBounds, Enumerated and Void add
	// up to it: settled by enclosures of the logits, by going down to single
	// individuals, and because the claim is about no individual there.
	Leaves, ByBounds, Enumerated, Void int64
}

// Refusal says why a certificate is refused.
type Refusal struct {
	// Leaf is the first leaf at fault, from 1, and Line its line; 0 where no
	// single leaf is.
	Leaf, Line int64
	Reason     string
}

func (r *Refusal) String() string {
	if r.Leaf == 0 {
		return r.Reason
	}
	return fmt.Sprintf("leaf %d (line %d): %s", r.Leaf, r.Line, r.Reason)
}

// Run reads the leaves and checks them. The error is one of ctx only; whatever
// is wrong with the certificate is a Refusal, and the report then counts the
// leaves checked until then.
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

// run is one check under way.
type run struct {
	*subject
	options Options
	reader  *certificate.Reader
	cover   *cover
	report  *Report
	found   atomic.Bool // a refusal: nothing further is handed out
	mu      sync.Mutex  // of report
}

// task is a leaf to check, by number from 1 and line.
type task struct {
	leaf         *certificate.Leaf
	number, line int64
}

// leaves hands the leaves out to the workers.
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
				err = fault.Err // the line is told beside it
			}
			c.note(t, 0, err)
			break
		}
		tasks <- t
	}
	close(tasks)
	done.Wait()
}

// note keeps what became of a leaf. Leaves are handed out in order, so the
// first one at fault is among those under way when a fault is found.
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

// region checks that the leaves make up the region.
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
