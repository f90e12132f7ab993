package fleet

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/hyfair/hyfair/host/internal/system/clock"
)

// life watches a task's process for signs of life: output or use of processor time.
type life struct {
	last atomic.Int64
	mu   sync.Mutex
	cpu  *clock.Clock
	used time.Duration
}

func (l *life) sign() { l.last.Store(time.Now().UnixNano()) }

func (l *life) started(pid int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cpu, _ = clock.Of(pid, time.Now())
	l.used = 0
	l.sign()
}

// look returns the time since the last sign of life.
func (l *life) look() time.Duration {
	l.mu.Lock()
	if l.cpu == nil {
		l.sign() // without a clock of processor time, the process counts as alive
	} else if used := l.cpu.Elapsed(); used > l.used {
		l.used = used
		l.sign()
	}
	l.mu.Unlock()
	return time.Since(time.Unix(0, l.last.Load()))
}

// keep renews the task's lease while there are signs of life, every third of the lease's duration.
// If none appears for that duration, it calls silent and stops.
func (l *life) keep(m *nats.Msg, wait time.Duration, silent func()) (end func()) {
	l.sign()
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(wait / 3)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if l.look() >= wait {
					silent()
					return
				}
				if l.look() <= wait/2 {
					m.InProgress()
				}
			}
		}
	}()
	return func() { close(done) }
}
