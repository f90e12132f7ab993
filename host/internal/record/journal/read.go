package journal

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/record"
)

// State is the state of a run.
type State string

// The states. Finished, Interrupted and Failed come from record.Finished.
const (
	Running     State = "running"     // a process is writing it, or is about to
	Finished    State = "finished"    // it ran to its end
	Interrupted State = "interrupted" // the user stopped it
	Failed      State = "failed"      // an error ended it
	BrokenOff   State = "broken off"  // its process ended before the run did
)

// States lists all states.
var States = []State{Running, Finished, Interrupted, Failed, BrokenOff}

// Info is a journal's summary of a run.
type Info struct {
	Name    string
	Started record.Started
	State   State
	// Finished is the time when the run ended; zero if it did not.
	Finished time.Time
	// Seconds is the time of the last event on the run's clock.
	Seconds float64
	// Error is the error that ended the run; empty if none did.
	Error string
	// Measures are those of the run at its end; nil without any.
	Measures map[string]*float64
	// Tasks counts the finished tasks.
	Tasks int64
	// Verdict is the last verdict about the entire run; nil if there is none.
	Verdict *record.Verdict

	id int64
}

const infoColumns = `id, name, command, study, model, study_sha256, network_sha256, arm, seed, region, settings, features,
	versions, machine, started, coalesce(finished, ''), seconds, state, error, measures,
	(SELECT count(*) FROM tasks WHERE run = runs.id),
	(SELECT payload FROM events WHERE run = runs.id AND kind = 'verdict' AND task = '' ORDER BY seq DESC LIMIT 1)`

// Runs lists all runs, the newest first.
func (j *Journal) Runs() ([]Info, error) {
	return j.infos("SELECT " + infoColumns + " FROM runs ORDER BY id DESC")
}

// Unfinished lists the runs of the same task that did not end and are not being written,
// the newest first: candidates for Resume.
func (j *Journal) Unfinished(t record.Task) ([]Info, error) {
	infos, err := j.infos("SELECT "+infoColumns+" FROM runs WHERE task = ? AND state <> 'finished' ORDER BY id DESC", t.ID())
	return slices.DeleteFunc(infos, func(info Info) bool { return info.State == Running }), err
}

func (j *Journal) infos(query string, args ...any) (infos []Info, err error) {
	err = j.read(func(conn *sql.Conn) error {
		return each(conn, func(rows *sql.Rows) error {
			info, err := j.scan(rows)
			if err != nil {
				return fmt.Errorf("run %q: %w", info.Name, err)
			}
			infos = append(infos, info)
			return nil
		}, query, args...)
	})
	if err != nil {
		return nil, j.fail(explain(err))
	}
	return infos, nil
}

// scan reads a row of infoColumns.
func (j *Journal) scan(rows *sql.Rows) (Info, error) {
	var (
		info                                  Info
		settings, features, versions, machine string
		started, finished, measures, state    string
		verdict                               sql.NullString
	)
	s := &info.Started
	t := &s.Task
	err := rows.Scan(&info.id, &info.Name, &t.Command, &s.Study, &s.Model, &t.Study, &t.Network, &t.Arm, &t.Seed, &t.Region,
		&settings, &features, &versions, &machine, &started, &finished, &info.Seconds, &state, &info.Error, &measures, &info.Tasks, &verdict)
	if err != nil {
		return info, err
	}
	for _, column := range []struct {
		text string
		into any
	}{{settings, &t.Settings}, {features, &s.Features}, {versions, &s.Versions}, {machine, &s.Machine}, {measures, &info.Measures}} {
		if err := json.Unmarshal([]byte(column.text), column.into); err != nil {
			return info, err
		}
	}
	if verdict.Valid {
		if err := json.Unmarshal([]byte(verdict.String), &info.Verdict); err != nil {
			return info, err
		}
	}
	if s.At, err = time.Parse(time.RFC3339Nano, started); err != nil {
		return info, err
	}
	if finished != "" {
		if info.Finished, err = time.Parse(time.RFC3339Nano, finished); err != nil {
			return info, err
		}
	}
	if info.State = State(state); info.State == Running && !j.live.live(info.id) {
		info.State = BrokenOff
	}
	return info, nil
}

