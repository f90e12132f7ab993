package fleet

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/view"
)

// requirements are what a worker needs for a task: the same program, plugins and libraries,
// byte for byte, and enough threads.
type requirements struct {
	Program string            `json:"program"`
	Version string            `json:"version,omitempty"`
	Plugins map[string]needed `json:"plugins,omitempty"`
	Threads int               `json:"threads"`
}

// needed is a required plugin, keyed by its name in the frame: "solver highs".
type needed struct {
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
}

// name is a digest of the requirements.
func (g *requirements) name() string {
	text, _ := json.Marshal(g)
	return record.Hash(text)[:16]
}

// parcel is one message of the queue: the tasks of a group, or one task.
type parcel struct {
	Plan string `json:"plan"`
	ID   string `json:"id"`
	// Files are the requests' files, by their names on the coordinator. Relative names are
	// relative to Dir.
	Dir   string          `json:"dir"`
	Files map[string]file `json:"files"`
	Tasks []task          `json:"tasks"`
}

// file identifies the content of a file that is copied to workers.
type file struct {
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// task is a task of a parcel.
type task struct {
	// Content is a digest that identifies the task.
	Content string `json:"content"`
	// Key is the task's name in messages.
	Key     string          `json:"key"`
	Kind    string          `json:"kind"`
	Request json.RawMessage `json:"request"`
	Threads int             `json:"threads"`
	Procs   int             `json:"procs,omitempty"`
	Memory  int64           `json:"memory,omitempty"`
	Limit   time.Duration   `json:"limit,omitempty"`
	Clock   string          `json:"clock,omitempty"`
}

// subject is the parcel's subject in the queue.
func (p *parcel) subject(g *requirements) string {
	return taskPrefix + g.name() + "." + p.Plan + "." + p.ID
}

// idOf is a digest of the tasks' contents.
func idOf(tasks []task) string {
	contents := experiment.Each(tasks, func(t *task) string { return t.Content })
	return record.Hash([]byte(strings.Join(contents, "\n")))[:32]
}

// parseParcel decodes and validates a parcel; a worker trusts none of its fields.
func parseParcel(text []byte) (*parcel, error) {
	p := new(parcel)
	if err := json.Unmarshal(text, p); err != nil {
		return nil, err
	}
	switch {
	case !isName(p.Plan) || !isName(p.ID):
		return nil, fmt.Errorf("plan %.80q, parcel %.80q: %s", p.Plan, p.ID, wantName)
	case len(p.Tasks) == 0:
		return nil, errors.New("the parcel has no task")
	}
	for name, f := range p.Files {
		if !isSum(f.SHA256) || f.Size < 0 || f.Size > maxFile {
			return nil, fmt.Errorf("file %q: sum %q, size %d: want a SHA-256 and at most %d bytes", name, f.SHA256, f.Size, maxFile)
		}
	}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		if t.Threads < 1 || t.Threads > experiment.MaxThreads || t.Procs < 0 || t.Procs > experiment.MaxThreads || t.Memory < 0 || t.Limit < 0 {
			return nil, fmt.Errorf("task %q: %d threads, %d processors, memory %d, limit %v: want 1 to %d threads, 0 to %d processors, and no negative number",
				t.Key, t.Threads, t.Procs, t.Memory, t.Limit, experiment.MaxThreads, experiment.MaxThreads)
		}
	}
	return p, nil
}

func isSum(text string) bool {
	b, err := hex.DecodeString(text)
	return err == nil && len(b) == 32 && strings.ToLower(text) == text
}

// wantName says in errors what isName accepts.
const wantName = "want 1 to 64 letters, digits, - and _"

