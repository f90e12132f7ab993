package modelfile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// drawNetwork is any valid network with up to four layers.
func drawNetwork(t *rapid.T) *relu.Network {
	n := &relu.Network{
		Precision: rapid.SampledFrom([]int{32, 64}).Draw(t, "precision"),
		Head:      rapid.SampledFrom([]relu.Head{relu.HeadSigmoid, relu.HeadSoftmax, relu.HeadLinear}).Draw(t, "head"),
	}
	number := rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64)
	if n.Precision == 32 {
		number = rapid.Map(rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32), func(v float32) float64 { return float64(v) })
	}
	numbers := func(count int) []float64 { return rapid.SliceOfN(number, count, count).Draw(t, "numbers") }
	inputs := rapid.IntRange(1, 5).Draw(t, "inputs")
	last := rapid.IntRange(0, 3).Draw(t, "hidden layers")
	for i := range last + 1 {
		units := rapid.IntRange(1, 4).Draw(t, "units")
		if i == last {
			units = 1
			if n.Head == relu.HeadSoftmax {
				units = 2
			}
		}
		n.Layers = append(n.Layers, relu.Layer{
			Name: rapid.String().Draw(t, "name"), In: inputs, Out: units,
			Weights: numbers(units * inputs), Bias: numbers(units),
			ReLU: i < last && rapid.Bool().Draw(t, "relu"),
		})
		inputs = units
	}
	return n
}

// What is written is read back to the same bits.
func TestJSONRoundTrip(t *testing.T) {
	bits := cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
	rapid.Check(t, func(t *rapid.T) {
		want := drawNetwork(t)
		var b bytes.Buffer
		if err := WriteJSON(&b, want); err != nil {
			t.Fatal(err)
		}
		got, info, err := readBytes(b.Bytes())
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.Bytes())
		}
		if diff := cmp.Diff(want, got, bits); diff != "" {
			t.Fatalf("network differs (-want +got):\n%s", diff)
		}
		if info.Format != "hyfair-network" || info.Parameters != want.Parameters() {
			t.Fatalf("info %+v", info)
		}
	})
}

const smallJSON = `{
  "format": "hyfair-network",
  "version": 1,
  "precision": 32,
  "head": "sigmoid",
  "layers": [
    {
      "name": "hidden",
      "inputs": 2,
      "units": 2,
      "activation": "relu",
      "weights": [
        [0.1, -1],
        [3e-07, 0]
      ],
      "bias": [0.5, -0]
    },
    {
      "name": "output",
      "inputs": 2,
      "units": 1,
      "activation": "linear",
      "weights": [
        [1, -2]
      ],
      "bias": [1e+20]
    }
  ]
}
`

// The written form is fixed: it is an interchange format.
func TestJSONForm(t *testing.T) {
	n, _, err := readBytes([]byte(smallJSON))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := n.Layers[0].Weights[0], float64(float32(0.1)); got != want {
		t.Errorf("0.1 at precision 32 is %v, want %v", got, want)
	}
	var b bytes.Buffer
	if err := WriteJSON(&b, n); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(smallJSON, b.String()); diff != "" {
		t.Errorf("written form differs:\n%s", diff)
	}
}

// Fields may come in any order, as tools that sort them leave them.
func TestJSONAnyOrder(t *testing.T) {
	sorted := `{"format": "hyfair-network", "head": "linear", "layers": [
		{"weights": [[0.1]], "activation": "linear", "bias": [0], "inputs": 1, "name": "a", "units": 1}
	], "precision": 32, "version": 1}`
	n, _, err := readBytes([]byte(sorted))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := n.Layers[0].Weights[0], float64(float32(0.1)); got != want {
		t.Errorf("weight %v, want %v", got, want)
	}
}

