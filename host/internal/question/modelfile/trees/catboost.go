package trees

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// CatBoostJSON is the format of CatBoost's JSON files. Its text decides, not the file's beginning: see IsCatBoost.
var CatBoostJSON = reader.Format{
	Name: "catboost-json", Max: maxFile, What: "a CatBoost model",
	Read: func(f reader.File) *reader.Model { return chosen(f.Choice, parseCatBoost(f.Text)) },
}

// IsCatBoost recognises a model in a text of JSON.
func IsCatBoost(text []byte) bool {
	return bytes.Contains(text, []byte(`"features_info"`)) && bytes.Contains(text, []byte(`"model_info"`))
}

// catBoostFile holds the used fields of a CatBoost model. A float feature is an input; a categorical feature has an input
// for each category that some tree compares with (one-hot), which is 1 for that category.
type catBoostFile struct {
	Features struct {
		Floats     catFeatures     `json:"float_features"`
		Categories catFeatures     `json:"categorical_features"`
		Hashes     catHashes       `json:"cat_features_hash"`
		Ctrs       json.RawMessage `json:"ctrs"`
		Texts      json.RawMessage `json:"text_features"`
		Embeddings json.RawMessage `json:"embedding_features"`
	} `json:"features_info"`
	Info struct {
		Version string `json:"catboost_version_info"`
		Params  struct {
			Loss struct {
				Type string `json:"type"`
			} `json:"loss_function"`
		} `json:"params"`
	} `json:"model_info"`
	Oblivious json.RawMessage `json:"oblivious_trees"`
	Trees     json.RawMessage `json:"trees"`
	Scale     json.RawMessage `json:"scale_and_bias"`
}

type catFeature struct {
	Index   int     `json:"feature_index"` // among features of its kind
	Flat    int     `json:"flat_feature_index"`
	Name    string  `json:"feature_id"`
	HasNaNs bool    `json:"has_nans"`
	NaN     string  `json:"nan_value_treatment"`
	Values  []int32 `json:"values"` // the hashes of categories

	first int // the first of the feature's inputs
}

// catFeatures are features by their index.
type catFeatures map[int]*catFeature

func (l *catFeatures) UnmarshalJSON(text []byte) error {
	*l = catFeatures{}
	return elements(text, "feature", func(i int, f *catFeature) error {
		if i == trees.MaxInputs {
			return fmt.Errorf("more than %d features, the maximum", trees.MaxInputs)
		}
		if (*l)[f.Index] != nil {
			return fmt.Errorf("two features have the feature_index %d", f.Index)
		}
		(*l)[f.Index] = f
		return nil
	})
}

// catHashes are the names of categories by their hashes.
type catHashes map[int32]string

func (l *catHashes) UnmarshalJSON(text []byte) error {
	*l = catHashes{}
	return elements(text, "category", func(_ int, one *struct {
		Hash  uint32 `json:"hash"`
		Value string `json:"value"`
	}) error {
		(*l)[int32(one.Hash)] = one.Value
		return nil
	})
}

// catSplit is a comparison: it holds for a float feature above a border, or for a category.
type catSplit struct {
	Type     string      `json:"split_type"`
	Float    int         `json:"float_feature_index"`
	Border   json.Number `json:"border"`
	Category int         `json:"cat_feature_index"`
	Value    int32       `json:"value"`
}

// catTree is an oblivious tree. Bit i of a leaf's index says whether split i holds.
type catTree struct {
	Values []*float64 `json:"leaf_values"`
	Splits []catSplit `json:"splits"`
}

// catNode is a node of a tree that is not oblivious: a leaf if there is no split.
type catNode struct {
	Split *catSplit       `json:"split"`
	Left  *catNode        `json:"left"`
	Right *catNode        `json:"right"`
	Value json.RawMessage `json:"value"`
}

const manyScores = "leaves with several values, as of several classes or targets, are not supported: train one class against the rest, or one model per target"