// isName reports whether a text may be a token of a subject.
func isName(text string) bool {
	return text != "" && len(text) <= 64 && strings.Trim(text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == ""
}

// answers are the results of a parcel.
type answers struct {
	Worker  string         `json:"worker"`
	Machine record.Machine `json:"machine"`
	Answers []answer       `json:"answers"`
}

// answer is the result of a task: its process's output, line by line, and its cost.
type answer struct {
	Content string        `json:"content"`
	Lines   string        `json:"lines,omitempty"`
	Usage   workers.Usage `json:"usage"`
	Error   string        `json:"error,omitempty"`
}

// packers and unpackers are pooled: each holds tables of about a megabyte.
var packers, unpackers sync.Pool

// pack encodes, compresses and splits answers into parts of at most maxPart bytes.
func pack(a *answers) ([][]byte, error) {
	var out bytes.Buffer
	z, ok := packers.Get().(*gzip.Writer)
	if !ok {
		z, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed)
	}
	defer packers.Put(z)
	z.Reset(&out)
	if err := errors.Join(json.NewEncoder(z).Encode(a), z.Close()); err != nil {
		return nil, err
	}
	var parts [][]byte
	for b := out.Bytes(); len(b) > 0; {
		n := min(len(b), maxPart)
		parts, b = append(parts, b[:n]), b[n:]
	}
	if len(parts) > maxParts {
		return nil, fmt.Errorf("the results are too large to be sent: %d bytes compressed, at most %d", out.Len(), maxParts*maxPart)
	}
	return parts, nil
}

// unpack decodes joined parts, which are not trusted.
func unpack(b []byte) (*answers, error) {
	z, ok := unpackers.Get().(*gzip.Reader)
	if !ok {
		z = new(gzip.Reader)
	}
	defer unpackers.Put(z)
	if err := z.Reset(bytes.NewReader(b)); err != nil {
		return nil, err
	}
	in := &io.LimitedReader{R: z, N: maxAnswer}
	a := new(answers)
	if err := json.NewDecoder(in).Decode(a); err != nil {
		if in.N <= 0 {
			return nil, fmt.Errorf("the result has more than %d bytes", maxAnswer)
		}
		return nil, err
	}
	for i := range a.Answers {
		u := &a.Answers[i].Usage
		if u.Wall < 0 || u.CPU < 0 || u.Load != nil && (u.Load[0] < 0 || u.Load[1] < 0) || u.Group != nil && (u.Group.Peak < 0 || u.Group.Killed < 0) {
			return nil, fmt.Errorf("the cost in answer %d has a negative time, load, memory or count", i)
		}
	}
	return a, nil
}

// partSubject is the subject of one part of a result.
func partSubject(plan, id, attempt string, n, of int) string {
	return fmt.Sprintf("%s%s.%s.%s.%d.%d", resultPrefix, plan, id, attempt, n, of)
}

// part is the content of a part's subject.
type part struct {
	plan, id, attempt string
	n, of             int
}

// parsePart reads and validates a part's subject.
func parsePart(subject string) (p part, ok bool) {
	inner, found := strings.CutPrefix(subject, resultPrefix)
	words := strings.Split(inner, ".")
	if !found || len(words) != 5 {
		return p, false
	}
	n, err1 := strconv.Atoi(words[3])
	of, err2 := strconv.Atoi(words[4])
	p = part{words[0], words[1], words[2], n, of}
	return p, err1 == nil && err2 == nil && of >= 1 && of <= maxParts && n >= 0 && n < of && isName(p.plan) && isName(p.id) && isName(p.attempt)
}

// maxGathered bounds the bytes of incomplete results.
const maxGathered = 512 << 20

// slot is the memory in bytes of a part that has not arrived.
const slot = 24

// gatherer joins parts. Over maxGathered it drops incomplete results, the oldest first.
type gatherer struct {
	open  map[string]*pile
	order []string
	size  int
}

type pile struct {
	parts [][]byte
	have  int
	size  int
	first message
}

// add stores a part. With the last part it returns the joined parts and the first part's message.
func (g *gatherer) add(p part, body []byte, m message) ([]byte, message) {
	if len(body) > maxPart {
		return nil, m
	}
	if p.of == 1 {
		return body, m
	}
	if g.open == nil {
		g.open = map[string]*pile{}
	}
	key := p.id + "." + p.attempt
	o := g.open[key]
	if o == nil {
		o = &pile{parts: make([][]byte, p.of), first: m, size: overhead + p.of*slot}
		g.open[key], g.order, g.size = o, append(g.order, key), g.size+o.size
	}
	if len(o.parts) != p.of || o.parts[p.n] != nil || len(body) == 0 {
		return nil, m
	}
	o.parts[p.n] = bytes.Clone(body)
	o.have, o.size, g.size = o.have+1, o.size+len(body), g.size+len(body)
	if o.have == p.of {
		g.forget(key)
		return bytes.Join(o.parts, nil), o.first
	}
	for g.size > maxGathered && len(g.order) > 1 {
		g.forget(g.order[0])
	}
	return nil, m
}

