package trees

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/forest"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// XGBoostJSON is the format of XGBoost's JSON files.
var XGBoostJSON = reader.Format{
	Name: "xgboost-json", Extensions: []string{".json"}, Max: maxFile, What: "an XGBoost model",
	Is:   func(head []byte, _ string) bool { return firstKeys.Match(head) },
	Read: func(f reader.File) *reader.Model { return chosen(f.Choice, parseXGBoost(f.Text)) },
}

// XGBoostUBJSON is the format of XGBoost's binary files.
var XGBoostUBJSON = reader.Format{
	Name: "xgboost-ubjson", Extensions: []string{".ubj"}, Max: maxFile, What: "an XGBoost model",
	Is:   func(head []byte, _ string) bool { return isBinary(head) && bytes.Contains(head, []byte("learner")) },
	Read: func(f reader.File) *reader.Model { return chosen(f.Choice, parseXGBoost(textOfUBJSON(f.Text))) },
}

// firstKeys recognises a model of JSON by its first key, "learner", which may follow "version".
var firstKeys = regexp.MustCompile(`^\s*\{\s*("version"\s*:\s*\[[^\]]*\]\s*,\s*)?"learner"\s*:`)

// isBinary recognises an object of UBJSON by the type of the length of its first key.
func isBinary(head []byte) bool {
	return len(head) > 1 && head[0] == '{' && strings.IndexByte("iUIlL", head[1]) >= 0
}

// xgboostFile holds the used fields of an XGBoost model (1.7 to 3.x).
type xgboostFile struct {
	Version []int `json:"version"`
	Learner *struct {
		Booster struct {
			Name  string        `json:"name"`
			Model *xgboostModel `json:"model"`
			// Inner and Weights belong to the booster dart, which weights its trees.
			Inner *struct {
				Model *xgboostModel `json:"model"`
			} `json:"gbtree"`
			Weights []float32OrNaN `json:"weight_drop"`
		} `json:"gradient_booster"`
		Attributes struct {
			Best loose `json:"best_iteration"`
		} `json:"attributes"`
		Param struct {
			Base    loose `json:"base_score"`
			Classes loose `json:"num_class"`
			Inputs  loose `json:"num_feature"`
			Targets loose `json:"num_target"`
		} `json:"learner_model_param"`
		Objective struct {
			Name string `json:"name"`
		} `json:"objective"`
		Names []string `json:"feature_names"`
		Kinds []string `json:"feature_types"`
	} `json:"learner"`
}

type xgboostModel struct {
	Trees xgboostTrees `json:"trees"`
	Info  []int        `json:"tree_info"` // the class of each tree
	Cats  xgboostCats  `json:"cats"`
	Param struct {
		Parallel loose `json:"num_parallel_tree"`
	} `json:"gbtree_model_param"`
}

// xgboostTrees are decoded one by one, and a tree without nodes is refused at once: a file of many
// empty trees would need many times its size in memory.
type xgboostTrees []xgboostTree

func (l *xgboostTrees) UnmarshalJSON(text []byte) error {
	return elements(text, "tree", func(i int, t *xgboostTree) error {
		if len(t.Left) == 0 {
			return fmt.Errorf("tree %d has no nodes", i)
		}
		*l = append(*l, *t)
		return nil
	})
}

type xgboostTree struct {
	Left        []int          `json:"left_children"`
	Right       []int          `json:"right_children"`
	Inputs      []int          `json:"split_indices"`
	Conditions  []float32OrNaN `json:"split_conditions"`
	DefaultLeft []flag         `json:"default_left"`
	Types       []int          `json:"split_type"`
	Categories  []int          `json:"categories"`
	Nodes       []int          `json:"categories_nodes"`
	Segments    []int          `json:"categories_segments"`
	Sizes       []int          `json:"categories_sizes"`
	Param       struct {
		Vector loose `json:"size_leaf_vector"`
	} `json:"tree_param"`
}

// flag is a truth value, which XGBoost writes as true, false, 0 or 1.
type flag bool

func (f *flag) UnmarshalJSON(text []byte) error {
	*f = flag(string(text) != "0" && string(text) != "false")
	return nil
}

// float32OrNaN is a number in single precision, NaN for null.
type float32OrNaN float32

func (s *float32OrNaN) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*s = float32OrNaN(math.NaN())
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 32)
	*s = float32OrNaN(v)
	return err
}

