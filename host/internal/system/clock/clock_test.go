package clock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// work is how much processor time the test's processes use.
const work = 60 * time.Millisecond

// TestMain lets the test's own program stand for a plugin: it uses processor time, by
// itself and with a child that ends, says so, and stays until its standard input ends.
func TestMain(m *testing.M) {
	switch os.Getenv("HYFAIR_TEST_CLOCK") {
	case "":
		os.Exit(m.Run())
	case "plugin":
		burn()
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "HYFAIR_TEST_CLOCK=child")
		if err := child.Run(); err != nil {
			panic(err)
		}
		fmt.Println("done")
		io.Copy(io.Discard, os.Stdin)
	case "child":
		burn()
	}
}

// burn uses up the work.
func burn() {
	c, err := Named(CPUTime, time.Now())
	if err != nil {
		panic(err)
	}
	for begin := c.Elapsed(); c.Elapsed() < begin+work; {
		for range 1 << 16 {
			sink++
		}
	}
}

var sink int

func processors(t *testing.T) *Clock {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skipf("SKIPPED %s: processor time of running processes is told on Linux only", t.Name())
	}
	c, err := Named(CPUTime, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The processor time of a plugin and of its children counts, while the plugin lives and
// afterwards, and time that is slept through does not.
func TestProcessorTime(t *testing.T) {
	begin := processors(t).Elapsed()
	plugin := exec.Command(os.Args[0])
	plugin.Env = append(os.Environ(), "HYFAIR_TEST_CLOCK=plugin")
	in, err := plugin.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := plugin.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := plugin.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("done"))); err != nil {
		t.Fatal(err)
	}
	// A new clock looks at processes now, an old one a tenth of a second later. Times in /proc,
	// of children that have ended, are cut to hundredths of a second.
	if used := processors(t).Elapsed() - begin; used < 2*work-10*time.Millisecond || used > 20*work {
		t.Errorf("%v of a plugin that lives", used)
	}
	in.Close()
	if err := plugin.Wait(); err != nil {
		t.Fatal(err)
	}
	if used := processors(t).Elapsed() - begin; used < 2*work-10*time.Millisecond {
		t.Errorf("%v of a plugin that has ended", used)
	}
}

// A limit in processor time ends work that uses it, for the reason that time is up.
func TestLimit(t *testing.T) {
	c := processors(t)
	for name, limited := range map[string]func(context.Context, time.Duration) (context.Context, context.CancelFunc){
		"Until": func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
			return c.Until(ctx, c.Elapsed()+d)
		},
		"Within": c.Within,
	} {
		begin := c.Elapsed()
		ctx, cancel := limited(t.Context(), work)
		for ctx.Err() == nil {
			sink++
		}
		if used := c.Elapsed() - begin; used < work || !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			t.Errorf("%s: ended after %v: %v", name, used, context.Cause(ctx))
		}
		cancel()
	}
	// Work that uses none ends as well.
	idle, cancel := c.Within(t.Context(), time.Millisecond/2)
	defer cancel()
	<-idle.Done()
	if cause := context.Cause(idle); !errors.Is(cause, context.DeadlineExceeded) {
		t.Error(cause)
	}
	stopped, cancel := c.Within(t.Context(), time.Hour)
	cancel()
	if cause := context.Cause(stopped); !errors.Is(cause, context.Canceled) {
		t.Error(cause)
	}
}

func TestNamed(t *testing.T) {
	if _, err := Named("sun", time.Now()); err == nil {
		t.Error("there is a clock called sun")
	}
	c, err := Named("", time.Now().Add(-time.Hour))
	if err != nil || !c.IsWall() || c.Elapsed() < time.Hour {
		t.Errorf("%v, %v", c, err)
	}
	if d := Longest(CPUTime, 1<<62); d < 1<<60 {
		t.Errorf("a limit of %v", d)
	}
}