func TestJSONFaults(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"unknown field":       {`"version": 1`, `"version": 1, "weight": 1`, `line 3: model: unknown field "weight"`},
		"unknown layer field": {`"units": 1,`, `"units": 1, "dropout": 0,`, `line 21: layers[1]: unknown field "dropout", want one of activation, bias`},
		"other case":          {`"bias": [1e+20]`, `"Bias": [1e+20]`, `unknown field "Bias"`},
		"missing field":       {`"head": "sigmoid",`, ``, "head: the field is missing"},
		"missing layer field": {`"name": "output",`, ``, "layers[1].name: the field is missing"},
		"twice":               {`"version": 1`, `"version": 1, "version": 1`, "line 3: version: the field is given twice"},
		"format":              {`"hyfair-network"`, `"other"`, `line 2: format: got "other", want hyfair-network or hyfair-trees`},
		"version":             {`"version": 1`, `"version": 2`, "line 3: version: got version 2, want 1"},
		"precision":           {`"precision": 32`, `"precision": 48`, "line 4: precision: got 48 bits"},
		"precision as text":   {`"precision": 32`, `"precision": "32"`, `line 4: precision: got the text "32", want a whole number from 32 to 64`},
		"head":                {`"sigmoid"`, `"tanh"`, `line 5: head: got "tanh", want one of linear, sigmoid, softmax`},
		"activation":          {`"relu"`, `"elu"`, `line 11: layers[0].activation: got "elu", want one of linear, relu`},
		"too many units":      {`"units": 2`, `"units": 10000000`, "line 10: layers[0].units: got the number 10000000, want a whole number from 1 to 65536"},
		"no units":            {`"units": 2`, `"units": 0`, "line 10: layers[0].units"},
		"half a unit":         {`"units": 2`, `"units": 1.5`, "line 10: layers[0].units"},
		"missing row":         {"[0.1, -1],\n", "\n", "layers[0].weights: got 1 rows, want 2"},
		"short row":           {`[3e-07, 0]`, `[3e-07]`, "layers[0].weights[1]: got 1 weights, want 2"},
		"long bias":           {`[0.5, -0]`, `[0.5, -0, 1]`, "layers[0].bias: got 3 biases, want 2"},
		"layers that don't fit": {`"inputs": 2,
      "units": 1`, `"inputs": 3,
      "units": 1`, "layers[1]"},
		"text for a number": {`3e-07`, `"NaN"`, `line 14: layers[0].weights[1][0]: got the text "NaN", want a number`},
		"NaN":               {`3e-07`, `NaN`, "line 14: layers: invalid character 'N'"},
		"beyond float32":    {`3e-07`, `1e39`, "line 14: layers[0].weights[1][0]: got the number 1e39, want one that is not too large for a float of 32 bits"},
		"nested":            {`3e-07`, `[3e-07]`, "line 14: layers[0].weights[1][0]: got [, want a number"},
		"relu at the end":   {`"linear"`, `"relu"`, "layer 1 (output): the output layer has a ReLU"},
		"trailing text":     {"  ]\n}\n", "  ]\n}\n{}", "after its end"},
		"missing comma":     {`"version": 1,`, `"version": 1`, "line 4"},
		"no layers":         {"{\n      \"name\": \"hidden\"", "", "line 7"},
		"not an object":     {"{\n  \"format\"", "[\n  \"format\"", "neither HDF5 nor JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(smallJSON, c.old) {
				t.Fatalf("nothing to replace: %q", c.old)
			}
			_, _, err := readBytes([]byte(strings.Replace(smallJSON, c.old, c.new, 1)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v\nwant %q", err, c.want)
			}
		})
	}
	for n := range len(smallJSON) - 2 {
		if _, _, err := readBytes([]byte(smallJSON[:n])); err == nil {
			t.Errorf("the first %d bytes were read without error", n)
		}
	}
	if _, _, err := readBytes([]byte(`{"format": "hyfair-network", "version": 1, "precision": 64, "head": "linear", "layers": []}`)); err == nil {
		t.Error("a network without layers was read")
	}
}

func TestWriteJSONRefuses(t *testing.T) {
	good := func() *relu.Network {
		return &relu.Network{Precision: 32, Head: relu.HeadLinear, Layers: []relu.Layer{
			{Name: "a", In: 1, Out: 1, Weights: []float64{0.5}, Bias: []float64{0}},
		}}
	}
	for name, c := range map[string]struct {
		spoil func(*relu.Network)
		want  string
	}{
		"not float32": {func(n *relu.Network) { n.Layers[0].Weights[0] = 0.1 }, "layer 0 (a): weights of neuron 0: number 0, 0.1, is not a float32"},
		"NaN":         {func(n *relu.Network) { n.Layers[0].Bias[0] = math.NaN() }, "bias of neuron 0 is NaN"},
		"shape":       {func(n *relu.Network) { n.Layers[0].Out = 2 }, "1 weights for shape 2×1"},
	} {
		t.Run(name, func(t *testing.T) {
			n := good()
			c.spoil(n)
			if err := WriteJSON(&bytes.Buffer{}, n); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v\nwant %q", err, c.want)
			}
		})
	}
}

