package journal

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hyfair/hyfair/host/internal/record"
)

// Done is a finished task of a run.
type Done struct {
	Key string
	// Result is JSON.
	Result  []byte
	Seconds float64
	// Content is the checksum of everything that determines the result; empty: unknown.
	// Origin is the other run or machine that made the result; nil: this run made it here.
	Content string
	Origin  *Origin
}

// Origin is the run and machine that made a result.
type Origin struct {
	// The run's name.
	Run string `json:"run"`
	// The journal's file, if it is another one.
	Journal string `json:"journal,omitempty"`
	// The machine of that run.
	Machine record.Machine `json:"machine"`
}

// Complete stores a task's result, as JSON, together with its events, which get the
// task's key, in one transaction, once per key. When it returns, killing the process
// loses nothing. ErrDone: the run has a result under this key, and nothing is stored.
func (r *Run) Complete(key string, result any, seconds float64, events ...record.Event) error {
	return r.CompleteAs(Done{Key: key, Seconds: seconds}, result, events...)
}

// CompleteAs is Complete with more fields: d has every field set except Result.
func (r *Run) CompleteAs(d Done, result any, events ...record.Event) error {
	var err error
	if d.Result, err = json.Marshal(result); err != nil {
		return r.j.fail(fmt.Errorf("result of task %s: %w", d.Key, err))
	}
	rows := make([]row, len(events))
	for i, e := range events {
		e.Task = d.Key
		if rows[i], err = r.encode(e); err != nil {
			return r.j.fail(fmt.Errorf("task %s: %w", d.Key, err))
		}
	}
	return r.store(rows, d)
}

// Take stores results of other runs, all of them or none.
func (r *Run) Take(done ...Done) error { return r.store(nil, done...) }

func (r *Run) store(rows []row, done ...Done) error {
	r.mu.Lock()
	err := r.closed()
	r.mu.Unlock()
	if err != nil {
		return err
	}
	return r.commit(false, rows, func(conn *sql.Conn) error {
		for _, d := range done {
			origin, err := d.origin()
			if err != nil {
				return err
			}
			added, err := conn.ExecContext(background,
				"INSERT INTO tasks (run, key, result, seconds, content, origin) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
				r.id, d.Key, string(d.Result), d.Seconds, d.Content, origin)
			if err != nil {
				return err
			}
			if n, err := added.RowsAffected(); err != nil || n == 0 {
				return fmt.Errorf("run %s, task %s: %w", r.name, d.Key, ErrDone)
			}
		}
		return nil
	}, false)
}

// origin encodes Origin for the table.
func (d *Done) origin() (string, error) {
	if d.Origin == nil {
		return "", nil
	}
	text, err := json.Marshal(d.Origin)
	return string(text), err
}

// Known lists the stored results with this Content, those of the newest runs first, each
// with its Origin.
func (j *Journal) Known(content string) (out []Done, err error) {
	err = j.read(func(conn *sql.Conn) error {
		return each(conn, func(rows *sql.Rows) error {
			d, made := Done{}, Origin{}
			var origin, machine string
			if err := rows.Scan(&d.Key, &d.Result, &d.Seconds, &d.Content, &origin, &made.Run, &machine); err != nil {
				return err
			}
			if err := json.Unmarshal([]byte(machine), &made.Machine); err != nil {
				return fmt.Errorf("run %s: machine: %w", made.Run, err)
			}
			if err := d.made(origin); err != nil {
				return fmt.Errorf("run %s, task %s: %w", made.Run, d.Key, err)
			}
			if d.Origin == nil {
				d.Origin = &made
			}
			out = append(out, d)
			return nil
		}, `SELECT tasks.key, result, tasks.seconds, content, origin, name, machine
			FROM tasks JOIN runs ON runs.id = tasks.run WHERE content = ? ORDER BY runs.id DESC`, content)
	})
	if err != nil {
		return nil, j.fail(explain(err))
	}
	return out, nil
}

// made decodes Origin from the table.
func (d *Done) made(origin string) error {
	if origin == "" {
		return nil
	}
	d.Origin = new(Origin)
	if err := json.Unmarshal([]byte(origin), d.Origin); err != nil {
		return fmt.Errorf("origin: %w", err)
	}
	return nil
}

// Done returns the result, as JSON, under a key; ok is false if there is none.
func (r *Run) Done(key string) (result []byte, seconds float64, ok bool) {
	err := r.j.read(func(conn *sql.Conn) error {
		return conn.QueryRowContext(background, "SELECT result, seconds FROM tasks WHERE run = ? AND key = ?", r.id, key).Scan(&result, &seconds)
	})
	return result, seconds, err == nil
}

// Tasks calls visit with the finished tasks, in the order of their completion, until
// visit returns an error. visit may use the journal.
func (r *Run) Tasks(visit func(Done) error) error { return r.j.tasks(r.id, visit) }

// Tasks is Run.Tasks for a run by its name or a unique beginning of it, whether
// it is being written or not.
func (j *Journal) Tasks(name string, visit func(Done) error) error {
	id, _, err := j.id(name)
	if err != nil {
		return err
	}
	return j.tasks(id, visit)
}

func (j *Journal) tasks(run int64, visit func(Done) error) error {
	return pages(j, visit, func(rows *sql.Rows) (d Done, at int64, err error) {
		var origin string
		if err := rows.Scan(&at, &d.Key, &d.Result, &d.Seconds, &d.Content, &origin); err != nil {
			return d, at, err
		}
		if err := d.made(origin); err != nil {
			return d, at, fmt.Errorf("task %s: %w", d.Key, err)
		}
		return d, at, nil
	}, "SELECT rowid, key, result, seconds, content, origin FROM tasks WHERE run = ? AND rowid > ? ORDER BY rowid LIMIT ?", run)
}

// pageRows is the number of rows read at a time: between pages other calls can use the
// journal.
const pageRows = 500

// pages calls visit with all rows of a run. The parameters of query are the run, the number
// of the row before the page, and the page's size; scan returns a row and its number.
func pages[T any](j *Journal, visit func(T) error, scan func(*sql.Rows) (T, int64, error), query string, run int64) error {
	var page []T
	for after := int64(-1); ; {
		page = page[:0]
		err := j.read(func(conn *sql.Conn) error {
			return each(conn, func(rows *sql.Rows) error {
				item, at, err := scan(rows)
				page, after = append(page, item), at
				return err
			}, query, run, after, pageRows)
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
