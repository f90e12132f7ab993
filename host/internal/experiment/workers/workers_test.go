//go:build unix

package workers

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/record"
)

type testJob struct{ Name string }

// TestMain lets the test's own program stand for a worker: it does what the
// job is called.
func TestMain(m *testing.M) {
	if os.Getenv("HYFAIR_TEST_WORKER") == "" {
		os.Exit(m.Run())
	}
	var job testJob
	in := bufio.NewReader(os.Stdin)
	line, _ := in.ReadBytes('\n')
	if err := json.Unmarshal(line, &job); err != nil {
		fmt.Fprintln(os.Stderr, "hyfair: no job:", err)
		os.Exit(2)
	}
	out := json.NewEncoder(os.Stdout)
	began := func() {
		out.Encode(record.Event{Kind: record.KindStarted, Started: &record.Started{}})
	}
	switch job.Name {
	case "good", "busy":
		began()
		for job.Name == "busy" && ownCPU() < 150*time.Millisecond {
		}
		out.Encode(record.Event{Kind: record.KindFinished, Finished: &record.Finished{Iter: 3}})
	case "where":
		out.Encode(record.Event{Kind: record.KindStarted, Started: &record.Started{Study: os.Getenv("HYFAIR_TEST_STUDY"), Model: fmt.Sprint(Cores())}})
	case "deaf":
		began()
		time.Sleep(time.Hour)
	case "obedient":
		began()
		io.Copy(io.Discard, in) // until it is told to stop
		out.Encode(record.Event{Kind: record.KindFinished, Finished: &record.Finished{Interrupted: true}})
	case "broken":
		fmt.Fprintln(os.Stderr, "hyfair: last words")
		os.Exit(1)
	case "mute":
	case "garbage":
		began()
		fmt.Println("this is no event")
		out.Encode(record.Event{Kind: record.KindFinished, Finished: &record.Finished{}})
	case "hollow":
		fmt.Println(`{"kind":"found"}`)
	case "torn":
		began()
		fmt.Print(`{"kind":"fou`)
	}
}

// ownCPU is the CPU time of this process so far.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
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
			limit := time.Minute
			if name == "deaf" {
				limit = 500 * time.Millisecond
			}
			usage, err := workers.Do(t.Context(), Assignment{Job: testJob{name}, Limit: limit}, func(e record.Event) error {
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
		var last record.Event
		usage, err := (&Processes{Program: os.Args[0]}).Do(ctx, Assignment{Job: testJob{"obedient"}}, func(e record.Event) error {
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
		_, err := workers.Do(t.Context(), Assignment{Job: testJob{"deaf"}, Limit: time.Minute}, func(record.Event) error { return refused })
		if err == nil || !strings.Contains(err.Error(), "not that") {
			t.Error(err)
		}
	})
	t.Run("no program", func(t *testing.T) {
		_, err := (&Processes{Program: "/nonexistent/worker"}).Do(t.Context(), Assignment{}, nil)
		if err == nil {
			t.Error("it started")
		}
	})
}

// A worker has the environment it was given and stays on its processors.
func TestWorkerAtHome(t *testing.T) {
	cores := Cores()
	if len(cores) == 0 {
		t.Skipf("SKIPPED %s: processes cannot be kept on processors here", t.Name())
	}
	t.Setenv("HYFAIR_TEST_WORKER", "1")
	last := cores[len(cores)-1]
	workers := &Processes{Program: os.Args[0], Env: []string{"HYFAIR_TEST_STUDY=mine"}}
	var at, study string
	_, err := workers.Do(t.Context(), Assignment{Job: testJob{"where"}, Cores: []int{last}}, func(e record.Event) error {
		at, study = e.Started.Model, e.Started.Study
		return nil
	})
	if err != nil || at != fmt.Sprint([]int{last}) || study != "mine" {
		t.Errorf("on %s instead of %d, study %q, %v", at, last, study, err)
	}
	if now := Cores(); !slices.Equal(now, cores) {
		t.Errorf("this process is on %v now, was on %v", now, cores)
	}
}