func parseCatBoost(text []byte) *reader.Model {
	var f catBoostFile
	decode(text, &f)
	for what, part := range map[string]json.RawMessage{
		"ctrs: statistics of categories (ctr) are not supported: train with one_hot_max_size=255, so that each category is compared by itself, or encode categories before": f.Features.Ctrs,
		"text_features: features of texts are not supported: train without them":                                                                                            f.Features.Texts,
		"embedding_features: embeddings are not supported: train without them":                                                                                              f.Features.Embeddings,
	} {
		if text := strings.Join(strings.Fields(string(part)), ""); text != "" && text != "null" && text != "[]" {
			panic(fault.New("features_info.%s", what))
		}
	}
	c := &catBoost{catBoostFile: &f, scale: 1}
	out := &trees.Ensemble{}
	switch loss := f.Info.Params.Loss.Type; loss {
	case "Logloss", "CrossEntropy":
		out.Output = fairness.LinkSigmoid
	case "RMSE", "MAE", "Quantile", "Huber", "Expectile":
		out.Output = fairness.LinkLinear
	case "MultiClass", "MultiClassOneVsAll", "MultiRMSE", "RMSEWithUncertainty":
		panic(fault.New("model_info.params.loss_function: %s: %s", loss, manyScores))
	default:
		panic(fault.New("model_info.params.loss_function: got %.60q, want Logloss, CrossEntropy, RMSE, MAE, Quantile, Huber or Expectile", loss))
	}
	out.Base = c.scaleAndBias()
	names, named := c.order()
	out.Columns = len(names)
	var facts reader.Facts
	if named {
		facts.InputNames = names
	}
	if _, tag, ok := strings.Cut(f.Info.Version, "tags/v"); ok {
		facts.Producer = "CatBoost " + strings.Fields(tag)[0]
	}
	c.left = trees.MaxNodes
	if f.Oblivious == nil && f.Trees == nil {
		panic(fault.New("oblivious_trees: the field is missing"))
	}
	tree := func(k int, grow func(t *trees.Tree)) error {
		defer fault.About(fmt.Sprintf("tree %d", k))
		var t trees.Tree
		grow(&t)
		out.Trees = append(out.Trees, t)
		return nil
	}
	fault.Check(elements(f.Oblivious, "tree", func(k int, o *catTree) error {
		return tree(k, func(t *trees.Tree) {
			switch n := len(o.Splits); {
			case n > 16 || len(o.Values) == 0 || len(o.Values)%(1<<n) != 0:
				panic(fault.New("leaf_values: got %d values of %d splits, want 2^splits values and at most 16 splits", len(o.Values), n))
			case len(o.Values) != 1<<n:
				panic(fault.New(manyScores))
			}
			c.oblivious(t, o, 0, 0, nil)
		})
	}))
	fault.Check(elements(f.Trees, "tree", func(k int, n *catNode) error {
		return tree(k, func(t *trees.Tree) { c.grow(t, n) })
	}))
	return &reader.Model{Model: out, Facts: facts}
}

// catBoost is a model that is being read.
type catBoost struct {
	*catBoostFile
	scale float64 // of the leaves
	left  int     // the number of nodes that may follow
}

// scaleAndBias sets the scale, and returns the bias.
func (c *catBoost) scaleAndBias() (bias float64) {
	if c.Scale == nil { // before CatBoost 0.24
		return 0
	}
	var list []json.RawMessage
	var scale, one *float64 // nil for null
	if json.Unmarshal(c.Scale, &list) == nil && len(list) == 2 && json.Unmarshal(list[0], &scale) == nil && scale != nil {
		var several []*float64
		if json.Unmarshal(list[1], &several) != nil {
			if json.Unmarshal(list[1], &one) != nil {
				one = nil
			}
		} else if len(several) == 1 {
			one = several[0]
		} else if len(several) > 1 {
			panic(fault.New("scale_and_bias: %s", manyScores))
		}
	}
	if one == nil {
		panic(fault.New("scale_and_bias: got %.60s, want a scale and a list of one bias", c.Scale))
	}
	c.scale = *scale
	return *one
}

