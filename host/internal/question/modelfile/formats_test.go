package modelfile

import (
	"archive/zip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// columns reads the numbers of a CSV file below its header.
func numbersOf(t *testing.T, path string) (rows [][]float64) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		var row []float64
		for _, cell := range strings.Split(line, ",") {
			var v float64
			if _, err := fmt.Sscan(cell, &v); err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestNormalization: one of each input and one of all, from both kinds of file, gives Keras' scores.
func TestNormalization(t *testing.T) {
	for _, name := range []string{"each", "all"} {
		for _, extension := range []string{".keras", ".h5"} {
			m, _, err := Read("testdata/normalization/"+name+extension, Choice{})
			if err != nil {
				t.Error(err)
				continue
			}
			scores := numbersOf(t, "testdata/normalization/"+name+".csv")
			for i, x := range numbersOf(t, "testdata/normalization/x.csv") {
				if got := m.Link().Score(m.Logit(x)); math.Abs(got-scores[i][0]) > 1e-6 {
					t.Errorf("%s%s: row %d: %v, Keras says %v", name, extension, i, got, scores[i][0])
				}
			}
		}
	}
}

// TestFewDigits: what the library computes with 16 bits or fewer has other scores than its weights, and is refused by
// the name of the policy, in each way that Keras writes one.
func TestFewDigits(t *testing.T) {
	config, weights := member(t, "batch-norm.keras", "config.json"), member(t, "batch-norm.keras", "model.weights.h5")
	const policy = `"dtype": {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float32"}, "registered_name": null}`
	if !strings.Contains(config, policy) {
		t.Fatalf("no %s in %s", policy, config)
	}
	for dtype, says := range map[string]string{
		`"mixed_float16"`: "mixed_float16", `"float16"`: "float16", `"bfloat16"`: "bfloat16",
		`{"class_name": "Policy", "config": {"name": "mixed_bfloat16"}}`:                                              "mixed_bfloat16",
		`{"class_name": "DTypePolicy", "config": {"name": "mixed_float16"}}`:                                          "mixed_float16",
		`{"class_name": "QuantizedDTypePolicy", "config": {"mode": "int8", "source_name": "float32"}}`:                "int8_from_float32",
		`{"class_name": "QuantizedFloat8DTypePolicy", "config": {"mode": "float8", "source_name": "mixed_bfloat16"}}`: "float8_from_mixed_bfloat16",
		`"float32"`: "", `"float64"`: "", `{"class_name": "Policy", "config": {"name": "float32"}}`: "", `null`: "",
	} {
		file := archive(zip.Store, "config.json", strings.ReplaceAll(config, policy, `"dtype": `+dtype), "model.weights.h5", weights)
		if _, _, err := readBytes(file); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), "its dtype policy is "+says+",") {
			t.Errorf("%s: %v", dtype, err)
		}
	}
}

// TestForeignFiles: files of other programs are called what they are, with what to do.
func TestForeignFiles(t *testing.T) {
	folder := t.TempDir()
	for text, says := range map[string]string{
		"CBM1\x00\x00\x00\x00": `model.save_model("model.json", format="json", pool=pool)`,
		`{"name": "tree", "version": "v4", "tree_info": [{"tree_structure": {}}]}`:                      `booster.save_model("model.txt")`,
		`[{"nodeid": 0, "split": "a", "split_condition": 1, "children": [{"nodeid": 1, "leaf": 0.5}]}]`: "a dump of an XGBoost model",
		"booster[0]:\n0:[a<1] yes=1,no=2,missing=1\n":                                                   "lacks its objective, base_score and number of inputs",
		`{"class_name": "Sequential", "config": {"layers": []}}`:                                        "without its weights",
		`{"modelTopology": {}}`:                                       "a TensorFlow.js model",
		"<?xml version=\"1.0\"?>\n<PMML></PMML>":                      "PMML",
		"\x40\x00\x00\x00\x00\x00\x00\x00{\"w\":{\"dtype\":\"F32\"}}": "a safetensors file",
	} {
		for _, name := range []string{"model.json", "model.bin"} {
			path := filepath.Join(folder, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, _, err := Read(path, Choice{})
			if err == nil || !strings.Contains(err.Error(), says) && (name == "model.json") == (text[0] == '{' || text[0] == '[') {
				t.Errorf("%s of %.40q: %v, want %q", name, text, err, says)
			}
		}
	}
}
