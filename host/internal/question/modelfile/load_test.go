package modelfile

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
)

// TestOneRead: a file is read once, so that the hash is of the bytes that became the model, even if the file is replaced
// meanwhile.
func TestOneRead(t *testing.T) {
	for _, name := range []string{"sequential.h5", "deep.json", "models/batch-norm.keras", "models/mlp-three-1.onnx", "trees/xgb-base.ubj", "trees/lgb-zero.txt"} {
		one := 1
		choice := Choice{}
		if name == "models/mlp-three-1.onnx" {
			choice.Class = &one
		}
		file := fixture(t, name)
		want, _, err := readFrom(file, name, choice)
		if err != nil {
			t.Fatal(err)
		}
		once := io.MultiReader(iotest.OneByteReader(bytes.NewReader(file)), iotest.ErrReader(io.ErrClosedPipe))
		got, info, err := read(once, int64(len(file)), name, "", choice)
		if err != nil || got.Fingerprint() != want.Fingerprint() || info.SHA256 != fmt.Sprintf("%x", sha256.Sum256(file)) {
			t.Errorf("%s: %v, hash %s", name, err, info.SHA256)
		}
	}
	// Renamed over the open file: the model and the hash are of the one that was opened.
	path := filepath.Join(t.TempDir(), "model.json")
	first, second := fixture(t, "sequential.json"), fixture(t, "deep.json")
	if err := os.WriteFile(path, first, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := os.WriteFile(path+".new", second, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	_, info, err := read(file, int64(len(first)), path, "", Choice{})
	if err != nil || info.SHA256 != fmt.Sprintf("%x", sha256.Sum256(first)) {
		t.Errorf("%v, hash %s", err, info.SHA256)
	}
}
