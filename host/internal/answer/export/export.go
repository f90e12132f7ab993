// Package export writes a problem as a file of a format that other tools read: SMT-LIB 2, MPS,
// the LP format, and VNN-LIB along with an ONNX network. The file holds the problem that a
// solver plugin gets: the same rows and the same numbers to the last bit; names are made legal.
package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/hyfair/hyfair/sdk/problem"
)

// Format is a file format and the form of problem that it can state.
type Format struct {
	Name    string
	Summary string
	// Form is the form of the problems that Write takes; Extension begins with a dot.
	Form      problem.Form
	Extension string

	// comment begins a comment that ends with its line.
	comment string
	write   func(*writer, *problem.Problem) error
}

// Formats lists all formats: a new format adds one line.
var Formats = []Format{
	{"smt2", "SMT-LIB 2 script", problem.FormSMT, ".smt2", "; ", writeSMT},
	{"mps", "mixed-integer program in free MPS", problem.FormMILP, ".mps", "* ", writeMPS},
	{"lp", "mixed-integer program in the CPLEX LP format", problem.FormMILP, ".lp", `\ `, writeLP},
	{"vnnlib", "VNN-LIB property over an ONNX network", problem.FormNetwork, ".vnnlib", "; ", writeProperty},
}

// Lookup finds a format by name.
func Lookup(name string) (Format, error) {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		if f.Name == name {
			return f, nil
		}
		names[i] = f.Name
	}
	return Format{}, fmt.Errorf("unknown format %q; known: %s", name, strings.Join(names, ", "))
}

// Write writes p, with the comments as separate lines at the top. p must have the format's
// form, and is validated first. For vnnlib it writes the property; WriteNetwork writes the
// property's network.
func Write(w io.Writer, f Format, p *problem.Problem, comments ...string) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if p.Form() != f.Form {
		return fmt.Errorf("the %s format writes problems in the %s form, not in the %s form", f.Name, f.Form, p.Form())
	}
	out := &writer{Writer: bufio.NewWriter(w), mark: f.comment}
	out.comments(comments...)
	if err := f.write(out, p); err != nil {
		return err
	}
	return out.Flush()
}

// writer keeps the first error until Flush, as bufio does.
type writer struct {
	*bufio.Writer
	mark string
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(w.Writer, format, args...) }

// comments writes every line of the texts as one comment.
func (w *writer) comments(lines ...string) {
	for _, text := range lines {
		for line := range strings.SplitSeq(text, "\n") {
			w.printf("%s%s\n", w.mark, printable(line))
		}
	}
}

// renamed lists the changed names in comments.
func (w *writer) renamed(n *names) {
	for i, old := range n.old {
		if old != n.new[i] {
			w.comments(fmt.Sprintf("%s is %+q", n.new[i], old))
		}
	}
}
