//go:build unix

package workers

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/system/cgroup"
	"github.com/hyfair/hyfair/host/internal/system/clock"
	"github.com/hyfair/hyfair/internal/tier"
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
	case "greedy":
		began()
		for i := range greed { // written to, or the system has nothing to give
			for k := 0; k < len(greed[i]); k += 4096 {
				greed[i][k] = 1
			}
		}
		out.Encode(record.Event{Kind: record.KindFinished, Finished: &record.Finished{}})
	case "parent": // of a process that it never waits for
		end := clock.Adopt()
		began()
		child := exec.Command(os.Args[0])
		child.Stdin = strings.NewReader(`{"Name": "busy"}` + "\n")
		told, err := child.StdoutPipe()
		if err == nil {
			err = child.Start()
		}
		if err != nil {
			panic(err)
		}
		io.Copy(io.Discard, told)
		out.Encode(record.Event{Kind: record.KindFinished, Finished: &record.Finished{}})
		end()
	case "hot":
		began()
		for i := uint(0); ; i++ {
			runtime.KeepAlive(i)
		}
	case "deaf":
		began()
		time.Sleep(time.Hour)
	case "obedient":
		began()
		io.Copy(io.Discard, in) // until it is interrupted
		out.Encode(record.Event{Kind: record.KindFinished, Finished: &record.Finished{Interrupted: true}})
	case "broken":
		fmt.Fprintln(os.Stderr, "hyfair: last words")
		os.Exit(1)
	case "mute":
	case "garbage":
		began()
		fmt.Println("this is no event")
		out.Encode(record.Event{Kind: record.KindFinished, Finished: &record.Finished{}})
	case "endless":
		began()
		fmt.Print(strings.Repeat("x", maxLine+1))
	case "hollow":
		fmt.Println(`{"kind":"found"}`)
	case "torn":
		began()
		fmt.Print(`{"kind":"fou`)
	}
}

// greed is 128 MiB.
var greed [128][1 << 20]byte

// ownCPU is the CPU time of this process so far.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestProcesses(t *testing.T) {
	tier.NeedUsual(t)
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
		"mute":    {err: "it wrote no error message"},
		"garbage": {kinds: "s", err: "invalid character"},
		"endless": {kinds: "s", err: "more than 64 MiB in one line: ask for less per task"},
		"hollow":  {err: "has no content"},
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
			if name == "busy" && (usage.CPU < 100*time.Millisecond || runtime.GOOS == "linux" && usage.Load == nil) {
				t.Errorf("CPU time %v, load %v", usage.CPU, usage.Load)
			}
		})
	}
	t.Run("hot", func(t *testing.T) { // does not end when its processor time is used up
		if runtime.GOOS != "linux" {
			t.Skipf("SKIPPED %s: processor time is told on Linux only", t.Name())
		}
		hurried := &Processes{Program: os.Args[0], Grace: 20 * time.Millisecond}
		usage, err := hurried.Do(t.Context(), Assignment{Job: testJob{"hot"}, Limit: 100 * time.Millisecond, Clock: clock.CPUTime}, func(record.Event) error { return nil })
		if err != nil || !usage.Killed || usage.CPU < 100*time.Millisecond {
			t.Errorf("%+v, %v", usage, err)
		}
	})
	t.Run("parent", func(t *testing.T) {
		if runtime.GOOS != "linux" {
			t.Skipf("SKIPPED %s: processor time of all below a process is told on Linux only", t.Name())
		}
		for _, name := range []string{clock.CPUTime, clock.WallTime} {
			usage, err := workers.Do(t.Context(), Assignment{Job: testJob{"parent"}, Clock: name}, func(record.Event) error { return nil })
			if err != nil || usage.CPU < 150*time.Millisecond {
				t.Errorf("%s: %+v, %v", name, usage, err)
			}
		}
	})
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

// A worker over its memory limit is killed, and reported so; one within reports its peak.
func TestMemory(t *testing.T) {
	group, err := cgroup.New(1 << 30)
	if err != nil {
		t.Skipf("SKIPPED %s: no control group can be made here: %v", t.Name(), err)
	}
	group.Close()
	t.Setenv("HYFAIR_TEST_WORKER", "1")
	for limit, enough := range map[int64]bool{64 << 20: false, 512 << 20: true} {
		kinds := ""
		usage, err := (&Processes{Program: os.Args[0]}).Do(t.Context(), Assignment{Job: testJob{"greedy"}, Memory: limit}, func(e record.Event) error {
			kinds += string(e.Kind[0])
			return nil
		})
		if err != nil || usage.Group == nil {
			t.Fatalf("%v, %+v", err, usage)
		}
		if want := map[bool]string{false: "s", true: "sf"}[enough]; kinds != want || usage.Killed == enough || (usage.Group.Killed == 0) != enough {
			t.Errorf("limit %d: events %q, %+v, %+v", limit, kinds, usage, usage.Group)
		}
		if peak := usage.Group.Peak; peak != 0 && (peak > limit || enough && peak < 128<<20) { // not told before Linux 5.19
			t.Errorf("limit %d: %d used", limit, peak)
		}
	}
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
