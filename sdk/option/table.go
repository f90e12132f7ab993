package option

import (
	"slices"

	"github.com/hyfair/hyfair/sdk"
)

// Table lists options with their allowed values, for a plugin that passes them on.
type Table []Entry

// Entry is an option whose value is one of Words or, if Words is nil, a number from Min
// to Max, an integer if Whole is set.
type Entry struct {
	sdk.Option
	Words    []string
	Min, Max float64
	Whole    bool
}

// Value is an option's value: the word and its position in Words, or the number.
type Value struct {
	Word   string
	Int    int // the position, or a whole number
	Number float64
}

// Options returns the table's options for a plugin's description.
func (t Table) Options() []sdk.Option {
	out := make([]sdk.Option, len(t))
	for i := range t {
		out[i] = t[i].Option
	}
	return out
}

// Read returns a value for every option: the given one, or the default.
func (t Table) Read(given map[string]string) (map[string]Value, error) {
	values := map[string]Value{}
	r := Read(t.Options(), given)
	for _, e := range t {
		switch {
		case e.Words != nil:
			word := r.Choice(e.Name, e.Words...)
			values[e.Name] = Value{Word: word, Int: slices.Index(e.Words, word)}
		case e.Whole:
			v := r.Int(e.Name, int(e.Min), int(e.Max))
			values[e.Name] = Value{Int: v, Number: float64(v)}
		default:
			values[e.Name] = Value{Number: r.Float(e.Name, e.Min, e.Max)}
		}
	}
	return values, r.Err()
}
