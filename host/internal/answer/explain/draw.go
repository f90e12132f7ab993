package explain

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/sdk/space"
)

// TreeJSON is a tree as --json and --tree FILE.json show it.
type TreeJSON struct {
	// Test is the condition under which samples go to Yes, others to No; empty in a
	// leaf.
	Test string `json:"test,omitempty"`
	// Condition is the same in the form of a guard rules file; nil in a leaf.
	Condition *guard.Condition `json:"condition,omitempty"`
	Samples   int              `json:"samples"`
	High      int              `json:"high"`
	// Share is High/Samples, IsHigh whether it is above that of all samples.
	Share  float64   `json:"share"`
	IsHigh bool      `json:"is_high"`
	Yes    *TreeJSON `json:"yes,omitempty"`
	No     *TreeJSON `json:"no,omitempty"`
}

// JSON is the tree in the space's own names. The yes branch is the one with the
// larger share of high samples.
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

// Text draws the tree with one line a node.
func (t *TreeJSON) Text(w io.Writer) error {
	out := bufio.NewWriter(w)
	var walk func(t *TreeJSON, branch, below string)
	walk = func(t *TreeJSON, branch, below string) {
		fmt.Fprintf(out, "%s%s\n", branch, t.label())
		if t.Yes != nil {
			walk(t.Yes, below+"├─ yes: ", below+"│  ")
			walk(t.No, below+"└─ no:  ", below+"   ")
		}
	}
	walk(t, "", "")
	return out.Flush()
}

// label is what a node says on one line.
func (t *TreeJSON) label() string {
	counts := fmt.Sprintf("%d of %d high (%.0f %%)", t.High, t.Samples, 100*t.Share)
	switch {
	case t.Test != "":
		return t.Test + "?  " + counts
	case t.IsHigh:
		return "HIGH  " + counts
	}
	return "low  " + counts
}

// Measures of the drawing, in pixels.
const (
	nodeWidth, nodeHeight = 230, 46
	nodeGap, levelGap     = 14, 42
	margin                = 16
	// most characters of a test on its line
	mostRunes = 34
)

// SVG draws the tree from the root down: yes to the left, high leaves in a darker
// colour the higher their share. Equal trees give equal files.
func (t *TreeJSON) SVG(w io.Writer, title string) error {
	out := bufio.NewWriter(w)
	leaves, depth := t.extent()
	width := 2*margin + leaves*(nodeWidth+nodeGap) - nodeGap
	height := 2*margin + 20 + depth*nodeHeight + (depth-1)*levelGap
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n",
		width, height, width, height)
	fmt.Fprintf(out, `<title>%s</title><rect width="100%%" height="100%%" fill="white"/>`+"\n", escape(title))
	fmt.Fprintf(out, `<text x="%d" y="%d" font-weight="bold">%s</text>`+"\n", margin, margin+6, escape(title))
	t.draw(out, margin, margin+20)
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

// extent is the number of leaves and of levels.
func (t *TreeJSON) extent() (leaves, depth int) {
	if t.Yes == nil {
		return 1, 1
	}
	l1, d1 := t.Yes.extent()
	l2, d2 := t.No.extent()
	return l1 + l2, 1 + max(d1, d2)
}

// draw draws the tree with its left upper corner at x, y, and returns the x of
// the root's middle.
func (t *TreeJSON) draw(out io.Writer, x, y int) (middle int) {
	leaves, _ := t.extent()
	middle = x + (leaves*(nodeWidth+nodeGap)-nodeGap)/2
	if t.Yes != nil {
		below := y + nodeHeight + levelGap
		left, _ := t.Yes.extent()
		yes := t.Yes.draw(out, x, below)
		no := t.No.draw(out, x+left*(nodeWidth+nodeGap), below)
		middle = (yes + no) / 2
		for _, child := range []struct {
			at   int
			word string
		}{{yes, "yes"}, {no, "no"}} {
			fmt.Fprintf(out, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#555"/>`, middle, y+nodeHeight, child.at, below)
			fmt.Fprintf(out, `<text x="%d" y="%d" fill="#555" text-anchor="middle">%s</text>`+"\n",
				(middle+child.at)/2, y+nodeHeight+levelGap/2+4, child.word)
		}
	}
	head := "low"
	switch {
	case t.Test != "":
		head = shorten(t.Test)
	case t.IsHigh:
		head = "HIGH"
	}
	// From white to a red on which black text can still be read.
	fade := int(math.Round(255 - 115*t.Share))
	fmt.Fprintf(out, `<g><title>%s</title><rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="rgb(255,%d,%d)" stroke="#333"/>`,
		escape(t.label()), middle-nodeWidth/2, y, nodeWidth, nodeHeight, fade, fade)
	fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="middle">%s</text>`, middle, y+19, escape(head))
	fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="middle" fill="#333">%d of %d high (%.0f %%)</text></g>`+"\n",
		middle, y+36, t.High, t.Samples, 100*t.Share)
	return middle
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > mostRunes {
		return string(runes[:mostRunes-1]) + "…"
	}
	return text
}

func escape(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // writing to a Builder cannot fail
	return b.String()
}
