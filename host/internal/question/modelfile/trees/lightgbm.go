package trees

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/forest"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// LightGBM is the format of LightGBM's text files.
var LightGBM = reader.Format{
	Name: "lightgbm-text", Extensions: []string{".lgb"}, Max: maxFile, What: "a LightGBM model", // not .txt, which is the extension of many other files in a folder
	Is: func(head []byte, _ string) bool {
		return bytes.HasPrefix(head, []byte("tree\n")) || bytes.HasPrefix(head, []byte("tree\r\n"))
	},
	Read: func(f reader.File) *reader.Model { return chosen(f.Choice, parseLightGBM(string(f.Text))) },
}

// lightGBM is a block of lines key=value: the model's or a tree's.
type lightGBM map[string]string

func (b lightGBM) number(key string) int {
	v, err := strconv.ParseInt(b[key], 10, 32)
	if err != nil {
		panic(fault.New("%s: got %.40q, want an integer", key, b[key]))
	}
	return int(v)
}

func (b lightGBM) integers(key string, count int) []int {
	return listed(b, key, count, func(text string) (int, error) { v, err := strconv.ParseUint(text, 10, 32); return int(v), err })
}

func listed[T any](b lightGBM, key string, count int, parse func(string) (T, error)) []T {
	words := strings.Fields(b[key])
	if count >= 0 && len(words) != count {
		panic(fault.New("%s: got %d numbers, want %d", key, len(words), count))
	}
	out := make([]T, len(words))
	for i, w := range words {
		v, err := parse(w)
		if err != nil {
			panic(fault.New("%s: got %.40q, want a number, a whole one for indices", key, w))
		}
		out[i] = v
	}
	return out
}

func parseLightGBM(text string) *reader.Model {
	blocks := []lightGBM{{}}
	ended := false
	var lists [][]string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		key, value, ok := strings.Cut(line, "=")
		if ended = ended || line == "end of trees"; ended {
			if key, list, _ := strings.Cut(line, ":"); key == "pandas_categorical" {
				lists = pandasLists(list)
			}
			continue
		}
		if key == "Tree" && ok {
			blocks = append(blocks, lightGBM{})
			continue
		}
		if ok || key == "average_output" {
			blocks[len(blocks)-1][key] = value
		}
	}
	if !ended {
		panic(fault.New("the file is cut off: it has no line \"end of trees\""))
	}
	head := blocks[0]
	classes := head.number("num_class")
	out := &trees.Ensemble{Columns: head.number("max_feature_idx") + 1, Output: fairness.LinkSigmoid}
	scale := 1.0 // of the leaves
	objective := strings.Fields(head["objective"])
	many := len(objective) > 0 && (objective[0] == "multiclass" || objective[0] == "multiclassova")
	if per := head.number("num_tree_per_iteration"); per != classes || many != (classes > 1) || classes < 1 || classes > trees.MaxClasses {
		panic(fault.New("num_class: got %d classes and %d trees per iteration with the objective %.60q, want one score, or 2 to %d classes with multiclass", classes, per, head["objective"], trees.MaxClasses))
	}
	switch {
	case len(objective) == 0:
		panic(fault.New("objective: it is missing, as after training with a custom function, so the link from the sum to a score is unknown: train with objective=\"binary\""))
	case objective[0] == "binary" || objective[0] == "cross_entropy":
		for _, word := range objective[1:] {
			if slope, ok := strings.CutPrefix(word, "sigmoid:"); ok {
				var err error
				if scale, err = strconv.ParseFloat(slope, 64); err != nil || !(scale > 0) {
					panic(fault.New("objective: got %.40s, want a positive slope of the sigmoid", word))
				}
			}
		}
	case many, (objective[0] == "regression" || objective[0] == "regression_l1" || objective[0] == "huber" || objective[0] == "fair" || objective[0] == "quantile") && len(objective) == 1:
		out.Output = fairness.LinkLinear
	default:
		panic(fault.New("objective: got %.60q, want binary, cross_entropy, regression, multiclass or multiclassova", head["objective"]))
	}
	out.Trees = forest.All(len(blocks)-1, func(k int) forest.Tree { return blocks[k+1].grown() })
	count := 1.0
	if _, mean := head["average_output"]; mean { // boosting="rf"
		count = float64(max(1, len(out.Trees)/classes))
	}
	for _, t := range out.Trees {
		for i := range t {
			if t[i].IsLeaf() {
				t[i].Value = t[i].Value * scale / count
			}
		}
	}
	facts := reader.Facts{Producer: strings.TrimSpace("LightGBM " + head["version"]), InputNames: strings.Fields(head["feature_names"])}
	if infos := strings.Fields(head["feature_infos"]); len(infos) == out.Columns {
		facts.Codes = codesOfLightGBM(infos, lists)
	}
	if many {
		return &reader.Model{Model: forest.Divide(out, classes, func(k int) int { return k % classes }), Facts: facts}
	}
	return &reader.Model{Model: out, Facts: facts}
}

