// Package workers runs each task in a separate process, so that leaks, crashes and hangs end with
// it. docs/developer/decisions/0013 says why.
package workers

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/system/cgroup"
	"github.com/hyfair/hyfair/host/internal/system/clock"
	"github.com/hyfair/hyfair/host/internal/system/machine"
)

// Processes starts workers as processes of a program.
//
// A worker reads its job as one line of JSON from standard input, and writes a Line to standard
// output for each event and message. It stops at the end of its standard input, which comes when
// the experiment is interrupted or this process dies; plugins end with their worker. So killing
// this process ends all others. Safe for concurrent use.
type Processes struct {
	// Program and Args start a worker; Env is added to this process's environment.
	Program string
	Args    []string
	Env     []string
	// Grace is the time from a worker's limit, or its interrupt, until it is killed; 0: 10 s.
	Grace time.Duration
	// Log, if not nil, gets the workers' standard error.
	Log io.Writer
}

// Assignment is one worker's task and limits.
type Assignment struct {
	// Job is written to the worker as JSON.
	Job any
	// Limit is the task's time limit on the named clock; 0: none.
	Limit time.Duration
	Clock string
	// Cores are the processors of the worker and its plugins, on systems with affinity;
	// empty: all.
	Cores []int
	// Memory limits the bytes of the worker and its plugins together, on systems with
	// cgroups; 0: no limit.
	Memory int64
	// Procs is GOMAXPROCS of the worker and its plugins, for solvers that take their number of
	// threads as an option; 0: unset.
	Procs int
	// Started, if not nil, is called with the worker's process id, valid until Do returns.
	Started func(pid int)
	// Say, if not nil, gets the worker's messages other than events, in order.
	Say func(*Said)
}

// Line is one line of a worker's output: an event or a message.
type Line struct {
	record.Event
	Said *Said `json:"said,omitempty"`
}

// Said is a worker's message other than an event.
type Said struct {
	// Show is a line of progress, Note a line for the user in addition to the result.
	Show string `json:"show,omitempty"`
	Note string `json:"note,omitempty"`
	// Result is the answer to a request, Error its failure; both may be set. Mistake: the
	// request caused the error. Refuted: a claim of a solver was refuted.
	Result  json.RawMessage `json:"result,omitempty"`
	Error   string          `json:"error,omitempty"`
	Mistake bool            `json:"mistake,omitempty"`
	Refuted bool            `json:"refuted,omitempty"`
}

// Usage is a worker's use of time, memory and processors.
type Usage struct {
	// Wall time, and CPU time of the worker and its child processes.
	Wall, CPU time.Duration
	// Killed: the worker was killed at its time or memory limit.
	Killed bool
	// Load of the machine when the worker began and when it ended; nil: unknown.
	Load *[2]float64 `json:",omitempty"`
	// Cores reserved for the worker; empty: shared.
	Cores []int `json:",omitempty"`
	// Machine that ran the worker; nil: this one.
	Machine *record.Machine `json:",omitempty"`
	// Group is the use in the control group that enforced Assignment.Memory; nil without one.
	Group *cgroup.Use `json:",omitempty"`
}

const (
	defaultGrace = 10 * time.Second
	// maxLine bounds the bytes of a worker's line.
	maxLine = 64 << 20
	// maxWords bounds the bytes kept of a worker's standard error.
	maxWords = 4 << 10
)

