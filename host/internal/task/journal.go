package task

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Journal appends events to a file, one JSON object a line. Every event
// reaches the operating system before Write returns: a process killed at any
// moment leaves at most one torn line, the last. Safe for concurrent use.
type Journal struct {
	mu   sync.Mutex
	file *os.File
	err  error
}

// Append opens a journal for writing, and creates it and its folder where they
// are missing. A line torn by an earlier kill is closed first, so that it does
// not swallow the next event.
func Append(path string) (*Journal, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := closeTornLine(file); err != nil {
		file.Close()
		return nil, fmt.Errorf("journal %s: %w", path, err)
	}
	return &Journal{file: file}, nil
}

func closeTornLine(file *os.File) error {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, info.Size()-1); err != nil {
		return err
	}
	if last[0] != '\n' {
		_, err = file.Write([]byte{'\n'})
	}
	return err
}

// Path is the journal's file name.
func (j *Journal) Path() string { return j.file.Name() }

// Write appends an event. After a first failure (a full disk) it writes no
// more, so that a hole stays visible, and returns that failure every time.
func (j *Journal) Write(e Event) error {
	line, err := json.Marshal(e)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil && err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if j.err == nil && err != nil {
		j.err = fmt.Errorf("journal: %w", err)
	}
	return j.err
}

// Close closes the file and returns the first failure there was.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.err, j.file.Close())
}

// Stream is the events of one run on their way to a journal: it numbers and
// times them. Not safe for concurrent use.
type Stream struct {
	// Run is the run's name, Start the moment its clock started.
	Run   string
	Start time.Time
	// Sinks are called in turn with each event.
	Sinks []func(Event)
	seq   int64
}

// Emit completes the event with run, number and time, hands it on, and returns
// it.
func (s *Stream) Emit(e Event) Event {
	e.Run, e.Seq, e.Seconds = s.Run, s.seq, time.Since(s.Start).Seconds()
	s.seq++
	for _, sink := range s.Sinks {
		sink(e)
	}
	return e
}

// maxLine bounds a journal line: an individual of a very wide network and to
// spare.
const maxLine = 16 << 20

// Read hands the events of a journal to visit, in order, until visit returns
// an error. Lines that are no events (a line torn by a kill, at the end or
// before a later run) are skipped and counted in torn; kinds that this version
// does not know are handed over without a payload.
func Read(r io.Reader, visit func(Event) error) (torn int, err error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), maxLine)
	for in.Scan() {
		line := in.Bytes()
		if len(line) == 0 {
			continue
		}
		var e Event
		if json.Unmarshal(line, &e) != nil || e.Run == "" || !e.complete() {
			torn++
			continue
		}
		if err := visit(e); err != nil {
			return torn, err
		}
	}
	if err := in.Err(); err != nil {
		return torn, fmt.Errorf("journal: %w", err)
	}
	return torn, nil
}

// ReadFile is Read on a file.
func ReadFile(path string, visit func(Event) error) (torn int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("journal: %w", err)
	}
	defer file.Close()
	return Read(file, visit)
}

// complete reports that the payload the kind names is there.
func (e *Event) complete() bool {
	switch e.Kind {
	case KindStarted:
		return e.Started != nil
	case KindFound:
		return e.Found != nil
	case KindBest:
		return e.Best != nil
	case KindClaim:
		return e.Claim != nil
	case KindWitness:
		return e.Witness != nil
	case KindVerdict:
		return e.Verdict != nil
	case KindProgress:
		return e.Progress != nil
	case KindFault:
		return e.Fault != nil
	case KindFinished:
		return e.Finished != nil
	}
	return e.Kind != ""
}

// RunsDir is the folder of journals that were given no name: $HYFAIR_RUNS_DIR,
// else hyfair/runs in $XDG_DATA_HOME, else in ~/.local/share.
func RunsDir() (string, error) {
	if dir := os.Getenv("HYFAIR_RUNS_DIR"); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "hyfair", "runs"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no folder for journals: %w; set HYFAIR_RUNS_DIR or use --journal", err)
	}
	return filepath.Join(home, ".local", "share", "hyfair", "runs"), nil
}

// DefaultPath is where the journal of a task that starts now belongs:
// <utc-time>-<command>-<run>.jsonl in RunsDir.
func DefaultPath(command, run string, now time.Time) (string, error) {
	dir, err := RunsDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, now.UTC().Format("20060102T150405Z")+"-"+command+"-"+run+".jsonl"), nil
}
