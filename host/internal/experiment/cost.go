package experiment

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/system/clock"
)

// Cost is what a task took, and how it was done.
type Cost struct {
	// Seconds of wall time, and CPU time of the worker and its plugins.
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu"`
	// Cores are the processors that the task had for itself; empty: it shared.
	Cores []int `json:"cores,omitempty"`
	// Load of the machine when the task began and when it ended; nil: not known.
	Load *[2]float64 `json:"load,omitempty"`
	// MemoryHeld: a control group held the limit of memory. MemoryPeak is the most that
	// worker and plugins had in it, in bytes, 0 where that is not told, and MemoryKilled
	// how many of them were ended since they wanted more.
	MemoryHeld   bool  `json:"memory_held,omitempty"`
	MemoryPeak   int64 `json:"memory_peak,omitempty"`
	MemoryKilled int   `json:"memory_killed,omitempty"`
}

// Charge completes the cost with what a worker took. Seconds stay those that it told, unless
// it told none or told them by another clock.
func (c *Cost) Charge(t *Terms, u workers.Usage, told bool) {
	if !told || t.Clock == clock.CPUTime {
		c.Seconds = u.Wall.Seconds()
	}
	c.CPU, c.Cores, c.Load = u.CPU.Seconds(), u.Cores, u.Load
	if u.Group != nil {
		c.MemoryHeld, c.MemoryPeak, c.MemoryKilled = true, u.Group.Peak, u.Group.Killed
	}
}

// Took is how long a task ran by the clock of its budget, whose times are in seconds that
// TimeLabel names.
func (t *Terms) Took(c *Cost) float64 {
	if t.Clock == clock.CPUTime {
		return c.CPU
	}
	return c.Seconds
}

// TimeLabel is what an axis of such times is called.
func (t *Terms) TimeLabel() string {
	if t.Clock == clock.CPUTime {
		return "processor time (s)"
	}
	return "time (s)"
}

// Trouble says what of the terms ended a worker, or a plugin of it, before the budget; nil:
// nothing.
func (t *Terms) Trouble(c *Cost) error {
	switch {
	case c.MemoryKilled > 0:
		return fmt.Errorf("used more than its %s of memory", mebibytes(t.Memory))
	case t.waited(c):
		return fmt.Errorf("ended by wall time, %.4g times a budget in processor time that it did not use up", c.Seconds/t.Limit().Seconds())
	}
	return nil
}

// waited reports that a task on the clock of processor time was ended by wall time.
func (t *Terms) waited(c *Cost) bool {
	const near = 0.9 // a worker ends a little before its limits
	limit := t.Limit()
	return t.Clock == clock.CPUTime && limit > 0 && c.CPU < near*limit.Seconds() && c.Seconds >= near*clock.Longest(t.Clock, limit).Seconds()
}

// Limit is a budget in time, on its clock; 0: it is of another kind.
func (t *Terms) Limit() time.Duration {
	d, _ := time.ParseDuration(t.Budget)
	return d
}

// Conditions sum up how tasks were done.
type Conditions struct {
	// Pinned counts the tasks that had processors for themselves, which are Cores.
	Pinned int   `json:"pinned"`
	Cores  []int `json:"cores,omitempty"`
	// MemoryHeld counts the tasks whose limit of memory a control group held, nil without a
	// limit; of the others solvers were asked to keep to it. MemoryPeak is the most
	// that one of them had, in bytes, and MemoryExceeded counts those that wanted more.
	MemoryHeld     *int  `json:"memory_held,omitempty"`
	MemoryPeak     int64 `json:"memory_peak,omitempty"`
	MemoryExceeded int   `json:"memory_exceeded,omitempty"`
	// WallLimited counts the tasks on the clock of processor time that wall time ended.
	WallLimited int `json:"wall_limited,omitempty"`
	// Load of the machine when the first task began and when the last ended: how many
	// processes wanted to run, as a mean of a minute; nil: not known.
	LoadStart *float64 `json:"load_start,omitempty"`
	LoadEnd   *float64 `json:"load_end,omitempty"`

	loads map[string]*[2]float64 // by task
}

// Add takes in a task that was done, by its key.
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

// load takes in the load of the next task.
func (c *Conditions) load(of *[2]float64) {
	if of == nil {
		return
	}
	if c.LoadStart == nil {
		c.LoadStart = &of[0]
	}
	c.LoadEnd = &of[1]
}

// Keep puts the loads in the order in which the run's own tasks were done.
func (c *Conditions) Keep(where Kept) {
	if where.origins == nil {
		return // unknown
	}
	c.LoadStart, c.LoadEnd = nil, nil
	for _, key := range where.own {
		c.load(c.loads[key])
	}
}

// Exceeded takes in whether a task, also one that failed, wanted more memory.
func (c *Conditions) Exceeded(k *Cost) {
	if k.MemoryKilled > 0 {
		c.MemoryExceeded++
	}
}

// Notes say it in words, of as many tasks that were done; all counts those that failed as well.
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
