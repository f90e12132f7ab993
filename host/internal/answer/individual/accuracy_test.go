package individual_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
)

func mustLoad(t *testing.T, path string, o study.Options) *study.Study {
	t.Helper()
	s, err := study.Load(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAccuracy(t *testing.T) {
	s := mustLoad(t, "../../question/study/testdata/people", study.Options{})
	d, err := s.Data()
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, p := range d.Points {
		positive := s.Model.Logit(s.Space.NetworkInputs(nil, p)) > 0
		if positive == (d.Labels[i] == 1) {
			right++
		}
	}
	scores, err := individual.ScoresOf(s)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := scores.Accuracy(nil), float64(right)/8*100; math.Abs(got-want) > 1e-9 {
		t.Errorf("accuracy %v, want %v", got, want)
	}
	score := func(p []float64) float64 { return fairness.Sigmoid(s.Model.Logit(s.Space.NetworkInputs(nil, p))) }
	above, pairs := 0.0, 0.0
	for i, p := range d.Points {
		for k, q := range d.Points {
			switch a, b := score(p), score(q); {
			case d.Labels[i] != 1 || d.Labels[k] == 1:
				continue
			case math.Abs(a-b) < 1e-12:
				above += 0.5
			case a > b:
				above++
			}
			pairs++
		}
	}
	if auc, ok := scores.AUC(); !ok || math.Abs(auc-above/pairs) > 1e-12 {
		t.Errorf("AUC %v %v, want %v of %v pairs", auc, ok, above, pairs)
	}
	for row, p := range d.Points {
		positive := s.Model.Logit(s.Space.NetworkInputs(nil, p)) > 0
		if got := scores.Accuracy([]int{row}); (got == 100) != (positive == (d.Labels[row] == 1)) {
			t.Errorf("row %d: accuracy %v", row, got)
		}
	}
}

// TestAccuracyOutsideATable: rows outside a domain are no reason to stop, but
// a table has nothing to feed the network for them.
func TestAccuracyOutsideATable(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"rows.csv": "a,y\n0,1\n2,1\n1,0\n",
		"study.yaml": "model: net.json\ndata: {files: rows.csv, label: {column: y, positive: 1}}\n" +
			"features: {a: {integer: 0..1, inputs: {table: [3, -3]}}}\n",
		"net.json": `{"format": "hyfair-network", "version": 1, "precision": 64, "head": "sigmoid",
			"layers": [{"name": "out", "inputs": 1, "units": 1, "activation": "linear", "weights": [[1]], "bias": [0]}]}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := mustLoad(t, folder, study.Options{})
	if _, err := individual.ScoresOf(s); !errors.Is(err, individual.ErrNoInput) || !strings.Contains(err.Error(), "rows.csv:3: a is 2") {
		t.Errorf("a row that cannot be fed: %v", err)
	}
}

// published are the accuracies, in per cent over all rows, of the published
// networks (score above ½), which tell whether rows are encoded as in training.
var published = map[string][]float64{
	"adult": {84.47, 84.29, 84.15, 84.30, 84.65, 84.31, 84.32, 83.14, 82.64, 84.16, 81.13, 83.86},
	"bank":  {90.58, 89.94, 89.03, 90.61, 89.51, 90.16, 89.87, 90.55},
}

func TestAccuracyOfPublishedNetworks(t *testing.T) {
	tier.NeedUsual(t)
	root := tier.NeedData(t, "adult", "adult.data")
	for name, prefix := range map[string]string{"adult": "AC", "bank": "BM"} {
		for i, want := range published[name] {
			model := fmt.Sprintf("%s-%d", prefix, i+1)
			t.Run(model, func(t *testing.T) {
				s, err := study.Load("../../../../studies/"+name+".yaml", study.Options{DataRoot: root, Model: model})
				if err != nil {
					t.Fatal(err)
				}
				scores, err := individual.ScoresOf(s)
				if err != nil {
					t.Fatal(err)
				}
				if got := scores.Accuracy(nil); math.Round(got*100)/100 != want {
					t.Errorf("accuracy %.4f, published %.2f", got, want)
				}
			})
		}
	}
}
