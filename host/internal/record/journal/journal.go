// Package journal keeps runs in one SQLite file: what was run, by which
// versions and where, each task that is done with its result, and every event.
// Several processes may write the same file. A process that is killed at any
// moment loses the task it was at and at most about a second of the events that
// belong to none; nothing is ever torn. docs/reference/formats.md has the tables, so that
// they can be read with any SQLite, and docs/developer/decisions/0011-sqlite-journal.md
// says why.
package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"

	"github.com/hyfair/hyfair/host/internal/record"
)

// What can be wrong, for errors.Is.
var (
	// ErrNotJournal: the file is there and is something else.
	ErrNotJournal = errors.New("not a journal")
	// ErrNoRun: no run has the name.
	ErrNoRun = errors.New("no such run")
	// ErrLive: a process is writing the run.
	ErrLive = errors.New("the run is being written")
	// ErrDone: the run has a result under this key.
	ErrDone = errors.New("the task is done already")
	// ErrEnded: the run was finished, deleted, or its journal closed.
	ErrEnded = errors.New("the run has ended")
)

// Journal is an open file of runs. Safe for concurrent use.
type Journal struct {
	path string // as it was given
	file string // the same, or a copy of it, from the root
	copy string // the folder of a temporary copy; empty: no copy
	db   *sql.DB
	live liveness

	// mu guards the one connection: SQLite has one writer at a time anyway, and
	// readers here take a page at a time.
	mu     sync.Mutex
	conn   *sql.Conn
	synced bool // how the connection commits at the moment
	closed bool

	runsMu  sync.Mutex
	runs    map[*Run]bool // those that can still be written
	failure error         // the first in writing any
}

// DefaultPath is the journal of commands that are not told another:
// journal.db in task.RunsDir.
func DefaultPath() (string, error) {
	dir, err := record.RunsDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "journal.db"), nil
}

// Path is the file's name as it was given.
func (j *Journal) Path() string { return j.path }

// Close writes what is pending, gives up the runs that are not finished (they
// can be resumed) and closes the file. It returns the first failure there was
// in writing any run.
func (j *Journal) Close() error {
	j.runsMu.Lock()
	runs := make([]*Run, 0, len(j.runs))
	for r := range j.runs {
		runs = append(runs, r)
	}
	j.runsMu.Unlock()
	for _, r := range runs {
		r.abandon()
	}
	j.runsMu.Lock()
	failure := j.failure
	j.runsMu.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	err := errors.Join(j.conn.Close(), j.db.Close(), j.live.close())
	if j.copy != "" {
		err = errors.Join(err, os.RemoveAll(j.copy))
	}
	if err != nil {
		return errors.Join(failure, j.fail(err))
	}
	return failure
}

// note keeps the first failure for Close.
func (j *Journal) note(err error) {
	j.runsMu.Lock()
	defer j.runsMu.Unlock()
	if j.failure == nil {
		j.failure = err
	}
}

// background: a transaction is short and is not to be left in the middle.
var background = context.Background()

// patience is how long a writer waits for its turn among other processes.
const patience = time.Minute

// write runs do in a transaction of its own. sync: the disk has it before write
// returns, so that it outlives a power cut; without, it outlives the process.
func (j *Journal) write(sync bool, do func(*sql.Conn) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return ErrEnded
	}
	if sync != j.synced {
		mode := "NORMAL"
		if sync {
			mode = "FULL"
		}
		if _, err := j.conn.ExecContext(background, "PRAGMA synchronous = "+mode); err != nil {
			return err
		}
		j.synced = sync
	}
	return transact(j.conn, do)
}

func transact(conn *sql.Conn, do func(*sql.Conn) error) error {
	for deadline := time.Now().Add(patience); ; {
		// Immediate: a transaction that reads before it writes could find that
		// another process has written in between, and waiting would not help.
		_, err := conn.ExecContext(background, "BEGIN IMMEDIATE")
		if err == nil {
			break
		}
		if !busy(err) || time.Now().After(deadline) {
			return err
		}
	}
	err := do(conn)
	if err == nil {
		if _, err = conn.ExecContext(background, "COMMIT"); err == nil {
			return nil
		}
	}
	conn.ExecContext(background, "ROLLBACK") // fails where SQLite did it already
	return err
}

// read runs do on the connection.
func (j *Journal) read(do func(*sql.Conn) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return ErrEnded
	}
	return do(j.conn)
}

// each hands every row of a query to scan.
func each(conn *sql.Conn, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := conn.QueryContext(background, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// fail names the journal in an error.
func (j *Journal) fail(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("journal %s: %w", j.path, err)
}

// Primary result codes of SQLite, see https://www.sqlite.org/rescode.html.
const (
	codeBusy    = 5
	codeLocked  = 6
	codeCorrupt = 11
	codeNotADB  = 26
)

func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

func busy(err error) bool { return code(err) == codeBusy || code(err) == codeLocked }
