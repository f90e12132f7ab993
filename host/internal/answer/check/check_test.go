package check

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

// TestModelOfAStudy: if a study sets the missing value, its certificate is not about the
// model's file alone, and the refusal names the flag to compare with the study. A certificate
// of the file alone is about it.
func TestModelOfAStudy(t *testing.T) {
	path := filepath.FromSlash("../reconcile/testdata/door/xgb-missing-0.json")
	m, _, err := modelfile.Read(path, modelfile.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	own := m.(*trees.Ensemble)
	for _, c := range []struct {
		of   *trees.Ensemble
		says string
	}{{own, ""}, {own.Absent(0), "--study STUDY"}} {
		refusal, err := (&Result{}).compare(&Request{Model: path}, &certificate.Statement{Trees: c.of, Space: &space.Space{}})
		if err != nil || (refusal != nil) != (c.says != "") || refusal != nil && !strings.Contains(refusal.Reason, c.says) {
			t.Errorf("%q: %+v, %v", c.says, refusal, err)
		}
	}
}
