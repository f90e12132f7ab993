package journal

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"modernc.org/sqlite"
)

// maxValue bounds one value of a row, such as a task's result, in bytes.
const maxValue = 256 << 20

// Open opens a journal, and creates it and its folder if they are missing.
// Next to the file SQLite keeps two files (-wal, -shm) while it is open,
// and writers lock their runs in a third (-live). A file that is not a journal
// is not changed; the error is then ErrNotJournal.
func Open(path string) (*Journal, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("journal %s: %w", path, err)
	}
	return open(path, true)
}

// OpenExisting is Open for an existing file; the error is fs.ErrNotExist if it is missing.
func OpenExisting(path string) (*Journal, error) { return open(path, false) }

// OpenReadable is OpenExisting for a journal that is only read. If it cannot be written, such
// as a published one, a copy is opened, which Close removes. An empty file is an error.
func OpenReadable(path string) (*Journal, error) {
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		return nil, fmt.Errorf("journal %s is empty: name one with runs", path)
	}
	j, err := OpenExisting(path)
	if err == nil || errors.Is(err, ErrNotJournal) || errors.Is(err, fs.ErrNotExist) {
		return j, err
	}
	content, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	folder, err := os.MkdirTemp("", "hyfair-journal-")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(folder, "journal.db")
	if err = copyTo(file, content); err == nil {
		j, err = OpenExisting(file)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	j.path, j.copy = path, folder
	return j, nil
}

func copyTo(path string, content io.Reader) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}

func open(path string, create bool) (*Journal, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", path, err)
	}
	if err := inspect(absolute, create); err != nil {
		return nil, fmt.Errorf("journal %s: %w", path, err)
	}
	j := &Journal{path: path, file: absolute, live: liveness{path: absolute + "-live"}, runs: map[*Run]bool{}}
	if err := j.connect(absolute); err != nil {
		if j.conn != nil {
			j.conn.Close()
		}
		if j.db != nil {
			j.db.Close()
		}
		return nil, fmt.Errorf("journal %s: %w", path, explain(err))
	}
	return j, nil
}

// Offsets in the header of an SQLite file,
// https://www.sqlite.org/fileformat.html#the_database_header.
const (
	headerSize    = 100
	headerWrite   = 18 // 2: write-ahead log
	headerAppID   = 68
	headerMagic   = "SQLite format 3\x00"
	writeAheadLog = 2
)

// inspect refuses a file that is not a journal before SQLite opens it.
func inspect(path string, create bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && create:
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%w: it is a folder; name a file", ErrNotJournal)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: it is not a regular file", ErrNotJournal)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	header := make([]byte, headerSize)
	n, err := io.ReadFull(file, header)
	switch {
	case errors.Is(err, io.EOF):
		return nil // empty, such as a file made by mktemp
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case bytes.HasPrefix(header, []byte(`{"run":`)):
		return fmt.Errorf("%w: it holds JSON lines, as earlier versions wrote them; name another file", ErrNotJournal)
	case n < headerSize || !bytes.HasPrefix(header, []byte(headerMagic)):
		return fmt.Errorf("%w: it is not an SQLite file; name another file", ErrNotJournal)
	case binary.BigEndian.Uint32(header[headerAppID:]) == applicationID:
		return nil
	case header[headerWrite] != writeAheadLog:
		// Perhaps a journal whose creation was interrupted: SQLite decides.
		return nil
	}
	return errForeign
}

var errForeign = fmt.Errorf("%w: it is an SQLite file of another program; name another file", ErrNotJournal)

