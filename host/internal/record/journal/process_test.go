package journal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/record"
)

// writerFile tells this test binary, started again, to write into a journal
// instead of testing.
const writerFile = "JOURNAL_TEST_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerFile); path != "" {
		if err := writeTasks(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// tasksOfWriter is the number of tasks that a writer completes before it finishes.
const tasksOfWriter = 60

// writeTasks resumes the first unfinished run, or begins one, and lists the tasks that it
// completes on standard output.
func writeTasks(path string) error {
	j, err := Open(path)
	if err != nil {
		return err
	}
	runs, err := j.Unfinished(started(1).Task)
	if err != nil {
		return err
	}
	var r *Run
	for i := 0; i < len(runs) && r == nil; i++ {
		if r, err = j.Resume(runs[i].Name); err != nil && !errors.Is(err, ErrLive) {
			return err
		}
	}
	if r == nil {
		if infos, err := j.Runs(); err != nil || len(infos) > 0 && infos[0].State == Finished {
			return err // the kill came after the last word
		}
		if r, err = j.Begin(started(1)); err != nil {
			return err
		}
	}
	for i := range tasksOfWriter {
		key := strconv.Itoa(i)
		if _, _, ok := r.Done(key); ok {
			continue
		}
		if err := r.Emit(sample()[5]); err != nil { // belongs to no task
			return err
		}
		if err := r.Complete(key, i, 0, sample()[0], sample()[3], sample()[4]); err != nil {
			return err
		}
		fmt.Println(r.Name(), key)
	}
	return errors.Join(r.Finish(record.Finished{}), j.Close())
}

// writer starts a process of writeTasks; what it says comes from lines.
func writer(t *testing.T, path string) (cmd *exec.Cmd, lines *bufio.Scanner) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), writerFile+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err, cmd.Start())
	return cmd, bufio.NewScanner(out)
}

// whole checks that nothing in a journal is torn: numbers without a hole, each
// task with its three events and no others.
func whole(t *testing.T, j *Journal, run string) {
	t.Helper()
	done, seen := map[string]int{}, map[string]int{}
	must(t, j.Tasks(run, func(d Done) error {
		if string(d.Result) != d.Key {
			t.Errorf("task %s has the result %s", d.Key, d.Result)
		}
		done[d.Key]++
		return nil
	}))
	for i, e := range events(t, j, run) {
		if e.Seq != int64(i) {
			t.Fatalf("event %d has the number %d", i, e.Seq)
		}
		if e.Task != "" {
			seen[e.Task]++
		}
	}
	for key := range seen {
		if done[key] != 1 || seen[key] != 3 {
			t.Errorf("task %s is done %d times and has %d events, want 1 and 3", key, done[key], seen[key])
		}
	}
	if len(seen) != len(done) {
		t.Errorf("%d tasks have events, %d are done", len(seen), len(done))
	}
	var verdict string
	if err := j.conn.QueryRowContext(background, "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity: %s, %v", verdict, err)
	}
}

// A killed process leaves every task that it reported as done; its successors resume until
// each task is done once.
func TestKill(t *testing.T) {
	kills := 0
	for try := 0; kills == 0; try++ { // on a busy machine all may be done before the first kill
		if try == 5 {
			t.Fatal("nothing was killed")
		}
		kills = killed(t)
	}
	t.Logf("%d kills", kills)
}

// killed has a journal written by processes that are killed, and says how many were.
func killed(t *testing.T) int {
	t.Helper()
	path := filepath.Join(t.TempDir(), "j.db")
	reported, kills := map[string]bool{}, 0
	for ended := false; !ended; {
		cmd, lines := writer(t, path)
		stop := rand.IntN(6) // the number of tasks before the kill; 0: before the first
		delay := time.Duration(rand.IntN(3000)) * time.Microsecond
		if stop == 0 {
			time.Sleep(delay) // while it creates or opens the file
			cmd.Process.Kill()
		}
		for n := 1; lines.Scan(); n++ {
			run, key, ok := strings.Cut(lines.Text(), " ")
			if !ok {
				continue // the kill came while it spoke
			}
			if reported[run+" "+key] {
				t.Errorf("task %s was done twice", key)
			}
			reported[run+" "+key] = true
			if n == stop {
				time.Sleep(delay)
				cmd.Process.Kill()
			}
		}
		if ended = cmd.Wait() == nil; !ended {
			kills++
		}
	}
	j := opened(t, path)
	infos, err := j.Runs()
	must(t, err)
	if len(infos) != 1 || infos[0].State != Finished || infos[0].Tasks != tasksOfWriter {
		t.Fatalf("after %d kills: %+v", kills, infos)
	}
	whole(t, j, infos[0].Name)
	for line := range reported {
		run, key, _ := strings.Cut(line, " ")
		if run != infos[0].Name {
			t.Errorf("task %s was reported of a run that is gone", key)
		}
	}
	return kills
}

// Processes write one file at the same time, each its own run.
func TestSeveralWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.db") // they also create it at once
	const processes = 3
	var commands []*exec.Cmd
	for range processes {
		cmd, lines := writer(t, path)
		go func() {
			for lines.Scan() {
			}
		}()
		commands = append(commands, cmd)
	}
	for _, cmd := range commands {
		must(t, cmd.Wait())
	}
	j := opened(t, path)
	infos, err := j.Runs()
	must(t, err)
	if len(infos) == 0 || len(infos) > processes {
		t.Fatalf("%d runs", len(infos))
	}
	for _, info := range infos {
		if info.State != Finished || info.Tasks != tasksOfWriter {
			t.Errorf("%+v", info)
		}
		whole(t, j, info.Name)
	}
	for _, side := range []string{"-wal", "-shm"} {
		must(t, j.Close())
		if _, err := os.Stat(path + side); err == nil {
			t.Errorf("%s is left beside the closed journal", side)
		}
	}
}
