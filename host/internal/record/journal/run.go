package journal

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hyfair/hyfair/host/internal/record"
)

// Run is a run that is being written. Safe for concurrent use. After its first
// failure (such as a full disk) it writes nothing more, so that its events have no
// gap, and returns that failure from every call.
type Run struct {
	j     *Journal
	id    int64
	name  string
	start time.Time // the zero of the run's clock

	// mu guards the queue from emitters to the writer.
	mu      sync.Mutex
	pending []row
	size    int // bytes of payload in pending
	ended   bool
	err     error

	// writing is held during a transaction, so that transactions are in order.
	writing  sync.Mutex
	next     int64 // number of the next event
	seconds  float64
	unsynced bool // a task was committed that the disk may not have yet

	wake, stop, stopped chan struct{}
}

// row is an event that is not yet in the table.
type row struct {
	seconds float64
	kind    record.Kind
	task    string
	payload string
}

const (
	// flushEvery is the longest time between writes of events.
	flushEvery = 500 * time.Millisecond
	// Limits of pending payload, in bytes: fullBatch triggers a transaction. Above maxPending,
	// emitters block until one is committed.
	fullBatch  = 1 << 20
	maxPending = 16 << 20
	// rowOverhead is the memory of an event without its payload, in bytes.
	rowOverhead = 64
)

// Begin starts a run and writes started as its description and first event. A zero At
// means now.
func (j *Journal) Begin(started record.Started) (*Run, error) {
	if started.At.IsZero() {
		started.At = time.Now()
	}
	first := record.Event{Kind: record.KindStarted, Started: &started}
	r := &Run{j: j, start: started.At}
	opening, err := r.encode(first)
	if err != nil {
		return nil, j.fail(err)
	}
	err = j.write(true, func(conn *sql.Conn) error {
		r.name = started.Task.NewRun(time.Now())
		var err error
		if r.id, err = insertRun(conn, r.name, &started); err != nil {
			return err
		}
		// The run is claimed before other processes can see it.
		if ok, err := j.live.claim(r.id); err != nil {
			return err
		} else if !ok {
			return fmt.Errorf("run %s: %w", r.name, ErrLive)
		}
		return r.insert(conn, []row{opening})
	})
	if err != nil {
		j.live.free(r.id)
		return nil, j.fail(explain(err))
	}
	r.next = 1
	r.open()
	return r, nil
}

// Resume reopens a run by its name or a unique prefix of it, finished or not. Its clock
// continues. Until the first write nothing changes; then the run counts as running.
// ErrLive: another process is writing it.
func (j *Journal) Resume(name string) (*Run, error) {
	r := &Run{j: j}
	err := j.read(func(conn *sql.Conn) (err error) {
		if r.id, r.name, err = find(conn, name); err != nil {
			return err
		}
		if ok, err := j.live.claim(r.id); err != nil {
			return err
		} else if !ok {
			return fmt.Errorf("run %s: %w", r.name, ErrLive)
		}
		return conn.QueryRowContext(background,
			"SELECT seconds, (SELECT coalesce(max(seq) + 1, 0) FROM events WHERE run = runs.id) FROM runs WHERE id = ?", r.id).
			Scan(&r.seconds, &r.next)
	})
	if err != nil {
		if !errors.Is(err, ErrLive) {
			j.live.free(r.id)
		}
		return nil, j.fail(err)
	}
	r.start = time.Now().Add(-time.Duration(r.seconds * float64(time.Second)))
	r.open()
	return r, nil
}

// open starts the writer.
func (r *Run) open() {
	r.wake, r.stop, r.stopped = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	r.j.runsMu.Lock()
	r.j.runs[r] = true
	r.j.runsMu.Unlock()
	go func() {
		defer close(r.stopped)
		tick := time.NewTicker(flushEvery)
		defer tick.Stop()
		for {
			select {
			case <-r.stop:
				return
			case <-r.wake:
			case <-tick.C:
			}
			r.flush() // the run keeps the failure
		}
	}()
}

// Name returns the run's name.
func (r *Run) Name() string { return r.name }

