package journal

import (
	"database/sql"
	"errors"
	"slices"

	"github.com/hyfair/hyfair/host/internal/record"
)

// runColumns are the columns of a run that are copied unchanged from another journal.
const runColumns = `name, task, command, study, model, study_sha256, network_sha256, arm, seed, region, settings, features, versions, machine,
	started, finished, seconds, state, error, measures`

// Copy copies a run of another journal unchanged, with its tasks and events; false: a run
// of this name exists already.
func (j *Journal) Copy(from *Journal, name string) (copied bool, err error) {
	err = j.with(from, func(conn *sql.Conn) error {
		result, err := conn.ExecContext(background, "INSERT INTO main.runs ("+runColumns+") SELECT "+runColumns+` FROM other.runs WHERE name = ?1
			AND NOT EXISTS (SELECT 1 FROM main.runs WHERE name = ?1)`, name)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return err
		}
		copied = true
		id, err := result.LastInsertId()
		if err != nil {
			return err
		}
		for _, statement := range []string{
			`INSERT INTO main.tasks (run, key, result, seconds, content, origin) SELECT ?1, key, result, seconds, content, origin
				FROM other.tasks WHERE run = (SELECT id FROM other.runs WHERE name = ?2) ORDER BY rowid`,
			`INSERT INTO main.events (run, seq, t, kind, task, payload) SELECT ?1, seq, t, kind, task, payload
				FROM other.events WHERE run = (SELECT id FROM other.runs WHERE name = ?2) ORDER BY seq`,
		} {
			if _, err := conn.ExecContext(background, statement, id, name); err != nil {
				return err
			}
		}
		return nil
	})
	return copied, err
}

// Join copies the tasks that r lacks from a run of another journal, with their events, and
// returns their number. They keep their origin; tasks without one get the other run as
// origin if its machine is not r's.
func (r *Run) Join(from *Journal, name string) (tasks int64, err error) {
	if err := r.flush(); err != nil {
		return 0, err
	}
	other, err := from.Show(name)
	if err != nil {
		return 0, err
	}
	own, err := r.j.Show(r.name)
	if err != nil {
		return 0, err
	}
	made := Done{}
	if m := other.Started.Machine; !m.Same(own.Started.Machine) {
		made.Origin = &Origin{Run: other.Name, Journal: from.path, Machine: m}
	}
	origin, err := made.origin()
	if err != nil {
		return 0, err
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	var events int64
	err = r.j.with(from, func(conn *sql.Conn) error {
		for _, statement := range []struct {
			text  string
			args  []any
			count *int64
		}{
			{"CREATE TEMP TABLE IF NOT EXISTS joined (key TEXT PRIMARY KEY) STRICT", nil, nil},
			{"DELETE FROM temp.joined", nil, nil},
			{`INSERT INTO temp.joined SELECT key FROM other.tasks WHERE run = (SELECT id FROM other.runs WHERE name = ?1)
				AND key NOT IN (SELECT key FROM main.tasks WHERE run = ?2)`, []any{other.Name, r.id}, &tasks},
			{`INSERT INTO main.tasks (run, key, result, seconds, content, origin)
				SELECT ?2, key, result, seconds, content, CASE
					WHEN origin = '' THEN ?3
					WHEN json_extract(origin, '$.journal') IS NULL THEN json_set(origin, '$.journal', ?4)
					ELSE origin END
				FROM other.tasks WHERE run = (SELECT id FROM other.runs WHERE name = ?1) AND key IN temp.joined ORDER BY rowid`,
				[]any{other.Name, r.id, origin, from.path}, nil},
			{`INSERT INTO main.events (run, seq, t, kind, task, payload)
				SELECT ?2, ?3 + row_number() OVER (ORDER BY seq) - 1, t, kind, task, payload
				FROM other.events WHERE run = (SELECT id FROM other.runs WHERE name = ?1) AND task IN temp.joined`,
				[]any{other.Name, r.id, r.next}, &events},
			{"UPDATE main.runs SET seconds = max(seconds, ?1) WHERE id = ?2", []any{other.Seconds, r.id}, nil},
		} {
			result, err := conn.ExecContext(background, statement.text, statement.args...)
			if err == nil && statement.count != nil {
				*statement.count, err = result.RowsAffected()
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	r.next += events
	return tasks, nil
}

// with calls a function in a transaction that can read the other journal, under the schema name
// other.
func (j *Journal) with(from *Journal, do func(*sql.Conn) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return ErrEnded
	}
	if _, err := j.conn.ExecContext(background, "ATTACH DATABASE ? AS other", from.file); err != nil {
		return from.fail(explain(err))
	}
	err := transact(j.conn, do)
	_, detached := j.conn.ExecContext(background, "DETACH DATABASE other")
	return j.fail(explain(errors.Join(err, detached)))
}

// Same returns the runs of t and of its shards, the newest first.
func (j *Journal) Same(t record.Task) ([]Info, error) {
	infos, err := j.infos("SELECT "+infoColumns+" FROM runs WHERE command = ? AND network_sha256 = ? AND study_sha256 = ? ORDER BY id DESC", t.Command, t.Network, t.Study)
	if err != nil {
		return nil, err
	}
	whole := t.Whole().ID()
	return slices.DeleteFunc(infos, func(i Info) bool { return i.Started.Task.Whole().ID() != whole }), nil
}
