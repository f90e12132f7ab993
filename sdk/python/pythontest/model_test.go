//go:build unix

package pythontest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

// The model that `hyfair plugin new` writes is served as it describes itself, and says what is wrong with a
// call, or with its own answer.
func TestModel(t *testing.T) {
	tier.NeedUsual(t)
	need(t)
	text, err := os.ReadFile("../../../host/internal/plugin/scaffold/templates/python-model/main.py.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "main.py")
	serve := func(code string) sdk.Model {
		write(t, path, strings.ReplaceAll(code, "«.Name»", "mine"))
		return launch(t, client.Config{Path: python, Args: []string{path}, Kind: client.Model, NoTLS: true}).Model()
	}
	m := serve(string(text))
	d, err := m.Describe(t.Context())
	if err != nil || d.Name != "mine" || d.Scale != sdk.ScaleShare || d.Identity == "" || !slices.Equal(d.Features, []string{"income", "credit_rating", "debt_ratio", "sex"}) {
		t.Errorf("%+v, %v", d, err)
	}
	got, err := m.Score(t.Context(), [][]float64{{10, 8, 0, 1}, {1, 1, 4, 0}})
	if err != nil || !slices.Equal(got, []float64{0.8125, 0}) {
		t.Errorf("scores %v, %v", got, err)
	}
	if _, err := m.Score(t.Context(), [][]float64{{1, 2, 3}}); err == nil || !strings.Contains(err.Error(), "for a model of 4 features") {
		t.Errorf("a row of three values: %v", err)
	}
	begin := strings.Index(string(text), "        return [min")
	end := begin + strings.Index(string(text)[begin:], "\n")
	for answer, want := range map[string]string{
		"return []":                "0 scores for 1 rows",
		"return [float('nan')]":    "nan for row 0 of 1",
		"return rows[0]['income']": "the plugin raised TypeError",
	} {
		m := serve(string(text[:begin]) + "        " + answer + string(text[end:]))
		if _, err := m.Score(t.Context(), [][]float64{{1, 2, 3, 4}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", answer, err, want)
		}
	}
}
