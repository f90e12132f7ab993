//go:build unix

package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/program"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == simulated {
		simulate(os.Args[2], os.Args[3])
		return
	}
	plugintest.Main(m)
}

// table is a folder with the programs, on which machines stand.
type table struct {
	*testing.T
	dir, url string
	// wait is how long a task waits for a sign of life.
	wait string
}

func lay(t *testing.T) *table {
	t.Helper()
	dir := plugintest.Folder(t, map[string]string{
		"hyfair": "host", "hyfair-fleet": "host/fleet", "hyfair-search-rw": "plugins/search-rw", "hyfair-search-sa": "plugins/search-sa",
	})
	b := &table{T: t, dir: dir, wait: "2s"}
	t.Cleanup(func() {
		if pids := b.left(); len(pids) > 0 {
			t.Errorf("processes are left: %v", pids)
		}
	})
	return b
}

// process is a hyfair under way.
type process struct {
	*exec.Cmd
	mu     sync.Mutex
	stderr bytes.Buffer
	stdout bytes.Buffer
	ended  chan struct{}
}

// Write implements io.Writer for its standard error.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.Write(b)
}

func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.String()
}

// start starts hyfair with a home of its own.
func (b *table) start(home string, args ...string) *process {
	b.Helper()
	home = filepath.Join(b.dir, "home", home)
	c := exec.Command(filepath.Join(b.dir, "hyfair"), args...)
	c.Env = append(os.Environ(), "HYFAIR_PLUGIN_DIR="+b.dir, "XDG_DATA_HOME="+home, "XDG_CACHE_HOME="+home, "HYFAIR_RUNS_DIR=", "HYFAIR_FLEET_WAIT="+b.wait)
	return b.launch(c)
}

// launch starts a program that the test ends.
func (b *table) launch(c *exec.Cmd) *process {
	b.Helper()
	p := &process{Cmd: c, ended: make(chan struct{})}
	p.Stdout, p.Stderr = &p.stdout, p
	if err := p.Start(); err != nil {
		b.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		p.Wait()
	}()
	b.Cleanup(func() {
		p.kill()
		if b.Failed() && p.said() != "" {
			b.Logf("%s said:\n%s", c.Args, p.said())
		}
	})
	return p
}

func (p *process) kill() {
	p.Process.Kill()
	<-p.ended
}

// run is start, to the end.
func (b *table) run(home string, args ...string) (code int, stdout, stderr string) {
	b.Helper()
	p := b.start(home, args...)
	select {
	case <-p.ended:
	case <-time.After(5 * time.Minute):
		b.Fatalf("hyfair %v goes on and on: %s", args, p.said())
	}
	return p.ProcessState.ExitCode(), p.stdout.String(), p.said()
}

var address = regexp.MustCompile(`(nats|tls)://[0-9.]+:[0-9]+`)

// serve starts a queue, at the address of the one before.
func (b *table) serve(args ...string) *process {
	b.Helper()
	listen := "127.0.0.1:0"
	if b.url != "" {
		_, listen, _ = strings.Cut(b.url, "://")
	}
	p := b.start("server", append([]string{"fleet", "serve", "--store", filepath.Join(b.dir, "store"), "--listen", listen}, args...)...)
	b.until("a queue", func() bool { return strings.Contains(p.said(), "the queue of a fleet is at") || b.over(p) })
	b.url = address.FindString(p.said())
	return p
}

func (b *table) over(p *process) bool {
	select {
	case <-p.ended:
		b.Fatalf("it ended: %s", p.said())
	default:
	}
	return false
}

func (b *table) join(args ...string) *process {
	b.Helper()
	return b.start("worker", append([]string{"fleet", "join", b.url, "--jobs", "1"}, args...)...)
}

func (b *table) until(what string, holds func() bool) {
	b.Helper()
	for end := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.Fatalf("no %s after two minutes", what)
		}
	}
}

