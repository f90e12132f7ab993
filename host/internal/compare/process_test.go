package compare

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/task"
)

// TestMain lets the test's own program stand for a worker: it does what the
// job's arm is called.
func TestMain(m *testing.M) {
	if os.Getenv("HYFAIR_TEST_WORKER") == "" {
		os.Exit(m.Run())
	}
	var job Job
	in := bufio.NewReader(os.Stdin)
	line, _ := in.ReadBytes('\n')
	if err := json.Unmarshal(line, &job); err != nil {
		fmt.Fprintln(os.Stderr, "hyfair: no job:", err)
		os.Exit(2)
	}
	out := json.NewEncoder(os.Stdout)
	began := func() {
		out.Encode(task.Event{Kind: task.KindStarted, Started: &task.Started{Study: job.Source.Study}})
	}
	switch job.Arm.Name {
	case "good", "busy":
		began()
		for sum, start := 0, time.Now(); job.Arm.Name == "busy" && time.Since(start) < 300*time.Millisecond; sum++ {
		}
		out.Encode(task.Event{Kind: task.KindFinished, Finished: &task.Finished{Iter: 3}})
	case "deaf":
		began()
		time.Sleep(time.Hour)
	case "obedient":
		began()
		io.Copy(io.Discard, in) // until it is told to stop
		out.Encode(task.Event{Kind: task.KindFinished, Finished: &task.Finished{Interrupted: true}})
	case "broken":
		fmt.Fprintln(os.Stderr, "hyfair: last words")
		os.Exit(1)
	case "mute":
	case "garbage":
		began()
		fmt.Println("this is no event")
		out.Encode(task.Event{Kind: task.KindFinished, Finished: &task.Finished{}})
	case "hollow":
		fmt.Println(`{"kind":"found"}`)
	case "torn":
		began()
		fmt.Print(`{"kind":"fou`)
	}
}

func TestProcesses(t *testing.T) {
	t.Setenv("HYFAIR_TEST_WORKER", "1")
	workers := &Processes{Program: os.Args[0], Grace: 300 * time.Millisecond}
	for name, c := range map[string]struct {
		kinds  string // of the events, by their first letters
		killed bool
		err    string
	}{
		"good":    {kinds: "sf"},
		"busy":    {kinds: "sf"},
		"deaf":    {kinds: "s", killed: true},
		"broken":  {err: "a worker failed: last words"},
		"mute":    {err: "it said nothing"},
		"garbage": {kinds: "s", err: "invalid character"},
		"hollow":  {err: "without what it tells"},
		"torn":    {kinds: "s"},
	} {
		t.Run(name, func(t *testing.T) {
			kinds := ""
			job := &Job{Arm: Arm{Name: name}, Budget: Duration(500 * time.Millisecond)}
			usage, err := workers.Work(t.Context(), job, func(e task.Event) error {
				kinds += string(e.Kind[0])
				return nil
			})
			if kinds != c.kinds || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("events %q, %v", kinds, err)
			}
			if err == nil && usage.Killed != c.killed {
				t.Errorf("killed: %v", usage.Killed)
			}
			if name == "busy" && usage.CPU < 100*time.Millisecond {
				t.Errorf("CPU time %v", usage.CPU)
			}
		})
	}
	t.Run("stopped", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var last task.Event
		usage, err := workers.Work(ctx, &Job{Arm: Arm{Name: "obedient"}, Budget: Duration(time.Minute)}, func(e task.Event) error {
			last = e
			cancel()
			return nil
		})
		if err != nil || usage.Killed || last.Finished == nil || !last.Finished.Interrupted {
			t.Errorf("%+v, %v, last %+v", usage, err, last)
		}
	})
	t.Run("an event refused", func(t *testing.T) {
		refused := fmt.Errorf("not that")
		_, err := workers.Work(t.Context(), &Job{Arm: Arm{Name: "deaf"}, Budget: Duration(time.Minute)}, func(task.Event) error { return refused })
		if err == nil || !strings.Contains(err.Error(), "not that") {
			t.Error(err)
		}
	})
	t.Run("no program", func(t *testing.T) {
		_, err := (&Processes{Program: "/nonexistent/worker"}).Work(t.Context(), &Job{}, nil)
		if err == nil {
			t.Error("it started")
		}
	})
}
