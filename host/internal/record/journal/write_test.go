package journal

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/record"
)

// On a full disk, what was written before stays intact, every write returns the failure, and
// nothing more is written.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.db")
	j := opened(t, path)
	r := begun(t, j, 1)
	must(t, r.Complete("1", 1, 0, sample()[:3]...))
	if _, err := j.conn.ExecContext(background, "PRAGMA max_page_count = 20"); err != nil {
		t.Fatal(err)
	}
	big := sample()[6]
	big.Fault = &record.Fault{Plugin: "sa", Error: strings.Repeat("x", 1<<20)}
	must(t, r.Emit(big)) // it waits in memory, for now
	first := r.flush()
	if first == nil || !strings.Contains(first.Error(), "full") || !strings.Contains(first.Error(), path) {
		t.Errorf("writing to a full disk: %v", first)
	}
	for name, err := range map[string]error{
		"Emit": r.Emit(sample()[0]), "Complete": r.Complete("two", 2, 0), "Finish": r.Finish(record.Finished{}), "Close": j.Close(),
	} {
		if !errors.Is(err, first) {
			t.Errorf("%s says %v, want the first failure", name, err)
		}
	}
	j = opened(t, path)
	whole(t, j, r.Name())
	if d, err := j.Show(r.Name()); err != nil || d.State != BrokenOff || d.Tasks != 1 {
		t.Errorf("%+v, %v", d, err)
	}
}

// Many goroutines write several runs of one journal, and read them.
func TestConcurrentUse(t *testing.T) {
	j := opened(t, filepath.Join(t.TempDir(), "j.db"))
	const runs, writers, tasks = 2, 4, 25
	var wait sync.WaitGroup
	var names []string
	for range runs {
		r := begun(t, j, 1)
		names = append(names, r.Name())
		var writing sync.WaitGroup
		for w := range writers {
			writing.Go(func() {
				for i := range tasks {
					// Every key is tried by two writers; one of them has it.
					key := fmt.Sprint(w/2*tasks + i)
					err := errors.Join(r.Emit(sample()[5]), r.Complete(key, w/2*tasks+i, 0, sample()[:3]...))
					if err != nil && !errors.Is(err, ErrDone) {
						t.Error(err)
					}
					if _, _, ok := r.Done(key); !ok {
						t.Errorf("task %s is not done", key)
					}
				}
			})
		}
		wait.Go(func() {
			writing.Wait()
			if err := r.Finish(record.Finished{}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Go(func() {
		for range 20 {
			if infos, err := j.Runs(); err != nil || len(infos) != runs {
				t.Errorf("%d runs, %v", len(infos), err)
			}
		}
	})
	wait.Wait()
	for _, name := range names {
		whole(t, j, name)
		d, err := j.Show(name)
		if err != nil || d.Tasks != writers/2*tasks || d.Events[record.KindProgress] != writers*tasks {
			t.Errorf("%+v, %v", d, err)
		}
	}
}

// A writer waits for its turn while another process is in a transaction.
func TestWaitsForItsTurn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.db")
	j, other := opened(t, path), opened(t, path)
	r := begun(t, j, 1)
	if _, err := other.conn.ExecContext(background, "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- r.Complete("one", 1, 0) }()
	select {
	case err := <-done:
		t.Fatalf("written beside another writer: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	_, err := other.conn.ExecContext(background, "COMMIT")
	must(t, err, <-done)
	if _, _, ok := r.Done("one"); !ok {
		t.Error("it is not there")
	}
}

// A run too big for memory is handed on as it comes, also without a pause.
func TestBackPressure(t *testing.T) {
	j := opened(t, filepath.Join(t.TempDir(), "j.db"))
	r := begun(t, j, 1)
	e := sample()[6]
	e.Fault = &record.Fault{Error: strings.Repeat("x", fullBatch)}
	for range 3 * maxPending / fullBatch {
		must(t, r.Emit(e))
		r.mu.Lock()
		if r.size > maxPending {
			t.Errorf("%d bytes are waiting", r.size)
		}
		r.mu.Unlock()
	}
	must(t, r.Finish(record.Finished{}))
	if d, err := j.Show(r.Name()); err != nil || d.Events[record.KindFault] != 3*maxPending/fullBatch {
		t.Errorf("%+v, %v", d, err)
	}
}
