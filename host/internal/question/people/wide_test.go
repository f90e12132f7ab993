package people_test

import (
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/people"
)

// TestForeignWide: UTF-32 text is not mistaken for UTF-16, whose conversion would fail.
func TestForeignWide(t *testing.T) {
	for text, in := range map[string]string{
		"a,b\n": "", "": "", "\ufeffa,b": "",
		"\xff\xfea\x00": "utf-16", "\xfe\xff\x00a": "utf-16", "a\x00,\x00": "utf-16", "\x00a\x00,": "utf-16",
		"\xff\xfe\x00\x00a\x00\x00\x00": "utf-32", "\x00\x00\xfe\xff\x00\x00\x00a": "utf-32", "a\x00\x00\x00": "utf-32", "\x00\x00\x00a": "utf-32",
	} {
		if err := people.Foreign(text); (err != nil) != (in != "") || err != nil && !strings.Contains(err.Error(), "iconv -f "+in) {
			t.Errorf("%q: %v, want %q", text, err, in)
		}
	}
}
