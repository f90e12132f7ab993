package study_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/hyfair/hyfair/host/internal/study"
)

const studies = "../../../studies/"

// dataRoot is the folder with the public data sets and networks: $HYFAIR_DATA,
// or ../shared/data beside the repository. Without it the test is skipped.
func dataRoot(t *testing.T) string {
	t.Helper()
	root := os.Getenv("HYFAIR_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(root, "adult", "adult.data")); err != nil {
		t.Skipf("SKIPPED %s: no public data sets in %s; set HYFAIR_DATA to the folder with adult/ and bank/", t.Name(), root)
	}
	return root
}

// published are the accuracies, in per cent over all rows, of the published
// networks (score above ½), which tell whether rows are encoded as in training.
var published = map[string][]float64{
	"adult": {84.47, 84.29, 84.15, 84.30, 84.65, 84.31, 84.32, 83.14, 82.64, 84.16, 81.13, 83.86},
	"bank":  {90.58, 89.94, 89.03, 90.61, 89.51, 90.16, 89.87, 90.55},
}

func TestAccuracyOfPublishedNetworks(t *testing.T) {
	root := dataRoot(t)
	for name, prefix := range map[string]string{"adult": "AC", "bank": "BM"} {
		for i, want := range published[name] {
			model := fmt.Sprintf("%s-%d", prefix, i+1)
			t.Run(model, func(t *testing.T) {
				s, err := study.Load(studies+name+".yaml", study.Options{DataRoot: root, Model: model})
				if err != nil {
					t.Fatal(err)
				}
				got, err := s.Accuracy(nil)
				if err != nil {
					t.Fatal(err)
				}
				if math.Round(got*100)/100 != want {
					t.Errorf("accuracy %.4f, published %.2f", got, want)
				}
			})
		}
	}
}
