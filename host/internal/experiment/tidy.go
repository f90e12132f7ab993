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

// Tidy is an experiment as tidy data: a row per task, failed ones included, and a column per
// variable (H. Wickham, Tidy data, Journal of Statistical Software 59, 2014).
type Tidy struct {
	keys []string
	rows view.Records
	from Kept
}

// Values of the column status.
const (
	Done    = "done"
	Failed  = "failed"
	Missing = "missing"
)

// Add adds a task's row: question, arm with its options, terms, status and measures. If several
// values have the same name, the first counts.
func (t *Tidy) Add(name string, terms *Terms, key string, s *Subject, arm string, options view.Record, seed int64, status string, measures view.Record) {
	row := view.Record{{Name: "experiment", Of: Text(name)}, {Name: "study", Of: s.Study}, {Name: "model", Of: s.Model}, {Name: "arm", Of: Text(arm)}}
	asks := terms.asks(s)
	if s.Asks != nil && len(asks.Rules) == 0 {
		asks.Rules = []string{"none"}
	}
	row = append(append(row, options...), view.Value{Name: "where", Of: Text(asks.Where)}, view.Value{Name: "protected", Of: Text(strings.Join(asks.Protected, ","))},
		view.Value{Name: "rules", Of: Text(strings.Join(asks.Rules, ","))}, view.Value{Name: "threshold", Of: Text(cmp.Or(asks.Threshold, asks.bands()))})
	if terms.Budget != "" { // otherwise the measures may contain it
		row = append(row, view.Value{Name: "budget", Of: terms.Budget})
	}
	row = append(row, view.Value{Name: "clock", Of: Text(terms.Clock)}, view.Value{Name: "threads", Of: terms.Threads}, view.Value{Name: "jobs", Of: terms.Jobs})
	if terms.Memory > 0 {
		row = append(row, view.Value{Name: "memory", Of: terms.Memory})
	}
	measures = append(view.Record{{Name: "seed", Of: seed}, {Name: "status", Of: status}}, measures...) // a grid may have seeds
	for _, v := range measures {
		if !slices.ContainsFunc(row, func(o view.Value) bool { return o.Name == v.Name }) {
			row = append(row, v)
		}
	}
	t.keys, t.rows = append(t.keys, key), append(t.rows, row)
}

// Blank clears all values, and keeps their names.
func Blank(values view.Record) view.Record {
	for i := range values {
		values[i].Of = nil
	}
	return values
}

// Keep stores the place of the tasks in the journal.
func (t *Tidy) Keep(where Kept) { t.from = where }

// Records returns the rows, each with its run, its journal and the machine that did the task.
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

// Text returns s as a value; nil if it is empty.
func Text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// Fields lists the values of a struct by their names in JSON. A field that is a struct or a map of
// texts yields entries named field.name; lists are skipped. An empty text, or a zero that JSON
// omits, yields a name without a value.
func Fields(of any) view.Record { return fields("", reflect.ValueOf(of)) }

func fields(before string, of reflect.Value) (out view.Record) {
	for i := range of.NumField() {
		f, value := of.Type().Field(i), of.Field(i)
		name, omit, _ := strings.Cut(f.Tag.Get("json"), ",")
		name = before + name
		if value.Kind() == reflect.Pointer && value.Type().Elem().Kind() == reflect.Struct && !value.IsNil() {
			value = value.Elem()
		}
		text, told := value.Interface().(interface{ String() string })
		number, isNumber := value.Interface().(*float64)
		switch {
		case name == before+"-":
		case f.Anonymous:
			out = append(out, fields(before, value)...)
		case isNumber:
			out = append(out, view.Value{Name: name, Of: number})
		case value.Kind() == reflect.Struct:
			out = append(out, fields(name+".", value)...)
		case value.Kind() == reflect.Map:
			set, _ := value.Interface().(map[string]string)
			for _, key := range slices.Sorted(maps.Keys(set)) {
				out = append(out, view.Value{Name: name + "." + key, Of: set[key]})
			}
		case value.Kind() == reflect.Slice || value.Kind() == reflect.Pointer:
		case value.IsZero() && (omit != "" || value.Kind() == reflect.String):
			out = append(out, view.Value{Name: name})
		case told:
			out = append(out, view.Value{Name: name, Of: text.String()})
		default:
			out = append(out, view.Value{Name: name, Of: value.Interface()})
		}
	}
	return out
}
