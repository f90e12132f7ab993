package experiment

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/record"
)

// Every task is in one shard, whatever the plugins' files are; a group is in one together.
func TestShardsOfTasks(t *testing.T) {
	var tasks []Task
	for seed := range 20 {
		for _, arm := range []string{"a", "b", "c"} {
			task := Task{Key: fmt.Sprintf("n | %s | seed %d", arm, seed), Asked: []any{arm, seed}, Plugins: []string{"strategy " + arm}}
			switch {
			case seed < 10:
				task.Group = fmt.Sprint("n ", seed)
			case seed == 19:
				task.Asked = nil // it is not known by content
			}
			tasks = append(tasks, task)
		}
	}
	frames := []*Frame{{Command: "ablate"}, {Command: "ablate", Plugins: map[string]Plugin{"strategy a": {SHA256: "another"}}}}
	in := map[string]int{}
	var together int
	for part := 1; part <= 4; part++ {
		of := record.Shard{Part: part, Of: 4}
		here := frames[0].shard(of, tasks)
		groups := map[string]int{}
		for _, task := range here {
			in[task.Key]++
			groups[task.Group]++
		}
		for name, n := range groups {
			if name != "" && n != 3 {
				t.Errorf("shard %d has %d tasks of group %s", part, n, name)
			}
			if name != "" {
				together++
			}
		}
		if len(here) == 0 || !slices.EqualFunc(here, frames[1].shard(of, tasks), func(a, b Task) bool { return a.Key == b.Key }) {
			t.Errorf("shard %d: %d tasks", part, len(here))
		}
	}
	for _, task := range tasks {
		if in[task.Key] != 1 {
			t.Errorf("%s is in %d shards", task.Key, in[task.Key])
		}
	}
	if together != 10 || len(frames[0].shard(record.Shard{}, tasks)) != len(tasks) {
		t.Errorf("%d groups of 10", together)
	}
}
