package journal

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/record"
)

// made is a small journal's file.
func made(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "j.db")
	j := opened(t, path)
	r := begun(t, j, 1)
	must(t, r.Complete("one", 1, 0.5, sample()...), r.Finish(finished()), j.Close())
	content, err := os.ReadFile(path)
	must(t, err)
	return content
}

// What is no journal is refused in one sentence, and left as it is.
func TestOtherFiles(t *testing.T) {
	foreign := func(statements string) []byte {
		path := filepath.Join(t.TempDir(), "other.db")
		db, err := sql.Open("sqlite", path)
		must(t, err)
		_, err = db.Exec(statements)
		must(t, err, db.Close())
		content, err := os.ReadFile(path)
		must(t, err)
		return content
	}
	newer := made(t)
	binary.BigEndian.PutUint32(newer[60:], schemaVersion+1) // user_version, in the header
	garbled := made(t)
	for i := 100; i < len(garbled); i++ {
		garbled[i] = byte(i)
	}
	for name, c := range map[string]struct {
		content []byte
		says    string
		other   bool // a journal, but not for this program
	}{
		"JSON lines":     {[]byte(`{"run":"a","seq":0,"t":0,"kind":"started"}` + "\n"), "JSON lines, as earlier versions wrote", false},
		"text":           {[]byte(strings.Repeat("nonsense\n", 100)), "not an SQLite file", false},
		"short":          {[]byte("SQLite format 3\x00"), "not an SQLite file", false},
		"another's":      {foreign("CREATE TABLE t (x); PRAGMA application_id = 7"), "another program", false},
		"unstamped":      {foreign("CREATE TABLE t (x)"), "another program", false},
		"another's, WAL": {foreign("PRAGMA journal_mode = WAL; CREATE TABLE t (x)"), "another program", false},
		"newer":          {newer, "this program knows versions up to", true},
		"garbled":        {garbled, "damaged", false},
		"cut":            {made(t)[:5000], "damaged", false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j.db")
			must(t, os.WriteFile(path, c.content, 0o600))
			j, err := Open(path)
			if err == nil {
				defer j.Close()
				_, err = j.Runs()
			}
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) || errors.Is(err, ErrNotJournal) == c.other {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != string(c.content) {
				t.Errorf("the file was changed: %d bytes, were %d; %v", len(after), len(c.content), err)
			}
		})
	}
}

func TestOtherPlaces(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	if _, err := Open(dir); !errors.Is(err, ErrNotJournal) || !strings.Contains(err.Error(), "it is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open(filepath.Join(file, "j.db")); err == nil {
		t.Error("a file in a file was opened")
	}
	if _, err := Open(os.DevNull); !errors.Is(err, ErrNotJournal) {
		t.Errorf("a device: %v", err)
	}
	if _, err := OpenExisting(filepath.Join(dir, "absent.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "absent.db")); err == nil {
		t.Error("it was made")
	}
	// An empty file becomes a journal.
	begun(t, opened(t, file), 1)
}

func TestReadOnlyPlace(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skipf("SKIPPED %s: root may write anywhere", t.Name())
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "j.db")
	must(t, os.WriteFile(path, made(t), 0o400), os.Chmod(dir, 0o500))
	t.Cleanup(func() { os.Chmod(dir, 0o700) })
	for _, path := range []string{path, filepath.Join(dir, "new.db")} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "cannot be written") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A journal with any byte changed is read, or refused with an error.
func FuzzDamage(f *testing.F) {
	path := filepath.Join(f.TempDir(), "j.db")
	j, err := Open(path)
	if err != nil {
		f.Fatal(err)
	}
	r, err := j.Begin(started(1))
	if err == nil {
		err = errors.Join(r.Complete("one", 1, 0.5, sample()...), r.Finish(finished()), j.Close())
	}
	if err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	for _, at := range []int{0, 18, 60, 68, 101, 4096, len(whole) / 2, len(whole) - 10} {
		f.Add(uint32(at), byte(0xff), uint32(len(whole)))
	}
	f.Add(uint32(0), byte(0), uint32(len(whole)-1))
	f.Fuzz(func(t *testing.T, at uint32, flip byte, size uint32) {
		damaged := append([]byte(nil), whole[:min(int(size), len(whole))]...)
		if int(at) < len(damaged) {
			damaged[at] ^= flip
		}
		path := filepath.Join(t.TempDir(), "j.db")
		must(t, os.WriteFile(path, damaged, 0o600))
		j, err := Open(path)
		if err != nil {
			return
		}
		defer j.Close()
		infos, err := j.Runs()
		if err != nil {
			return
		}
		for _, info := range infos {
			j.Show(info.Name)
			j.Events(info.Name, func(record.Event) error { return nil })
			j.Tasks(info.Name, func(Done) error { return nil })
		}
	})
}

// A journal of version 1 gets what it lacks when it is opened, and keeps what it has.
func TestEarlierVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.db")
	db, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = db.Exec(schema + fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = 1;", applicationID))
	must(t, err)
	_, err = db.Exec(`INSERT INTO runs VALUES (1, 'old', 't', 'compare', 's', 'm', '', '', 'a', 1, '', '{}', '[]', '{}', '{"os":"linux","arch":"amd64","cpus":2}', '2026-01-02T03:04:05Z', NULL, 1, 'interrupted', '', 'null');
		INSERT INTO tasks VALUES (1, 'one', '7', 2.5)`)
	must(t, err)
	must(t, db.Close())
	for range 2 { // it is done once
		j, err := Open(path)
		must(t, err)
		r, err := j.Resume("old")
		must(t, err)
		if result, seconds, ok := r.Done("one"); string(result) != "7" || seconds != 2.5 || !ok {
			t.Errorf("%s, %v, %v", result, seconds, ok)
		}
		r.CompleteAs(Done{Content: "sum", Key: "two", Seconds: 1}, 8)
		known, err := j.Known("sum")
		if err != nil || len(known) != 1 || known[0].Key != "two" || known[0].Origin.Run != "old" || known[0].Origin.Machine.CPUs != 2 {
			t.Errorf("%+v, %v", known, err)
		}
		must(t, j.Close())
	}
}
