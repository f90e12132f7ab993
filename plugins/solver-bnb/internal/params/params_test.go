package params

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The comparisons that switch ideas off name known ones.
func TestAblationFiles(t *testing.T) {
	files, err := filepath.Glob("../../../../studies/ablation*.yaml")
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", files, err)
	}
	lists := regexp.MustCompile(`set\.off: \["", (.*)\]`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := lists.FindAllSubmatch(text, -1)
		for _, list := range found {
			if off, err := ParseOff(string(list[1])); err != nil || off == 0 {
				t.Errorf("%s: %v", file, err)
			}
		}
		if len(found) == 0 {
			t.Errorf("%s switches no idea off", file)
		}
	}
}