// status is what the fleet says of itself; a fleet that does not answer says nothing.
func (b *table) status(args ...string) (s Status) {
	b.Helper()
	if code, out, _ := b.run("asks", append([]string{"fleet", "status", b.url, "--json"}, args...)...); code == 0 {
		if err := json.Unmarshal([]byte(out), &s); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// left are the processes of programs in the folder.
func (b *table) left() (pids []string) {
	commands, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		pids = nil
		for _, c := range commands {
			if text, err := os.ReadFile(c); err == nil && bytes.HasPrefix(text, []byte(b.dir)) {
				pids = append(pids, filepath.Base(filepath.Dir(c)))
			}
		}
		if len(pids) == 0 || time.Now().After(end) {
			return pids
		}
	}
}

// grid writes a file of tasks whose results are the same wherever they are done.
func (b *table) grid(runs, evaluations int) string {
	b.Helper()
	file := filepath.Join(b.dir, fmt.Sprintf("grid-%d-%d.yaml", runs, evaluations))
	text := fmt.Sprintf("name: g\nstudies: [{study: %q}]\nbudget: %dev\nruns: %d\nmode: paper\nstrategies: [{name: rw}, {name: sa}]\nsolver: none\n",
		filepath.Join(program.Root(), "studies", "loan"), evaluations, runs)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}

// ofTime are columns that no two runs share.
var ofTime = regexp.MustCompile(`^(T\..*|.*seconds|run|journal|machine|pinned|retried|load.*)$`)

// rows are what an experiment wrote by --tidy, without times.
func (b *table) rows(file string) (out []map[string]any) {
	b.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		row := map[string]any{}
		if err := json.Unmarshal(line, &row); err != nil {
			b.Fatal(err)
		}
		for name := range row {
			if ofTime.MatchString(name) {
				delete(row, name)
			}
		}
		out = append(out, row)
	}
	return out
}

// alone is what one machine makes of a grid.
func (b *table) alone(grid string) []map[string]any {
	b.Helper()
	tidy := grid + ".alone.jsonl"
	if code, _, stderr := b.run("alone", "ablate", grid, "--jobs", "2", "--tidy", tidy); code != 0 {
		b.Fatal(code, stderr)
	}
	rows := b.rows(tidy)
	for _, r := range rows {
		r["jobs"] = 1.0
	}
	return rows
}

// ends waits for the end of an experiment that has to succeed.
func (b *table) ends(p *process) {
	b.Helper()
	b.until("end of the experiment", func() bool {
		select {
		case <-p.ended:
			return true
		default:
			return false
		}
	})
	if code := p.ProcessState.ExitCode(); code != 0 {
		b.Fatal(code, p.said())
	}
}

// seat is a connection to the queue as a worker has it.
func (b *table) seat() *link {
	b.Helper()
	l, err := dial(Address{URL: b.url}, RoleWorker, "liar")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(l.Close)
	return l
}

// fetch takes the next task of whatever ground.
func (b *table) fetch(l *link) (m jetstream.Msg, p *parcel) {
	b.Helper()
	b.until("task", func() bool {
		m, p = b.fetchNow(l)
		return m != nil
	})
	return m, p
}

// fetchNow is fetch of a task that waits; nil: none does.
func (b *table) fetchNow(l *link) (jetstream.Msg, *parcel) {
	b.Helper()
	queue, err := l.js.Stream(b.Context(), tasksStream)
	if err != nil {
		return nil, nil
	}
	list := queue.ListConsumers(b.Context())
	for info := range list.Info() {
		from, err := queue.Consumer(b.Context(), info.Name)
		if err != nil {
			continue
		}
		batch, err := from.Fetch(1, jetstream.FetchMaxWait(time.Second))
		if err != nil {
			continue
		}
		if m := <-batch.Messages(); m != nil {
			p, err := parseParcel(m.Data())
			if err != nil {
				b.Fatal(err)
			}
			return m, p
		}
	}
	return nil, nil
}

// alive reports a process that is not gone.
func (b *table) alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(text), ") Z ")
}

// children are the processes of a worker's tasks.
func (b *table) children(pid int) (out []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, word := range strings.Fields(string(text)) {
			command, _ := os.ReadFile("/proc/" + word + "/cmdline")
			if child, err := strconv.Atoi(word); err == nil && bytes.Contains(command, []byte("\x00work\x00")) {
				out = append(out, child)
			}
		}
	}
	return out
}
