package record

import (
	"strings"
	"testing"
	"time"
)

func TestTasksAreKnownByTheirContent(t *testing.T) {
	base := Task{Command: "search", Network: "n", Study: "s", Arm: "sa", Seed: 1, Settings: map[string]string{"a": "1", "b": "2"}}
	same := base
	same.Settings = map[string]string{"b": "2", "a": "1"}
	if base.ID() != same.ID() {
		t.Error("equal tasks have different names")
	}
	seen := map[string]bool{base.ID(): true}
	for _, change := range []func(*Task){
		func(t *Task) { t.Command = "certify" }, func(t *Task) { t.Network = "m" }, func(t *Task) { t.Study = "r" },
		func(t *Task) { t.Arm = "rw" }, func(t *Task) { t.Seed = 2 }, func(t *Task) { t.Region = "age=3" },
		func(t *Task) { t.Settings = map[string]string{"a": "1"} },
	} {
		other := base
		change(&other)
		if seen[other.ID()] {
			t.Errorf("%+v has the name of another task", other)
		}
		seen[other.ID()] = true
	}
	now := time.Unix(1, 0)
	if base.NewRun(now) == base.NewRun(now.Add(1)) {
		t.Error("two runs have one name")
	}
}

func TestRunsDir(t *testing.T) {
	env := func(runs, xdg, home string) {
		t.Setenv("HYFAIR_RUNS_DIR", runs)
		t.Setenv("XDG_DATA_HOME", xdg)
		t.Setenv("HOME", home)
	}
	for _, c := range []struct{ runs, xdg, home, want string }{
		{"/r", "/x", "/h", "/r"},
		{"", "/x", "/h", "/x/hyfair/runs"},
		{"", "", "/h", "/h/.local/share/hyfair/runs"},
		{"", "relative", "/h", "/h/.local/share/hyfair/runs"},
	} {
		env(c.runs, c.xdg, c.home)
		if got, err := RunsDir(); err != nil || got != c.want {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
	env("", "", "")
	if _, err := RunsDir(); err == nil || !strings.Contains(err.Error(), "HYFAIR_RUNS_DIR") {
		t.Errorf("without a home folder: %v", err)
	}
}

// Payloads come from untrusted files.
func FuzzUnmarshalPayload(f *testing.F) {
	f.Add("progress", []byte(`{"iter":4}`))
	f.Add("finished", []byte(`{"measures":{"T.1st":null}}`))
	f.Add("witness", []byte(`null`))
	f.Add("entropy", []byte(`{"bits":3}`))
	f.Fuzz(func(t *testing.T, kind string, payload []byte) {
		e := Event{Kind: Kind(kind)}
		if err := e.UnmarshalPayload(payload); err != nil || e.slot() == nil {
			return
		}
		if _, err := e.MarshalPayload(); err != nil {
			t.Errorf("read, and not to be written: %v", err)
		}
	})
}
