package experiment

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Tidy are the tasks of an experiment as data: a row each, whatever became of it, and a
// column for each thing that is known of it (H. Wickham, Tidy data, Journal of
// Statistical Software 59, 2014).
type Tidy struct {
	keys []string
	rows view.Records
	from Kept
}

// What became of a task, in the column status.
const (
	Done    = "done"
	Failed  = "failed"
	Missing = "missing"
)

// Add adds a task's row: what it was about, the arm as it ran, what it was given and what
// it came to.
func (t *Tidy) Add(name string, terms *Terms, key string, s *Subject, armName string, arm any, seed int64, status string, measures ...view.Value) {
	row := view.Record{{Name: "experiment", Of: Text(name)}, {Name: "study", Of: s.Study}, {Name: "model", Of: s.Model}, {Name: "arm", Of: armName}}
	row = append(append(row, options(reflect.ValueOf(arm))...), view.Value{Name: "budget", Of: terms.Budget}, view.Value{Name: "threads", Of: terms.Threads},
		view.Value{Name: "jobs", Of: terms.Jobs}, view.Value{Name: "seed", Of: seed}, view.Value{Name: "status", Of: status})
	t.keys, t.rows = append(t.keys, key), append(t.rows, append(row, measures...))
}

// Records are the rows, with the runs of the journal and the machines that did them.
func (t *Tidy) Records() view.Records {
	out := make(view.Records, len(t.rows))
	for i, row := range t.rows {
		at, machine := journal.Origin{Run: t.from.Run, Journal: t.from.Journal}, ""
		if t.from.Machine != nil {
			at.Machine = *t.from.Machine
		}
		if o := t.from.origins[t.keys[i]]; o != nil {
			at = *o
			at.Journal = cmp.Or(at.Journal, t.from.Journal)
		}
		if machine = at.Machine.String(); slices.Contains(row, view.Value{Name: "status", Of: Missing}) {
			at, machine = journal.Origin{}, ""
		}
		out[i] = slices.Concat(row, view.Record{{Name: "run", Of: Text(at.Run)}, {Name: "journal", Of: Text(at.Journal)}, {Name: "machine", Of: Text(machine)}})
	}
	return out
}

// Text is a value; none where it is empty.
func Text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// options are the fields of an arm by their names in JSON, but for its name, with those
// of a map as field.key. Empty ones have no value.
func options(arm reflect.Value) (out view.Record) {
	for i := range arm.NumField() {
		f, value := arm.Type().Field(i), arm.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			out = append(out, options(value)...)
		case name == "-" || name == "name":
		case value.Kind() == reflect.Map:
			set := value.Interface().(map[string]string)
			for _, key := range slices.Sorted(maps.Keys(set)) {
				out = append(out, view.Value{Name: name + "." + key, Of: set[key]})
			}
		case value.IsZero():
			out = append(out, view.Value{Name: name})
		default:
			of := value.Interface()
			if s, ok := of.(interface{ String() string }); ok {
				of = s.String()
			}
			out = append(out, view.Value{Name: name, Of: of})
		}
	}
	return out
}
