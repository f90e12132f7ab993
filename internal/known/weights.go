package known

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/hyfair/hyfair/sdk/space"
)

// Population writes a table of weights or a network into a folder, and returns the population's name: weights:FILE or
// network:FILE.
func Population(r *rand.Rand, s *space.Space, folder string) (name string, err error) {
	kind, text := "weights", Weights(r, s)
	if r.IntN(2) == 0 {
		kind, text = "network", Tree(r, s)
	}
	path := filepath.Join(folder, kind)
	return kind + ":" + path, os.WriteFile(path, []byte(text), 0o600)
}

// Weights draws a table of weights as CSV. Its cells are disjoint, over one or two discrete features that are not
// protected. Some weights are 0, and a part of the space may have no cell.
func Weights(r *rand.Rand, s *space.Space) string {
	var names []string
	rows := []string{""}
	for _, i := range s.Free() {
		f := &s.Features[i]
		if !f.Discrete() || len(names) == 2 {
			continue
		}
		names = append(names, f.Name)
		var more []string
		for lo := f.Lo; lo <= f.Hi; {
			hi := min(f.Hi, lo+float64(r.IntN(1+int(f.Hi-f.Lo)/2)))
			for _, row := range rows {
				more = append(more, row+cell(f, lo, hi)+",")
			}
			lo = hi + 1
		}
		rows = more
	}
	out := strings.Join(names, ",") + ",weight\n"
	for k, row := range rows {
		if k == 0 {
			out += row + "1\n"
		} else if r.IntN(8) > 0 {
			out += row + fmt.Sprint(float64(r.IntN(4))/3) + "\n"
		}
	}
	return out
}

// Tree draws a tree-shaped network as YAML, over discrete features, protected ones too. Some probabilities are 0, a part
// of the space may be in no cell, and features without a node may remain.
func Tree(r *rand.Rand, s *space.Space) string {
	out := "nodes:\n"
	type drawn struct {
		name  string
		cells []string
	}
	var nodes []drawn
	for _, k := range r.Perm(len(s.Features)) {
		f := &s.Features[k]
		if !f.Discrete() || len(nodes) > 0 && r.IntN(4) == 0 {
			continue
		}
		own := drawn{name: f.Name}
		for lo := f.Lo; lo <= f.Hi; {
			hi := min(f.Hi, lo+float64(r.IntN(1+int(f.Hi-f.Lo)/2)))
			own.cells = append(own.cells, cell(f, lo, hi))
			lo = hi + 1
		}
		if len(own.cells) > 2 && r.IntN(4) == 0 {
			own.cells = own.cells[1:]
		}
		out += fmt.Sprintf("  %q:\n    cells: [%s]\n    probabilities:", f.Name, quoted(own.cells))
		row := func() string {
			sum, text, all := 0.0, "", make([]float64, len(own.cells))
			for k := range all {
				all[k] = float64(r.IntN(4))
				sum += all[k]
			}
			if sum == 0 {
				all[0], sum = 1, 1
			}
			for k := range all {
				text += fmt.Sprintf("%v, ", all[k]/sum)
			}
			return " [" + text + "]\n"
		}
		if len(nodes) == 0 || r.IntN(5) == 0 {
			out += row()
		} else {
			given := nodes[r.IntN(len(nodes))]
			out += "\n"
			for _, cell := range given.cells {
				out += fmt.Sprintf("      %q:%s", cell, row())
			}
			out += fmt.Sprintf("    given: %q\n", given.name)
		}
		nodes = append(nodes, own)
	}
	return out
}

// cell is the condition that a discrete feature is between two values, both included.
func cell(f *space.Feature, lo, hi float64) string {
	switch {
	case f.Categories != nil:
		return strings.Join(f.Categories[int(lo):int(hi)+1], "|")
	case f.Missing && lo == f.Hi:
		return space.MissingName
	case f.Missing && hi == f.Hi:
		return fmt.Sprintf("%v..%s", lo, space.MissingName)
	}
	return fmt.Sprintf("%v..%v", lo, hi)
}

func quoted(texts []string) (out string) {
	for _, text := range texts {
		out += fmt.Sprintf("%q, ", text)
	}
	return out
}
