//go:build unix

package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk/sdktest/program"
	"github.com/hyfair/hyfair/sdk/sdktest/tier"
)

func TestMain(m *testing.M) { plugintest.Main(m) }

// table is a folder with the programs, on which machines stand.
type table struct {
	*testing.T
	dir, url string
}

func lay(t *testing.T) *table {
	t.Helper()
	dir := plugintest.Folder(t, map[string]string{
		"hyfair": "host", "hyfair-fleet": "host/fleet", "hyfair-search-rw": "plugins/search-rw", "hyfair-search-sa": "plugins/search-sa",
	})
	b := &table{T: t, dir: dir}
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
	p := &process{ended: make(chan struct{})}
	p.Cmd = exec.Command(filepath.Join(b.dir, "hyfair"), args...)
	home = filepath.Join(b.dir, "home", home)
	p.Env = append(os.Environ(), "HYFAIR_PLUGIN_DIR="+b.dir, "XDG_DATA_HOME="+home, "XDG_CACHE_HOME="+home, "HYFAIR_RUNS_DIR=", "HYFAIR_FLEET_WAIT=2s")
	p.Stdout, p.Stderr = &p.stdout, p
	if err := p.Start(); err != nil {
		b.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		p.Wait()
	}()
	b.Cleanup(p.kill)
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

// Whoever is killed, the tables are those of one machine, nothing is lost and nothing counted
// twice.
func TestKillsChangeNothing(t *testing.T) {
	tier.NeedUsual(t)
	b := lay(t)
	grid := b.grid(6, 8_000)
	want := b.alone(grid)
	server := b.serve()
	first := b.join()
	b.join()
	command := []string{"ablate", grid, "--fleet", b.url, "--tidy", filepath.Join(b.dir, "fleet.jsonl"), "--json"}
	coordinator := b.start("coordinator", command...)
	done := func(n int) func() bool { return func() bool { return b.over(coordinator) || b.status().Done >= n } }
	b.until("first task", done(1))
	first.kill()
	b.join()
	b.until("third task", done(2))
	server.kill()
	b.serve()
	b.until("task with the second server", func() bool { s := b.status(); return b.over(coordinator) || s.Busy > 0 })
	coordinator.kill()
	code, out, stderr := b.run("coordinator", command...)
	if code != 0 {
		t.Fatal(code, stderr)
	}
	if d := cmp.Diff(want, b.rows(command[5])); d != "" {
		t.Error(d)
	}
	if !strings.Contains(stderr, "going on with run") {
		t.Errorf("the second coordinator did not go on: %s", stderr)
	}
	var a struct {
		Taken []struct{ Tasks int } `json:"taken"`
	}
	if err := json.Unmarshal([]byte(out), &a); err != nil || len(a.Taken) != 1 || a.Taken[0].Tasks != len(want) {
		t.Errorf("machines of the tasks: %+v, %v", a, err)
	}
	b.until("empty queue", func() bool { // what a lost worker had counts as under way for a while
		s := b.status()
		return s.Waiting+uint64(s.UnderWay) == 0
	})
}

// Again and again, at moments that nobody chose.
func TestManyKillsChangeNothing(t *testing.T) {
	tier.NeedLong(t)
	const most = 200
	b := lay(t)
	grid := b.grid(12, 8_000)
	want := b.alone(grid)
	server := b.serve()
	workers := []*process{b.join(), b.join()}
	r := rand.New(rand.NewPCG(1, 2))
	kills, rounds := map[string]int{}, 0
	for total := 0; total < most; rounds++ {
		home := fmt.Sprintf("coordinator%d", rounds)
		command := []string{"ablate", grid, "--fleet", b.url, "--tidy", filepath.Join(b.dir, home+".jsonl")}
		coordinator := b.start(home, command...)
		for ended := false; !ended; {
			select {
			case <-coordinator.ended:
				if ended = coordinator.ProcessState.ExitCode() == 0; !ended { // a task was lost too often
					t.Logf("again: %s", coordinator.said())
					coordinator = b.start(home, command...)
				}
				continue
			case <-time.After(time.Duration(200+r.IntN(1500)) * time.Millisecond):
			}
			if total >= most {
				continue
			}
			total++
			switch n := r.IntN(4); n {
			case 0:
				coordinator.kill()
				coordinator = b.start(home, command...)
				kills["coordinator"]++
			case 1:
				server.kill()
				server = b.serve()
				kills["server"]++
			default:
				workers[n-2].kill()
				workers[n-2] = b.join()
				kills["worker"]++
			}
		}
		if d := cmp.Diff(want, b.rows(command[5])); d != "" {
			t.Fatal(d)
		}
	}
	t.Logf("%v in %d experiments", kills, rounds)
}

// Beyond this machine there are keys, or nothing.
func TestKeys(t *testing.T) {
	tier.NeedUsual(t)
	b := lay(t)
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"serve":  {[]string{"fleet", "serve", "--listen", "0.0.0.0:0", "--store", filepath.Join(b.dir, "s")}, "hyfair fleet keys"},
		"join":   {[]string{"fleet", "join", "nats://192.0.2.1:4222"}, "--keys"},
		"status": {[]string{"fleet", "status", "nats://192.0.2.1:4222"}, "--keys"},
		"keys":   {[]string{"fleet", "keys", filepath.Join(b.dir, "k")}, "--host"},
		"ablate": {[]string{"ablate", b.grid(1, 1000), "--fleet", "nats://192.0.2.1:4222"}, "--fleet-keys"},
	} {
		if code, _, stderr := b.run("asks", c.args...); code != 2 || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: %d, %s", name, code, stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(b.dir, "s")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a refused server left a folder")
	}
	keys := func(name string) string {
		dir := filepath.Join(b.dir, name)
		if code, _, stderr := b.run("asks", "fleet", "keys", dir, "--host", "127.0.0.1"); code != 0 {
			t.Fatal(code, stderr)
		}
		return dir
	}
	own, others := keys("own"), keys("others")
	b.serve("--keys", filepath.Join(own, "server"))
	for name, args := range map[string][]string{
		"none":            {"fleet", "status", b.url},
		"of others":       {"fleet", "status", b.url, "--keys", filepath.Join(others, "coordinator")},
		"join, none":      {"fleet", "join", b.url},
		"join, of others": {"fleet", "join", b.url, "--keys", filepath.Join(others, "worker")},
	} {
		if code, _, stderr := b.run("asks", args...); code != 2 {
			t.Errorf("%s: %d, %s", name, code, stderr)
		}
	}
	b.join("--keys", filepath.Join(own, "worker"))
	grid := b.grid(2, 3_000)
	want := b.alone(grid)
	tidy := filepath.Join(b.dir, "fleet.jsonl")
	if code, _, stderr := b.run("coordinator", "ablate", grid, "--fleet", b.url, "--fleet-keys", filepath.Join(own, "coordinator"), "--tidy", tidy); code != 0 {
		t.Fatal(code, stderr)
	}
	if d := cmp.Diff(want, b.rows(tidy)); d != "" {
		t.Error(d)
	}
	if code, _, stderr := b.run("asks", "fleet", "drain", b.url, "--keys", filepath.Join(own, "worker")); code == 0 {
		t.Errorf("a worker drains others: %s", stderr)
	}
	if code, _, stderr := b.run("asks", "fleet", "drain", b.url, "--keys", filepath.Join(own, "coordinator")); code != 0 {
		t.Errorf("%d, %s", code, stderr)
	}
	b.until("end of the drained worker", func() bool {
		return len(b.status("--keys", filepath.Join(own, "coordinator")).Workers) == 0
	})
}