func insertRun(conn *sql.Conn, name string, s *record.Started) (int64, error) {
	texts := make([]string, 4)
	for i, v := range []any{s.Task.Settings, s.Features, s.Versions, s.Machine} {
		text, err := json.Marshal(v)
		if err != nil {
			return 0, err
		}
		texts[i] = string(text)
	}
	t := &s.Task
	result, err := conn.ExecContext(background, `INSERT INTO runs (name, task, command, study, model, study_sha256, network_sha256,
		arm, seed, region, settings, features, versions, machine, started, seconds, state, error, measures)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 'running', '', 'null')`,
		name, t.ID(), t.Command, s.Study, s.Model, t.Study, t.Network, t.Arm, t.Seed, t.Region,
		texts[0], texts[1], texts[2], texts[3], formatTime(s.At))
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// Details is the description of one run.
type Details struct {
	Info
	// Events counts the events by kind.
	Events map[record.Kind]int64
	// Witnesses are the last few, the newest first.
	Witnesses []record.Event
}

// lastWitnesses is the largest number of witnesses in Details.
const lastWitnesses = 3

// Show describes the run of this name, or of the only name with this beginning.
func (j *Journal) Show(name string) (*Details, error) {
	id, _, err := j.id(name)
	if err != nil {
		return nil, err
	}
	infos, err := j.infos("SELECT "+infoColumns+" FROM runs WHERE id = ?", id)
	if err != nil {
		return nil, err
	}
	if len(infos) == 0 {
		return nil, j.fail(fmt.Errorf("run %s: %w", name, ErrNoRun)) // deleted a moment ago
	}
	d := &Details{Info: infos[0], Events: map[record.Kind]int64{}}
	err = j.read(func(conn *sql.Conn) error {
		err := each(conn, func(rows *sql.Rows) error {
			var kind string
			var n int64
			err := rows.Scan(&kind, &n)
			d.Events[record.Kind(kind)] = n
			return err
		}, "SELECT kind, count(*) FROM events WHERE run = ? GROUP BY kind", id)
		if err != nil {
			return err
		}
		return each(conn, func(rows *sql.Rows) error {
			e, err := scanEvent(rows)
			if err != nil {
				return err
			}
			d.Witnesses = append(d.Witnesses, e.event(d.Name))
			return d.Witnesses[len(d.Witnesses)-1].UnmarshalPayload(e.payload)
		}, "SELECT "+eventColumns+" FROM events WHERE run = ? AND kind = 'witness' ORDER BY seq DESC LIMIT ?", id, lastWitnesses)
	})
	if err != nil {
		return nil, j.fail(explain(err))
	}
	return d, nil
}

// Delete deletes a run with its tasks and events. ErrLive: a process is writing it;
// with force it is deleted nevertheless, and the next write of that process fails.
func (j *Journal) Delete(name string, force bool) (Info, error) {
	d, err := j.Show(name)
	if err != nil {
		return Info{}, err
	}
	if d.State == Running && !force {
		return d.Info, j.fail(fmt.Errorf("run %s: %w", d.Name, ErrLive))
	}
	err = j.write(true, func(conn *sql.Conn) error {
		for _, statement := range []string{"DELETE FROM events WHERE run = ?", "DELETE FROM tasks WHERE run = ?", "DELETE FROM runs WHERE id = ?"} {
			if _, err := conn.ExecContext(background, statement, d.id); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = j.read(shrink)
	}
	return d.Info, j.fail(err)
}

// shrink returns the space of deleted rows to the file system.
func shrink(conn *sql.Conn) error {
	err := each(conn, func(*sql.Rows) error { return nil }, "PRAGMA incremental_vacuum") // each step frees a page
	if busy(err) {
		return nil
	}
	return err
}

// id finds a run by its name or a unique beginning of it.
func (j *Journal) id(name string) (id int64, full string, err error) {
	err = j.read(func(conn *sql.Conn) error {
		id, full, err = find(conn, name)
		return err
	})
	return id, full, j.fail(err)
}

func find(conn *sql.Conn, name string) (id int64, full string, err error) {
	const some = 5
	var ids []int64
	var names []string
	err = each(conn, func(rows *sql.Rows) error {
		err := rows.Scan(&id, &full)
		ids, names = append(ids, id), append(names, full)
		return err
	}, "SELECT id, name FROM runs WHERE substr(name, 1, length(?1)) = ?1 ORDER BY name <> ?1, id DESC LIMIT ?2", name, some)
	switch {
	case err != nil:
		return 0, "", explain(err)
	case name == "" || len(ids) == 0:
		return 0, "", fmt.Errorf("%w: %q; hyfair runs lists them", ErrNoRun, name)
	case len(ids) > 1 && names[0] != name:
		return 0, "", fmt.Errorf("%w: %q is the beginning of several names, such as %s: give more of the name", ErrNoRun, name, strings.Join(names, ", "))
	}
	return ids[0], names[0], nil
}