// Emit adds an event, which is written within a second. The run's name and the
// event's number are set by the journal, and so is Seconds if it is 0. A Finished event
// acts as Finish.
func (r *Run) Emit(e record.Event) error {
	if e.Kind == record.KindFinished {
		return r.finish(e)
	}
	row, err := r.encode(e)
	if err != nil {
		err = r.j.fail(fmt.Errorf("run %s: %w", r.name, err))
		r.j.note(err)
		return err
	}
	r.mu.Lock()
	if err := r.closed(); err != nil {
		r.mu.Unlock()
		return err
	}
	r.pending = append(r.pending, row)
	r.size += len(row.payload) + rowOverhead
	size := r.size
	r.mu.Unlock()
	switch {
	case size >= maxPending:
		return r.flush()
	case size >= fullBatch:
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
	return nil
}

// Finish ends the run and returns when all of it is on disk.
func (r *Run) Finish(f record.Finished) error {
	return r.finish(record.Event{Kind: record.KindFinished, Finished: &f})
}

func (r *Run) finish(e record.Event) error {
	last, err := r.encode(e)
	if err != nil {
		err = r.j.fail(fmt.Errorf("run %s: %w", r.name, err))
		r.j.note(err)
		return err
	}
	if !r.end() {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.closed()
	}
	return r.commit(true, []row{last}, func(conn *sql.Conn) error {
		state := Finished
		switch {
		case e.Finished.Error != "":
			state = Failed
		case e.Finished.Interrupted:
			state = Interrupted
		}
		measures, err := json.Marshal(e.Finished.Measures)
		if err != nil {
			return err
		}
		_, err = conn.ExecContext(background, "UPDATE runs SET state = ?, error = ?, measures = ?, finished = ? WHERE id = ?",
			string(state), e.Finished.Error, string(measures), formatTime(time.Now()), r.id)
		return err
	}, true)
}

// abandon writes pending events and releases the run unfinished.
func (r *Run) abandon() {
	if r.end() {
		r.commit(true, nil, nil, true)
	}
}

// end stops emitters and the writer; false if that was done before.
func (r *Run) end() bool {
	r.mu.Lock()
	first := !r.ended
	r.ended = true
	r.mu.Unlock()
	if first {
		close(r.stop)
		<-r.stopped
	}
	return first
}

// closed returns the reason why nothing can be written. mu must be held.
func (r *Run) closed() error {
	if r.err == nil && r.ended {
		return r.j.fail(fmt.Errorf("run %s: %w", r.name, ErrEnded))
	}
	return r.err
}

// flush writes pending events.
func (r *Run) flush() error { return r.commit(true, nil, nil, false) }

// commit writes the pending events and the given rows, and calls the function, if any, in one
// transaction. If last is set, it then releases the run.
func (r *Run) commit(sync bool, rows []row, more func(*sql.Conn) error, last bool) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if last {
		defer r.release()
	}
	r.mu.Lock()
	pending, size, err := r.pending, r.size, r.err
	r.pending, r.size = nil, 0
	r.mu.Unlock()
	if err != nil {
		return err
	}
	rows = append(pending[:len(pending):len(pending)], rows...)
	if len(rows) == 0 && more == nil && !r.unsynced {
		return nil
	}
	seconds := r.seconds
	for _, row := range rows {
		seconds = max(seconds, row.seconds)
	}
	err = r.j.write(sync, func(conn *sql.Conn) error {
		result, err := conn.ExecContext(background,
			"UPDATE runs SET state = 'running', finished = NULL, seconds = ? WHERE id = ?", seconds, r.id)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, fmt.Errorf("it was deleted: %w", ErrEnded))
		}
		if err := r.insert(conn, rows); err != nil || more == nil {
			return err
		}
		return more(conn)
	})
	switch {
	case err == nil:
		r.next += int64(len(rows))
		r.seconds, r.unsynced = seconds, !sync
		return nil
	case errors.Is(err, ErrDone):
		// The pending events did not cause this error, so they are kept.
		r.mu.Lock()
		r.pending, r.size = append(pending, r.pending...), r.size+size
		r.mu.Unlock()
		return r.j.fail(err)
	}
	err = r.j.fail(fmt.Errorf("run %s: %w", r.name, explain(err)))
	r.mu.Lock()
	r.err, r.pending, r.size = err, nil, 0
	r.mu.Unlock()
	r.j.note(err)
	return err
}

// rowsAtOnce is the number of events per INSERT statement. This is several times faster
// than one event per statement.
const rowsAtOnce = 50

// insert adds events to the table; r.next is the number of the first.
func (r *Run) insert(conn *sql.Conn, rows []row) error {
	var stmt *sql.Stmt
	prepared := 0 // rows that stmt inserts
	defer func() {
		if stmt != nil {
			stmt.Close()
		}
	}()
	values := make([]any, 0, 6*min(len(rows), rowsAtOnce))
	for seq := r.next; len(rows) > 0; {
		n := min(len(rows), rowsAtOnce)
		if n != prepared {
			if stmt != nil {
				stmt.Close()
			}
			var err error
			if stmt, err = conn.PrepareContext(background, insertEvent+strings.Repeat(", (?, ?, ?, ?, ?, ?)", n-1)); err != nil {
				return err
			}
			prepared = n
		}
		values = values[:0]
		for _, row := range rows[:n] {
			values = append(values, r.id, seq, row.seconds, string(row.kind), row.task, row.payload)
			seq++
		}
		if _, err := stmt.ExecContext(background, values...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

const insertEvent = "INSERT INTO events (run, seq, t, kind, task, payload) VALUES (?, ?, ?, ?, ?, ?)"

// release lets other writers have the run.
func (r *Run) release() {
	r.j.runsMu.Lock()
	delete(r.j.runs, r)
	r.j.runsMu.Unlock()
	r.j.live.free(r.id)
}

func (r *Run) encode(e record.Event) (row, error) {
	payload, err := e.MarshalPayload()
	if e.Seconds == 0 {
		e.Seconds = time.Since(r.start).Seconds()
	}
	return row{seconds: e.Seconds, kind: e.Kind, task: e.Task, payload: string(payload)}, err
}
