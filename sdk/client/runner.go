package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
)

// runner runs the process of a plugin for go-plugin, which sees only the handshake
// line of standard output. Everything else that the process prints goes into the ring:
// go-plugin would parse and log standard error, and wait for its end without bound.
type runner struct {
	cmd    *exec.Cmd
	output *ring
	logger hclog.Logger

	// out and none are the streams that go-plugin gets: the first line of standard output,
	// and an empty stream in place of standard error.
	out  io.ReadCloser
	none io.ReadCloser

	mu     sync.Mutex
	pid    int    // 0 before the start
	group  group  // the process and its descendants; valid after the start
	killed bool   // Kill was called
	first  string // the first line of standard output
	spoke  bool   // the first line has been read

	exited chan struct{} // closed when the process has been waited for
	err    error         // from waiting for the process; valid once exited is closed
}

// maxHandshake bounds the handshake line, in bytes: two certificates would fit.
const maxHandshake = 16 << 10

// newRunner prepares a process; its environment is set later.
func newRunner(c *Config, output *ring) *runner {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir = c.Dir
	cmd.SysProcAttr = processAttributes()
	return &runner{
		cmd: cmd, output: output, logger: c.Logger,
		none: io.NopCloser(bytes.NewReader(nil)), exited: make(chan struct{}),
	}
}

// Start starts the process in a new process group.
func (r *runner) Start(context.Context) error {
	stdout, stdoutW, err := os.Pipe()
	if err != nil {
		return err
	}
	stderr, stderrW, err := os.Pipe()
	if err != nil {
		stdout.Close()
		stdoutW.Close()
		return err
	}
	r.cmd.Stdout, r.cmd.Stderr = stdoutW, stderrW
	err = r.launch()
	stdoutW.Close()
	stderrW.Close()
	if err != nil {
		stdout.Close()
		stderr.Close()
		r.err = err
		close(r.exited)
		return err
	}
	handshake, handshakeW := io.Pipe()
	r.out = handshake
	var pumps sync.WaitGroup
	pumps.Go(func() { r.pumpStdout(stdout, handshakeW) })
	pumps.Go(func() { r.pump(bufio.NewReaderSize(stderr, 64<<10)) })
	go func() {
		r.err = r.cmd.Wait()
		_ = r.group.kill() // processes that the plugin left behind
		// The pipes hold the last output. A grandchild that left the group may
		// hold them open for ever, so reading has a deadline.
		deadline := time.Now().Add(lastWords)
		_ = stdout.SetReadDeadline(deadline)
		_ = stderr.SetReadDeadline(deadline)
		pumps.Wait()
		stdout.Close()
		stderr.Close()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.group.close()
		close(r.exited)
	}()
	return nil
}

// lastWords is how long the output of a process is read after its end.
const lastWords = 200 * time.Millisecond

func (r *runner) launch() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.killed {
		return context.Canceled
	}
	if err := r.cmd.Start(); err != nil {
		return err
	}
	r.pid, r.group = r.cmd.Process.Pid, newGroup(r.cmd.Process)
	return nil
}

// pumpStdout gives the first line to the handshake and the rest to the ring.
func (r *runner) pumpStdout(stdout io.Reader, handshake *io.PipeWriter) {
	defer handshake.Close()
	reader := bufio.NewReaderSize(stdout, maxHandshake)
	line, err := reader.ReadSlice('\n')
	r.mu.Lock()
	r.first, r.spoke = strings.TrimSpace(string(line)), len(line) > 0
	r.mu.Unlock()
	if err == nil {
		_, _ = handshake.Write(line)
	} else {
		_, _ = r.output.Write(line) // not a complete line: go-plugin sees the end of the stream
	}
	handshake.Close()
	r.pump(reader)
}

// maxLogLine bounds a line that is passed on to the logger, in bytes.
const maxLogLine = 1 << 10

// pump moves output into the ring, and lines into the log at debug level.
func (r *runner) pump(reader *bufio.Reader) {
	whole := true // the next piece starts a line
	for {
		piece, err := reader.ReadSlice('\n')
		_, _ = r.output.Write(piece)
		if text := bytes.TrimSpace(piece); whole && len(text) > 0 && r.logger.IsDebug() {
			r.logger.Debug(string(text[:min(len(text), maxLogLine)]))
		}
		whole = err == nil
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// Wait returns the exit status after the process has ended and its output has been read.
// It ignores its context.
func (r *runner) Wait(context.Context) error {
	<-r.exited
	return r.err
}

// Kill kills the process and its group, or keeps it from starting.
func (r *runner) Kill(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.killed = true
	select {
	case <-r.exited:
		return nil // another process may have its id by now
	default:
	}
	if r.pid == 0 {
		return nil
	}
	return r.group.kill()
}

// handshake is the first line of standard output, if there was one.
func (r *runner) handshake() (line string, spoke bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first, r.spoke
}

// status says how the process ended, once it has.
func (r *runner) status() string {
	if r.err == nil {
		return "exit status 0"
	}
	return r.err.Error()
}

// Stdout carries the handshake line only.
func (r *runner) Stdout() io.ReadCloser { return r.out }

// Stderr is empty.
func (r *runner) Stderr() io.ReadCloser { return r.none }

// Name is the program's path.
func (r *runner) Name() string { return r.cmd.Path }

// ID is the process id, empty before Start.
func (r *runner) ID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pid == 0 {
		return ""
	}
	return strconv.Itoa(r.pid)
}

// Diagnose adds nothing: see startError.
func (r *runner) Diagnose(context.Context) string { return "" }

// PluginToHost returns the address unchanged.
func (r *runner) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

// HostToPlugin returns the address unchanged.
func (r *runner) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}