// withoutNaN replaces each NaN, which is not JSON, by null. XGBoost writes NaN for the border of a
// set of categories.
func withoutNaN(text []byte) []byte {
	for _, before := range []string{"[", ","} {
		text = bytes.ReplaceAll(text, []byte(before+"NaN"), []byte(before+"null"))
	}
	return text
}

// loose is a number, or several, written as such, as a text, or in a list; empty if it is missing.
type loose string

func (l *loose) UnmarshalJSON(text []byte) error {
	*l = loose(bytes.Trim(text, `"[] `))
	return nil
}

// number returns the number, 0 if it is missing. field names it in faults.
func (l loose) number(field string) float64 {
	if l == "" {
		return 0
	}
	v, err := strconv.ParseFloat(string(l), 32)
	if err != nil {
		panic(fault.New("%s: %.40q is not a number", field, string(l)))
	}
	return v
}

// numbers returns n numbers: those of a list of n, or the only one n times.
func (l loose) numbers(field string, n int) (out []float64) {
	words := strings.Split(string(l), ",")
	if len(words) != 1 && len(words) != n {
		panic(fault.New("%s: got %d numbers, want %d", field, len(words), n))
	}
	for k := range n {
		out = append(out, loose(strings.TrimSpace(words[min(k, len(words)-1)])).number(field))
	}
	return out
}

func parseXGBoost(text []byte) *reader.Model {
	var f xgboostFile
	decode(withoutNaN(text), &f)
	if f.Learner == nil {
		panic(fault.New("learner: the field is missing"))
	}
	l := f.Learner
	switch l.Booster.Name {
	case "gbtree":
	case "dart":
		if l.Booster.Inner == nil || l.Booster.Inner.Model == nil {
			panic(fault.New("gradient_booster.gbtree.model: the field is missing"))
		}
		l.Booster.Model = l.Booster.Inner.Model
		if n := len(l.Booster.Model.Trees); len(l.Booster.Weights) != n {
			panic(fault.New("gradient_booster.weight_drop: got %d weights, want %d: one per tree", len(l.Booster.Weights), n))
		}
	case "gblinear":
		panic(fault.New("gradient_booster: the booster gblinear is not supported: train with booster=\"gbtree\""))
	default:
		panic(fault.New("gradient_booster: unknown booster %.40q, want gbtree or dart", l.Booster.Name))
	}
	if l.Booster.Model == nil {
		panic(fault.New("gradient_booster.model: the field is missing, as in the result of save_config: save the model with model.save_model(\"model.json\")"))
	}
	classes := max(1, int(l.Param.Classes.number("num_class")))
	if many := strings.HasPrefix(l.Objective.Name, "multi:"); many != (classes > 1) || classes > trees.MaxClasses {
		panic(fault.New("learner_model_param: got %d classes with the objective %.60q, want one score, or 2 to %d classes with multi:softprob or multi:softmax", classes, l.Objective.Name, trees.MaxClasses))
	}
	if n := l.Param.Targets.number("num_target"); n > 1 {
		panic(fault.New("learner_model_param: got %v targets, want one: train one model per target", n))
	}
	if l.Attributes.Best != "" {
		model := l.Booster.Model
		best, parallel := 1+int(l.Attributes.Best.number("best_iteration")), min(max(1, int(model.Param.Parallel.number("num_parallel_tree"))), trees.MaxNodes)*classes
		if rounds := len(model.Trees) / parallel; best < rounds {
			panic(fault.New("best_iteration: training was stopped early: XGBClassifier predicts with the first %d of %d rounds, Booster with all; save the first with model.get_booster()[:%d].save_model(…), or call set_attr(best_iteration=None) before save_model to use all", best, rounds, best))
		}
	}
	out := &trees.Ensemble{Columns: int(l.Param.Inputs.number("num_feature")), Output: fairness.LinkSigmoid}
	bases := l.Param.Base.numbers("base_score", classes)
	base := float32(bases[0])
	// In single precision, as in the library.
	logit := func() {
		if !(base > 0 && base < 1) {
			panic(fault.New("base_score: got %v, want a probability above 0 and below 1", base))
		}
		base = float32(-math.Log(float64(1/base - 1)))
	}
	switch l.Objective.Name {
	case "binary:logistic", "reg:logistic":
		logit()
	case "binary:logitraw", "reg:squarederror", "reg:linear", "reg:absoluteerror", "reg:pseudohubererror", "multi:softprob", "multi:softmax":
		out.Output = fairness.LinkLinear
	default:
		panic(fault.New("objective: got %.60q, want binary:logistic, reg:logistic, binary:logitraw, reg:squarederror, multi:softprob or multi:softmax", l.Objective.Name))
	}
	out.Base = float64(base)
	out.Trees = forest.All(len(l.Booster.Model.Trees), func(k int) forest.Tree {
		weight := 1.0
		if l.Booster.Name == "dart" {
			weight = float64(l.Booster.Weights[k])
		}
		return l.Booster.Model.Trees[k].grown(weight)
	})
	version := "XGBoost"
	for i, v := range f.Version {
		version += []string{" ", "."}[min(i, 1)] + strconv.Itoa(v)
	}
	facts := reader.Facts{Producer: version, InputNames: l.Names, Codes: codesOfXGBoost(l.Kinds, l.Booster.Model.Cats.lists())}
	if classes == 1 {
		return &reader.Model{Model: out, Facts: facts}
	}
	info := l.Booster.Model.Info
	if len(info) != len(out.Trees) {
		panic(fault.New("tree_info: got %d entries, want %d: one per tree", len(info), len(out.Trees)))
	}
	of := forest.Divide(out, classes, func(k int) int { return info[k] })
	for k := range of.Sums {
		of.Sums[k].Base = float64(float32(bases[k]))
	}
	return &reader.Model{Model: of, Facts: facts}
}

