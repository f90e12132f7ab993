package modelfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/onnx"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// TestONNXRoundTrip: what WriteONNX writes is read back to the same
// weights, bit for bit.
func TestONNXRoundTrip(t *testing.T) {
	bits := cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
	rapid.Check(t, func(t *rapid.T) {
		want := drawNetwork(t)
		if want.Head != relu.HeadSigmoid {
			t.Skip("scores are written of one sigmoid unit")
		}
		var b bytes.Buffer
		if err := onnx.Write(&b, want); err != nil {
			t.Fatal(err)
		}
		got, info, err := readBytes(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if info.Format != "onnx" || info.Producer != "hyfair" {
			t.Errorf("format %q by %q", info.Format, info.Producer)
		}
		want.Precision = 64 // as the weights are stored
		for i := range want.Layers {
			want.Layers[i].Name, got.Layers[i].Name = "", ""
		}
		if d := cmp.Diff(want, got, bits); d != "" {
			t.Fatalf("(-written +read):\n%s", d)
		}
	})
}

// proto builds messages of the format by hand, apart from the writer.
type proto []byte

func (p proto) text(field protowire.Number, v string) proto {
	return protowire.AppendString(protowire.AppendTag(p, field, protowire.BytesType), v)
}

func (p proto) number(field protowire.Number, v int64) proto {
	return protowire.AppendVarint(protowire.AppendTag(p, field, protowire.VarintType), uint64(v))
}

func (p proto) float(field protowire.Number, v float32) proto {
	return protowire.AppendFixed32(protowire.AppendTag(p, field, protowire.Fixed32Type), math.Float32bits(v))
}

func onnxNodeOf(op string, output string, inputs ...string) proto {
	var p proto
	for _, in := range inputs {
		p = p.text(1, in)
	}
	return p.text(2, output).text(3, "the "+op).text(4, op)
}

// with adds an attribute: a whole number, a float32 or a text.
func (p proto) with(name string, v any) proto {
	a := proto{}.text(1, name)
	switch v := v.(type) {
	case int:
		a = a.number(3, int64(v))
	case float32:
		a = a.float(2, v)
	case string:
		a = a.text(4, v)
	}
	return p.text(5, string(a))
}

// constant is a float tensor in the field raw_data, or packed in float_data.
func constant(name string, raw bool, dims []int64, values ...float32) proto {
	var packed, data proto
	for _, d := range dims {
		packed = protowire.AppendVarint(packed, uint64(d))
	}
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	p := proto{}.text(1, string(packed)).number(2, 1).text(8, name)
	if raw {
		return p.text(9, string(data))
	}
	return p.text(4, string(data))
}

func onnxFile(opset int64, parts ...proto) []byte {
	graph := proto{}.text(2, "g").text(11, string(proto{}.text(1, "in"))).text(12, string(proto{}.text(1, "out")))
	for _, p := range parts {
		field := protowire.Number(1)
		if number, _, _ := protowire.ConsumeTag(p); number == 1 { // inputs of a node, or dims of a tensor
			if _, _, n := protowire.ConsumeTag(p); n > 0 && !bytes.Contains(p, []byte("the ")) {
				field = 5
			}
		}
		graph = graph.text(field, string(p))
	}
	return proto{}.number(1, 8).text(2, "by hand").text(7, string(graph)).text(8, string(proto{}.number(2, opset)))
}

var (
	weights23 = constant("w", true, []int64{2, 3}, 1, 2, 3, 4, 5, 6)
	bias3     = constant("b", false, []int64{3}, 7, 8, 9)
	weights31 = constant("v", false, []int64{3, 1}, 1, -1, 2)
	weights32 = constant("u", true, []int64{3, 2}, 1, 2, 3, 4, 5, 6)
)

// want23 is the layer of weights23 and bias3.
var want23 = relu.Layer{Name: "the MatMul", In: 2, Out: 3, Weights: []float64{1, 4, 2, 5, 3, 6}, Bias: []float64{7, 8, 9}, ReLU: true}

// TestONNXOfOthers: the forms in which exporters write the same chain.
func TestONNXOfOthers(t *testing.T) {
	matmul := []proto{weights23, bias3, onnxNodeOf("MatMul", "s", "in", "w"), onnxNodeOf("Add", "a", "b", "s"), onnxNodeOf("Relu", "r", "a")}
	linear := relu.Layer{Name: "the Gemm", In: 3, Out: 1, Weights: []float64{1, -1, 2}, Bias: []float64{0}}
	two := relu.Layer{Name: "the MatMul", In: 3, Out: 2, Weights: []float64{1, 3, 5, 2, 4, 6}, Bias: []float64{0, 0}}
	for name, c := range map[string]struct {
		parts []proto
		head  relu.Head
		last  relu.Layer
	}{
		"sigmoid, nodes in any order": {append([]proto{onnxNodeOf("Cast", "out", "o").with("to", 1), onnxNodeOf("Sigmoid", "o", "l"), onnxNodeOf("Gemm", "l", "r", "v").with("alpha", float32(1)), weights31}, matmul...), relu.HeadSigmoid, linear},
		"linear, identity":            {append(matmul[:5:5], weights31, onnxNodeOf("Gemm", "l", "r", "v").with("transB", 0), onnxNodeOf("Identity", "out", "l")), relu.HeadLinear, linear},
		"divided by its sum":          {append(matmul[:5:5], weights32, onnxNodeOf("MatMul", "l", "r", "u"), onnxNodeOf("Softmax", "p", "l"), onnxNodeOf("Abs", "q", "p"), constant("axes", false, []int64{1}, 1), onnxNodeOf("ReduceSum", "n", "q", "axes"), onnxNodeOf("Div", "out", "p", "n")), relu.HeadSoftmax, two},
		"softmax":                     {append(matmul[:5:5], weights32, onnxNodeOf("MatMul", "l", "r", "u"), onnxNodeOf("Softmax", "out", "l").with("axis", -1)), relu.HeadSoftmax, two},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := readBytes(onnxFile(13, c.parts...))
			if err != nil {
				t.Fatal(err)
			}
			want := &relu.Network{Layers: []relu.Layer{want23, c.last}, Head: c.head, Precision: 32}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestONNXRefusals(t *testing.T) {
	dense, end := onnxNodeOf("MatMul", "s", "in", "w"), onnxNodeOf("MatMul", "out", "s", "v")
	wide := constant("w", true, []int64{1 << 20, 1 << 20}, 1)
	label := func(op string) proto { return onnxNodeOf(op, "out", "s").text(7, "ai.onnx.ml") }
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"another operator":      {onnxFile(13, weights23, onnxNodeOf("Conv", "out", "in", "w")), `node "the Conv" (Conv): this operator is not read`},
		"a bend":                {onnxFile(13, weights23, dense, onnxNodeOf("Tanh", "out", "s")), "not piecewise linear; train with ReLUs (torch.nn.ReLU()"},
		"trees":                 {onnxFile(13, onnxNodeOf("TreeEnsembleClassifier", "out", "in").text(7, "ai.onnx.ml")), "the trees have no nodes"},
		"another domain":        {onnxFile(13, onnxNodeOf("Linear", "out", "in").text(7, "pkg.torch")), "torch.onnx.export(model.eval()"},
		"weights on the left":   {onnxFile(13, weights31, onnxNodeOf("MatMul", "out", "v", "in")), "are the left factor"},
		"half numbers":          {onnxFile(13, weights31, onnxNodeOf("MatMul", "s", "in", "v"), onnxNodeOf("Cast", "out", "s").with("to", 10)), "type 10"},
		"classes unnamed":       {onnxFile(13, weights23, dense, onnxNodeOf("Relu", "out", "s"), onnxNodeOf("Sigmoid", "x", "s")), `the model has 3 classes: name one`},
		"a dead end":            {onnxFile(13, weights23, dense, onnxNodeOf("Relu", "r", "s")), `no node makes the value "out"`},
		"a circle":              {onnxFile(13, weights23, onnxNodeOf("Add", "out", "x", "in"), onnxNodeOf("Relu", "x", "out")), `the value "out" depends on itself`},
		"a loose end":           {onnxFile(13, weights23, dense, onnxNodeOf("Relu", "out", "x")), `no node makes the value "x"`},
		"twice made":            {onnxFile(13, weights23, dense, dense), `two nodes make the value "s"`},
		"weights not there":     {onnxFile(13, onnxNodeOf("Gemm", "out", "in", "w")), `no node makes the value "w"`},
		"weights that vary":     {onnxFile(13, onnxNodeOf("Gemm", "out", "in", "in")), `"in" are not a constant`},
		"weights of two names":  {onnxFile(13, weights23, weights23, dense), `two constants are named "w"`},
		"transposed input":      {onnxFile(13, weights23, onnxNodeOf("Gemm", "out", "in", "w").with("transA", 1)), "transA"},
		"a bias too long":       {onnxFile(13, weights31, bias3, onnxNodeOf("Gemm", "out", "in", "v", "b")), "the bias has 3 numbers, want 1"},
		"no width":              {onnxFile(13, onnxNodeOf("Relu", "out", "in")), "does not state the number of columns"},
		"a product":             {onnxFile(13, weights23, dense, onnxNodeOf("Mul", "out", "s", "s")), "multiplies two values that depend on the inputs"},
		"a quotient":            {onnxFile(13, weights23, dense, onnxNodeOf("Div", "out", "s", "s")), "divides by a value that depends on the inputs"},
		"only constants":        {onnxFile(13, weights31, onnxNodeOf("Relu", "out", "v")), "name one"},
		"after the end":         {onnxFile(13, weights31, onnxNodeOf("MatMul", "s", "in", "v"), onnxNodeOf("Sigmoid", "t", "s"), onnxNodeOf("Relu", "out", "t")), "computes with the result of a sigmoid or softmax"},
		"softmax over the rows": {onnxFile(13, weights32, onnxNodeOf("MatMul", "s", "in", "u"), onnxNodeOf("Softmax", "out", "s").with("axis", 0)), "axis: got 0"},
		"softmax over one":      {onnxFile(13, weights31, onnxNodeOf("MatMul", "s", "in", "v"), onnxNodeOf("Softmax", "out", "s")), "always 1"},
		"a sum of the rows":     {onnxFile(13, weights32, onnxNodeOf("MatMul", "s", "in", "u"), onnxNodeOf("Softmax", "p", "s"), onnxNodeOf("ReduceSum", "out", "p").with("axes", 0)), "(ReduceSum): this operator is not read"},
		"a sum of no scores":    {onnxFile(13, weights23, dense, onnxNodeOf("ReduceSum", "out", "s").with("axes", 1)), "(ReduceSum): this operator is not read"},
		"a label":               {onnxFile(13, weights23, dense, onnxNodeOf("ArgMax", "out", "s")), "this is the predicted class"},
		"raw scores":            {onnxFile(13, constant("w", true, []int64{1, 2}, 1, -1), onnxNodeOf("MatMul", "out", "in", "w")), "one the negative of the other"},
		"no probabilities":      {onnxFile(13, weights23, dense, label("Normalizer").with("norm", "L1")), "norm L1 of these values is not piecewise linear"},
		"a filled gap":          {onnxFile(13, weights23, dense, label("Imputer").with("replaced_value_float", float32(-1))), "SimpleImputer(missing_values=numpy.nan)"},
		"old operators":         {onnxFile(6, weights23, dense), "operators of version 6"},
		"numbers missing":       {onnxFile(13, constant("w", true, []int64{2, 3}, 1, 2), weights31, dense, end), "got 2 numbers (8 bytes), want 6 for the shape [2 3]"},
		"a huge shape":          {onnxFile(13, wide, weights31, dense, end), "more than 67108864 numbers"},
		"not a number":          {onnxFile(13, constant("w", true, []int64{2, 1}, 1, float32(math.NaN())), onnxNodeOf("MatMul", "out", "in", "w")), "NaN"},
		"cut off":               {onnxFile(13, weights23, dense)[:40], "cut off"},
	} {
		t.Run(name, func(t *testing.T) {
			n, _, err := readBytes(c.file)
			if n != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("network %v, error %v; want %q", n, err, c.want)
			}
		})
	}
}

// TestONNXElsewhere: numbers in another file are read from the model's folder, and from
// nowhere else.
func TestONNXElsewhere(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	if err := errors.Join(os.Mkdir(inner, 0o700), os.WriteFile(filepath.Join(dir, "w"), make([]byte, 8), 0o600),
		os.WriteFile(filepath.Join(inner, "w"), []byte{0, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}, 0o600),
		os.Symlink(filepath.Join(dir, "w"), filepath.Join(inner, "link")), os.Mkdir(filepath.Join(inner, "folder"), 0o700)); err != nil {
		t.Fatal(err)
	}
	entry := func(key, value string) string { return string(proto{}.text(1, key).text(2, value)) }
	for name, c := range map[string]struct{ location, offset, length, want string }{
		"beside":       {"w", "4", "8", ""},
		"from its end": {"w", "4", "", ""},
		"above":        {"../w", "0", "8", "is not in the model's folder"},
		"absolute":     {filepath.Join(dir, "w"), "0", "8", "is not in the model's folder"},
		"a link":       {"link", "0", "8", "escapes"},
		"a folder":     {"folder", "0", "8", "is not a file"},
		"not there":    {"x", "0", "8", "which is not next to the model"},
		"too long":     {"w", "8", "8", "bytes 8 to 16 of the file"},
		"negative":     {"w", "-4", "8", "bytes -4 to 4"},
		"too much":     {"w", "0", "12345678901", "its 2 numbers are bytes"},
		"no number":    {"w", "a", "8", "invalid syntax"},
	} {
		t.Run(name, func(t *testing.T) {
			tensor := proto{}.text(1, "\x02\x01").number(2, 1).text(8, "w").text(13, entry("location", c.location)).text(13, entry("offset", c.offset)).number(14, 1)
			if c.length != "" {
				tensor = tensor.text(13, entry("length", c.length))
			}
			path := filepath.Join(inner, "m.onnx")
			if err := os.WriteFile(path, onnxFile(13, tensor, onnxNodeOf("MatMul", "out", "in", "w")), 0o600); err != nil {
				t.Fatal(err)
			}
			m, info, err := Read(path, Choice{})
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want %q", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if w := m.(*relu.Network).Layers[0].Weights; w[0] != 1 || w[1] != 2 {
				t.Errorf("weights %v", w)
			}
			own, _, err := files.SHA256(path)
			if err != nil || info.SHA256 == own {
				t.Errorf("the sum %s is that of the one file: %v", info.SHA256, err)
			}
		})
	}
}

