package runs

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
)

// Shards whose tasks have all ended are not an interrupted run, even if a task failed.
func TestMergedFailures(t *testing.T) {
	dir := t.TempDir()
	shard := func(n int, ended ...string) string {
		t.Helper()
		path := filepath.Join(dir, fmt.Sprintf("shard%d.db", n))
		j, err := journal.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		run, err := j.Begin(record.Started{At: time.Now(), Study: "s", Task: record.Task{
			Command: "ablate", Settings: map[string]string{record.ShardSetting: fmt.Sprintf("%d/2", n), record.TasksSetting: "3"},
		}})
		for _, key := range ended {
			if err == nil {
				err = run.Complete(key, 1, 0)
			}
		}
		if err == nil {
			err = run.Finish(record.Finished{})
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	one := shard(1, "a", record.FailedKey("b", 1))
	for _, c := range []struct {
		name  string
		from  []string
		tasks int64
		state journal.State
	}{
		{"a part", []string{one}, 1, journal.Interrupted},
		{"a failure", []string{one, shard(2, "c")}, 2, journal.Failed},
		{"one that went well elsewhere", []string{one, shard(2, "c"), shard(3, "b")}, 3, journal.Finished},
	} {
		out, err := Merge(t.Context(), &session.Session{}, MergeRequest{Journals: c.from, Into: filepath.Join(dir, c.name)})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Runs) != 1 || out.Runs[0].Tasks != c.tasks || out.Runs[0].State != string(c.state) {
			t.Errorf("%s: %+v", c.name, out.Runs)
		}
	}
}
