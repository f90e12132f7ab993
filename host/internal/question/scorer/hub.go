package scorer

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/model/observed"
)

// Spent is what the answers of a model plugin have cost so far.
type Spent struct {
	// The plugin: its name and its version.
	Plugin string `json:"plugin"`
	// What its scores are: share, logit or number.
	Scale string `json:"scale"`
	// The rows that it was asked about.
	Rows int64 `json:"rows"`
	// The rows whose scores came from the journal.
	Kept int64 `json:"kept"`
	// The time that it took for them, in seconds.
	Seconds float64 `json:"seconds"`
}

// Hub holds the model plugins of a command. Its fields are set before its first use.
type Hub struct {
	// Plugins are the plugins found.
	Plugins *discover.Catalogue
	// Journal opens the journal, which may be nil.
	Journal func() (*journal.Journal, error)
	// Budget is the largest number of rows to ask about; 0: no limit.
	Budget int64
	// Patience is how long a call may take; 0: the constant.
	Patience time.Duration
	// Asked, if not nil, is called after each call with the rows asked about so far.
	Asked func(rows int64)

	ctx    context.Context
	cancel context.CancelFunc
	asked  atomic.Int64

	mu   sync.Mutex
	open map[Ref]*scorer
	err  error
	over chan struct{} // closed when err is set
}

// Ref says where a model plugin is: a plugin's name, or the file with the address of a running one.
type Ref struct{ Plugin, Attach string }

// ErrBudget is the error of a spent budget.
var ErrBudget = errors.New("the budget of rows is spent")

var current atomic.Pointer[Hub]

// Use makes h the hub of this process.
func Use(h *Hub) {
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.open, h.over, h.Patience = map[Ref]*scorer{}, make(chan struct{}), cmp.Or(h.Patience, Patience)
	current.Store(h)
}

// Ended is closed after a failure and at the end of the budget; Err then says which.
func (h *Hub) Ended() <-chan struct{} { return h.over }

// Err is the reason why no more scores are given; nil if they are.
func (h *Hub) Err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// Busy reports whether a plugin is open.
func (h *Hub) Busy() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.open) > 0
}

func (h *Hub) end(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil && h.ctx.Err() == nil {
		h.err = err
		close(h.over)
	}
}

// afford returns the part of the rows that the budget allows.
func (h *Hub) afford(rows []int) ([]int, error) {
	if err := h.Err(); err != nil || h.Budget == 0 {
		return rows, err
	}
	left := h.Budget - h.asked.Load()
	if left < int64(len(rows)) {
		if rows = rows[:max(0, left)]; len(rows) == 0 {
			return nil, fmt.Errorf("%w: --calls %d", ErrBudget, h.Budget)
		}
	}
	return rows, nil
}

func (h *Hub) progress(rows int) {
	if n := h.asked.Add(int64(rows)); h.Asked != nil {
		h.Asked(n)
	}
}

// Close writes what is to be kept, and ends the plugins that it started.
func (h *Hub) Close() error {
	h.cancel()
	h.mu.Lock()
	all := h.open
	h.open = map[Ref]*scorer{}
	h.mu.Unlock()
	var err error
	for _, s := range all {
		s.mu.Lock()
		err = errors.Join(err, s.keep(), s.close())
		s.mu.Unlock()
	}
	return err
}

// Opened is a model plugin that was opened for a study.
type Opened struct {
	Model *observed.Model
	// Spent is what its answers cost.
	Spent *Spent
	// Names are the features that it takes, in this order; empty: those of the study.
	Names []string
	// SHA256 identifies the model.
	SHA256 string
	// Number: its scores are numbers, not probabilities or logits.
	Number bool
}

// Open opens the plugin for a study with these features, or returns the one that is open.
func Open(ref Ref, features []string) (*Opened, error) {
	h := current.Load()
	if h == nil {
		return nil, errors.New("no model plugins can be started here")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.open[ref]
	if s == nil {
		var err error
		if s, err = h.start(ref); err != nil {
			return nil, err
		}
		h.open[ref] = s
	}
	names := s.d.Features
	if len(names) == 0 {
		names = features
	}
	for _, name := range names {
		if !slices.Contains(features, name) {
			return nil, fmt.Errorf("%s takes the features %s; the study has no %s, but %s", s.name, strings.Join(s.d.Features, ", "), name, strings.Join(features, ", "))
		}
	}
	sum := sha256.Sum256(fmt.Appendf(s.under[:], "%q", names))
	id := hex.EncodeToString(sum[:])
	return &Opened{
		Model: observed.New(s, s.d.Scale, len(names), id), Spent: &s.spent, Names: names, SHA256: id, Number: s.d.Scale == sdk.ScaleNumber,
	}, nil
}

// start starts or attaches a plugin.
func (h *Hub) start(ref Ref) (*scorer, error) {
	s := &scorer{hub: h, now: map[rowKey]float64{}, earlier: map[rowKey]float64{}, batch: 1, keptAt: time.Now()}
	files := ""
	if ref.Attach != "" {
		address, err := client.ReadAddress(ref.Attach)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", ref.Attach, err)
		}
		a, err := client.Attach(h.ctx, address, 0)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", ref.Attach, err)
		}
		s.model, s.name, s.close = a, a.String(), a.Close
	} else {
		p, err := h.Plugins.Launch(h.ctx, client.Model, ref.Plugin)
		if err != nil {
			return nil, err
		}
		id, err := p.Identity()
		if err != nil {
			return nil, errors.Join(err, p.Close())
		}
		s.model, s.name, s.close, files = p.Model(), p.String(), p.Close, id.SHA256
	}
	s.d, _ = s.model.Describe(h.ctx)
	s.d.Batch = min(cmp.Or(s.d.Batch, sdk.DefaultBatch), sdk.DefaultBatch)
	s.spent = Spent{Plugin: strings.TrimSpace(s.d.Name + " " + s.d.Version), Scale: s.d.Scale.String()}
	identity := cmp.Or(s.d.Identity, rand.Text()) // without one, results of other runs may be of another model
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d %q", s.d.Name, s.d.Version, identity, s.d.Scale, files))
	copy(s.under[:], sum[:])
	if s.d.Identity == "" {
		return s, nil
	}
	j, err := h.Journal()
	if j != nil && err == nil {
		s.kept = j
		err = j.Scores(s.under, func(some []journal.Score) bool {
			for _, one := range some {
				s.earlier[one.Row] = one.Score
			}
			return len(s.earlier) < maxHeld
		})
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// Base is the file name of a reference, for messages and results.
func (r Ref) Base() string { return cmp.Or(r.Plugin, filepath.Base(r.Attach)) }

// Text says what was spent, in a sentence.
func (s *Spent) Text() string {
	text := fmt.Sprintf("Observed: all that is known of the model are the answers of the plugin %s, and nothing is proved about it. It was asked about %s rows, in %s",
		s.Plugin, view.Count(s.Rows), view.Seconds(s.Seconds))
	if s.Kept > 0 {
		text += fmt.Sprintf("; the scores of %s rows are those of earlier runs", view.Count(s.Kept))
	}
	return text + "."
}