// drop discards the parts of a parcel that another attempt has answered.
func (g *gatherer) drop(id string) {
	for _, key := range slices.Clone(g.order) {
		if strings.HasPrefix(key, id+".") {
			g.forget(key)
		}
	}
}

func (g *gatherer) forget(key string) {
	if o := g.open[key]; o != nil {
		g.size -= o.size
		delete(g.open, key)
	}
	if i := slices.Index(g.order, key); i == 0 {
		g.order = g.order[1:]
	} else if i > 0 {
		g.order = slices.Delete(g.order, i, i+1)
	}
}

// State describes a machine of the fleet, in reply to askSubject.
type State struct {
	// The machine's name in the fleet.
	Name string `json:"name"`
	// The role: worker or coordinator.
	Role string `json:"role"`
	// The machine's host name.
	Host string `json:"host"`
	// The machine.
	Machine record.Machine `json:"machine"`
	// The version of its hyfair.
	Version string `json:"version"`
	// The SHA-256 of its hyfair.
	Program string `json:"program"`
	// The time when it joined.
	Since time.Time `json:"since"`
	// For a worker, the number of tasks that it runs at a time.
	Slots int `json:"slots,omitempty"`
	// For a worker, the cores per task.
	Threads int `json:"threads,omitempty"`
	// The running tasks.
	Busy []Doing `json:"busy,omitempty"`
	// The reasons why the worker cannot take waiting tasks.
	Lacks []string `json:"lacks,omitempty"`
	// The worker takes no more tasks.
	Draining bool `json:"draining,omitempty"`
	// The number of tasks done: by a worker since it joined, or of a coordinator's experiment.
	Done int `json:"done"`
	// The number of failed tasks.
	Failed int `json:"failed"`
	// For a coordinator, the number of all tasks.
	Total int `json:"total,omitempty"`
	// For a coordinator, the estimated remaining time in nanoseconds; absent if unknown.
	Left time.Duration `json:"left_ns,omitempty"`
}

// Doing describes a running task.
type Doing struct {
	// The task's key.
	Task string `json:"task"`
	// The time of its start.
	Since time.Time `json:"since"`
	// Its latest progress.
	Latest string `json:"latest,omitempty"`
	// Its command.
	Command string `json:"command,omitempty"`
}

// parseState decodes and validates a State.
func parseState(text []byte) (*State, error) {
	if len(text) > maxState {
		return nil, fmt.Errorf("the state has %d bytes, at most %d are allowed", len(text), maxState)
	}
	s := new(State)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, err
	}
	if !isName(s.Name) || s.Role != RoleWorker && s.Role != RoleCoordinator || s.Slots < 0 || s.Slots > 1<<16 || s.Done < 0 || s.Failed < 0 || s.Total < 0 || s.Left < 0 {
		return nil, fmt.Errorf("state of %.80q: role %.80q, slots %d, done %d, failed %d, total %d, left %v: %s; role %s or %s, at most %d slots, and no negative number",
			s.Name, s.Role, s.Slots, s.Done, s.Failed, s.Total, s.Left, wantName, RoleWorker, RoleCoordinator, 1<<16)
	}
	for _, text := range []*string{&s.Host, &s.Version, &s.Program, &s.Machine.OS, &s.Machine.Arch, &s.Machine.CPU, &s.Machine.Caches, &s.Machine.Governor, &s.Machine.Kernel} {
		*text = view.Printable(*text)
	}
	for i := range s.Busy {
		d := &s.Busy[i]
		d.Task, d.Latest, d.Command = view.Printable(d.Task), view.Printable(d.Latest), view.Printable(d.Command)
	}
	for i := range s.Lacks {
		s.Lacks[i] = view.Printable(s.Lacks[i])
	}
	return s, nil
}
