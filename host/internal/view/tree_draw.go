package view

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A drawing of a tree has a line for each node, indented by its depth, with a bar for its
// share. Its width is that of a page for any number of leaves.
const (
	// mostDepth and mostLines bound the depth and the lines drawn; the rest is folded.
	mostDepth, mostLines = 7, 48

	treeLine            = 19
	treeStep            = 12 // one level further right
	treeBar, treeDetail = 0.5 * width, 0.575 * width
	// On a narrow sheet, bars and details have a second line.
	secondLine, narrowBar, narrowStep = 13, 30, 6
)

// folded is a tree as drawn.
type folded struct {
	root Node
	// alike counts the equal answers that share a line, deep those below the drawn depth.
	alike, deep int
}

// FileName implements Picture.
func (t *Tree) FileName() string { return "tree" }

func (t *Tree) title() string { return cmp.Or(t.Title, "Decision tree") }

// fold replaces subtrees with equal answers by one line, and leaves out what is too deep.
func (t *Tree) fold() *folded {
	f := &folded{}
	for depth := mostDepth; ; depth-- {
		*f = folded{}
		f.root = f.node(&t.Root, depth)
		if depth == 1 || f.root.lines() <= mostLines {
			return f
		}
	}
}

func (f *folded) node(n *Node, depth int) Node {
	out := *n
	leaves, same := n.leaves()
	switch {
	case len(n.Branches) == 0:
	case same != "":
		f.alike += leaves
		out.Head, out.Branches = fmt.Sprintf("%s (%d alike)", same, leaves), nil
	case depth == 0:
		f.deep += leaves
		out.Head, out.Branches = fmt.Sprintf("… %d answers", leaves), nil
	default:
		out.Branches = nil
		for _, b := range n.Branches {
			out.Branches = append(out.Branches, Branch{b.Answer, f.node(&b.Node, depth-1)})
		}
	}
	return out
}

// said returns a description of what was folded.
func (f *folded) said() string {
	var parts []string
	if f.alike > 0 {
		parts = append(parts, fmt.Sprintf("%d answers that further questions do not change share a line with equal ones.", f.alike))
	}
	if f.deep > 0 {
		parts = append(parts, fmt.Sprintf("%d answers to further questions are left out.", f.deep))
	}
	return strings.Join(parts, " ")
}

// leaves counts a node's answers; same is their text, if it is the same for all.
func (n *Node) leaves() (count int, same string) {
	if len(n.Branches) == 0 {
		return 1, n.Head
	}
	for i := range n.Branches {
		more, head := n.Branches[i].Node.leaves()
		if count += more; i == 0 {
			same = head
		} else if head != same {
			same = ""
		}
	}
	return count, same
}

// lines counts the nodes.
func (n *Node) lines() int {
	count := 1
	for i := range n.Branches {
		count += n.Branches[i].Node.lines()
	}
	return count
}

// Write implements Picture.
func (t *Tree) Write(w io.Writer, format string) error {
	return t.write(w, format, sheet{width: width})
}

func (t *Tree) write(w io.Writer, format string, on sheet) error {
	f, text := t.fold(), textsOf(format)
	title := shortened(text(t.title()), fits(textStyle(12), on.width-2*margin))
	said, head := f.said(), vg.Length(1.8*lineHeight)
	if on.onPage {
		said, head = "", 0
	}
	caption := wrapped(text(said), fits(textStyle(small), on.width-2*margin))
	d := &treeDrawing{text: text, line: treeLine, step: treeStep, narrow: on.width <= narrow}
	if d.narrow {
		d.line, d.step = d.line+secondLine, narrowStep
	}
	height := 2*margin + head + vg.Length(f.root.lines())*d.line + vg.Length(len(caption)*lineHeight)
	return paint(w, format, title, on.width, height, func(c draw.Canvas) {
		c = on.framed(c, title)
		d.Canvas, d.y = c, c.Max.Y-head-treeLine/2
		d.node(&f.root, "", 0)
		captioned(c, caption)
	})
}

// treeDrawing draws a tree from the first line to the last.
type treeDrawing struct {
	draw.Canvas
	text   func(string) string
	line   vg.Length // height of a node
	step   vg.Length // one level further right
	narrow bool
	y      vg.Length // of the next line's middle
}

// node draws a node and all below it, and returns the height of its line.
func (d *treeDrawing) node(n *Node, answer string, depth int) (at vg.Length) {
	at = d.y
	d.y -= d.line
	x := d.Min.X + vg.Length(depth)*d.step
	style := textStyle(small)
	style.YAlign = draw.YCenter
	words := n.Head
	if len(n.Branches) > 0 {
		words += "?"
	}
	if answer != "" {
		words = answer + ": " + words
	}
	most := d.Min.X + treeBar - x - margin
	bar := vg.Rectangle{Min: vg.Point{X: d.Min.X + treeBar, Y: at - 5}, Max: vg.Point{X: d.Min.X + treeDetail - 2*margin, Y: at + 5}}
	detail := vg.Point{X: d.Min.X + treeDetail, Y: at}
	if d.narrow {
		most, detail = d.Max.X-x, vg.Point{X: x + treeStep + narrowBar + margin, Y: at - secondLine}
		bar = vg.Rectangle{Min: vg.Point{X: x + treeStep, Y: detail.Y - 4}, Max: vg.Point{X: x + treeStep + narrowBar, Y: detail.Y + 4}}
	}
	d.FillText(style, vg.Point{X: x, Y: at}, shortened(d.text(words), fits(style, most)))
	full := bar
	full.Max.X = bar.Min.X + (bar.Max.X-bar.Min.X)*vg.Length(min(max(n.Share, 0), 1))
	d.FillPolygon(shade(0.7), corners(full))
	d.StrokeLines(draw.LineStyle{Color: color.Gray{0x60}, Width: 0.75}, append(corners(bar), bar.Min))
	d.FillText(style, detail, shortened(d.text(n.Detail), fits(style, d.Max.X-detail.X)))
	line := draw.LineStyle{Color: color.Gray{0x60}, Width: 0.75}
	for i := range n.Branches {
		to := d.node(&n.Branches[i].Node, n.Branches[i].Answer, depth+1)
		d.StrokeLine2(line, x+d.step/3, to, x+d.step*3/4, to)
		if i == len(n.Branches)-1 {
			d.StrokeLine2(line, x+d.step/3, at-treeLine/3, x+d.step/3, to)
		}
	}
	return at
}

func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}
