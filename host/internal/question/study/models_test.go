package study_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/study"
)

func TestModels(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, name := range []string{"nets/A-10.h5", "nets/A-9.json", "nets/A-9.h5", "nets/A-010b.h5", "nets/B.onnx", "nets/C.hdf5", "nets/notes.txt", "own.json"} {
		write(name, "")
	}
	const features = "features: {a: {integer: 0..1}}\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"folder":       {"model: own.json\nmodels: nets\n", []string{"A-9", "A-10", "A-010b", "B", "C"}},
		"of the model": {"model: nets/A-9.h5\n", []string{"A-9", "A-10", "A-010b", "B", "C"}},
		"beside":       {"model: own.json\n", []string{"own"}},
		"none":         {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := study.Models(write("study-of-"+name+".yaml", c.text+features), study.Options{})
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	data := write("data.yaml", "model: data:nets/A-9.h5\n"+features)
	if _, err := study.Models(data, study.Options{}); !errors.Is(err, study.ErrNoDataRoot) {
		t.Error(err)
	}
	if got, err := study.Models(data, study.Options{DataRoot: dir}); err != nil || len(got) != 5 {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := study.Models(filepath.Join(dir, "absent.yaml"), study.Options{}); err == nil {
		t.Error("a study that is not there has models")
	}
}
