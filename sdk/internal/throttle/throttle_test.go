package throttle_test

import (
	"sync"
	"testing"
	"time"

	"github.com/hyfair/hyfair/sdk/internal/throttle"
)

func sum(a, b int) int { return a + b }

// Whatever is put in is delivered, merged, and from one goroutine at a time.
func TestNothingIsLost(t *testing.T) {
	var mu sync.Mutex
	total, deliveries := 0, 0
	l := throttle.New(time.Millisecond, sum, func(v int) {
		if !mu.TryLock() {
			t.Error("two deliveries at once")
			return
		}
		defer mu.Unlock()
		total += v
		deliveries++
	})
	var putters sync.WaitGroup
	for range 4 {
		putters.Go(func() {
			for range 10_000 {
				l.Put(1)
			}
		})
	}
	putters.Wait()
	l.Stop()
	if total != 40_000 || deliveries > 20_000 {
		t.Errorf("%d in %d deliveries; want 40000 in few", total, deliveries)
	}
	l.Put(1)
	l.Stop()
	if total != 40_000 {
		t.Error("delivered after Stop")
	}
}

// Putting does not wait for a delivery that hangs.
func TestPutDoesNotBlock(t *testing.T) {
	hang := make(chan struct{})
	got := make(chan int, 10)
	l := throttle.New(time.Microsecond, sum, func(v int) { <-hang; got <- v })
	for range 1000 {
		l.Put(1)
	}
	close(hang)
	l.Stop()
	close(got)
	total := 0
	for v := range got {
		total += v
	}
	if total != 1000 {
		t.Errorf("%d delivered; want 1000", total)
	}
}

// The first value does not wait for the interval.
func TestFirstIsImmediate(t *testing.T) {
	got := make(chan int, 1)
	l := throttle.New(time.Hour, sum, func(v int) { got <- v })
	l.Put(7)
	if v := <-got; v != 7 {
		t.Errorf("%d; want 7", v)
	}
	l.Stop()
}
