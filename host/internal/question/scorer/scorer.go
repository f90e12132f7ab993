// Package scorer asks model plugins for scores. It keeps the scores in memory and in the journal, and asks for
// each row once; it makes batches that take less than a second; it counts rows against a budget; and it detects
// a plugin that hangs, ends, or contradicts itself.
//
// After a failure, and at the end of the budget, calls of Scores block, so that no invented score enters a
// result. Hub.Ended tells the owner of the calls.
package scorer

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/model/observed"
)

const (
	// maxHeld bounds the scores in each of the parts of a scorer's memory, some 30 MB.
	maxHeld = 1 << 19
	// A batch grows while a call takes less than quick, and shrinks if one takes more than slow.
	quick, slow = 250 * time.Millisecond, time.Second
	// keepAt is the number of scores that are written to the journal at once, keepEvery the longest wait.
	keepAt, keepEvery = 4096, 500 * time.Millisecond
	// Patience is how long a call may take.
	Patience = time.Minute
	// least is the smallest magnitude of a score but 0, which keeps all logits multiples of 2^−256.
	least = 0x1p-200
)

// rowKey is a digest of a row.
type rowKey = [16]byte

// scorer is the source of the answers of one plugin.
type scorer struct {
	hub   *Hub
	model sdk.Model
	d     sdk.Description
	name  string
	close func() error
	// kept is the journal, nil if scores are not kept beyond the run; under is the key of the scores in it.
	kept  *journal.Journal
	under rowKey

	mu       sync.Mutex // held during a call
	now, old map[rowKey]float64
	earlier  map[rowKey]float64 // scores of earlier runs that this run has not needed yet
	batch    int
	calls    int64
	again    []float64 // a row asked before, and its score
	before   float64
	unkept   []journal.Score
	keptAt   time.Time
	spent    Spent
}

var _ observed.Source = (*scorer)(nil)

// String implements observed.Source.
func (s *scorer) String() string { return s.name }

// Scores implements observed.Source.
func (s *scorer) Scores(rows [][]float64) []float64 {
	out, keys := make([]float64, len(rows)), make([]rowKey, len(rows))
	for i, row := range rows {
		keys[i] = digest(row)
	}
	s.mu.Lock()
	err := s.fill(rows, keys, out)
	s.mu.Unlock()
	if err != nil {
		s.hub.end(err)
		select {}
	}
	return out
}

// fill writes the scores of rows. It asks for those that are not held.
func (s *scorer) fill(rows [][]float64, keys []rowKey, out []float64) error {
	var missing []int
	first := map[rowKey]int{}
	for i, key := range keys {
		if v, ok := s.held(key); ok {
			out[i] = v
		} else if v, ok := s.earlier[key]; ok {
			out[i] = v
			if err := s.reuse(rows[i], key, v); err != nil {
				return err
			}
		} else if _, twice := first[key]; !twice {
			first[key] = i
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	var err error
	for err == nil && len(missing) > 0 {
		most := s.batch
		if s.checks() {
			most = min(most, s.d.Batch-1) // with the row that is asked again
		}
		var part []int
		if part, err = s.hub.afford(missing[:min(len(missing), most)]); err == nil {
			err = s.ask(rows, keys, out, part)
		}
		missing = missing[len(part):]
	}
	for i, key := range keys { // rows that occur twice
		if at, ok := first[key]; ok {
			out[i] = out[at]
		}
	}
	return err
}

// reuse takes over a score of an earlier run. It asks for the first one again.
func (s *scorer) reuse(row []float64, key rowKey, score float64) error {
	delete(s.earlier, key)
	s.hold(key, score)
	if s.spent.Kept++; s.again != nil {
		return nil
	}
	s.again, s.before = append(s.again, row...), score
	return s.ask(nil, nil, nil, nil)
}

// checks reports that the next call also asks about a row that was asked before: calls 1, 2, 4, 8, … do.
func (s *scorer) checks() bool { return s.again != nil && s.calls&(s.calls+1) == 0 }

// ask makes one call.
func (s *scorer) ask(rows [][]float64, keys []rowKey, out []float64, part []int) error {
	sent := make([][]float64, len(part), len(part)+1)
	for i, row := range part {
		sent[i] = rows[row]
	}
	check := s.checks()
	if check {
		sent = append(sent, s.again)
	}
	ctx, cancel := context.WithTimeout(s.hub.ctx, s.hub.Patience)
	defer cancel()
	began := time.Now()
	scores, err := s.model.Score(ctx, sent)
	took := time.Since(began)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		return fmt.Errorf("%s: no answer to %d rows in %v: it hangs, or a row takes it longer than that", s.name, len(sent), s.hub.Patience)
	}
	if err != nil {
		return err
	}
	s.calls++
	s.spent.Rows += int64(len(part))
	s.spent.Seconds += took.Seconds()
	if check && !sdk.SameScore(scores[len(part)], s.before) {
		return fmt.Errorf("%s: it scored the same row %v, and then %v: %v; a model whose scores vary cannot be judged by them: fix its seed, or give it another identity if it was changed",
			s.name, s.before, scores[len(part)], s.again)
	}
	for i, row := range part {
		v := scores[i]
		if math.Abs(v) < least {
			v = 0
		}
		out[row] = v
		s.hold(keys[row], v)
		if s.kept != nil {
			s.unkept = append(s.unkept, journal.Score{Row: keys[row], Score: v})
		}
	}
	if len(part) > 0 {
		s.again, s.before = append(s.again[:0], sent[0]...), out[part[0]]
	}
	switch {
	case took < quick:
		s.batch = min(2*s.batch, s.d.Batch)
	case took > slow:
		s.batch = max(1, s.batch/2)
	}
	s.hub.progress(len(part))
	if len(s.unkept) >= keepAt || time.Since(s.keptAt) > keepEvery {
		return s.keep()
	}
	return nil
}

// keep writes new scores to the journal.
func (s *scorer) keep() error {
	s.keptAt = time.Now()
	if len(s.unkept) == 0 {
		return nil
	}
	err := s.kept.KeepScores(s.under, s.unkept)
	s.unkept = s.unkept[:0]
	return err
}

// held returns a score in memory.
func (s *scorer) held(key rowKey) (float64, bool) {
	v, ok := s.now[key]
	if !ok {
		if v, ok = s.old[key]; ok {
			s.hold(key, v)
		}
	}
	return v, ok
}

// hold keeps a score in memory: the scores used last, between one and two times maxHeld of them.
func (s *scorer) hold(key rowKey, score float64) {
	if len(s.now) >= maxHeld {
		s.now, s.old = make(map[rowKey]float64, maxHeld), s.now
	}
	s.now[key] = score
}

// digest is a digest of a row's values.
func digest(row []float64) (out rowKey) {
	text := make([]byte, 0, 256)
	for _, v := range row {
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(v+0)) // +0 for -0
	}
	sum := sha256.Sum256(text)
	copy(out[:], sum[:])
	return out
}