func (j *Journal) connect(absolute string) (err error) {
	path := filepath.ToSlash(absolute)
	if !strings.HasPrefix(path, "/") { // C:/… on Windows
		path = "/" + path
	}
	dsn := (&url.URL{Scheme: "file", Path: path}).String()
	if j.db, err = sql.Open("sqlite", dsn); err != nil {
		return err
	}
	j.db.SetMaxOpenConns(1)
	if j.conn, err = j.db.Conn(background); err != nil {
		return err
	}
	const limitLength = 0 // SQLITE_LIMIT_LENGTH
	if _, err := sqlite.Limit(j.conn, limitLength, maxValue); err != nil {
		return err
	}
	// The file is untrusted: functions in its schema are not run.
	for _, pragma := range []string{"busy_timeout = 10000", "trusted_schema = OFF", "cell_size_check = ON"} {
		if _, err := j.conn.ExecContext(background, "PRAGMA "+pragma); err != nil {
			return err
		}
	}
	if err := j.adopt(); err != nil {
		return err
	}
	// The mode is set only after the header has identified the file. If another process
	// sets it at the same moment, SQLite does not wait, so the statement is repeated.
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		_, err = j.conn.ExecContext(background, "PRAGMA journal_mode = WAL")
		if !busy(err) || time.Now().After(deadline) {
			return err
		}
	}
}

// adopt makes sure that the tables exist in the current version.
func (j *Journal) adopt() error {
	kind, version, err := stamp(j.conn)
	if err != nil {
		return err
	}
	// Another process may write both between the two reads: only create, in its
	// transaction, can judge a file without our application_id.
	if kind == 0 {
		// This mode lets shrink return the space of deleted runs to the file system.
		if _, err := j.conn.ExecContext(background, "PRAGMA auto_vacuum = INCREMENTAL"); err != nil {
			return err
		}
		if err := transact(j.conn, create); err != nil {
			return err
		}
		if kind, version, err = stamp(j.conn); err != nil {
			return err
		}
	}
	if kind == applicationID && version == 1 {
		if err := transact(j.conn, func(conn *sql.Conn) error {
			if _, now, err := stamp(conn); err != nil || now != 1 {
				return err // another process was faster
			}
			_, err := conn.ExecContext(background, upgrade+fmt.Sprintf("PRAGMA user_version = %d;", schemaVersion))
			return err
		}); err != nil {
			return err
		}
		version = schemaVersion
	}
	switch {
	case kind != applicationID:
		return errForeign
	case version > schemaVersion:
		return fmt.Errorf("its tables have version %d, and this program knows versions up to %d: use a newer hyfair, or name another file", version, schemaVersion)
	case version != schemaVersion:
		return fmt.Errorf("%w: its tables have version %d, want 1 to %d; name another file", ErrNotJournal, version, schemaVersion)
	}
	return nil
}

func stamp(conn *sql.Conn) (kind, version int64, err error) {
	if err = conn.QueryRowContext(background, "PRAGMA application_id").Scan(&kind); err == nil {
		err = conn.QueryRowContext(background, "PRAGMA user_version").Scan(&version)
	}
	return kind, version, err
}

// create writes the tables into an empty file, in a transaction.
func create(conn *sql.Conn) error {
	kind, version, err := stamp(conn)
	if err != nil || kind != 0 {
		return err // another process was faster
	}
	if version != 0 {
		return errForeign
	}
	var things int
	if err := conn.QueryRowContext(background, "SELECT count(*) FROM sqlite_master").Scan(&things); err != nil {
		return err
	}
	if things > 0 {
		return errForeign
	}
	_, err = conn.ExecContext(background, schema+upgrade+
		fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;", applicationID, schemaVersion))
	return err
}

// explain adds to an error of SQLite what it means for a journal.
func explain(err error) error {
	const codeReadOnly, codeIO, codeFull, codeCantOpen = 8, 10, 13, 14
	switch code(err) {
	case codeCorrupt, codeNotADB:
		return fmt.Errorf("%w: the file is damaged (%w); name another file", ErrNotJournal, err)
	case codeReadOnly, codeIO, codeCantOpen:
		return fmt.Errorf("it cannot be written (%w): a journal needs a writable file in a writable folder; name another file", err)
	case codeFull:
		return fmt.Errorf("%w (%w)", syscall.ENOSPC, err)
	case codeBusy:
		return fmt.Errorf("another process has locked it (%w): try again when that has ended", err)
	}
	return err
}
