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

// TestModelOfAStudy: a certificate of a study that says what stands for a missing value is not about the file alone, and
// the refusal names what holds it against the study. One of the file alone is about it.
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