// TestONNXMemory: small files that would grow.
func TestONNXMemory(t *testing.T) {
	doubled := []proto{weights31, onnxNodeOf("MatMul", "x0", "in", "v")}
	layers := []proto{constant("w", true, []int64{1, 4}, 1, 2, 3, 4), onnxNodeOf("MatMul", "x0", "in", "w")}
	last := "x0"
	for i := range 40 {
		next := "x" + string(rune('a'+i))
		doubled = append(doubled, onnxNodeOf("Concat", next, last, last).with("axis", 1))
		layers = append(layers, onnxNodeOf("Relu", next, last), onnxNodeOf("Concat", next+"c", next, last).with("axis", 1))
		last = next
	}
	var concat, maximum []proto
	concat = append(doubled, onnxNodeOf("Identity", "out", last))
	maximum = append(layers, onnxNodeOf("Concat", "y", last+"c", "x0").with("axis", 1), onnxNodeOf("Sigmoid", "out", "y"))
	for name, file := range map[string][]byte{
		"doubling":  onnxFile(13, concat...),
		"branches":  onnxFile(13, maximum...),
		"nothing":   proto{}.number(1, 8).text(2, "by hand").text(7, strings.Repeat("\n\x00", 2<<20)), // empty nodes
		"a product": onnxFile(13, constant("w", true, []int64{1, 2}, 1, 2), constant("big", false, []int64{1 << 26}), onnxNodeOf("MatMul", "x", "in", "w"), onnxNodeOf("Add", "out", "x", "big")),
	} {
		t.Run(name, func(t *testing.T) {
			refusedWithin(t, 256, len(file), func() error { _, _, err := readBytes(file); return err })
		})
	}
}

