package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// --models replaces what a file says of networks, for every study and in every
// command that reads such a file. The network it chooses here cannot be read,
// which tells that it was chosen.
func TestModelsReplacesTheFile(t *testing.T) {
	study, other := tenureStudy(t), tenureStudy(t)
	beside := filepath.Dir(study)
	model, err := os.ReadFile(filepath.Join(beside, "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"A-1.json": string(model), "A-2.json": "broken"} {
		if err := os.WriteFile(filepath.Join(beside, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	journal := filepath.Join(t.TempDir(), "journal.db")
	plugins := shippedStrategies(t, "climb", "rw", "sa")
	for command, rest := range map[string]string{
		"compare":  "arms: [{name: a, solver: highs}]\n",
		"ablate":   "solver: none\nstrategies: [{name: rw}]\n",
		"explain":  "samples: 100\n",
		"mitigate": "arms: [original]\n",
	} {
		for says, studies := range map[string]string{
			"another pattern": "[{study: " + study + ", models: A-1}, {study: " + other + "}]",
			"no pattern":      "[{study: " + other + "}, {study: " + study + "}]",
		} {
			file := filepath.Join(t.TempDir(), "file.yaml")
			if err := os.WriteFile(file, []byte("studies: "+studies+"\n"+rest), 0o600); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := hyfair(command, file, "--models", "A-[23]", "--plugin-dir", plugins, "--journal", journal)
			if code == ExitDone || !strings.Contains(stderr, "A-2.json") || strings.Contains(stderr+stdout, "A-1") || strings.Contains(stderr+stdout, "of 2") {
				t.Errorf("%s, %s: exit code %d: %s%s", command, says, code, stdout, stderr)
			}
			code, stdout, stderr = hyfair(command, file, "--models", "B-*")
			if code != ExitUsage || !strings.Contains(stderr, `--models "B-*": no study has such a network in its folder of networks`) {
				t.Errorf("%s, %s: exit code %d: %s%s", command, says, code, stdout, stderr)
			}
			code, stdout, stderr = hyfair(command, file, "--models", "[")
			if code != ExitUsage || !strings.Contains(stderr, `--models "[": syntax error in pattern`) {
				t.Errorf("%s, %s: exit code %d: %s%s", command, says, code, stdout, stderr)
			}
		}
	}
}
