package study_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question/scorer"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/sdk"
)

// on is a model whose scores are of a scale.
type on sdk.Scale

func (o on) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{Name: "on", Scale: sdk.Scale(o)}, nil
}

func (o on) Score(_ context.Context, rows [][]float64) ([]float64, error) {
	return make([]float64, len(rows)), nil
}

// The output that a study states must be the plugin's.
func TestOutputOfPlugins(t *testing.T) {
	for _, c := range []struct {
		scale  sdk.Scale
		output string
		want   string // empty: it loads
	}{
		{sdk.ScaleShare, "", ""}, {sdk.ScaleLogit, "", ""}, {sdk.ScaleShare, "share", ""},
		{sdk.ScaleNumber, "number", ""}, {sdk.ScaleNumber, "logit", ""},
		{sdk.ScaleLogit, "share", "got share, but the scores of the plugin at.json are of the scale logit"},
		{sdk.ScaleShare, "logit", "got logit, but the scores of the plugin at.json are of the scale share"},
		{sdk.ScaleNumber, "share", "got share, but the scores of the plugin at.json are of the scale number"},
	} {
		hub := &scorer.Hub{Journal: func() (*journal.Journal, error) { return nil, nil }}
		scorer.Use(hub)
		dir := t.TempDir()
		text := "model: {attach: at.json}\nfeatures: {age: {integer: 1..9}, sex: {categories: [m, f]}}\nprotected: {sex: all}\n"
		if c.output != "" {
			text += fmt.Sprintf("output: %s\n", c.output)
		}
		path := filepath.Join(dir, "study.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(plugintest.Attach(t, on(c.scale)), filepath.Join(dir, "at.json")); err != nil {
			t.Fatal(err)
		}
		_, err := study.Load(path, study.Options{})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, output %q: %v; want %q", c.scale, c.output, err, c.want)
		}
		if err := hub.Close(); err != nil {
			t.Error(err)
		}
	}
}