// order numbers the inputs in the order of the columns and returns their names; named is false if the file lacks names.
func (c *catBoost) order() (names []string, named bool) {
	named = true
	columns := map[int]*catFeature{}
	for _, features := range []catFeatures{c.Features.Floats, c.Features.Categories} {
		for _, f := range features {
			if columns[f.Flat] != nil {
				panic(fault.New("features_info: two features have the flat_feature_index %d", f.Flat))
			}
			columns[f.Flat] = f
		}
	}
	for i := range len(columns) {
		f := columns[i]
		if f == nil {
			panic(fault.New("features_info: there is no feature with the flat_feature_index %d among %d", i, len(columns)))
		}
		f.first = len(names)
		named = named && f.Name != ""
		if c.Features.Floats[f.Index] == f {
			names = append(names, f.Name)
			continue
		}
		for _, hash := range f.Values {
			if _, ok := c.Features.Hashes[hash]; !ok {
				panic(fault.New("features_info: %.40q has the category of hash %d, whose name the file lacks: save the model with its training data, model.save_model(\"model.json\", format=\"json\", pool=pool)", f.Name, hash))
			}
		}
		slices.SortFunc(f.Values, func(a, b int32) int { return strings.Compare(c.Features.Hashes[a], c.Features.Hashes[b]) })
		for _, hash := range f.Values {
			names = append(names, f.Name+"_"+c.Features.Hashes[hash])
		}
	}
	if len(names) > trees.MaxInputs {
		panic(fault.New("features_info: got %d inputs, want %d at most", len(names), trees.MaxInputs))
	}
	return names, named
}

// node returns the comparison, whose right child is taken if the split holds.
func (c *catBoost) node(s *catSplit) trees.Node {
	switch s.Type {
	case "FloatFeature":
		f := c.Features.Floats[s.Float]
		border, err := strconv.ParseFloat(string(s.Border), 32)
		if f == nil || err != nil {
			panic(fault.New("splits: got %.40q of the float feature %d, want a border of one of %d features", s.Border, s.Float, len(c.Features.Floats)))
		}
		n := trees.Node{Input: int32(f.first), Missing: !(f.HasNaNs && f.NaN == "AsTrue")}
		n.Value, n.Closed = trees.Rounded(float32(border), true)
		return n
	case "OneHotFeature":
		f := c.Features.Categories[s.Category]
		if f == nil || !slices.Contains(f.Values, s.Value) {
			panic(fault.New("splits: got the category of hash %d of the categorical feature %d, which features_info lacks", s.Value, s.Category))
		}
		return trees.Node{Input: int32(f.first + slices.Index(f.Values, s.Value)), Value: 0.5, Closed: true, Missing: true}
	}
	panic(fault.New("split_type: got %.40q, want FloatFeature or OneHotFeature", s.Type))
}

// add appends a node, and returns its index.
func (c *catBoost) add(t *trees.Tree, n trees.Node) int {
	if c.left--; c.left < 0 {
		panic(fault.New("the trees have more than %d nodes together, the maximum", trees.MaxNodes))
	}
	*t = append(*t, n)
	return len(*t) - 1
}

// decided is a comparison on the path to a node, and its result.
type decided struct {
	trees.Node
	holds bool
}

// oblivious grows the subtree of split from and of those after it, without those that the path decides. leaf has the bits of
// the earlier splits.
func (c *catBoost) oblivious(t *trees.Tree, o *catTree, from, leaf int, path []decided) {
	if from == len(o.Splits) {
		value := o.Values[leaf]
		if value == nil {
			panic(fault.New("leaf_values: got null, want numbers"))
		}
		c.add(t, trees.Leaf(*value*c.scale))
		return
	}
	n := c.node(&o.Splits[from])
	for _, d := range path {
		if d.Input == n.Input && (d.holds && n.Value <= d.Value || !d.holds && n.Value >= d.Value) {
			if d.holds {
				leaf |= 1 << from
			}
			c.oblivious(t, o, from+1, leaf, path)
			return
		}
	}
	at := c.add(t, n)
	(*t)[at].Left = int32(len(*t))
	c.oblivious(t, o, from+1, leaf, append(slices.Clip(path), decided{n, false}))
	(*t)[at].Right = int32(len(*t))
	c.oblivious(t, o, from+1, leaf|1<<from, append(slices.Clip(path), decided{n, true}))
}

// grow grows a subtree that is not oblivious.
func (c *catBoost) grow(t *trees.Tree, n *catNode) {
	if n == nil {
		panic(fault.New("a split without its two children"))
	}
	if n.Split == nil {
		var value *float64
		if json.Unmarshal(n.Value, &value) != nil || value == nil {
			var several []float64
			if json.Unmarshal(n.Value, &several) == nil && several != nil {
				panic(fault.New(manyScores))
			}
			panic(fault.New("value: got %.40q, want a number", n.Value))
		}
		c.add(t, trees.Leaf(*value*c.scale))
		return
	}
	at := c.add(t, c.node(n.Split))
	(*t)[at].Left = int32(len(*t))
	c.grow(t, n.Left)
	(*t)[at].Right = int32(len(*t))
	c.grow(t, n.Right)
}