// Do runs one task: it passes the worker's events on in order and returns the task's cost.
// An error means that the task was not done. A worker killed after its result is not an error.
func (p *Processes) Do(ctx context.Context, t Assignment, event func(record.Event) error) (Usage, error) {
	line, err := json.Marshal(t.Job)
	if err != nil {
		return Usage{}, err
	}
	cmd := exec.Command(p.Program, p.Args...)
	if cmd.Env = append(os.Environ(), p.Env...); t.Procs > 0 {
		cmd.Env = append(cmd.Env, "GOMAXPROCS="+strconv.Itoa(t.Procs))
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return Usage{}, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return Usage{}, err
	}
	var words tail
	cmd.Stderr = &words
	if p.Log != nil {
		cmd.Stderr = io.MultiWriter(&words, p.Log)
	}
	cmd.WaitDelay = time.Second // another process may hold the pipes open
	before, told := machine.Load()
	begin := time.Now()
	if err := start(cmd, t.Cores); err != nil {
		return Usage{}, fmt.Errorf("starting a worker: %w", err)
	}
	group := held(cmd.Process.Pid, t.Memory)
	if t.Started != nil {
		t.Started(cmd.Process.Pid)
	}
	grace := cmp.Or(p.Grace, defaultGrace)
	var killed atomic.Bool
	used, _ := clock.Of(cmd.Process.Pid, begin) // nil if the system does not report it
	var seen atomic.Int64                       // processor time at the kill, which the system does not report afterwards
	kill := func() {
		if killed.Store(true); used != nil {
			seen.Store(int64(used.Elapsed()))
		}
		cmd.Process.Kill()
	}
	limit := clock.Longest(t.Clock, t.Limit) + grace
	if t.Limit == 0 {
		limit = math.MaxInt64
	} else if t.Clock == clock.CPUTime && used != nil {
		late, cancel := used.Until(context.Background(), t.Limit+grace)
		defer cancel()
		defer context.AfterFunc(late, kill)()
	}
	late := time.AfterFunc(limit, kill)
	defer late.Stop()
	stop := context.AfterFunc(ctx, func() {
		stdin.Close()
		late.Reset(grace)
	})
	defer stop()
	_, err = stdin.Write(append(line, '\n')) // fails if the worker has died; its last output says more
	spoke, bad := Read(stdout, event, t.Say)
	if bad != nil {
		kill()
		io.Copy(io.Discard, stdout)
	}
	ended := cmd.Wait()
	late.Stop()
	stdin.Close()
	usage := Usage{Wall: time.Since(begin), Killed: killed.Load(), Cores: t.Cores}
	if s := cmd.ProcessState; s != nil {
		usage.CPU = max(s.UserTime()+s.SystemTime(), time.Duration(seen.Load()))
	}
	if after, ok := machine.Load(); ok && told {
		usage.Load = &[2]float64{before, after}
	}
	if group != nil {
		usage.Group = new(group.Close())
		usage.CPU = max(usage.CPU, usage.Group.CPU)
	}
	switch {
	case bad != nil:
		return usage, fmt.Errorf("a worker's answer: %w", bad)
	case ended != nil && spoke && usage.Group != nil && usage.Group.Killed > 0:
		usage.Killed = true
		return usage, nil
	case usage.Killed && spoke:
		return usage, nil
	case ended != nil || !spoke:
		return usage, errors.Join(fmt.Errorf("a worker failed: %s", words.text(ended)), err)
	}
	return usage, nil
}

// held moves a worker, which waits for its job, into a control group with the memory limit;
// nil without a limit, or if no group can be made.
func held(pid int, limit int64) *cgroup.Group {
	if limit == 0 {
		return nil
	}
	g, err := cgroup.New(limit)
	if err != nil {
		return nil
	}
	if err := g.Take(pid); err != nil {
		g.Close()
		return nil
	}
	return g
}

// Read passes on a worker's events and messages until it closes its output. spoke: there was at
// least one of them.
func Read(r io.Reader, event func(record.Event) error, say func(*Said)) (spoke bool, err error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), maxLine)
	for in.Scan() {
		var line Line
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			if in.Scan() || in.Err() != nil {
				return spoke, err
			}
			return spoke, nil // an incomplete last line
		}
		switch e := &line.Event; {
		case line.Said != nil:
			if say != nil {
				say(line.Said)
			}
		case !whole(e):
			return spoke, fmt.Errorf("an event of kind %q has no content", e.Kind)
		default:
			if err := event(*e); err != nil {
				return spoke, err
			}
		}
		spoke = true
	}
	if err := in.Err(); errors.Is(err, bufio.ErrTooLong) {
		return spoke, fmt.Errorf("it wrote more than %d MiB in one line: ask for less per task, such as fewer individuals, samples or regions", maxLine>>20)
	}
	return spoke, in.Err()
}

// whole reports whether an event has the payload of its kind; true for kinds that it does not list.
func whole(e *record.Event) bool {
	switch e.Kind {
	case record.KindWitness:
		return e.Witness != nil
	case record.KindFound:
		return e.Found != nil
	case record.KindVerdict:
		return e.Verdict != nil
	case record.KindProgress:
		return e.Progress != nil
	case record.KindFault:
		return e.Fault != nil
	case record.KindFinished:
		return e.Finished != nil
	}
	return true
}

// tail keeps the end of what is written to it. Safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	t.kept = t.kept[max(0, len(t.kept)-maxWords):]
	return len(b), nil
}

// text returns the kept output, or else the error.
func (t *tail) text(err error) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if words := bytes.TrimSpace(t.kept); len(words) > 0 {
		return strings.TrimPrefix(string(words), "hyfair: ")
	}
	if err == nil {
		return "it wrote no error message"
	}
	return err.Error()
}
