package view

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// Tree is a tree of questions.
type Tree struct {
	Title string
	Root  Node
}

// Node is a node of a tree: a question where it has branches, else an answer.
type Node struct {
	// Head is the question or the answer, Detail what else is to be said.
	Head, Detail string
	// Share, 0 to 1, is the darker in a drawing the higher it is.
	Share    float64
	Branches []Branch
}

// Branch is what follows one answer to a question.
type Branch struct {
	Answer string
	Node   Node
}

// label is what a node says on one line.
func (n *Node) label() string {
	if len(n.Branches) > 0 {
		return n.Head + "?  " + n.Detail
	}
	return n.Head + "  " + n.Detail
}

// text draws a tree with one line a node.
func (n *Node) text(out io.Writer, branch, below string) {
	fmt.Fprintf(out, "%s%s\n", branch, n.label())
	wide := 0
	for i := range n.Branches {
		wide = max(wide, utf8.RuneCountInString(n.Branches[i].Answer))
	}
	for i := range n.Branches {
		b := &n.Branches[i]
		line, deeper := "├─ ", "│  "
		if i == len(n.Branches)-1 {
			line, deeper = "└─ ", "   "
		}
		pad := strings.Repeat(" ", wide-utf8.RuneCountInString(b.Answer))
		b.Node.text(out, below+line+b.Answer+": "+pad, below+deeper)
	}
}

// Measures of the drawing, in pixels.
const (
	nodeWidth, nodeHeight = 230, 46
	nodeGap, levelGap     = 14, 42
	treeMargin            = 16
	// most characters of a question on its line
	mostRunes = 34
)

// SVG draws the tree from the root down. Equal trees give equal files.
func (t *Tree) SVG(w io.Writer) error {
	out := bufio.NewWriter(w)
	leaves, depth := t.Root.extent()
	wide := 2*treeMargin + leaves*(nodeWidth+nodeGap) - nodeGap
	high := 2*treeMargin + 20 + depth*nodeHeight + (depth-1)*levelGap
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n",
		wide, high, wide, high)
	fmt.Fprintf(out, `<title>%s</title><rect width="100%%" height="100%%" fill="white"/>`+"\n", escapeXML(t.Title))
	fmt.Fprintf(out, `<text x="%d" y="%d" font-weight="bold">%s</text>`+"\n", treeMargin, treeMargin+6, escapeXML(t.Title))
	t.Root.draw(out, treeMargin, treeMargin+20)
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

// extent is the number of leaves and of levels.
func (n *Node) extent() (leaves, depth int) {
	if len(n.Branches) == 0 {
		return 1, 1
	}
	for i := range n.Branches {
		l, d := n.Branches[i].Node.extent()
		leaves, depth = leaves+l, max(depth, d)
	}
	return leaves, depth + 1
}

// draw draws the tree with its left upper corner at x, y, and returns the x of
// the root's middle.
func (n *Node) draw(out io.Writer, x, y int) (middle int) {
	leaves, _ := n.extent()
	middle = x + (leaves*(nodeWidth+nodeGap)-nodeGap)/2
	below := y + nodeHeight + levelGap
	at := make([]int, len(n.Branches))
	for i := range n.Branches {
		b := &n.Branches[i].Node
		at[i] = b.draw(out, x, below)
		leaves, _ := b.extent()
		x += leaves * (nodeWidth + nodeGap)
	}
	if len(at) > 0 {
		middle = (at[0] + at[len(at)-1]) / 2
	}
	for i, child := range at {
		fmt.Fprintf(out, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#555"/>`, middle, y+nodeHeight, child, below)
		fmt.Fprintf(out, `<text x="%d" y="%d" fill="#555" text-anchor="middle">%s</text>`+"\n",
			(middle+child)/2, y+nodeHeight+levelGap/2+4, escapeXML(n.Branches[i].Answer))
	}
	// From white to a red on which black text can still be read.
	fade := int(math.Round(255 - 115*n.Share))
	fmt.Fprintf(out, `<g><title>%s</title><rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="rgb(255,%d,%d)" stroke="#333"/>`,
		escapeXML(n.label()), middle-nodeWidth/2, y, nodeWidth, nodeHeight, fade, fade)
	fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="middle">%s</text>`, middle, y+19, escapeXML(shorten(n.Head)))
	fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="middle" fill="#333">%s</text></g>`+"\n", middle, y+36, escapeXML(n.Detail))
	return middle
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > mostRunes {
		return string(runes[:mostRunes-1]) + "…"
	}
	return text
}

func escapeXML(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // writing to a Builder cannot fail
	return b.String()
}
