package trees

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/model"
)

func init() { model.Register(Family, read) }

// Fingerprint implements model.Model.
func (e *Ensemble) Fingerprint() string {
	text, _ := e.MarshalBinary()
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// MarshalBinary implements model.Portable: a hyfair.problem.v1.TreeEnsemble.
func (e *Ensemble) MarshalBinary() ([]byte, error) {
	m := &problemv1.TreeEnsemble{Inputs: int32(e.Columns), Identity: e.Output != fairness.LinkSigmoid, Share: e.Output == fairness.LinkShare, Base: e.Base}
	n := e.Parameters() // no fewer than nodes
	m.Input, m.Left, m.Right = make([]int32, 0, n), make([]int32, 0, n), make([]int32, 0, n)
	m.Value, m.Closed, m.Missing = make([]float64, 0, n), make([]bool, 0, n), make([]bool, 0, n)
	for _, t := range e.Trees {
		m.Nodes = append(m.Nodes, int32(len(t)))
		for i := range t {
			n := &t[i]
			if len(n.More) > 0 {
				m.More = append(m.More, &problemv1.Borders{Node: int32(len(m.Input)), Borders: n.More})
			}
			m.Input, m.Left, m.Right = append(m.Input, n.Input), append(m.Left, n.Left), append(m.Right, n.Right)
			m.Value, m.Closed, m.Missing = append(m.Value, n.Value), append(m.Closed, n.Closed), append(m.Missing, n.Missing)
		}
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}

func read(content []byte) (model.Model, error) {
	m := &problemv1.TreeEnsemble{}
	if err := proto.Unmarshal(content, m); err != nil {
		return nil, err
	}
	n := len(m.Input)
	if n > MaxNodes {
		return nil, fmt.Errorf("more than %d nodes", MaxNodes)
	}
	for _, have := range []int{len(m.Left), len(m.Right), len(m.Value), len(m.Closed), len(m.Missing)} {
		if have != n {
			return nil, errors.New("the lists of nodes differ in length")
		}
	}
	all := make(Tree, n)
	for i := range all {
		all[i] = Node{Input: max(m.Input[i], -1), Left: m.Left[i], Right: m.Right[i], Value: m.Value[i], Closed: m.Closed[i], Missing: m.Missing[i]}
	}
	for _, b := range m.More {
		if b.GetNode() < 0 || int(b.GetNode()) >= n || len(b.GetBorders()) == 0 {
			return nil, errors.New("a list of borders belongs to no node, or is empty")
		}
		all[b.GetNode()].More = b.GetBorders()
	}
	e := &Ensemble{Columns: int(m.Inputs), Output: fairness.LinkSigmoid, Base: m.Base}
	switch {
	case m.Share:
		e.Output = fairness.LinkShare
	case m.Identity:
		e.Output = fairness.LinkLinear
	}
	for _, size := range m.Nodes {
		if size < 1 || int(size) > len(all) {
			return nil, fmt.Errorf("the sizes of the trees must be at least 1, and add up to the number of nodes, %d", n)
		}
		e.Trees, all = append(e.Trees, all[:size:size]), all[size:]
	}
	if len(all) > 0 {
		return nil, errors.New("some nodes belong to no tree")
	}
	return e, nil
}
