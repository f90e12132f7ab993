// Package throttle passes on the latest of many values at intervals, without ever
// blocking their producer.
package throttle

import (
	"sync"
	"time"
)

// Latest delivers the values put into it, from a separate goroutine and at least an
// interval apart. Values that arrive in between are merged, so memory stays bounded
// however fast they arrive. Put and Stop are safe for concurrent use.
type Latest[T any] struct {
	every   time.Duration
	merge   func(older, newer T) T
	deliver func(T)

	mu      sync.Mutex
	pending *T
	ready   chan struct{} // holds a token while something is pending
	stop    chan struct{}
	once    sync.Once
	done    chan struct{}
}

// New starts delivering. merge joins a value that was not yet delivered with a
// newer one.
func New[T any](every time.Duration, merge func(older, newer T) T, deliver func(T)) *Latest[T] {
	l := &Latest[T]{
		every: every, merge: merge, deliver: deliver,
		ready: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go l.run()
	return l
}

// Put hands over a value and returns at once. After Stop it has no effect.
func (l *Latest[T]) Put(v T) {
	l.mu.Lock()
	if l.pending != nil {
		v = l.merge(*l.pending, v)
	}
	l.pending = &v
	l.mu.Unlock()
	select {
	case l.ready <- struct{}{}:
	default:
	}
}

// Stop delivers the pending value and returns when no delivery is running. It may be
// called again.
func (l *Latest[T]) Stop() {
	l.once.Do(func() { close(l.stop) })
	<-l.done
}

func (l *Latest[T]) run() {
	defer close(l.done)
	for {
		select {
		case <-l.ready:
			l.flush()
		case <-l.stop:
			l.flush()
			return
		}
		select {
		case <-time.After(l.every):
		case <-l.stop:
			l.flush()
			return
		}
	}
}

func (l *Latest[T]) flush() {
	l.mu.Lock()
	v := l.pending
	l.pending = nil
	l.mu.Unlock()
	if v != nil {
		l.deliver(*v)
	}
}
