// Package option reads a plugin's options. The host sends them as strings by name; a
// Reader turns them into numbers and words, with the defaults that the plugin
// describes and the ranges that it allows:
//
//	r := option.Read(options, o.Options)
//	p, k := r.Float("p", 0, 1), r.Int("neighbours", 1, 1000)
//	if err := r.Err(); err != nil {
//		return nil, err
//	}
package option

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/sdk"
)

// Reader reads one set of options. It keeps the first error and continues, so that one check
// of Err at the end suffices; after an error, values are meaningless. The zero value has no
// options. Not safe for concurrent use.
type Reader struct {
	described []sdk.Option
	given     map[string]string
	err       error
}

// Read returns a Reader of the given values, with the defaults of the described
// options. If Check refuses a name, its error is the Reader's.
func Read(described []sdk.Option, given map[string]string) *Reader {
	return &Reader{described: described, given: given, err: Check("this plugin", described, given)}
}

// Check returns an sdk.ErrInvalidOption if a value is given for a name that is not
// described; it names the plugin and its options.
func Check(plugin string, described []sdk.Option, given map[string]string) error {
	known := make([]string, len(described))
	for i, o := range described {
		known[i] = o.Name
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(known, name) {
			continue
		}
		takes := "it takes none"
		if len(known) > 0 {
			takes = "it takes " + strings.Join(known, ", ")
		}
		return fmt.Errorf("%w: %s has no option %q; %s", sdk.ErrInvalidOption, plugin, name, takes)
	}
	return nil
}

// Err returns the first error. It wraps sdk.ErrInvalidOption, unless the plugin read an
// option that it does not describe.
func (r *Reader) Err() error { return r.err }

// Float reads a finite number from lo to hi; lo and hi may be infinite.
func (r *Reader) Float(name string, lo, hi float64) float64 {
	v, err := strconv.ParseFloat(r.text(name), 64)
	if err != nil || math.IsInf(v, 0) || !(v >= lo && v <= hi) {
		within := fmt.Sprintf("from %g to %g", lo, hi)
		switch {
		case math.IsInf(hi, 1) && math.IsInf(lo, -1):
			within = "that is finite"
		case math.IsInf(hi, 1):
			within = fmt.Sprintf("of at least %g", lo)
		case math.IsInf(lo, -1):
			within = fmt.Sprintf("of at most %g", hi)
		}
		r.refuse(name, "is a number "+within)
	}
	return v
}

// Int reads a whole number from lo to hi. It may be written as 1e6.
func (r *Reader) Int(name string, lo, hi int) int {
	v, ok := whole(r.text(name))
	if !ok || v < lo || v > hi {
		r.refuse(name, fmt.Sprintf("is a whole number from %d to %d", lo, hi))
	}
	return v
}

func whole(text string) (v int, ok bool) {
	if v, err := strconv.Atoi(text); err == nil {
		return v, true
	}
	f, err := strconv.ParseFloat(text, 64)
	// Up to 2⁵³ a float64 is exactly the number that was written; an int may have fewer bits.
	v = int(max(math.MinInt, min(f, 1<<53, math.MaxInt)))
	return v, err == nil && float64(v) == f
}

// Bool reads a truth value, written as true or false; anything else is an error.
func (r *Reader) Bool(name string) bool { return r.Choice(name, "true", "false") == "true" }

// Choice reads a value that must be one of the words; the error lists them.
func (r *Reader) Choice(name string, words ...string) string {
	word := r.text(name)
	if !slices.Contains(words, word) {
		r.refuse(name, "are "+strings.Join(words, ", "))
	}
	return word
}

// Require refuses an option's value unless ok, for conditions other than a range. The
// option's help must say what is allowed.
func (r *Reader) Require(name string, ok bool) {
	if !ok {
		r.refuse(name, "")
	}
}

func (r *Reader) find(name string) (o sdk.Option, ok bool) {
	i := slices.IndexFunc(r.described, func(o sdk.Option) bool { return o.Name == name })
	if i < 0 {
		return o, false
	}
	return r.described[i], true
}

// text returns an option's value as given, or its default.
func (r *Reader) text(name string) string {
	if text, ok := r.given[name]; ok {
		return text
	}
	o, ok := r.find(name)
	if !ok && r.err == nil {
		r.err = fmt.Errorf("the plugin reads an option %q that it does not describe", name)
	}
	return o.Default
}

// refuse records an error with the option's help and, if not empty, with what is allowed.
func (r *Reader) refuse(name, allowed string) {
	if r.err != nil {
		return
	}
	if allowed != "" {
		allowed = "; allowed " + allowed
	}
	o, _ := r.find(name)
	r.err = fmt.Errorf("%w: %s = %q%s; %s: %s", sdk.ErrInvalidOption, name, r.text(name), allowed, name, o.Help)
}
