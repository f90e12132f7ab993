package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// TestErrorsSteerNothing: whatever a name in a study, a path, a flag, a table or a variable of the
// environment holds, standard error gets no command to a terminal, no mark of direction and no
// line of its own.
func TestErrorsSteerNothing(t *testing.T) {
	const evil = "n\x1b]0;x\a\x1b[31m\r\u202e\u0085\u009b\nhyfair: FAIR\n"
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	quoted := `"n\e]0;x\a\e[31m\r\u202e\x85\x9b\nhyfair: FAIR\n"`
	features := "features:\n  a: {integer: 0..1}\nprotected: {a: all}\n"
	study := tenureStudy(t)
	for name, text := range map[string]string{
		"model.yaml": "model: " + quoted + "\n" + features, "name.yaml": "name: " + quoted + "\nmodel: absent.json\n" + features,
		"data.yaml": "data: {train: " + quoted + "}\nmodel: absent.json\n" + features, "key.yaml": quoted + ": 1\n" + features,
		"feature.yaml": "model: absent.json\nfeatures:\n  " + quoted + ": {integer: 0..x}\n", "protected.yaml": "model: absent.json\n" + features + "  " + quoted + ": all\n",
		"category.yaml": "model: absent.json\nfeatures:\n  a: {categories: [" + quoted + ", " + quoted + "]}\n", "notion.yaml": "notion: " + quoted + "\nmodel: absent.json\n" + features,
		"head.csv": "years,group,\"" + strings.ReplaceAll(evil, "\r", "") + "\"\n7,a,cook\n", "cell.csv": "years,group,job\n7,\"" + evil + "\",cook\n",
		evil: "no study",
	} {
		write(name, text)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"inspect", in("model.yaml")}, {"inspect", in("name.yaml")}, {"inspect", in("data.yaml")}, {"inspect", in("key.yaml")}, {"inspect", in("feature.yaml")},
		{"inspect", in("protected.yaml")}, {"inspect", in("category.yaml")}, {"inspect", in("notion.yaml")},
		{"inspect", in(evil)}, {"inspect", in(evil) + "absent"}, {"inspect", study, "--model", evil}, {evil}, {"certify", study, "--" + evil}, {"certify", study, "--where", evil + "=1"},
		{"certify", study, "--where", "job=" + evil}, {"certify", study, "--protected", evil}, {"certify", study, "--notion", evil}, {"certify", study, "--epsilon", evil},
		{"certify", study, "--solver", evil}, {"certify", study, "--set", evil}, {"certify", study, "--html", filepath.Join(dir, "absent", evil)}, {"certify", study, "--log-level", evil},
		{"certify", study, "--journal", in("head.csv") + evil}, {"certify", study, "--memory", evil}, {"certify", study, "--rules", evil},
		{"audit", study, in("head.csv"), "--encoded"}, {"audit", study, in("cell.csv"), "--encoded"}, {"audit", study, in("head.csv")}, {"audit", study, in("cell.csv")},
		{"init", in("head.csv"), "--label", evil, "--out", in("new.yaml")}, {"init", in("cell.csv"), in(evil), "--out", in("new.yaml")},
		{"search", study, "--strategy", evil}, {"runs", "show", evil}, {"export", study, "--format", evil}, {"plugins", "--plugin-dir", in(evil)}, {"plugin", "test", evil},
	} {
		for _, more := range [][]string{nil, {"--json"}} {
			code, _, stderr := hyfair(append(args, more...)...)
			if i := strings.IndexFunc(stderr, func(r rune) bool {
				return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
			}); i >= 0 || strings.Contains(stderr, "\nhyfair: FAIR") || code == ExitDone && args[0] != "plugins" {
				t.Errorf("%q: exit code %d\n%q", args, code, stderr)
			}
		}
	}
}
