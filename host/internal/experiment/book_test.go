package experiment

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
)

// counting is a plan of one cell whose tasks give their seeds.
type counting struct {
	runs   int
	made   *[]int64
	budget string // in a time, each task is a cell
}

func (p counting) Frame() *Frame {
	f := &Frame{Command: "count", Plan: "count", Subjects: []*Subject{{Study: "s", Model: "m"}}, Arms: []string{"a"}}
	f.Runs, f.Seed, f.Threads, f.Jobs, f.Budget = p.runs, 1, 1, 1, p.budget
	return f
}

func (p counting) Do(ctx context.Context, b *Bench) error {
	var tasks []Task
	for _, e := range Entries(p.Frame(), []string{"s"}, []string{"a"}) {
		cell := e.Cell()
		if p.budget != "" {
			cell = ""
		}
		tasks = append(tasks, Task{Key: e.Key, Asked: e.Seed, Cell: cell, Try: func(context.Context, []int, string, func(string)) (Outcome, error) {
			*p.made = append(*p.made, e.Seed)
			return Outcome{Result: e.Seed}, nil
		}})
	}
	return b.Run(ctx, tasks, Options{Jobs: 1})
}

func (counting) Tabulate(record.Store) (Table, error) { return &counted{}, nil }

type counted struct{ Kept }

func (*counted) Document() *view.Document { return nil }
func (*counted) Records() view.Records    { return nil }
func (*counted) Failure() error           { return nil }
func (c *counted) Keep(k Kept)            { c.Kept = k }

// counts runs the given number of tasks and lists those run now.
func counts(t *testing.T, path string, runs int, how Beginning) (made []int64, taken []Taken) {
	t.Helper()
	s := &session.Session{JournalFile: path}
	table, err := Conduct(t.Context(), s, Here{}, counting{runs, &made, ""}, how)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return made, table.(*counted).Taken
}

// moved is a copy of what a journal has of seeds 1 to n, as made on another machine.
func moved(t *testing.T, n int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "other.db")
	counts(t, path, int(n), Beginning{})
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	infos, err := j.Runs()
	if err != nil {
		t.Fatal(err)
	}
	started := infos[0].Started
	started.Machine.CPU = "another"
	away := filepath.Join(t.TempDir(), "away.db")
	to, err := journal.Open(away)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	run, err := to.Begin(started)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Tasks(infos[0].Name, func(d journal.Done) error { return run.CompleteAs(d, 0) }); err != nil {
		t.Fatal(err)
	}
	if err := run.Finish(record.Finished{}); err != nil {
		t.Fatal(err)
	}
	return away
}

// Tasks that stand side by side in a table are done on machines that are alike.
func TestNoCellIsMixed(t *testing.T) {
	all, two := []int64{1, 2, 3, 4}, moved(t, 2)
	for name, c := range map[string]struct {
		have  int // of this machine, in the same journal
		how   Beginning
		runs  int
		made  []int64
		taken string
	}{
		"nothing there":                   {0, Beginning{}, 4, all, ""},
		"some there":                      {2, Beginning{}, 4, []int64{3, 4}, " 2"},
		"all there":                       {4, Beginning{}, 4, nil, " 4"},
		"fewer are wanted":                {4, Beginning{}, 2, nil, " 2"},
		"again":                           {4, Beginning{Fresh: true}, 4, all, ""},
		"elsewhere, whole":                {0, Beginning{Reuse: []string{two}}, 2, nil, " 2 another"},
		"elsewhere, in part":              {0, Beginning{Reuse: []string{two}}, 4, all, ""},
		"here in part, elsewhere all":     {1, Beginning{Reuse: []string{two}}, 2, []int64{2}, " 1"},
		"here some, elsewhere the others": {3, Beginning{Reuse: []string{two}}, 4, []int64{4}, " 3"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j.db")
			if c.have > 0 {
				counts(t, path, c.have, Beginning{})
			}
			made, taken := counts(t, path, c.runs, c.how)
			text := ""
			for _, from := range taken {
				text += fmt.Sprintf(" %d", from.Tasks)
				if from.Machine.CPU == "another" {
					text += " another"
				}
			}
			if !slices.Equal(made, c.made) || text != c.taken {
				t.Errorf("made %v, taken%s; want %v, taken%s", made, text, c.made, c.taken)
			}
		})
	}
}

// Under a budget in time no table has results of two kinds of processors, in whichever cells.
func TestNoTimeIsMixed(t *testing.T) {
	two := moved(t, 2)
	for budget, want := range map[string]struct{ part, whole string }{
		"1s":  {"[1 2 3 4]", "[]"},
		"5it": {"[3 4]", "[]"},
	} {
		for runs, want := range map[int]string{4: want.part, 2: want.whole} {
			var made []int64
			s := &session.Session{JournalFile: filepath.Join(t.TempDir(), "j.db")}
			if _, err := Conduct(t.Context(), s, Here{}, counting{runs, &made, budget}, Beginning{Reuse: []string{two}}); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if text := fmt.Sprint(made); text != want {
				t.Errorf("budget %s, %d runs: made %s, want %s", budget, runs, text, want)
			}
		}
	}
}

// A run that cannot be resumed is not begun as a new one.
func TestNothingToGoOnWithWithoutAJournal(t *testing.T) {
	s := &session.Session{Events: func(record.Event) {}} // which takes the journal's place
	f := counting{runs: 1}.Frame()
	if b, err := open(s, f, Beginning{Resume: true}); b != nil || !session.IsMistake(err) {
		t.Errorf("%v, %v", b, err)
	}
	if b, err := open(s, f, Beginning{}); b == nil || err != nil {
		t.Errorf("%v, %v", b, err)
	}
}
