package onnx_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/libraries"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/onnx"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// scoring is a network of some size and inputs to try it with. Its first layer
// adds up terms in the hundreds that nearly cancel, as those of unscaled features
// do, so that float32 arithmetic would not do.
func scoring(precision int) (*relu.Network, [][]float64) {
	rng := rand.New(rand.NewPCG(8, uint64(precision)))
	draw := func(n int, scale float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			if out[i] = scale * rng.NormFloat64(); precision == 32 {
				out[i] = float64(float32(out[i]))
			}
		}
		return out
	}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: precision}
	in := 6
	for _, units := range []int{20, 10, 1} {
		n.Layers = append(n.Layers, relu.Layer{Name: "layer", In: in, Out: units, ReLU: units > 1, Weights: draw(in*units, 0.4), Bias: draw(units, 0.2)})
		in = units
	}
	const offset = 1000
	first := &n.Layers[0]
	for j := range first.Bias {
		for _, w := range first.Row(j) {
			first.Bias[j] -= offset * w
		}
		first.Bias[j] = float64(float32(first.Bias[j]))
	}
	var inputs [][]float64
	for range 200 {
		row := draw(6, 3)
		for i := range row {
			row[i] = float64(float32(offset + row[i]))
		}
		inputs = append(inputs, row)
	}
	return n, inputs
}

func writeScores(t *testing.T, n *relu.Network) string {
	t.Helper()
	var b bytes.Buffer
	if err := onnx.Write(&b, n); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "network.onnx")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestScoresLoadBack: the file is read back to the very same scores.
func TestScoresLoadBack(t *testing.T) {
	for _, precision := range []int{32, 64} {
		n, inputs := scoring(precision)
		got, info, err := modelfile.Read(writeScores(t, n), modelfile.Choice{})
		if err != nil {
			t.Fatal(err)
		}
		if info.Format != "onnx" {
			t.Errorf("format %s", info.Format)
		}
		for _, x := range inputs {
			if a, b := n.Logit(x), got.Logit(x); a != b {
				t.Fatalf("%d bits: logits %v and %v at %v", precision, a, b, x)
			}
		}
	}
}

const onnxScript = `import json, sys
import numpy, onnxruntime
path, kind = sys.argv[1:]
session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
rows = numpy.array(json.load(sys.stdin), dtype=kind)
(scores,) = session.run(None, {"X": rows})
assert scores.shape == (len(rows), 1), scores.shape
json.dump([float(s) for s in scores[:, 0]], sys.stdout)
`

// TestScoresInOnnxruntime: onnxruntime gives the same scores, all rows at once.
func TestScoresInOnnxruntime(t *testing.T) {
	tier.NeedLong(t)
	for precision, kind := range map[int]string{32: "float32", 64: "float64"} {
		n, inputs := scoring(precision)
		rows, err := json.Marshal(inputs)
		if err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		cmd := libraries.Command(t, libraries.ONNX, "-c", onnxScript, writeScores(t, n), kind)
		cmd.Stdin, cmd.Stderr = bytes.NewReader(rows), &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, &stderr)
		}
		var scores []float64
		if err := json.Unmarshal(out, &scores); err != nil || len(scores) != len(inputs) {
			t.Fatalf("%d scores, %v", len(scores), err)
		}
		worst, single := 0.0, 0.0
		for i, x := range inputs {
			score := fairness.Sigmoid(n.Logit(x))
			worst = max(worst, math.Abs(scores[i]-score))
			single = max(single, math.Abs(fairness.Sigmoid(float64(n.Logit32(x)))-score))
		}
		t.Logf("%d bits: largest difference %.2g; in float32 it would be %.2g", precision, worst, single)
		if !(worst <= 1e-6) || !(single > 1e-6) {
			t.Errorf("%d bits: scores differ by %v; the test is hard enough if float32's differ by more than 1e-6: %v", precision, worst, single)
		}
	}
}

func TestScoresRefused(t *testing.T) {
	n, _ := scoring(32)
	two := *n
	two.Head = relu.HeadSoftmax
	two.Layers = append([]relu.Layer{}, n.Layers...)
	last := &two.Layers[len(two.Layers)-1]
	last.Out, last.Weights, last.Bias = 2, append(last.Weights, last.Weights...), []float64{0, 0}
	broken := *n
	broken.Precision = 16
	linear := *n
	linear.Head = relu.HeadLinear
	for name, c := range map[string]struct {
		n    *relu.Network
		want string
	}{"two units": {&two, "2 output units"}, "not valid": {&broken, "precision is 16"}, "no probability": {&linear, "linear"}} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := onnx.Write(&b, c.n); err == nil || !strings.Contains(err.Error(), c.want) || b.Len() > 0 {
				t.Errorf("%d bytes, error %v", b.Len(), err)
			}
		})
	}
}
