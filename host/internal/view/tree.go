package view

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Tree is a tree of questions.
type Tree struct {
	Title string
	Root  Node
}

// Node is a node of a tree: a question if it has branches, else an answer.
type Node struct {
	// Head is the question or the answer, Detail further text.
	Head, Detail string
	// Share, 0 to 1, sets the shade in a drawing, darker for larger values.
	Share    float64
	Branches []Branch
}

// Branch is what follows one answer to a question.
type Branch struct {
	Answer string
	Node   Node
}

// label returns a node's text, on one line if that has at most width characters; 0: any
// width.
func (n *Node) label(width int) []string {
	head := n.Head
	if len(n.Branches) > 0 {
		head += "?"
	}
	if whole := head + "  " + n.Detail; width <= 0 || utf8.RuneCountInString(whole) <= width {
		return []string{whole}
	}
	return append(linesOf(head, width), linesOf(n.Detail, width)...)
}

// text draws a tree with one line per node, or more if it would be wider than width.
func (n *Node) text(out io.Writer, branch, below string, width int) {
	next := below + "   " // before further lines of the node
	if len(n.Branches) > 0 {
		next = below + "│  "
	}
	room := 0
	if width > 0 {
		room = max(width-max(utf8.RuneCountInString(branch), utf8.RuneCountInString(next)), leastWidth/2)
	}
	for i, line := range n.label(room) {
		if i > 0 {
			branch = next
		}
		fmt.Fprintf(out, "%s%s\n", branch, line)
	}
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
		b.Node.text(out, below+line+b.Answer+": "+pad, below+deeper, width)
	}
}