// A worker that has other plugins takes no task, and says why; one that has them does.
func TestWhatAWorkerLacks(t *testing.T) {
	tier.NeedLong(t)
	b := lay(t)
	b.serve()
	other := filepath.Join(b.dir, "other")
	text, err := os.ReadFile(filepath.Join(b.dir, "hyfair-search-sa"))
	if err == nil {
		err = errors.Join(os.Mkdir(other, 0o755), os.WriteFile(filepath.Join(other, "hyfair-search-sa"), append(text, 0), 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
	b.join("--plugin-dir", other)
	grid := b.grid(1, 3_000)
	tidy := filepath.Join(b.dir, "fleet.jsonl")
	coordinator := b.start("coordinator", "ablate", grid, "--fleet", b.url, "--tidy", tidy)
	b.until("word of what is lacking", func() bool {
		for _, w := range b.status().Workers {
			for _, why := range w.Lacks {
				if strings.Contains(why, "strategy sa") && strings.Contains(why, "other files") {
					return true
				}
			}
		}
		return b.over(coordinator)
	})
	b.join()
	b.until("end", func() bool {
		select {
		case <-coordinator.ended:
			return true
		default:
			return false
		}
	})
	if code := coordinator.ProcessState.ExitCode(); code != 0 {
		t.Fatal(code, coordinator.said())
	}
	if d := cmp.Diff(b.alone(grid), b.rows(tidy)); d != "" {
		t.Error(d)
	}
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
func (b *table) fetch(l *link) (jetstream.Msg, *parcel) {
	b.Helper()
	var m jetstream.Msg
	b.until("task", func() bool {
		queue, err := l.js.Stream(b.Context(), tasksStream)
		if err != nil {
			return false
		}
		list := queue.ListConsumers(b.Context())
		for info := range list.Info() {
			from, err := queue.Consumer(b.Context(), info.Name)
			if err != nil {
				continue
			}
			if batch, err := from.Fetch(1, jetstream.FetchMaxWait(time.Second)); err == nil && m == nil {
				m = <-batch.Messages()
			}
		}
		return m != nil
	})
	p, err := parseParcel(m.Data())
	if err != nil {
		b.Fatal(err)
	}
	return m, p
}

// What a worker makes up is a failed try, and what it takes out of the queue without a
// result, or what never was a task, changes nothing.
func TestALiarChangesNothing(t *testing.T) {
	tier.NeedLong(t)
	b := lay(t)
	grid := b.grid(2, 3_000)
	want := b.alone(grid)
	b.serve()
	tidy := filepath.Join(b.dir, "fleet.jsonl")
	coordinator := b.start("coordinator", "ablate", grid, "--fleet", b.url, "--tidy", tidy)
	liar := b.seat()
	line, err := json.Marshal(workers.Line{Event: record.Event{Kind: record.KindFound, Found: &record.Found{X: make([]float64, 10), K: 99, Gap: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	send := func(p *parcel, a answers) {
		parts, err := pack(&a)
		if err != nil {
			t.Fatal(err)
		}
		for n, one := range parts {
			if _, err := liar.js.Publish(t.Context(), partSubject(p.Plan, p.ID, "a", n, len(parts)), one); err != nil {
				t.Fatal(err)
			}
		}
	}
	m, p := b.fetch(liar)
	send(p, answers{Worker: "liar", Answers: []answer{{Content: p.Tasks[0].Content, Lines: string(line)}}})
	m.Ack()
	m, p = b.fetch(liar)
	send(&parcel{Plan: p.Plan, ID: "never-was"}, answers{Worker: "liar", Answers: []answer{{Content: p.Tasks[0].Content}}})
	m.Ack() // without a result
	b.join()
	b.ends(coordinator)
	rows := b.rows(tidy)
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
	if text, _ := os.ReadFile(tidy); !strings.Contains(string(text), "does not hold here") {
		t.Errorf("nobody is told of the lie: %s", text)
	}
}

// A queue that is full, or lost with all it had, costs time.
func TestAQueueThatIsFullOrLost(t *testing.T) {
	tier.NeedLong(t)
	b := lay(t)
	grid := b.grid(4, 4_000)
	want := b.alone(grid)
	server := b.serve("--limit", "200KB") // less than the study's rows
	tidy := filepath.Join(b.dir, "fleet.jsonl")
	coordinator := b.start("coordinator", "ablate", grid, "--fleet", b.url, "--tidy", tidy)
	b.join()
	b.until("word of a full queue", func() bool { return strings.Contains(coordinator.said(), "takes no more") || b.over(coordinator) })
	server.kill()
	server = b.serve()
	b.until("a task", func() bool { return b.over(coordinator) || b.status().Done > 0 })
	server.kill()
	if err := os.RemoveAll(filepath.Join(b.dir, "store")); err != nil {
		t.Fatal(err)
	}
	b.serve()
	b.ends(coordinator)
	if d := cmp.Diff(want, b.rows(tidy)); d != "" {
		t.Error(d)
	}
}

// A task whose process is stopped goes to another worker, and so does one behind a link
// that stands still.
func TestWhatStandsStill(t *testing.T) {
	tier.NeedLong(t)
	b := lay(t)
	grid := b.grid(4, 8_000)
	want := b.alone(grid)
	b.serve()
	_, address, _ := strings.Cut(b.url, "://")
	link := stall(t, address)
	tidy := filepath.Join(b.dir, "fleet.jsonl")
	coordinator := b.start("coordinator", "ablate", grid, "--fleet", b.url, "--tidy", tidy)
	behind := b.start("worker", "fleet", "join", "nats://"+link.address, "--jobs", "1")
	b.until("task under way", func() bool { return b.over(coordinator) || b.status().Busy == 1 })
	link.still.Store(true)
	first := b.join()
	stopped := 0
	b.until("a process to stop", func() bool {
		for _, pid := range b.children(first.Process.Pid) {
			stopped = pid
		}
		return b.over(coordinator) || stopped > 0 && syscall.Kill(stopped, syscall.SIGSTOP) == nil
	})
	b.until("another worker's task", func() bool { return b.over(coordinator) || !b.alive(stopped) })
	link.still.Store(false)
	b.ends(coordinator)
	if d := cmp.Diff(want, b.rows(tidy)); d != "" {
		t.Error(d)
	}
	behind.kill()
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

// stalling is a link to an address that can stand still.
type stalling struct {
	address string
	still   atomic.Bool
}

func stall(t *testing.T, to string) *stalling {
	t.Helper()
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { at.Close() })
	s := &stalling{address: at.Addr().String()}
	carry := func(to, from net.Conn) {
		defer to.Close()
		defer from.Close()
		buffer := make([]byte, 32<<10)
		for {
			n, err := from.Read(buffer)
			for s.still.Load() && t.Context().Err() == nil {
				time.Sleep(10 * time.Millisecond)
			}
			if err != nil {
				return
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			near, err := at.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			go carry(near, far)
			go carry(far, near)
		}
	}()
	return s
}
