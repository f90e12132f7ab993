package yamlfile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Reader reads values from nodes and collects faults. A nil node means that the key is missing: its
// value is zero, and no fault is reported.
type Reader struct {
	faults Faults
}

// Fault reports a mistake at n. The same message at the same place is reported once.
func (r *Reader) Fault(n *Node, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if n.Path != "" {
		message = n.Path + ": " + message
	}
	fault := &Fault{n.At, message}
	if !slices.ContainsFunc(r.faults, func(g *Fault) bool { return *g == *fault }) {
		r.faults = append(r.faults, fault)
	}
}

// Err returns the reported faults as Faults; nil if there are none.
func (r *Reader) Err() error {
	if len(r.faults) == 0 {
		return nil
	}
	return r.faults.sorted()
}

// Kind reports whether n has the wanted kind, and a fault if it has another.
func (r *Reader) Kind(n *Node, want Kind) bool {
	if n == nil {
		return false
	}
	if n.Kind != want {
		r.Fault(n, "want %s, this is %s", want, n.Kind)
	}
	return n.Kind == want
}

// Mapping checks that n is a mapping, and reports its unknown keys; false if it is not a mapping.
func (r *Reader) Mapping(n *Node, known ...string) bool {
	if !r.Kind(n, Mapping) {
		return false
	}
	for _, e := range n.Entries {
		if !slices.Contains(known, e.Key.Text) {
			r.FaultAt(n, e, "unknown key %q; %s", e.Key.Text, Suggest(e.Key.Text, known))
		}
	}
	return true
}

// FaultAt reports a mistake of the mapping n at the place of an entry's key.
func (r *Reader) FaultAt(n *Node, e Entry, format string, args ...any) {
	r.Fault(&Node{At: e.Key.At, Path: n.Path}, format, args...)
}

// Text reads a single value as written.
func (r *Reader) Text(n *Node) (string, bool) {
	if !r.Kind(n, Scalar) {
		return "", false
	}
	if strings.TrimSpace(n.Text) == "" && !n.Quoted {
		r.Fault(n, "is empty")
		return "", false
	}
	return n.Text, true
}

// Name reads a text that must not be blank.
func (r *Reader) Name(n *Node) (string, bool) {
	text, ok := r.Text(n)
	if ok && strings.TrimSpace(text) == "" {
		r.Fault(n, "is empty")
		return "", false
	}
	return text, ok
}

// Texts reads a list of single values, or one alone.
func (r *Reader) Texts(n *Node) ([]string, bool) {
	if n == nil || n.Kind != Scalar && !r.Kind(n, Sequence) {
		return nil, false
	}
	out, all := make([]string, 0, len(n.Items)), true
	for _, item := range n.List() {
		text, ok := r.Text(item)
		out, all = append(out, text), all && ok
	}
	return out, all
}

// Choice reads one of the words.
func (r *Reader) Choice(n *Node, words ...string) (string, bool) {
	text, ok := r.Text(n)
	if ok && !slices.Contains(words, text) {
		r.Fault(n, "unknown value %q; %s", text, Suggest(text, words))
		return "", false
	}
	return text, ok
}

// Decimal is a regular expression for numbers.
const Decimal = `[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?`

var isDecimal = regexp.MustCompile(`^` + Decimal + `$`)

// Float returns a scalar's number; false if it is not a number.
func (n *Node) Float() (float64, bool) {
	if n.Quoted || len(n.Text) > 64 || !isDecimal.MatchString(n.Text) {
		return 0, false
	}
	v, err := strconv.ParseFloat(n.Text, 64)
	return v + 0, err == nil // +0 turns −0 into 0
}

// Number reads a number.
func (r *Reader) Number(n *Node) (float64, bool) {
	if !r.Kind(n, Scalar) {
		return 0, false
	}
	v, ok := n.Float()
	if !ok {
		r.Fault(n, "%q is not a number", n.Text)
	}
	return v, ok
}

// Integer reads a whole number from lo to hi, both within ±2^53.
func (r *Reader) Integer(n *Node, lo, hi int) (int, bool) {
	v, ok := r.Number(n)
	if ok && (v < float64(lo) || v > float64(hi) || v != float64(int(v))) {
		r.Fault(n, "%s is not a whole number from %d to %d", n.Text, lo, hi)
		return 0, false
	}
	return int(v), ok
}

// Boolean reads true or false.
func (r *Reader) Boolean(n *Node) (value, ok bool) {
	if !r.Kind(n, Scalar) {
		return false, false
	}
	if n.Quoted || n.Text != "true" && n.Text != "false" {
		r.Fault(n, "%q is neither true nor false", n.Text)
		return false, false
	}
	return n.Text == "true", true
}
