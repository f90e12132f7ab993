package journal

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/hyfair/hyfair/host/internal/record"
)

// Events calls visit with the events of the run of this name, or of the only name
// with this beginning, in order, until visit returns an error. Kinds that this
// version does not know come without a payload. visit may use the journal.
func (j *Journal) Events(name string, visit func(record.Event) error) error {
	return j.events(name, func(full string, e storedEvent) error {
		event := e.event(full)
		if err := event.UnmarshalPayload(e.payload); err != nil {
			return j.fail(fmt.Errorf("run %s, event %d: %w", full, e.seq, err))
		}
		return visit(event)
	})
}

// Export writes the events of a run, including those of unknown kinds, as one JSON object per line.
func (j *Journal) Export(name string, out io.Writer) error {
	w := bufio.NewWriter(out)
	err := j.events(name, func(full string, e storedEvent) error {
		line, err := json.Marshal(e.event(full))
		if err != nil {
			return j.fail(fmt.Errorf("run %s, event %d: %w", full, e.seq, err))
		}
		kind, err := json.Marshal(e.kind)
		if err != nil || !json.Valid(e.payload) {
			return j.fail(fmt.Errorf("run %s, event %d: the payload is damaged", full, e.seq))
		}
		w.Write(line[:len(line)-1]) // Flush returns the writer's error
		w.WriteByte(',')
		w.Write(kind)
		w.WriteByte(':')
		w.Write(e.payload)
		_, err = w.WriteString("}\n")
		return err
	})
	return errors.Join(err, w.Flush())
}

// storedEvent is a row of the table of events.
type storedEvent struct {
	seq     int64
	seconds float64
	kind    record.Kind
	task    string
	payload []byte
}

const eventColumns = "seq, t, kind, task, payload"

func scanEvent(rows *sql.Rows) (e storedEvent, err error) {
	var kind string
	err = rows.Scan(&e.seq, &e.seconds, &kind, &e.task, &e.payload)
	e.kind = record.Kind(kind)
	return e, err
}

// event returns the event without its payload.
func (e *storedEvent) event(run string) record.Event {
	return record.Event{Run: run, Seq: e.seq, Seconds: e.seconds, Kind: e.kind, Task: e.task}
}

func (j *Journal) events(name string, visit func(run string, e storedEvent) error) error {
	id, full, err := j.id(name)
	if err != nil {
		return err
	}
	return pages(j, func(e storedEvent) error { return visit(full, e) }, func(rows *sql.Rows) (storedEvent, int64, error) {
		e, err := scanEvent(rows)
		return e, e.seq, err
	}, "SELECT "+eventColumns+" FROM events WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?", id)
}
