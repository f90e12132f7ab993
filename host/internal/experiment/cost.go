package experiment

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/system/clock"
)

// Cost is a task's use of time and memory, and the conditions it ran under.
type Cost struct {
	// Seconds of wall time, and CPU time of the worker and its plugins.
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu"`
	// Cores are the processors reserved for the task; empty: shared.
	Cores []int `json:"cores,omitempty"`
	// Load of the machine when the task began and when it ended; nil: unknown.
	Load *[2]float64 `json:"load,omitempty"`
	// MemoryHeld reports that a control group enforced the memory limit. MemoryPeak is the peak
	// use of worker and plugins in the group, in bytes, 0 if unknown; MemoryKilled counts the
	// processes that were killed for exceeding the limit.
	MemoryHeld   bool  `json:"memory_held,omitempty"`
	MemoryPeak   int64 `json:"memory_peak,omitempty"`
	MemoryKilled int   `json:"memory_killed,omitempty"`
}

// Charge sets the cost from a worker's usage. told reports that Seconds holds the worker's own
// figure, which is kept unless the budget is in processor time.
func (c *Cost) Charge(t *Terms, u workers.Usage, told bool) {
	if !told || t.Clock == clock.CPUTime {
		c.Seconds = u.Wall.Seconds()
	}
	c.CPU, c.Cores, c.Load = u.CPU.Seconds(), u.Cores, u.Load
	if u.Group != nil {
		c.MemoryHeld, c.MemoryPeak, c.MemoryKilled = true, u.Group.Peak, u.Group.Killed
	}
}

// Took returns the task's duration in seconds, on the clock of its budget.
func (t *Terms) Took(c *Cost) float64 {
	if t.Clock == clock.CPUTime {
		return c.CPU
	}
	return c.Seconds
}

// TimeLabel is the label of an axis of times on the budget's clock.
func (t *Terms) TimeLabel() string {
	if t.Clock == clock.CPUTime {
		return "processor time (s)"
	}
	return "time (s)"
}

// Trouble names the limit that ended a worker or its plugin before the budget; nil: none.
func (t *Terms) Trouble(c *Cost) error {
	switch {
	case c.MemoryKilled > 0:
		return fmt.Errorf("used more than its %s of memory", mebibytes(t.Memory))
	case t.waited(c):
		return fmt.Errorf("ended by wall time after %.4g times its budget of processor time, which it did not use up", c.Seconds/t.Limit().Seconds())
	}
	return nil
}

// waited reports whether wall time ended a task with a budget of processor time.
func (t *Terms) waited(c *Cost) bool {
	const near = 0.9 // workers end slightly before their limits
	limit := t.Limit()
	return t.Clock == clock.CPUTime && limit > 0 && c.CPU < near*limit.Seconds() && c.Seconds >= near*clock.Longest(t.Clock, limit).Seconds()
}

// Limit returns the time budget, on its clock; 0 if the budget is not a time.
func (t *Terms) Limit() time.Duration {
	d, _ := time.ParseDuration(t.Budget)
	return d
}

// Conditions summarises how tasks were run.
type Conditions struct {
	// The number of tasks with reserved processors. With several jobs, tasks without may have slowed each
	// other down.
	Pinned int `json:"pinned"`
	// The reserved processors.
	Cores []int `json:"cores,omitempty"`
	// The number of tasks whose memory limit a control group enforced; absent without a limit. For the
	// others the solver was asked to respect it.
	MemoryHeld *int `json:"memory_held,omitempty"`
	// The largest memory use of those tasks, in bytes.
	MemoryPeak int64 `json:"memory_peak,omitempty"`
	// The number of tasks in which a process was ended for exceeding the limit.
	MemoryExceeded int `json:"memory_exceeded,omitempty"`
	// The number of tasks with a budget of processor time that wall time ended.
	WallLimited int `json:"wall_limited,omitempty"`
	// The one-minute load average when the first task began; absent if the system does not say.
	LoadStart *float64 `json:"load_start,omitempty"`
	// The one-minute load average when the last task ended.
	LoadEnd *float64 `json:"load_end,omitempty"`

	loads map[string]*[2]float64 // by task
}