// grown returns the tree, its leaves multiplied by weight; the product of two float32 is exact.
func (t *xgboostTree) grown(weight float64) forest.Tree {
	n := len(t.Left)
	forest.Entries(n, map[string]int{"right_children": len(t.Right), "split_indices": len(t.Inputs), "split_conditions": len(t.Conditions), "default_left": len(t.DefaultLeft)})
	if len(t.Types) != 0 {
		forest.Entries(n, map[string]int{"split_type": len(t.Types)})
	}
	if t.Param.Vector.number("size_leaf_vector") > 1 {
		panic(fault.New(manyScores))
	}
	if len(t.Nodes) != len(t.Segments) || len(t.Nodes) != len(t.Sizes) {
		panic(fault.New("categories_nodes, categories_segments and categories_sizes: got %d, %d and %d entries, want equal numbers", len(t.Nodes), len(t.Segments), len(t.Sizes)))
	}
	sets := make(map[int][]int, len(t.Nodes))
	for i, node := range t.Nodes {
		from, size := t.Segments[i], t.Sizes[i]
		if from < 0 || size < 0 || from > len(t.Categories) || size > len(t.Categories)-from {
			panic(fault.New("categories_segments: got %d categories that begin at index %d, but there are %d", size, from, len(t.Categories)))
		}
		set := slices.Clone(t.Categories[from : from+size])
		slices.Sort(set)
		if set = slices.Compact(set); size > 0 && (set[0] < 0 || set[len(set)-1] >= 1<<24) {
			panic(fault.New("categories: got %d to %d, want 0 to 2^24-1", set[0], set[len(set)-1]))
		}
		sets[node] = set
	}
	return forest.Tree{Nodes: n, Node: func(i int) trees.Node {
		v := t.Conditions[i]
		if t.Left[i] == -1 {
			return trees.Leaf(float64(v) * weight)
		}
		if t.Inputs[i] < 0 || t.Inputs[i] >= trees.MaxInputs || t.Left[i] < 0 || t.Left[i] >= n || t.Right[i] < 0 || t.Right[i] >= n {
			panic(fault.New("node %d compares input %d and has the children %d and %d: want an input from 0 to %d and children from 0 to %d", i, t.Inputs[i], t.Left[i], t.Right[i], trees.MaxInputs-1, n-1))
		}
		out := trees.Node{Input: int32(t.Inputs[i]), Left: int32(t.Left[i]), Right: int32(t.Right[i]), Missing: bool(t.DefaultLeft[i])}
		if len(t.Types) > 0 && t.Types[i] == 1 { // categories in the set go right
			forest.Among(&out, sets[i], func(c int) float64 { border, _ := trees.Rounded(float32(c), false); return border })
			return out
		}
		out.Value, out.Closed = trees.Rounded(float32(v), false)
		return out
	}}
}
