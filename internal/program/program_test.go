package program

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestBuild(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "hyfair-search-rw")
	for range 2 { // also over an existing file
		if err := Build("plugins/search-rw", file); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command(file).CombinedOutput(); err == nil || !strings.Contains(string(out), "plugin") {
		t.Errorf("a plugin that a person starts: %v, %q", err, out)
	}
	if err := Build("plugins/absent", file); err == nil || !strings.Contains(err.Error(), "plugins/absent") {
		t.Errorf("a program that there is not: %v", err)
	}
	if err := Build("sdk/absent", file); err == nil {
		t.Error("a folder that there is not")
	}
}
