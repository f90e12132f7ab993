package audit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/libraries"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/internal/tier"
)

// Of a logistic regression of three classes people move between the classes as scikit-learn says.
func TestClassesOfScikitLearn(t *testing.T) {
	tier.NeedLong(t)
	dir := t.TempDir()
	if out, err := libraries.Command(t, libraries.Sklearn, "testdata/classes.py", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	study := "model: {file: m.onnx, class: any}\nnotion: decision\ndata: {files: [rows.csv]}\n" +
		"features: {age: {integer: 20..69}, income: {integer: 5..99}, sex: {categories: [\"0\", \"1\"]}}\nprotected: {sex: all}\n"
	if err := os.WriteFile(filepath.Join(dir, "study.yaml"), []byte(study), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "moves.json"))
	if err != nil {
		t.Fatal(err)
	}
	var moves [3][3]int
	if err := json.Unmarshal(text, &moves); err != nil {
		t.Fatal(err)
	}
	got, err := Answer(t.Context(), &session.Session{Threads: 1, Begun: time.Now()}, Request{Spec: question.Spec{Study: dir}})
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for from := range moves {
		for to, people := range moves[from] {
			if enter := got.Classes.Classes[from].Enter[to]; from != to && enter != people {
				t.Errorf("%d people move from class %d to %d, with scikit-learn %d", enter, from, to, people)
			} else if from != to {
				left += people
			}
		}
	}
	if left == 0 || got.Summary.Flips != left || len(got.Classes.Classes) != 3 {
		t.Errorf("%d people change class, with scikit-learn %d", got.Summary.Flips, left)
	}
}
