package modelfile

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/keras/hdf5"
)

// Each .h5 file of testdata holds the numbers of the .json beside it, which
// testdata/generate.py writes by itself.
func TestKerasEqualsJSON(t *testing.T) {
	for name, head := range map[string]string{
		"sequential": "sigmoid", "functional": "softmax", "latest": "linear", "deep": "sigmoid",
	} {
		t.Run(name, func(t *testing.T) {
			got, info, err := Read(filepath.Join("testdata", name+".h5"), Choice{})
			if err != nil {
				t.Fatal(err)
			}
			want, _, err := Read(filepath.Join("testdata", name+".json"), Choice{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("network differs (-json +h5):\n%s", diff)
			}
			if info.Head != head || info.Format != "keras-h5" || info.Producer != "Keras 2.3.0-tf" {
				t.Errorf("head %s, format %s, producer %q", info.Head, info.Format, info.Producer)
			}
		})
	}
}

func TestRefusedByName(t *testing.T) {
	for name, want := range map[string]string{
		"refused_lzf":         "filter 32000 (LZF) is not supported",
		"refused_float16":     "floating-point type of 16 bits",
		"refused_chunk_index": `libver="latest"`,
		"refused_unwritten":   "never written",
		"refused_soft_link":   "a soft link is not supported",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name+".h5")
			_, _, err := Read(path, Choice{})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("error %v, want %q", err, want)
			}
			var place *hdf5.Error
			if !errors.As(err, &place) || !strings.HasPrefix(place.Path, "/model_weights/dense/dense/") || place.Offset == 0 {
				t.Errorf("place %+v, want the data set and an offset", place)
			}
			if !strings.Contains(err.Error(), path) {
				t.Errorf("error %v does not name the file", err)
			}
		})
	}
}
