package encode

import (
	"fmt"
	"strings"

	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Encoding is a named lowering to the MILP form.
type Encoding struct {
	Name    string
	Summary string
	Lower   func(*problem.Query, *bound.Bounds) (*Lowered, error)
}

// Encodings is the register: a new encoding adds one line.
var Encodings = []Encoding{
	{"bigm", "one binary a ReLU of open sign, big-M rows from the bounds (the paper's MILP)", BigM},
	{"bigm+diff", "bigm with rows on the difference of the two copies of each neuron", BigMDifferences},
}

// Lookup finds an encoding by name.
func Lookup(name string) (Encoding, error) {
	names := make([]string, len(Encodings))
	for i, e := range Encodings {
		if e.Name == name {
			return e, nil
		}
		names[i] = e.Name
	}
	return Encoding{}, fmt.Errorf("unknown encoding %q; known: %s", name, strings.Join(names, ", "))
}