// Bits of decision_type.
const (
	lgbCategorical = 1
	lgbDefaultLeft = 2
	lgbMissing     = 12 // mask; 0: NaN counts as 0; lgbZero: zeros are missing; lgbNaN: NaN is missing
	lgbZero        = 4
	lgbNaN         = 8
)

// lgbNearZero is the largest absolute value that counts as zero.
var lgbNearZero = float64(float32(1e-35))

func (b lightGBM) grown() forest.Tree {
	leaves := b.number("num_leaves")
	if leaves < 1 || leaves > trees.MaxNodes {
		panic(fault.New("num_leaves: got %d, want 1 to %d", leaves, trees.MaxNodes))
	}
	if b["is_linear"] == "1" {
		panic(fault.New("is_linear: leaves with linear models are not supported: train with linear_tree=False"))
	}
	float := func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }
	values := listed(b, "leaf_value", leaves, float)
	splits := leaves - 1
	if splits == 0 {
		return forest.Tree{Nodes: 1, Node: func(int) trees.Node { return trees.Leaf(values[0]) }}
	}
	inputs, kinds := b.integers("split_feature", splits), b.integers("decision_type", splits)
	borders := listed(b, "threshold", splits, float)
	left, right := listed(b, "left_child", splits, strconv.Atoi), listed(b, "right_child", splits, strconv.Atoi)
	var from, words []int
	if n := b.number("num_cat"); n > 0 {
		from, words = b.integers("cat_boundaries", n+1), b.integers("cat_threshold", -1)
	}
	// Comparisons come first, then leaves.
	child := func(c int) int32 {
		switch {
		case c >= 0 && c < splits:
			return int32(c)
		case c < 0 && ^c < leaves:
			return int32(splits + ^c)
		}
		panic(fault.New("there is no child %d among %d comparisons and %d leaves", c, splits, leaves))
	}
	return forest.Tree{Nodes: splits + leaves, Node: func(i int) trees.Node {
		if i >= splits {
			return trees.Leaf(values[i-splits])
		}
		if inputs[i] >= trees.MaxInputs {
			panic(fault.New("split_feature: got %d, want 0 to %d", inputs[i], trees.MaxInputs-1))
		}
		n := trees.Node{Input: int32(inputs[i]), Left: child(left[i]), Right: child(right[i]), Value: borders[i], Closed: true}
		if math.IsInf(n.Value, 1) { // all numbers go left, missing values perhaps not
			n.Value = math.MaxFloat64
		}
		if kinds[i]&lgbCategorical != 0 {
			set := bitset(int(borders[i]), from, words)
			n.Left, n.Right = n.Right, n.Left // categories in the set go left, NaN does not
			n.Missing = true
			forest.Among(&n, set, func(c int) float64 {
				if c == 0 { // inputs are truncated, so all above −1 count as 0
					return math.Nextafter(-1, 0)
				}
				return float64(c)
			})
			return n
		}
		preferred := kinds[i]&lgbDefaultLeft != 0
		switch kinds[i] & lgbMissing {
		case lgbZero:
			zeros(&n, preferred)
			n.Missing = preferred
		case lgbNaN:
			n.Missing = preferred
		default:
			n.Missing = 0 <= n.Value
		}
		return n
	}}
}

// bitset returns the categories of set number k.
func bitset(k int, from, words []int) (out []int) {
	if k < 0 || k >= len(from)-1 || from[k] < 0 || from[k+1] < from[k] || from[k+1] > len(words) {
		panic(fault.New("cat_boundaries: set %d is missing, or exceeds the %d words of cat_threshold", k, len(words)))
	}
	for w, word := range words[from[k]:from[k+1]] {
		for ; word != 0; word &= word - 1 {
			out = append(out, 32*w+bits.TrailingZeros32(uint32(word)))
		}
	}
	return out
}

// zeros changes a comparison so that zeros go left, or right, regardless of its border.
func zeros(n *trees.Node, left bool) {
	t, z := n.Value, lgbNearZero
	before := math.Nextafter(-z, math.Inf(-1))
	switch {
	case left && t >= z || !left && t <= before:
	case left && t >= before: // x ≤ z
		n.Value = z
	case left:
		n.More = []float64{before, z}
	case t <= z: // x < −z
		n.Value = before
	default:
		n.Value, n.More = before, []float64{z, t}
	}
}