// A file of many small pieces must not cost many times its size.
func TestJSONMemory(t *testing.T) {
	const size = 2 << 20
	head := `{"format":"hyfair-network","version":1,"precision":64,"head":"linear","layers":[`
	for name, text := range map[string]string{
		"empty layers":  head + strings.Repeat("{},", size/3),
		"empty rows":    head + `{"weights":[` + strings.Repeat("[],", size/3),
		"numbers":       head + `{"weights":[[` + strings.Repeat("0,", size/2),
		"deep":          head + strings.Repeat("[", size),
		"deep weights":  head + `{"weights":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "}]}",
		"names":         strings.Repeat(`{"a":`, size/5),
		"endless space": "{" + strings.Repeat(" ", size),
	} {
		t.Run(name, func(t *testing.T) {
			refusedWithin(t, 128, len(text), func() error { _, _, err := readBytes([]byte(text)); return err })
		})
	}
}

func TestModelErrors(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ content, want string }{
		"empty.h5":      {"", "the file is empty"},
		"short.h5":      {"\x89HDF\r\n\x1a\n\x00", "superblock"},
		"network.keras": {"PK\x03\x04 and so on", "a zip archive that cannot be read"},
		"model.joblib":  {"\x80\x04\x95 and so on", "a pickle (of joblib or pickle), which runs code when it is opened and so is not supported: run the script that hyfair export-helper sklearn prints"},
		"model.pkl.gz":  {"\x1f\x8b\x08 and so on", "a compressed file: unpack it"},
		"old.pt":        {"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "a PyTorch file, which holds Python objects and is not supported: export the model with torch.onnx.export"},
		"m.tflite":      {"\x1c\x00\x00\x00TFL3 and so on", "a TensorFlow Lite model, which is not supported: save the Keras model"},
		"zlib.joblib":   {"x^ and so on", "a compressed file: unpack it"},
		"plain.pkl":     {"ccopy_reg\n_reconstructor\n", "a pickle (of joblib or pickle), which runs code"},
		"saved.pb":      {"\x08\x01\x12\x9b\x42\x0a\xf3\x0b and so on", "a TensorFlow SavedModel, which is not supported: save the Keras model"},
		"config.json":   {`{"learner":{"gradient_booster":{"name":"gbtree"}}}`, "gradient_booster.model: the field is missing, as in the result of save_config: save the model"},
		"named.json":    {`{"format": "hyfair-network", "layers": [{"name": "learner", "units": 0}]}`, "line 1: head: the field is missing"},
		"weights.csv":   {"1,2,3\n", "neither HDF5 nor JSON nor ONNX; hyfair reads ONNX (PyTorch, scikit-learn and others), XGBoost .json and .ubj, LightGBM .txt"},
		"text.json":     {"hello", "line 1: model: invalid character 'h'"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := Read(path, Choice{})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want %q and the path", name, err, c.want)
		}
	}
	for name, want := range map[string]string{"saved_model.pb": "a TensorFlow SavedModel", "MLmodel": "an MLflow folder: name the model's file in it"} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Read(folder, Choice{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a folder with %s: error %v, want %q", name, err, want)
		}
	}
	for member, want := range map[string]string{"archive/archive_format": "a PyTorch file", "xl/workbook.xml": "an Excel workbook, not a model"} {
		path := filepath.Join(dir, "archive")
		var text bytes.Buffer
		archive := zip.NewWriter(&text)
		if _, err := archive.Create(member); err != nil || archive.Close() != nil || os.WriteFile(path, text.Bytes(), 0o600) != nil {
			t.Fatal(member, err)
		}
		if _, _, err := Read(path, Choice{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("an archive with %s: error %v, want %q", member, err, want)
		}
	}
	for path, want := range map[string]string{
		dir: "not a file but a folder", filepath.Join(dir, "absent.h5"): "no such file",
	} {
		if _, _, err := Read(path, Choice{}); err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), dir) != 1 {
			t.Errorf("%s: error %v, want %q and the path once", path, err, want)
		}
	}
}

func TestSummary(t *testing.T) {
	_, info, err := Read(filepath.Join("testdata", "functional.h5"), Choice{})
	if err != nil {
		t.Fatal(err)
	}
	want := Summary{
		Inputs: 5, Parameters: 5*7 + 7 + 7*2 + 2, Neurons: 7, Head: "softmax", Precision: 64,
		Layers: []LayerSummary{
			{Name: "hidden", Inputs: 5, Units: 7, Activation: "relu", Parameters: 42},
			{Name: "output", Inputs: 7, Units: 2, Activation: "softmax", Parameters: 16},
		},
	}
	if diff := cmp.Diff(want, info.Summary); diff != "" {
		t.Error(diff)
	}
	stat, err := os.Stat(info.Path)
	if err != nil || info.Bytes != stat.Size() {
		t.Errorf("%d bytes, file %v", info.Bytes, fmt.Sprint(stat, err))
	}
}

// The example in docs/reference/formats.md is a network, and nothing in it is rewritten.
func TestDocumentedExample(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "reference", "formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "```json\n")
	example, _, found := strings.Cut(after, "```")
	if !found {
		t.Fatal("docs/reference/formats.md has no example")
	}
	n, _, err := readBytes([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteJSON(&b, n); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(example, b.String()); diff != "" {
		t.Error(diff)
	}
}