// FuzzONNX: an error or a sound network, whatever the bytes.
func FuzzONNX(f *testing.F) {
	f.Add(onnxFile(13, weights23, bias3, onnxNodeOf("MatMul", "s", "in", "w"), onnxNodeOf("Add", "a", "b", "s"), onnxNodeOf("Relu", "r", "a"), weights31,
		onnxNodeOf("Gemm", "l", "r", "v"), onnxNodeOf("Sigmoid", "out", "l")))
	f.Add(onnxFile(13, onnxNodeOf("Identity", "in", "in")))
	for _, name := range []string{"columns-one-hot-mlp", "columns-ordinal-logistic", "logistic-imputed", "mlp-three-1", "torch-residual-dynamo", "torch-leaky-old", "torch-scaled-old"} {
		f.Add(fixture(f, "models/"+name+".onnx"))
	}
	f.Fuzz(func(t *testing.T, file []byte) { mustBeSound(t, file) })
}

// TestCorruptedONNX: every prefix is refused or sound, and so is every file with
// one wrong byte.
func TestCorruptedONNX(t *testing.T) {
	file := onnxFile(13, weights31, onnxNodeOf("Gemm", "l", "in", "v"), onnxNodeOf("Sigmoid", "out", "l"))
	if !mustBeSound(t, file) {
		t.Fatal("the whole file is refused")
	}
	refused := 0
	for i := range file {
		mustBeSound(t, file[:i])
		for _, flip := range []byte{0x01, 0x80, 0xff} {
			file[i] ^= flip
			if !mustBeSound(t, file) {
				refused++
			}
			file[i] ^= flip
		}
	}
	if refused == 0 {
		t.Error("no wrong byte was noticed")
	}
}
