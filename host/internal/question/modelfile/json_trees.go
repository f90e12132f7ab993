package modelfile

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/forest"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

const treesName = "hyfair-trees"

// treesFormat is the project's own format of trees and step functions.
var treesFormat = reader.Format{
	Name: treesName, Max: 256 << 20, What: "a JSON file of trees",
	Read: func(f reader.File) *reader.Model {
		f.OnlyOutput()
		forest.OneScore(f.Choice)
		e := parseTreesJSON(f.Text)
		return &reader.Model{Model: e, Facts: reader.Facts{Linear: e.Output == fairness.LinkLinear}}
	},
}

var ofTrees = regexp.MustCompile(`"format"\s*:\s*"` + treesName + `"`)

var tooManyNodes = fmt.Sprintf("the trees have more than %d nodes together, the maximum", trees.MaxNodes)

// treesJSON is a file of trees that is being read.
type treesJSON struct {
	*scanner
	left int // the number of nodes that may follow
	// Borders are converted at the end, as fields may come in any order.
	trees   []trees.Tree
	sets    map[place][]int
	steps   []stepsJSON
	atLeft  bool
	rounded bool // to float32
}

// place is a node of a tree.
type place struct{ tree, node int }

// stepsJSON is a step function: one value more than borders.
type stepsJSON struct {
	input           int
	borders, values []float64
	missing         float64
}

// parseTreesJSON reads trees and step functions of the project's own format. Errors give the line and the field, or the
// tree and the node.
func parseTreesJSON(text []byte) *trees.Ensemble {
	s := &treesJSON{scanner: newScanner(text, 0, text), left: trees.MaxNodes, sets: map[place][]int{}}
	out, share := &trees.Ensemble{}, false
	s.object(whole, s.header(treesName, map[string]func(field string){
		"inputs": func(field string) { out.Columns = s.integer(field, 1, trees.MaxInputs) },
		"sum": func(field string) {
			s.oneOf(field, map[string]func(){
				"logit":  func() { out.Output = fairness.LinkSigmoid },
				"number": func() { out.Output = fairness.LinkLinear },
				"share":  func() { share = true },
			})
		},
		"base": func(field string) { out.Base = s.float(field) },
		"at": func(field string) {
			s.oneOf(field, map[string]func(){"left": func() { s.atLeft = true }, "right": func() {}})
		},
		"rounding": func(field string) {
			s.oneOf(field, map[string]func(){"none": func() {}, "float32": func() { s.rounded = true }})
		},
		"trees": func(field string) { s.array(field, s.tree) },
		"steps": func(field string) { s.array(field, s.step) },
	}), "trees", "steps")
	s.end()
	for k, t := range s.trees {
		for i := range t {
			if set := s.sets[place{k, i}]; set != nil {
				n := &t[i] // goes left outside the set
				n.Left, n.Right, n.Missing = n.Right, n.Left, !n.Missing
				forest.Among(n, set, func(c int) float64 { border, _ := s.border(float64(c), false); return border })
			} else if !t[i].IsLeaf() {
				t[i].Value, t[i].Closed = s.border(t[i].Value, s.atLeft)
			}
		}
	}
	for _, f := range s.steps {
		s.trees = append(s.trees, s.treeOf(f))
	}
	out.Trees = s.trees
	if share {
		if less := out.Base - fairness.Half; less+fairness.Half == out.Base && out.Base-less == fairness.Half { // exact
			out.Output, out.Base = fairness.LinkShare, less
		} else {
			out = out.Share()
		}
	}
	return out
}

// border converts the file's comparison, x ≤ border if orEqual is set, else x < border, of an x that may be rounded to
// float32, to a comparison of x itself. It returns the border, and whether it is included.
func (s *treesJSON) border(border float64, orEqual bool) (float64, bool) {
	if !s.rounded {
		return border, orEqual
	}
	t := float32(border)
	switch { // a float32 is below the border if and only if it is below the next float32
	case orEqual && float64(t) > border:
		t = math.Nextafter32(t, float32(math.Inf(-1)))
	case !orEqual && float64(t) < border:
		t = math.Nextafter32(t, float32(math.Inf(1)))
	}
	return trees.Rounded(t, orEqual)
}

