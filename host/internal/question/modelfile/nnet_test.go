package modelfile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

const smallNNet = `// A network in the format of Reluplex.
// It has two layers.
2,2,1,3,
2,3,1,
0,
0.0,0.0,
1.0,1.0,
0.0,0.0,0.0,
1.0,1.0,1.0,
0.1,-1,
0.5,2,
-1e-3,0,
0.25,
0,
1,
1,-2,3,
0.5,
`

// TestNNet: numbers as they stand; scales of inputs and outputs become weights.
func TestNNet(t *testing.T) {
	want := &relu.Network{Precision: 64, Head: relu.HeadLinear, Layers: []relu.Layer{
		{Name: "layer 1", In: 2, Out: 3, Weights: []float64{0.1, -1, 0.5, 2, -1e-3, 0}, Bias: []float64{0.25, 0, 1}, ReLU: true},
		{Name: "layer 2", In: 3, Out: 1, Weights: []float64{1, -2, 3}, Bias: []float64{0.5}},
	}}
	scaled := *want
	scaled.Layers = []relu.Layer{want.Layers[0], want.Layers[1]}
	scaled.Layers[0].Weights, scaled.Layers[0].Bias = []float64{0.05, -0.25, 0.25, 0.5, -5e-4, 0}, []float64{0.25 - 0.05, -0.25, 1.0005}
	scaled.Layers[1].Weights, scaled.Layers[1].Bias = []float64{2, -4, 6}, []float64{4}
	for name, c := range map[string]struct {
		text string
		want *relu.Network
	}{
		"as it is":  {smallNNet, want},
		"one class": {strings.NewReplacer("2,2,1,3", "2,2,1,3,", "\n", "\r\n").Replace(smallNNet), want},
		"scaled":    {strings.NewReplacer("0.0,0.0,0.0,", "1,0,3", "1.0,1.0,1.0,", "2,4,2").Replace(smallNNet), &scaled},
	} {
		got, info, err := readBytes([]byte(c.text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if info.Format != "nnet" || !info.Linear {
			t.Errorf("%s: format %s, linear %v", name, info.Format, info.Linear)
		}
	}
}

func TestNNetRefused(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"no number":       {"0.5,2", "0.5,x", `line 11: "x" among weights is not a number`},
		"numbers missing": {"0.5,2", "0.5", "line 11: got 1 numbers for weights, want 2"},
		"numbers left":    {"0.5,2", "0.5,2,3", "line 11: got 3 numbers for weights"},
		"other widths":    {"2,3,1,", "3,3,1,", "line 4: got widths"},
		"a wide layer":    {"2,3,1,", "2,99999999,1,", "line 4: a layer of 9.9999999e+07 units"},
		"many layers":     {"2,2,1,3,", "1e9,2,1,3,", "line 3: got 1e+09 layers"},
		"a range of 0":    {"1.0,1.0,1.0,", "1.0,0,1.0,", "line 9: got a range of 0"},
		"cut off":         {"1,-2,3,\n0.5,\n", "", "line 16: the file ends where weights should be"},
		"more":            {"0.5,\n", "0.5,\n0.5,\n", "line"},
		"five classes":    {"2,2,1,3,\n2,3,1,", "2,2,5,5,\n2,3,5,", "line"},
	} {
		text := strings.Replace(smallNNet, c.old, c.new, 1)
		if name == "more" {
			text = smallNNet + "0.5,\n"
		}
		n, _, err := readBytes([]byte(text))
		if n != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: network %v, error %v; want %q", name, n, err, c.want)
		}
	}
}

// TestNNetRaw: means and ranges are left aside where that is said, and only of such files.
func TestNNetRaw(t *testing.T) {
	want, _, err := readBytes([]byte(smallNNet))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("0.0,0.0,0.0,", "1,0,3", "1.0,1.0,1.0,", "0,4,2").Replace(smallNNet)
	got, _, err := readFrom([]byte(text), "a.nnet", Choice{Raw: true})
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
	if _, _, err := readFrom([]byte(smallJSON), "a.json", Choice{Raw: true}); err == nil || !strings.Contains(err.Error(), "leave it out") {
		t.Error(err)
	}
}

// FuzzNNet: an error or a sound network, whatever the text.
func FuzzNNet(f *testing.F) {
	f.Add(smallNNet)
	f.Fuzz(func(t *testing.T, text string) { roundTrip(t, []byte("//\n"+text)) })
}
