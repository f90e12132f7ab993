package modelfile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// dataRoot finds the public networks, which are no part of the repository.
func dataRoot(t testing.TB) string {
	t.Helper()
	if root := os.Getenv("HYFAIR_DATA"); root != "" {
		return root
	}
	root := filepath.Join("..", "..", "..", "..", "..", "shared", "data")
	if _, err := os.Stat(filepath.Join(root, "adult", "models")); err != nil {
		t.Skipf("%s needs the public networks: set HYFAIR_DATA to the folder that holds adult/models and bank/models", t.Name())
	}
	return root
}

// The public networks: inputs, weights and biases, ReLU neurons and widths,
// as another HDF5 reader gives them.
var public = []struct {
	name                        string
	inputs, parameters, neurons int
	units                       []int
}{
	{"adult/models/AC-1", 13, 369, 24, []int{16, 8, 1}},
	{"adult/models/AC-2", 13, 1501, 100, []int{100, 1}},
	{"adult/models/AC-3", 13, 751, 50, []int{50, 1}},
	{"adult/models/AC-4", 13, 11601, 200, []int{100, 100, 1}},
	{"adult/models/AC-5", 13, 5121, 128, []int{64, 64, 1}},
	{"adult/models/AC-6", 13, 337, 24, []int{12, 12, 1}},
	{"adult/models/AC-7", 13, 3681, 124, []int{64, 32, 16, 8, 4, 1}},
	{"adult/models/AC-8", 13, 106, 10, []int{5, 5, 1}},
	{"adult/models/AC-9", 13, 82, 12, []int{3, 3, 3, 3, 1}},
	{"adult/models/AC-10", 13, 166, 20, []int{5, 5, 5, 5, 1}},
	{"adult/models/AC-11", 13, 481, 40, []int{10, 10, 10, 10, 1}},
	{"adult/models/AC-12", 13, 316, 45, []int{5, 5, 5, 5, 5, 5, 5, 5, 5, 1}},
	{"bank/models/BM-1", 16, 2145, 80, []int{64, 16, 1}},
	{"bank/models/BM-2", 16, 1089, 48, []int{32, 16, 1}},
	{"bank/models/BM-3", 16, 1801, 100, []int{100, 1}},
	{"bank/models/BM-4", 16, 22751, 300, []int{150, 100, 50, 1}},
	{"bank/models/BM-5", 16, 615, 32, []int{22, 10, 1}},
	{"bank/models/BM-6", 16, 253, 18, []int{9, 9, 1}},
	{"bank/models/BM-7", 16, 5313, 128, []int{64, 64, 1}},
	{"bank/models/BM-8", 16, 3873, 124, []int{64, 32, 16, 8, 4, 1}},
}

func TestPublicNetworks(t *testing.T) {
	root := dataRoot(t)
	for _, want := range public {
		t.Run(filepath.Base(want.name), func(t *testing.T) {
			m, info, err := Read(filepath.Join(root, want.name+".h5"), Choice{})
			if err != nil {
				t.Fatal(err)
			}
			n := m.(*relu.Network)
			if info.Inputs != want.inputs || info.Parameters != want.parameters || info.Neurons != want.neurons {
				t.Errorf("%d inputs, %d parameters, %d neurons; want %d, %d, %d",
					info.Inputs, info.Parameters, info.Neurons, want.inputs, want.parameters, want.neurons)
			}
			if len(n.Layers) != len(want.units) {
				t.Fatalf("%d layers, want %d", len(n.Layers), len(want.units))
			}
			for i, units := range want.units {
				if n.Layers[i].Out != units || n.Layers[i].ReLU != (i < len(want.units)-1) {
					t.Errorf("layer %d: %d units, ReLU %v", i, n.Layers[i].Out, n.Layers[i].ReLU)
				}
			}
			if info.Format != "keras-h5" || info.Producer != "Keras 2.3.0-tf" || info.Head != "sigmoid" || info.Precision != 32 {
				t.Errorf("format %q, producer %q, head %s, precision %d", info.Format, info.Producer, info.Head, info.Precision)
			}
			var b bytes.Buffer
			if err := WriteJSON(&b, n); err != nil {
				t.Fatal(err)
			}
			again, _, err := readBytes(b.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(n, again); diff != "" {
				t.Errorf("written as JSON and read again it differs:\n%s", diff)
			}
		})
	}
}

// BenchmarkModel measures loading one of the larger public networks.
func BenchmarkModel(b *testing.B) {
	path := filepath.Join(dataRoot(b), "adult", "models", "AC-4.h5")
	for b.Loop() {
		if _, _, err := Read(path, Choice{}); err != nil {
			b.Fatal(err)
		}
	}
}
