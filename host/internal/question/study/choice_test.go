package study_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/fairness"
)

const models = "../modelfile/testdata/models/"

// TestModelChoice: a study says which output and which class of a file it is about.
func TestModelChoice(t *testing.T) {
	six := "features: {a: {real: -1..1}, b: {real: -1..1}, c: {real: -1..1}, d: {real: -1..1}, e: {real: -1..1}, f: {real: -1..1}}\n"
	one := []float64{0.5, 1, -2, 40, 0, 5}
	load := func(file, more string) (*study.Study, error) {
		text, err := os.ReadFile(models + file)
		if err != nil {
			t.Fatal(err)
		}
		return study.Load(filepath.Join(write(t, map[string]string{file: string(text), "study.yaml": "model: {file: " + file + more + six}), "study.yaml"), study.Options{})
	}
	logit := func(file, more string) float64 {
		st, err := load(file, more)
		if err != nil {
			t.Fatal(err)
		}
		return st.Model.Logit(one)
	}
	if l, other := logit("torch-scaled-old.onnx", ", output: y, class: 1}\n"), logit("torch-scaled-old.onnx", ", class: 0}\n"); l == 0 || l != -other {
		t.Errorf("logits %v and %v of two classes", l, other)
	}
	if l, other := logit("torch-mlp-old.onnx", "}\n"), logit("torch-mlp-old.onnx", ", class: 0}\n"); l == 0 || l != -other {
		t.Errorf("logits %v and %v of a sigmoid", l, other)
	}
	// Of three classes one wins, and that is all that can be asked.
	wins := 0
	for _, class := range []string{"0", "1", "2"} {
		if logit("mlp-three-1.onnx", ", class: "+class+"}\nnotion: decision\n") > 0 {
			wins++
		}
	}
	if wins != 1 {
		t.Errorf("%d classes win", wins)
	}
	st, err := load("mlp-three-1.onnx", ", class: 1}\nnotion: decision-strict\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.EpsilonFor(fairness.Score, "0.1"); err == nil || !strings.Contains(err.Error(), "whether one class wins: --notion decision") {
		t.Errorf("a score of several classes: %v", err)
	}
	for more, want := range map[string]string{
		"}\nnotion: decision\n":             "the model has 3 classes: name one",
		", class: 3}\nnotion: decision\n":   "got 3, want one of the model's 3 classes",
		", class: 1}\n":                     "1:15: model.file: ",
		", class: any}\nnotion: decision\n": "class: any is for hyfair certify",
		", output: x}\n":                    `no output "x"; the model has "output_label", "output_probability"`,
		", output: output_label}\n":         "this is the predicted class: name the output with the probabilities",
	} {
		if _, err := load("mlp-three-1.onnx", more); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", more, err, want)
		}
	}
	if _, err := load("torch-mlp-old.onnx", ", class: any}\nnotion: decision\n"); err == nil || !strings.Contains(err.Error(), "is for a model of at least three classes") {
		t.Errorf("any of two classes: %v", err)
	}
	if _, err := load("batch-norm.keras", ", output: y}\n"); err == nil || !strings.Contains(err.Error(), "names an output of an ONNX file") {
		t.Errorf("an output of a Keras file: %v", err)
	}
}
