package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/libraries"
	"github.com/hyfair/hyfair/internal/tier"
)

// TestYourModel runs docs/user/your-model.md: each library trains its model, and the study that init drafts has the
// accuracy that the library has.
func TestYourModel(t *testing.T) {
	tier.NeedLong(t)
	const yourModel = "../../../docs/user/your-model.md"
	text, err := os.ReadFile(yourModel)
	if err != nil {
		t.Fatal(err)
	}
	block := func(language string, n int) string {
		all := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1)
		if n >= len(all) {
			t.Fatalf("%d blocks of %s", len(all), language)
		}
		return all[n][1]
	}
	accuracy := regexp.MustCompile(`accuracy ([0-9.]+)`)
	for i, library := range []struct{ name, packages, model string }{
		{"scikit-learn", libraries.Sklearn, "model.onnx"}, {"PyTorch", libraries.Torch, "model.onnx"}, {"Keras", libraries.Keras, "model.keras"},
		{"XGBoost", libraries.XGBoost, "model.json"}, {"LightGBM", libraries.LightGBM, "model.txt"},
	} {
		t.Run(library.name, func(t *testing.T) {
			folder := t.TempDir()
			var out []byte
			for _, script := range []string{block("python", 0), block("python", i+1)} {
				var stderr bytes.Buffer
				cmd := libraries.Command(t, library.packages, "-c", script)
				cmd.Dir, cmd.Stderr = folder, &stderr
				if out, err = cmd.Output(); err != nil {
					t.Fatalf("%v\n%s", err, &stderr)
				}
			}
			said := accuracy.FindSubmatch(out)
			if said == nil {
				t.Fatalf("no accuracy in %s", out)
			}
			want, err := strconv.ParseFloat(string(said[1]), 64)
			if err != nil {
				t.Fatal(err)
			}
			if library.name == "scikit-learn" { // whose commands the page begins with
				shown := commandsOf(t, yourModel, "hyfair init")[:2]
				t.Chdir(folder)
				show(t, shown, t.TempDir(), maskNumbers)
			}
			study := filepath.Join(folder, "drafted.yaml")
			code, stdout, stderr := command(t, t.TempDir(), "init", filepath.Join(folder, "people.csv"), filepath.Join(folder, library.model), "--protected", "sex", "--out", study, "--json")
			var got struct{ Accuracy float64 }
			if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != ExitDone {
				t.Fatalf("exit code %d, %v\n%s", code, err, stderr)
			}
			if math.Abs(got.Accuracy-want) > 1e-4 || want < 70 {
				t.Errorf("accuracy %v, the library's is %v", got.Accuracy, want)
			}
			t.Logf("accuracy %v", got.Accuracy)
		})
	}
}
