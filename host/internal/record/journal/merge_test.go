package journal

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/record"
)

// A run takes the tasks of others that it has not, with their events in order and the
// machine where it was another one; the same again changes nothing. Other runs are copied.
func TestMerge(t *testing.T) {
	folder := t.TempDir()
	here, there := record.Machine{OS: "linux", CPUs: 2}, record.Machine{OS: "linux", CPUs: 64}
	begin := func(name string, machine record.Machine, tasks ...string) (*Journal, *Run) {
		t.Helper()
		j, err := Open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { j.Close() })
		r, err := j.Begin(record.Started{Task: record.Task{Command: "ablate", Network: "n", Study: "s", Settings: map[string]string{"machine": machine.String()}}, Machine: machine})
		for i, key := range tasks {
			if err == nil {
				err = r.Complete(key, i, float64(i), record.Event{Kind: record.KindProgress, Progress: &record.Progress{Iter: int64(10 * i)}}, record.Event{Kind: record.KindProgress, Progress: &record.Progress{Iter: int64(10*i + 1)}})
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		return j, r
	}
	a, first := begin("a.db", here, "x", "y")
	b, second := begin("b.db", there, "y", "z")
	if err := second.Take(Done{Key: "taken", Result: []byte("7"), Origin: &Origin{Run: "old", Machine: here}}, Done{Key: "far", Result: []byte("8"), Origin: &Origin{Run: "older", Journal: "c.db", Machine: here}}); err != nil {
		t.Fatal(err)
	}
	all, run := begin("all.db", here)
	for _, want := range []int64{2, 0} {
		if n, err := run.Join(a, first.Name()); n != want || err != nil {
			t.Fatalf("%d tasks instead of %d, %v", n, want, err)
		}
	}
	if n, err := run.Join(b, second.Name()); n != 3 || err != nil {
		t.Fatalf("%d tasks, %v", n, err)
	}
	if err := run.Finish(record.Finished{}); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	if err := all.Tasks(run.Name(), func(d Done) error {
		got[d.Key] = string(d.Result)
		if o := d.Origin; o != nil {
			got[d.Key] += fmt.Sprintf(" of %s in %s on %d", o.Run, filepath.Base(o.Journal), o.Machine.CPUs)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]string{"x": "0", "y": "1", "z": "1 of " + second.Name() + " in b.db on 64", "taken": "7 of old in b.db on 2", "far": "8 of older in c.db on 2"}, got); d != "" {
		t.Error(d)
	}
	var events []string
	seq := int64(0)
	if err := all.Events(run.Name(), func(e record.Event) error {
		if e.Seq != seq {
			t.Errorf("event %d has number %d", seq, e.Seq)
		}
		seq++
		if e.Progress != nil {
			events = append(events, fmt.Sprint(e.Task, e.Progress.Iter))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"x0", "x1", "y10", "y11", "z10", "z11"}, events); d != "" {
		t.Error(d)
	}
	for _, want := range []bool{true, false} {
		if copied, err := all.Copy(b, second.Name()); copied != want || err != nil {
			t.Errorf("copied %v, %v", copied, err)
		}
	}
	d, err := all.Show(second.Name())
	if err != nil || d.Tasks != 4 || d.Events[record.KindProgress] != 4 || d.Started.Machine != there {
		t.Errorf("%+v, %v", d, err)
	}
	// What cannot be joined leaves the journal usable.
	if _, err := all.Copy(a, "no such run"); err != nil {
		t.Error(err)
	}
	if same, err := all.Same(record.Task{Command: "ablate", Network: "n", Study: "s"}); err != nil || len(same) != 2 {
		t.Errorf("%d runs are of the same tasks, %v", len(same), err)
	}
}