// tree reads tree k. The borders of its nodes are those of the file.
func (s *treesJSON) tree(field string, k int) {
	var weight float64
	var input, left, right, missing []int
	var border, value []float64
	sets := 0
	integers := func(to *[]int, lo, hi int) func(field string) {
		return func(field string) {
			*to = list(s.scanner, nil, field, s.left, tooManyNodes, integer(lo, hi))
		}
	}
	s.object(field, map[string]func(field string){
		"weight":  func(field string) { weight = s.float(field) },
		"input":   integers(&input, -1, trees.MaxInputs-1),
		"border":  s.floats(&border),
		"left":    integers(&left, -1, trees.MaxNodes-1),
		"right":   integers(&right, -1, trees.MaxNodes-1),
		"value":   s.floats(&value),
		"missing": integers(&missing, 0, 1),
		"among": func(field string) {
			s.array(field, func(field string, i int) {
				if sets = i + 1; sets > s.left {
					panic(s.fault(field, "%s", tooManyNodes))
				}
				if set := s.set(field); len(set) > 0 {
					s.sets[place{k, i}] = set
				}
			})
		},
	}, "missing", "among")
	n := len(input)
	if s.left -= n; s.left < 0 { // sets of numbers count, too
		panic(s.fault(field, "%s", tooManyNodes))
	}
	for name, have := range map[string]int{"border": len(border), "left": len(left), "right": len(right), "value": len(value), "missing": len(missing), "among": sets} {
		if have != n && (have != 0 || name != "missing" && name != "among") {
			panic(s.fault(field+"."+name, "got %d entries, want %d: one per node, as input has", have, n))
		}
	}
	out := make(trees.Tree, n)
	for i := range out {
		if input[i] < 0 {
			out[i] = trees.Leaf(weight * value[i])
			delete(s.sets, place{k, i})
			continue
		}
		for side, child := range [2]int{left[i], right[i]} {
			if child <= i || child >= n {
				panic(s.fault(fmt.Sprintf("%s.%s[%d]", field, [2]string{"left", "right"}[side], i), "got %d, want a node after it, %d at most", child, n-1))
			}
		}
		out[i] = trees.Node{Input: int32(input[i]), Left: int32(left[i]), Right: int32(right[i]), Value: border[i], Missing: missing != nil && missing[i] != 0}
	}
	s.trees = append(s.trees, out)
}

func (s *treesJSON) floats(to *[]float64) func(field string) {
	return func(field string) {
		*to = list(s.scanner, nil, field, s.left, tooManyNodes, float(64))
	}
}

// set reads a list of whole numbers and returns them in ascending order, each once.
func (s *treesJSON) set(field string) []int {
	out := list(s.scanner, nil, field, s.left, tooManyNodes, func(number string) (int, string) {
		v, want := float(64)(number) // may be written as 1.0
		if want == "" && (v != math.Trunc(v) || v < 0 || v >= 1<<24) {
			want = fmt.Sprintf("a whole number from 0 to %d", 1<<24-1)
		}
		return int(v), want
	})
	s.left -= len(out)
	slices.Sort(out)
	return slices.Compact(out)
}

// step reads a step function.
func (s *treesJSON) step(field string, _ int) {
	var f stepsJSON
	s.object(field, map[string]func(field string){
		"input":   func(field string) { f.input = s.integer(field, 0, trees.MaxInputs-1) },
		"borders": s.floats(&f.borders),
		"values":  s.floats(&f.values),
		"missing": func(field string) { f.missing = s.float(field) },
	})
	if len(f.values) != len(f.borders)+1 {
		panic(s.fault(field+".values", "got %d values, want %d: one more than borders", len(f.values), len(f.borders)+1))
	}
	for i := range f.borders[min(1, len(f.borders)):] {
		if !(f.borders[i] < f.borders[i+1]) {
			panic(s.fault(fmt.Sprintf("%s.borders[%d]", field, i+1), "got %v after %v, want ascending borders", f.borders[i+1], f.borders[i]))
		}
	}
	if s.left -= 2*len(f.values) + 1; s.left < 0 {
		panic(s.fault(field, "%s", tooManyNodes))
	}
	s.steps = append(s.steps, f)
}

// treeOf returns the tree of a step function: missing inputs go right at the root, all others to a balanced tree.
func (s *treesJSON) treeOf(f stepsJSON) trees.Tree {
	out := trees.Tree{{Input: int32(f.input), Left: 1, Right: int32(2 * len(f.values)), Value: math.MaxFloat64, Closed: true}}
	var among func(values, borders []float64)
	among = func(values, borders []float64) {
		if len(borders) == 0 {
			out = append(out, trees.Leaf(values[0]))
			return
		}
		at, half := len(out), len(borders)/2
		border, closed := s.border(borders[half], s.atLeft)
		out = append(out, trees.Node{Input: int32(f.input), Left: int32(at + 1), Value: border, Closed: closed})
		among(values[:half+1], borders[:half])
		out[at].Right = int32(len(out))
		among(values[half+1:], borders[half+1:])
	}
	among(f.values, f.borders)
	return append(out, trees.Leaf(f.missing))
}