// Add includes a finished task, by its key.
func (c *Conditions) Add(t *Terms, key string, k *Cost) {
	if len(k.Cores) > 0 {
		c.Pinned++
		c.Cores = append(c.Cores, k.Cores...)
		slices.Sort(c.Cores)
		c.Cores = slices.Compact(c.Cores)
	}
	if t.Memory > 0 && c.MemoryHeld == nil {
		c.MemoryHeld = new(int)
	}
	if k.MemoryHeld && c.MemoryHeld != nil {
		*c.MemoryHeld++
	}
	c.Exceeded(k)
	if t.waited(k) {
		c.WallLimited++
	}
	c.MemoryPeak = max(c.MemoryPeak, k.MemoryPeak)
	if c.loads == nil {
		c.loads = map[string]*[2]float64{}
	}
	c.loads[key] = k.Load
	c.load(k.Load)
}

// load sets the load at the start from the first task with a load, and the load at the end from the
// latest one.
func (c *Conditions) load(of *[2]float64) {
	if of == nil {
		return
	}
	if c.LoadStart == nil {
		c.LoadStart = &of[0]
	}
	c.LoadEnd = &of[1]
}

// keep takes the loads from the tasks that the run did itself, in the order in which they were done.
func (c *Conditions) keep(where Kept) {
	if where.origins == nil {
		return // unknown
	}
	c.LoadStart, c.LoadEnd = nil, nil
	for _, key := range where.own {
		c.load(c.loads[key])
	}
}

// Exceeded counts a task, finished or failed, that exceeded its memory limit.
func (c *Conditions) Exceeded(k *Cost) {
	if k.MemoryKilled > 0 {
		c.MemoryExceeded++
	}
}

// Notes states the conditions in words. tasks is the number of finished tasks; all includes
// failed ones.
func (c *Conditions) Notes(t *Terms, tasks, all int) (notes []string) {
	switch {
	case t.Jobs < 2:
	case tasks > 0 && c.Pinned == tasks:
		notes = append(notes, fmt.Sprintf("%d tasks ran side by side, each with its plugins on %d core(s) of its own (cores %s)", t.Jobs, t.Threads, strings.Join(strings.Fields(strings.Trim(fmt.Sprint(c.Cores), "[]")), ", ")))
	case c.Pinned > 0:
		notes = append(notes, fmt.Sprintf("%d tasks ran side by side, %d of %d NOT on cores of their own: their times are longer than alone", t.Jobs, tasks-c.Pinned, tasks))
	default:
		notes = append(notes, fmt.Sprintf("%d tasks ran side by side, NOT on cores of their own: times are longer than alone", t.Jobs))
	}
	if c.MemoryHeld != nil {
		note := "the limit of memory was "
		if *c.MemoryHeld > 0 {
			note += "held by a control group for each task, worker and plugins together"
			if *c.MemoryHeld < tasks {
				note += fmt.Sprintf(", in %d of %d tasks; in the others it was ", *c.MemoryHeld, tasks)
			}
		}
		if *c.MemoryHeld < tasks {
			note += "left to solvers to keep: no control group could be made"
		}
		if c.MemoryPeak > 0 {
			note += "; at most " + mebibytes(c.MemoryPeak) + " were used"
		}
		notes = append(notes, note)
	}
	if c.MemoryExceeded > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d tasks used more than their %s of memory: a process of theirs was ended", c.MemoryExceeded, all, mebibytes(t.Memory)))
	}
	if c.WallLimited > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d tasks did NOT use up their budget in processor time: wall time, %v at most, ended them", c.WallLimited, tasks, clock.Longest(t.Clock, t.Limit())))
	}
	if c.LoadStart != nil {
		notes = append(notes, fmt.Sprintf("load of the machine %.2f when the first task began, %.2f when the last ended", *c.LoadStart, *c.LoadEnd))
	}
	return notes
}
