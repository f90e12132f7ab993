package explain

import (
	"fmt"
	"os"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/space"
)

// TreeJSON is a tree as --json and --tree FILE.json show it.
type TreeJSON struct {
	// The condition under which samples go to yes, else to no; absent in a leaf.
	Test string `json:"test,omitempty"`
	// The test in the form of a rules file; absent in a leaf.
	Condition *guard.Condition `json:"condition,omitempty"`
	// The number of neighbours in the node.
	Samples int `json:"samples"`
	// The number of neighbours with a high k.
	High int `json:"high"`
	// high divided by samples.
	Share float64 `json:"share"`
	// The share exceeds that of all neighbours.
	IsHigh bool `json:"is_high"`
	// The subtree in which the test holds; absent in a leaf.
	Yes *TreeJSON `json:"yes,omitempty"`
	// The subtree in which it does not hold; absent in a leaf.
	No *TreeJSON `json:"no,omitempty"`
}

// JSON is the tree with the space's names. Yes is the branch with the larger share of high
// samples.
func (n *Node) JSON(s *space.Space) (*TreeJSON, error) {
	out := &TreeJSON{Samples: n.Samples, High: n.Hits, Share: float64(n.Hits) / float64(n.Samples), IsHigh: n.IsHigh()}
	if n.Leaf() {
		return out, nil
	}
	low := n.Low.Share() > n.High.Share()
	conditions, err := guard.Conditions(s, narrow(nil, n, low, s))
	if err != nil {
		return nil, err
	}
	out.Condition, out.Test = &conditions[0], conditions[0].Text(s)
	yes, no := n.Low, n.High
	if !low {
		yes, no = no, yes
	}
	if out.Yes, err = yes.JSON(s); err == nil {
		out.No, err = no.JSON(s)
	}
	return out, err
}

// write writes the tree to a file: as a drawing if its name ends in .svg, else as JSON.
func (t *TreeJSON) write(path, title string) error {
	return files.Write(path, func(file *os.File) error {
		if strings.HasSuffix(path, ".svg") {
			return (&view.Tree{Title: title, Root: t.View()}).Write(file, view.SVG)
		}
		return view.JSON(file, t, "  ")
	})
}

// View is the tree as a figure; a higher share gives a darker leaf. A leaf is high or low
// relative to the share of all samples, and says so if its own share suggests the opposite.
func (t *TreeJSON) View() view.Node {
	n := view.Node{Head: "low", Detail: fmt.Sprintf("k is high for %d of %d (%.0f %%)", t.High, t.Samples, 100*t.Share), Share: t.Share}
	switch most := 2*t.High > t.Samples; {
	case t.Test != "":
		n.Head = t.Test
		n.Branches = []view.Branch{{Answer: "yes", Node: t.Yes.View()}, {Answer: "no", Node: t.No.View()}}
	case t.IsHigh:
		n.Head = "HIGH"
	case most:
		n.Head = "lower than for all"
	}
	return n
}
