package certificate

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

type treesLine struct {
	Trees treesJSON `json:"trees"`
}

type treesJSON struct {
	Inputs int          `json:"inputs"`
	Link   string       `json:"link"`
	Base   float64      `json:"base"`
	Trees  [][]nodeJSON `json:"trees"`
}

// nodeJSON is a tree's leaf, or a comparison with its two children.
type nodeJSON struct {
	Leaf    *float64  `json:"leaf,omitempty"`
	Input   *int32    `json:"input,omitempty"`
	Borders []float64 `json:"borders,omitempty"`
	Closed  bool      `json:"closed,omitempty"`
	Left    int32     `json:"left,omitempty"`
	Right   int32     `json:"right,omitempty"`
}

// modelLine returns the value that the model's line encodes.
func (s *Statement) modelLine() any {
	if s.Network != nil {
		return networkLine{s.Network}
	}
	e := s.Trees
	out := treesJSON{Inputs: e.Columns, Link: e.Output.String(), Base: e.Base, Trees: [][]nodeJSON{}}
	for _, t := range e.Trees {
		nodes := make([]nodeJSON, len(t))
		for i := range t {
			if n := &t[i]; n.IsLeaf() {
				nodes[i].Leaf = &n.Value
			} else {
				nodes[i] = nodeJSON{Input: &n.Input, Borders: append([]float64{n.Value}, n.More...), Closed: n.Closed, Left: n.Left, Right: n.Right}
			}
		}
		out.Trees = append(out.Trees, nodes)
	}
	return treesLine{out}
}

// modelSHA256 returns the model's fingerprint. For trees it is computed from their line,
// which leaves out missing values: no individual of the space has them.
func (s *Statement) modelSHA256() (string, error) {
	if s.Network != nil {
		return s.Network.Fingerprint(), nil
	}
	text, err := line(s.modelLine())
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

func (s *Statement) parseTrees(sc *scanner) error {
	e := &trees.Ensemble{}
	s.Trees = e
	return sc.object(
		field{name: "inputs", read: into(&e.Columns, sc.between(1, trees.MaxInputs))},
		field{name: "link", read: word(sc, &e.Output, fairness.Links...)},
		field{name: "base", read: into(&e.Base, sc.number)},
		field{name: "trees", read: list(sc, trees.MaxNodes, &e.Trees, func(sc *scanner) (t trees.Tree, err error) {
			err = list(sc, trees.MaxNodes, (*[]trees.Node)(&t), parseNode)()
			return t, err
		})},
	)
}

func parseNode(sc *scanner) (n trees.Node, err error) {
	n.Input = -1
	leaf, comparison := 0, 0
	part := func(count *int, read func() error) func() error {
		return func() error { *count++; return read() }
	}
	place := func(to *int32, most int) func() error {
		return part(&comparison, func() error {
			v, err := sc.integer(0, most)
			*to = int32(v)
			return err
		})
	}
	err = sc.object(
		field{name: "leaf", optional: true, read: part(&leaf, into(&n.Value, sc.number))},
		field{name: "input", optional: true, read: place(&n.Input, trees.MaxInputs)},
		field{name: "borders", optional: true, read: part(&comparison, func() error {
			borders, err := sc.floats(trees.MaxNodes)
			if err == nil && len(borders) == 0 {
				err = sc.errorf("no border; at least one expected")
			}
			if err == nil {
				n.Value, n.More = borders[0], borders[1:]
			}
			return err
		})},
		field{name: "closed", optional: true, read: into(&n.Closed, sc.boolean)},
		field{name: "left", optional: true, read: place(&n.Left, trees.MaxNodes)},
		field{name: "right", optional: true, read: place(&n.Right, trees.MaxNodes)},
	)
	if err == nil && (leaf != 1 || comparison != 0 || n.Closed) && (leaf != 0 || comparison != 4) {
		err = sc.errorf("a node must have either leaf, or input, borders, left and right")
	}
	return n, err
}
