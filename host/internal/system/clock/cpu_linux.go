package clock

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns a function that returns the processor time of a process and its
// descendants, including those that have ended.
func processorTime(pid int) (func() time.Duration, error) {
	t := &tree{root: pid}
	if err := t.look(); err != nil {
		return nil, fmt.Errorf("the processor time of plugins cannot be measured here: %w", err)
	}
	return t.spent, nil
}

// tree is a process and its descendants.
type tree struct {
	root int

	mu sync.Mutex
	// living are the processes at the last look, and ended is the time of their children that have
	// ended. next is the time of the next look.
	living []int
	ended  time.Duration
	next   time.Time
	// most is the largest value so far: returned values must not decrease while a process exits.
	most time.Duration
}

const (
	lookEvery = 100 * time.Millisecond
	// lookShare is the least ratio of the pause between looks to the time of a look.
	lookShare = 50
	// tick is the unit of times in /proc.
	tick = 10 * time.Millisecond
)

// spent returns the time of all processes of the tree.
func (t *tree) spent() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Now().After(t.next) {
		t.look() // an error here is temporary: the first look succeeded
	}
	sum, ok := t.sum()
	if !ok { // a process has ended
		t.look()
		sum, _ = t.sum()
	}
	t.most = max(t.most, sum)
	return t.most
}

// sum adds up the times; ok is false if a process has ended.
func (t *tree) sum() (sum time.Duration, ok bool) {
	sum, ok = t.ended, true
	for _, pid := range t.living {
		var used unix.Timespec
		// The id of a process's clock, computed as by clock_getcpuclockid(3).
		if unix.ClockGettime(int32(^pid<<3|2), &used) != nil {
			ok = false
		}
		sum += time.Duration(used.Nano())
	}
	return sum, ok
}

// look updates the list of processes.
func (t *tree) look() error {
	begin := time.Now()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	children := map[int][]int{}
	ended := map[int]time.Duration{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		parent, times, ok := status(pid)
		if !ok {
			continue // it has just ended
		}
		children[parent] = append(children[parent], pid)
		ended[pid] = times
	}
	if _, seen := ended[t.root]; !seen {
		return fmt.Errorf("/proc does not list process %d", t.root)
	}
	t.living, t.ended = []int{t.root}, 0
	for i := 0; i < len(t.living); i++ {
		t.living = append(t.living, children[t.living[i]]...)
		t.ended += ended[t.living[i]]
	}
	now := time.Now()
	t.next = now.Add(max(lookEvery, lookShare*now.Sub(begin)))
	return nil
}

// reaping bounds the time of the function that Adopt returns.
const reaping = 2 * time.Second

// Adopt makes this process the parent of descendants whose parents end, so that their processor
// time is counted: for this process while they live, and for its parent after a call of end,
// which kills the remaining descendants.
func Adopt() (end func()) {
	if unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != nil {
		return func() {}
	}
	return func() {
		t := &tree{root: os.Getpid()}
		for late := time.Now().Add(reaping); time.Now().Before(late); {
			if t.look() != nil {
				return
			}
			for _, pid := range t.living[1:] {
				_ = unix.Kill(pid, unix.SIGKILL)
			}
			switch pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); {
			case errors.Is(err, unix.ECHILD):
				return
			case pid == 0:
				time.Sleep(time.Millisecond)
			}
		}
	}
}

// status returns a process's parent, and the time of the children for which it has waited.
func status(pid int) (parent int, ended time.Duration, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, false
	}
	// The name, in parentheses, may contain any character.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	number := func(i int) int {
		if i >= len(fields) {
			return 0
		}
		n, _ := strconv.Atoi(string(fields[i]))
		return n
	}
	return number(1), time.Duration(number(13)+number(14)) * tick, len(fields) > 14
}
