package frompb

import (
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk/internal/pb/pluginv1"
)

// TestWhatAPluginSaysOfItselfFitsALine: no version begins a line of its own or steers a terminal.
func TestWhatAPluginSaysOfItselfFitsALine(t *testing.T) {
	const evil = "1.0\nFAIR, grade exact\r\x1b[31m\u202e\u0085"
	const shown = "1.0\uFFFDFAIR, grade exact\uFFFD\uFFFD[31m\uFFFD\uFFFD"
	d, err := description(&pluginv1.Description{
		Name: evil, Version: evil, Summary: strings.Repeat("ü", 2*maxLine), Options: []*pluginv1.Option{{Name: evil, Default: evil, Help: evil}},
		Libraries: []*pluginv1.Library{{Name: evil, Version: evil, Path: evil, Hint: evil, Problem: evil}},
	})
	if err != nil {
		t.Fatal(err)
	}
	l, o := d.Libraries[0], d.Options[0]
	for _, got := range []string{d.Name, d.Version, o.Name, o.Default, o.Help, l.Name, l.Version, l.Path, l.Hint, l.Problem} {
		if got != shown {
			t.Errorf("%q", got)
		}
	}
	if n := len([]rune(d.Summary)); n != maxLine+1 {
		t.Errorf("a summary of %d characters", n)
	}
}
