package journal

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hyfair/hyfair/host/internal/record"
)

// Done is a task of a run that has its result.
type Done struct {
	Key string
	// Result is JSON.
	Result  []byte
	Seconds float64
}

// Complete stores a task's result, as JSON, together with its events, which
// take the task's key: all of it in one transaction, and once for each key. When
// it returns, a kill of the process takes nothing away. ErrDone: the run has a
// result under this key; nothing is stored then.
func (r *Run) Complete(key string, result any, seconds float64, events ...record.Event) error {
	text, err := json.Marshal(result)
	if err != nil {
		return r.j.fail(fmt.Errorf("result of task %s: %w", key, err))
	}
	rows := make([]row, len(events))
	for i, e := range events {
		e.Task = key
		if rows[i], err = r.encode(e); err != nil {
			return r.j.fail(fmt.Errorf("task %s: %w", key, err))
		}
	}
	r.mu.Lock()
	err = r.closed()
	r.mu.Unlock()
	if err != nil {
		return err
	}
	return r.commit(false, rows, func(conn *sql.Conn) error {
		added, err := conn.ExecContext(background,
			"INSERT INTO tasks (run, key, result, seconds) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", r.id, key, string(text), seconds)
		if err != nil {
			return err
		}
		if n, err := added.RowsAffected(); err != nil || n == 0 {
			return fmt.Errorf("run %s, task %s: %w", r.name, key, ErrDone)
		}
		return nil
	}, false)
}

// Done is the result, as JSON, under a key; ok is false where there is none.
func (r *Run) Done(key string) (result []byte, seconds float64, ok bool) {
	err := r.j.read(func(conn *sql.Conn) error {
		return conn.QueryRowContext(background, "SELECT result, seconds FROM tasks WHERE run = ? AND key = ?", r.id, key).Scan(&result, &seconds)
	})
	return result, seconds, err == nil
}

// Tasks hands the tasks that are done to visit, in the order in which they
// were completed, until visit returns an error. visit may use the journal.
func (r *Run) Tasks(visit func(Done) error) error { return r.j.tasks(r.id, visit) }

// Tasks is Run.Tasks for a run by its name or a unique beginning of it, whether
// it is being written or not.
func (j *Journal) Tasks(name string, visit func(Done) error) error {
	id, err := j.id(name)
	if err != nil {
		return err
	}
	return j.tasks(id, visit)
}

func (j *Journal) tasks(run int64, visit func(Done) error) error {
	return pages(j, visit, func(conn *sql.Conn, page []Done, after int64) ([]Done, int64, error) {
		rows, err := conn.QueryContext(background,
			"SELECT rowid, key, result, seconds FROM tasks WHERE run = ? AND rowid > ? ORDER BY rowid LIMIT ?", run, after, pageRows)
		if err != nil {
			return nil, 0, err
		}
		defer rows.Close()
		for rows.Next() {
			var d Done
			if err := rows.Scan(&after, &d.Key, &d.Result, &d.Seconds); err != nil {
				return nil, 0, err
			}
			page = append(page, d)
		}
		return page, after, rows.Err()
	})
}

// pageRows is how many rows are read at a time: between pages the journal is
// free for others.
const pageRows = 500

// pages hands all rows to visit. next reads the page after a row's number.
func pages[T any](j *Journal, visit func(T) error, next func(conn *sql.Conn, page []T, after int64) ([]T, int64, error)) error {
	var page []T
	for after := int64(-1); ; {
		err := j.read(func(conn *sql.Conn) (err error) {
			page, after, err = next(conn, page[:0], after)
			return err
		})
		if err != nil {
			return j.fail(explain(err))
		}
		for _, item := range page {
			if err := visit(item); err != nil {
				return err
			}
		}
		if len(page) < pageRows {
			return nil
		}
	}
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
