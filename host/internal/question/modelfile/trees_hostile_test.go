package modelfile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
)

var treeFiles = []string{"xgb-logistic.json", "xgb-categories.json", "xgb-categories.ubj", "lgb-categories.txt", "lgb-zero.txt", "cat-words.json", "cat-lossguide.json"}

// Every prefix of a file of trees is refused.
func TestTruncatedTrees(t *testing.T) {
	tier.NeedUsual(t)
	for _, name := range treeFiles {
		file := fixture(t, "trees/"+name)
		end := len(file)
		if at := bytes.Index(file, []byte("end of trees")); at >= 0 {
			end = at // the rest concerns training
		}
		for n := 0; n < end; n += tier.Count(17, 1) {
			if mustBeSound(t, file[:n]) {
				t.Errorf("%s: the first %d of %d bytes make a model", name, n, len(file))
			}
		}
	}
}

// Wrong bytes anywhere give an error or a sound model.
func TestCorruptedTrees(t *testing.T) {
	tier.NeedUsual(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range append([]string{"sklearn-forest.onnx", "sklearn-classes.onnx", "sklearn-boosting.onnx", "sklearn-boosting-5.onnx"}, treeFiles...) {
		file := fixture(t, "trees/"+name)
		for range tier.Count(1600, 20000) {
			cut := bytes.Clone(file)
			for range 1 + r.IntN(3) {
				at := r.IntN(len(cut))
				if cut[at] = byte(r.IntN(256)); r.IntN(2) == 0 {
					cut[at] = "0123456789-,[]{}\"=#$"[r.IntN(20)]
				}
			}
			mustBeSound(t, cut)
		}
	}
}

// Unsupported parts are named, with advice if there is any.
func TestRefusedTrees(t *testing.T) {
	changed := func(name string, pairs ...string) string {
		text := string(fixture(t, "trees/"+name))
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(text, pairs[i]) {
				t.Fatalf("%s has no %q", name, pairs[i])
			}
			text = strings.Replace(text, pairs[i], pairs[i+1], 1)
		}
		return text
	}
	const xgb, lgb, cat = "xgb-logistic.json", "lgb-binary.txt", "cat-words.json"
	for _, c := range []struct{ file, want string }{
		{changed(xgb, `"name":"gbtree"`, `"name":"dart"`), "gradient_booster.gbtree.model: the field is missing"},
		{changed("xgb-dart.json", `"weight_drop":[`, `"weight_drop":[1,`), "got 7 weights, want 6"},
		{changed(xgb, `"name":"gbtree"`, `"name":"gblinear"`), `train with booster="gbtree"`},
		{changed(xgb, `"num_class":"0"`, `"num_class":"3"`), "3 classes"},
		{changed(xgb, `"num_target":"1"`, `"num_target":"2"`), "2 targets"},
		{changed(xgb, `"name":"binary:logistic"`, `"name":"multi:softprob"`), `got 1 classes with the objective "multi:softprob"`},
		{strings.NewReplacer(`"num_class":"0"`, `"num_class":"3"`, `"name":"binary:logistic"`, `"name":"multi:softprob"`, `"tree_info":[0`, `"tree_info":[3`).Replace(changed(xgb, `"num_class":"0"`, `"num_class":"3"`)), "tree 0 is of class 3, want 0 to 2"},
		{changed(xgb, `"base_score":"[`, `"base_score":"[2`), "want a probability"},
		{changed(xgb, `"left_children":[1,`, `"left_children":[0,`), "node 0 is reached twice"},
		{changed(xgb, `"left_children":[1,`, `"left_children":[900,`), "has the children 900"},
		{changed(xgb, `"right_children":[2,`, `"right_children":[1,`), "is reached twice"},
		{changed(xgb, `"split_indices":[0,`, `"split_indices":[77,`), "compares input 77, want 0 to 4"},
		{changed(xgb, `"num_feature":"5","num_target"`, `"num_feature":"1000000","num_target"`), "1000000 inputs are outside"},
		{changed(xgb, `"trees":[`, `"trees":[{},`), "tree 0 has no nodes"},
		{changed(xgb, `"learner":{`, `"learner":{,`), "line 1: "},
		{changed(xgb, `"attributes":{`, `"attributes":{"best_iteration":"0"`), "get_booster()[:1]"},
		{strings.NewReplacer(`"num_class":"0"`, `"num_class":"4"`, `"name":"binary:logistic"`, `"name":"multi:softprob"`).Replace(
			changed(xgb, `"attributes":{`, `"attributes":{"best_iteration":"0"`, `"num_parallel_tree":"1"`, `"num_parallel_tree":"4611686018427387904"`)), "the model has 4 classes"},
		{changed(xgb, `"left_children":[1,`, `"left_children":["1",`), "tree 0: "},
		{changed(xgb, `"size_leaf_vector":"1"`, `"size_leaf_vector":"2"`), "leaves with several values"},
		{changed("xgb-categories.json", `"categories_sizes":[`, `"categories_sizes":[99`), "categories_segments"},
		{changed(lgb, "num_class=1", "num_class=3"), "3 classes"},
		{changed("lgb-forest.txt", "num_class=1", "num_class=0", "num_tree_per_iteration=1", "num_tree_per_iteration=0"), "0 classes"},
		{changed(lgb, "sigmoid:1", "sigmoid:-2"), "want a positive slope of the sigmoid"},
		{changed(lgb, "objective=binary", "objective=lambdarank"), `"lambdarank`},
		{changed(lgb, "is_linear=0", "is_linear=1"), "linear_tree=False"},
		{changed(lgb, "left_child=1", "left_child=0"), "is reached twice"},
		{changed(lgb, "left_child=1", "left_child=-9223372036854775808"), "child -9223372036854775808 among"},
		{changed(lgb, "left_child=1", "left_child=9223372036854775807"), "child 9223372036854775807 among"},
		{changed(lgb, "left_child=1", "left_child=900"), "child 900 among"},
		{changed(lgb, "max_feature_idx=", "max_feature_idx=9223372036854775807"), "max_feature_idx: "},
		{changed(lgb, "num_leaves=", "num_leaves=99999999999"), "num_leaves: "},
		{changed(lgb, "end of trees", "end"), "no line \"end of trees\""},
		{changed(lgb, "leaf_value=", "leaf_value=nan "), "leaf_value"},
		{changed(cat, `"Logloss"`, `"MultiClass"`), "MultiClass: leaves with several values"},
		{changed(cat, `"Logloss"`, `"Poisson"`), `loss_function: got "Poisson", want Logloss`},
		{changed(cat, `"float_features":`, `"ctrs":[{}],"float_features":`), "train with one_hot_max_size=255"},
		{changed(cat, `"float_features":`, `"text_features":[{}],"float_features":`), "text_features"},
		{changed(cat, `"float_features":`, `"embedding_features":[{}],"float_features":`), "embedding_features"},
		{changed(cat, `"cat_features_hash":`, `"hashes":`), `"job" has the category of hash 174581543, whose name the file lacks: save the model with its training data`},
		{changed(cat, `"flat_feature_index":4`, `"flat_feature_index":9`), "no feature with the flat_feature_index 4 among 5"},
		{changed(cat, `"flat_feature_index":2`, `"flat_feature_index":0`), "two features have the flat_feature_index 0"},
		{changed(cat, `"feature_index":1`, `"feature_index":0`), "two features have the feature_index 0"},
		{changed(cat, `"values":[253272131]`, `"values":[]`), "the category of hash 253272131 of the categorical feature 1, which features_info lacks"},
		{changed(cat, `"split_type":"FloatFeature"`, `"split_type":"OnlineCtr"`), `split_type: got "OnlineCtr"`},
		{changed(cat, `"float_feature_index":0`, `"float_feature_index":7`), "of the float feature 7, want a border of one of 2 features"},
		{changed(cat, `"border":`, `"border":"1e60","b":`), "want a border"},
		{changed(cat, `"leaf_values":[`, `"leaf_values":[1,`), "tree 0: leaf_values: got 9 values of 3 splits"},
		{changed(cat, `"leaf_values":[`, `"leaf_values":[1,2,3,4,5,6,7,8,`), "tree 0: leaves with several values"},
		{changed(cat, `"scale_and_bias":[1,[0`, `"scale_and_bias":[1,[0,1`), "scale_and_bias: leaves with several values"},
		{changed(cat, `"scale_and_bias":[1,`, `"scale_and_bias":[null,`), "scale_and_bias: got [null,"},
		{changed(cat, `"scale_and_bias":[1,[0]]`, `"scale_and_bias":[1,"x"]`), `scale_and_bias: got [1,"x"]`},
		{changed(cat, `"scale_and_bias":[1,[0`, `"scale_and_bias":[1,[null`), "scale_and_bias: got [1,[null"},
		{changed(cat, `"leaf_values":[`, `"leaf_values":[null,null,null,null,null,null,null,null],"v":[`), "tree 0: leaf_values: got null, want numbers"},
		{changed("cat-lossguide.json", `"value":`, `"value":null,"v":`), `tree 0: value: got "null", want a number`},
		{changed(cat, `"scale_and_bias":[1,[`, `"scale_and_bias":[1,["`), "line 1: "},
		{changed(cat, `"scale_and_bias":[1,`, `"scale_and_bias":[`), "scale_and_bias: got [[0"},
		{changed(cat, `"oblivious_trees":`, `"forest":`), "oblivious_trees: the field is missing"},
		{changed(cat, `"oblivious_trees":[`, `"oblivious_trees":[[],`), "tree 0: json: cannot unmarshal array"},
		{changed("cat-lossguide.json", `"value":`, `"value":[1,2],"v":`), "tree 0: leaves with several values"},
		{changed("cat-lossguide.json", `"left":`, `"l":`), "tree 0: a split without its two children"},
		{"{L\x00\x00\x00\x00\x00\x00\x00\x07learner" + strings.Repeat("[", 100), "levels"},
		{"{L\x00\x00\x00\x00\x00\x00\x00\x07learner[$i#l\x7f\xff\xff\xff", "but the file has only"},
		{"{\"learner\":" + strings.Repeat("[", 20000), "line 1"},
		{changed("sklearn-boosting.onnx", "Identity", "Softplus"), "(Softplus) computes with the trees' output"},
		{changed("sklearn-tree.onnx", "\n\x01X\x12\x0c\n\n\x08\x01", "\n\x01X\x12\x0c\n\n\x08\x0b"), "inputs in double precision"},
		{string(onnxFile(15, onnxNodeOf("Cast", "x", "in").with("to", 7), stumps("x", 2))), `"the Cast" casts its inputs to type 7`},
		{string(onnxFile(15, stumps("in", 2), onnxNodeOf("ZipMap", "out", "scores"), onnxNodeOf("Neg", "other", "scores"))), "(Neg) computes with"},
		{string(onnxFile(15, stumps("in", 2), constant("w", true, []int64{1}, 2), onnxNodeOf("Mul", "out", "scores", "w"))), "(Mul) computes with"},
		{string(onnxFile(15, stumps("in", 2), constant("w", true, []int64{2}, 1, 1), onnxNodeOf("Mul", "out", "scores", "w"))), "(Mul) computes with"},
		{string(onnxFile(15, stumps("in", -2))), "is not the share of a class"},
	} {
		if _, _, err := readBytes([]byte(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	deep := &strings.Builder{}
	list := func(key string, n int, of func(i int) int) {
		fmt.Fprintf(deep, "%q:[", key)
		for i := range n {
			if i > 0 {
				deep.WriteByte(',')
			}
			fmt.Fprint(deep, of(i))
		}
		deep.WriteString("],")
	}
	const n = 4001
	deep.WriteString(`{"learner":{"gradient_booster":{"name":"gbtree","model":{"trees":[{`)
	list("left_children", n, func(i int) int {
		if i%2 == 1 || i == n-1 {
			return -1
		}
		return i + 1
	})
	list("right_children", n, func(i int) int {
		if i%2 == 1 || i == n-1 {
			return -1
		}
		return i + 2
	})
	zero := func(int) int { return 0 }
	list("split_indices", n, zero)
	list("split_conditions", n, zero)
	list("default_left", n, zero)
	deep.WriteString(`"id":0}]}},"learner_model_param":{"base_score":"0.5","num_feature":"1"},"objective":{"name":"binary:logistic"}}}`)
	if _, _, err := readBytes([]byte(deep.String())); err == nil || !strings.Contains(err.Error(), "after 1024 comparisons") {
		t.Errorf("a tree of 2000 levels: %v", err)
	}
}

// stumps is a forest as skl2onnx writes it. Each tree adds its share for inputs above a
// border of its own: 0, 1, ….
func stumps(input string, n int) proto {
	share := 1 / float32(n)
	p := proto{}.text(1, input).text(2, "label").text(2, "scores").text(3, "the trees").text(4, "TreeEnsembleClassifier")
	ints := func(name string, of func(tree, node int) int) {
		a := proto{}.text(1, name)
		for i := range 3 * max(n, -n) {
			a = a.number(8, int64(of(i/3, i%3)))
		}
		p = p.text(5, string(a))
	}
	zero := func(_, _ int) int { return 0 }
	tree, node := func(tree, _ int) int { return tree }, func(_, node int) int { return node }
	for _, kind := range []string{"nodes", "class"} {
		ints(kind+"_treeids", tree)
		ints(kind+"_nodeids", node)
	}
	ints("nodes_featureids", zero)
	ints("class_ids", zero)
	ints("nodes_truenodeids", func(_, node int) int { return max(0, 1-node) })
	ints("nodes_falsenodeids", func(_, node int) int { return 2 * max(0, 1-node) })
	modes, values, weights := proto{}.text(1, "nodes_modes"), proto{}.text(1, "nodes_values"), proto{}.text(1, "class_weights")
	for i := range 3 * max(n, -n) {
		modes = modes.text(9, []string{"BRANCH_LEQ", "LEAF", "LEAF"}[i%3])
		values, weights = values.float(7, float32(i/3)), weights.float(7, float32(i%3/2)*share)
	}
	return p.text(5, string(modes)).text(5, string(values)).text(5, string(weights))
}

// An individual with exactly half of the trees gets a no, as in the library, although
// shares such as 0.1 in single precision sum to slightly more than a half.
func TestHalfOfAForestIsANo(t *testing.T) {
	for _, n := range []int{2, 4, 6, 10, 14, 20, 50, 100, 1000} {
		m, err := readAny(onnxFile(15, onnxNodeOf("Cast", "x", "in").with("to", 1), stumps("x", n), onnxNodeOf("ZipMap", "out", "scores")))
		if err != nil {
			t.Fatal(err)
		}
		yes := func(trees int) bool { return m.Exact().Logit([]*big.Rat{big.NewRat(int64(2*trees-1), 2)}).Sign() > 0 }
		if yes(n/2) || !yes(n/2+1) {
			t.Errorf("%d trees: yes by half of them: %v, by one more: %v", n, yes(n/2), yes(n/2+1))
		}
	}
}

// A product with 1, as onnxmltools writes it, leaves the trees' scores unchanged.
func TestTreesTimesOne(t *testing.T) {
	for _, raw := range []bool{true, false} {
		for _, of := range [][2]string{{"scores", "w"}, {"w", "scores"}} {
			m, err := readAny(onnxFile(15, stumps("in", 2), constant("w", raw, []int64{1}, 1), onnxNodeOf("Mul", "out", of[0], of[1])))
			if err != nil || m.Inputs() != 1 {
				t.Error(err)
			}
		}
	}
}

// Trees without nodes need no memory.
func TestMemoryOfEmptyTrees(t *testing.T) {
	empty := strings.Repeat("{},", 1<<20)
	for _, text := range []string{
		`{"learner":{"gradient_booster":{"name":"gbtree","model":{"trees":[` + empty + `{}]}}}}`,
		`{"features_info":{"float_features":[` + empty + `{}]},"model_info":{}}`,
		`{"features_info":{},"model_info":{"params":{"loss_function":{"type":"RMSE"}}},"oblivious_trees":[` + empty + `{}]}`,
	} {
		refusedWithin(t, 64, len(text), func() error { _, err := readAny([]byte(text)); return err })
	}
}

// fuzzTrees starts from small files, of which the fuzzer tries many a second, and from
// full-size ones.
func fuzzTrees(f *testing.F, small []byte, names ...string) {
	if _, err := readAny(small); err != nil {
		f.Fatal(err)
	}
	f.Add(small)
	for _, name := range names {
		f.Add(fixture(f, "trees/"+name))
	}
	f.Fuzz(func(t *testing.T, file []byte) { mustBeSound(t, file) })
}

// stump is a model of XGBoost: one comparison, with a set of categories.
const stump = `{"learner":{"gradient_booster":{"model":{"gbtree_model_param":{"num_parallel_tree":"1","num_trees":"1"},"iteration_indptr":[0,1],"tree_info":[0],"trees":[` +
	`{"categories":[1,3],"categories_nodes":[0],"categories_segments":[0],"categories_sizes":[2],"default_left":[1,0,0],"id":0,"left_children":[1,-1,-1],` +
	`"right_children":[2,-1,-1],"split_conditions":[0,-1,1],"split_indices":[1,0,0],"split_type":[1,0,0],"tree_param":{"num_nodes":"3"}}]},"name":"gbtree"},` +
	`"learner_model_param":{"base_score":"5E-1","num_class":"0","num_feature":"2","num_target":"1"},"objective":{"name":"binary:logistic"}},"version":[3,1,0]}`

// asUBJSON writes a value that encoding/json has decoded, as XGBoost does.
func asUBJSON(v any) (out []byte) {
	length := func(n int) { out = append(out, 'L', 0, 0, 0, 0, 0, 0, byte(n>>8), byte(n)) }
	switch v := v.(type) {
	case map[string]any:
		out = append(out, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			length(len(name))
			out = append(append(out, name...), asUBJSON(v[name])...)
		}
		return append(out, '}')
	case []any:
		out = append(out, '[')
		for _, one := range v {
			out = append(out, asUBJSON(one)...)
		}
		return append(out, ']')
	case string:
		out = append(out, 'S')
		length(len(v))
		return append(out, v...)
	default:
		return binary.BigEndian.AppendUint32([]byte{'d'}, math.Float32bits(float32(v.(float64))))
	}
}

func FuzzXGBoost(f *testing.F) { fuzzTrees(f, []byte(stump), "xgb-base.json", "xgb-categories.json") }

func FuzzTreesJSON(f *testing.F) { fuzzTrees(f, []byte(smallTrees)) }

func FuzzCatBoost(f *testing.F) {
	small := `{"features_info":{"float_features":[{"feature_index":0,"flat_feature_index":0,"has_nans":true,"nan_value_treatment":"AsTrue"}],` +
		`"categorical_features":[{"feature_index":0,"flat_feature_index":1,"values":[-1]}],"cat_features_hash":[{"hash":4294967295,"value":"a"}]},` +
		`"model_info":{"params":{"loss_function":{"type":"Logloss"}}},"oblivious_trees":[{"leaf_values":[1,2,3,4],"splits":[` +
		`{"split_type":"FloatFeature","float_feature_index":0,"border":0.5},{"split_type":"OneHotFeature","cat_feature_index":0,"value":-1}]}],"scale_and_bias":[1,[0]]}`
	fuzzTrees(f, []byte(small), "cat-words.json", "cat-lossguide.json")
}

func FuzzUBJSON(f *testing.F) {
	var v any
	if err := json.Unmarshal([]byte(stump), &v); err != nil {
		f.Fatal(err)
	}
	fuzzTrees(f, asUBJSON(v), "xgb-base.ubj", "xgb-categories.ubj")
}

func FuzzLightGBM(f *testing.F) {
	small := "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=1\nobjective=binary sigmoid:1\n\nTree=0\nnum_leaves=3\nnum_cat=1\n" +
		"split_feature=0 1\nthreshold=0 1.5\ndecision_type=1 10\nleft_child=1 -1\nright_child=-3 -2\nleaf_value=-1 0 1\ncat_boundaries=0 1\ncat_threshold=10\n" +
		"is_linear=0\nshrinkage=1\n\nend of trees\n"
	fuzzTrees(f, []byte(small), "lgb-regression.txt", "lgb-categories.txt", "lgb-zero.txt")
}

func FuzzTreesInONNX(f *testing.F) {
	f.Add(onnxFile(15, stumps("in", 2)))
	fuzzTrees(f, onnxFile(21, version5(nil)), "sklearn-tree.onnx", "sklearn-classes-tree.onnx", "sklearn-boosting.onnx", "sklearn-regression.onnx", "sklearn-forest-regression-5.onnx")
}

// XGBoost 2 writes NaN, which is not JSON, where version 3 writes a number: the unused
// border of a set of categories. Anywhere else NaN is a fault.
func TestBordersOfXGBoostThatAreNaN(t *testing.T) {
	file := fixture(t, "trees/xgb-categories.json")
	var tree map[string]any
	if err := json.Unmarshal(file, &tree); err != nil {
		t.Fatal(err)
	}
	list := tree["learner"].(map[string]any)["gradient_booster"].(map[string]any)["model"].(map[string]any)["trees"].([]any)
	sets := 0
	for _, one := range list {
		borders, kinds := one.(map[string]any)["split_conditions"].([]any), one.(map[string]any)["split_type"].([]any)
		for i := range kinds {
			if kinds[i] == 1.0 {
				borders[i], sets = -123456, sets+1
			}
		}
	}
	text, err := json.Marshal(tree)
	if err != nil || sets == 0 {
		t.Fatal(err)
	}
	want, err := readAny(file)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte("-123456"), []byte("NaN"))
	got, err := readAny(text)
	if err != nil || got.Fingerprint() != want.Fingerprint() {
		t.Errorf("with NaN: %v, another model", err)
	}
	text = bytes.Replace(text, []byte(`"split_conditions":[`), []byte(`"split_conditions":[NaN,`), 1)
	text = bytes.Replace(text, []byte(`"split_indices":[`), []byte(`"split_indices":[0,`), 1)
	if _, err := readAny(text); err == nil {
		t.Error("a model of lists of different lengths")
	}
}

// version5 is a TreeEnsemble of ai.onnx.ml 5: one comparison and two leaves, with the given
// attributes replaced.
func version5(attributes map[string]any) proto {
	all := map[string]any{
		"tree_roots": []int64{0}, "nodes_featureids": []int64{0}, "nodes_truenodeids": []int64{0}, "nodes_falsenodeids": []int64{1},
		"nodes_trueleafs": []int64{1}, "nodes_falseleafs": []int64{1}, "leaf_targetids": []int64{0, 0},
		"nodes_modes":  proto{}.number(1, 1).number(2, 2).text(9, "\x00"),
		"nodes_splits": constant("s", true, []int64{1}, 0.5), "leaf_weights": constant("w", true, []int64{2}, -1, 1),
	}
	maps.Copy(all, attributes)
	p := proto{}.text(1, "in").text(2, "out").text(3, "the trees").text(4, "TreeEnsemble")
	for name, v := range all {
		a := proto{}.text(1, name)
		switch v := v.(type) {
		case int:
			a = a.number(3, int64(v))
		case []int64:
			for _, one := range v {
				a = a.number(8, one)
			}
		case proto:
			a = a.text(5, string(v))
		case nil:
			continue
		}
		p = p.text(5, string(a))
	}
	return p
}

// A transform of the sums of several classes by which another class may win is refused for any class, too.
func TestTransformsOfSeveralClasses(t *testing.T) {
	file, one := fixture(t, "trees/sklearn-classes-boosting.onnx"), 0
	for _, choice := range []Choice{{Class: &one}, {Class: &one, Any: true}} {
		if _, _, err := readFrom(file, "memory", choice); err != nil {
			t.Fatal(err)
		}
		changed := bytes.ReplaceAll(file, []byte("SOFTMAX"), []byte("PROBITS"))
		if _, _, err := readFrom(changed, "memory", choice); err == nil || !strings.Contains(err.Error(), `"PROBITS" of 3 classes`) {
			t.Errorf("%+v: %v", choice, err)
		}
	}
}

func TestTreesOfVersion5(t *testing.T) {
	if m, err := readAny(onnxFile(21, version5(nil))); err != nil || m.Logit([]float64{0.5}) != -1 || m.Logit([]float64{0.75}) != 1 {
		t.Fatalf("%v, %v", m, err)
	}
	two := map[string]any{"n_targets": 2, "post_transform": 1, "leaf_targetids": []int64{0, 1}}
	if m, err := readAny(onnxFile(21, version5(two))); err != nil || m.Logit([]float64{0.5}) != 1 || m.Logit([]float64{0.75}) != 1 {
		t.Fatalf("two targets: %v, %v", m, err)
	}
	for name, c := range map[string]struct {
		change map[string]any
		want   string
	}{
		"a circle":          {map[string]any{"nodes_trueleafs": []int64{0}}, "node 0 is reached twice"},
		"two roots":         {map[string]any{"tree_roots": []int64{0, 0}}, "node 0 is reached twice"},
		"no root":           {map[string]any{"tree_roots": []int64{7}}, "no node 7"},
		"no tree":           {map[string]any{"tree_roots": nil}, "the trees have no nodes"},
		"no leaf":           {map[string]any{"nodes_falsenodeids": []int64{2}}, "no leaf 2"},
		"no weights":        {map[string]any{"leaf_weights": nil}, "leaf_weights: the attribute is missing"},
		"lists":             {map[string]any{"nodes_trueleafs": []int64{1, 1}}, "nodes_trueleafs: got 2 entries, want 1"},
		"sets":              {map[string]any{"nodes_modes": proto{}.number(1, 1).number(2, 2).text(9, "\x06")}, "want one of BRANCH_LEQ"},
		"doubles":           {map[string]any{"nodes_splits": proto{}.number(1, 1).number(2, 11).text(9, "12345678")}, "double precision"},
		"a mean":            {map[string]any{"aggregate_function": 0}, "want SUM"},
		"three targets":     {map[string]any{"n_targets": 3, "post_transform": 1}, "3 targets"},
		"a second target":   {map[string]any{"leaf_targetids": []int64{0, 1}}, "a model of one score"},
		"numbers elsewhere": {map[string]any{"leaf_weights": proto{}.number(1, 2).number(2, 1).number(14, 1)}, "in one file"},
	} {
		if _, err := readAny(onnxFile(21, version5(c.change))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}
