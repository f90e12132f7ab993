package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
)

// In this study sex matters only for people whose age is missing, one in 64: every command finds them.
func TestPeopleWithoutAnAge(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"model.json": `{"learner":{"gradient_booster":{"model":{"trees":[{"default_left":[0,0,0,0,0],"left_children":[1,-1,3,-1,-1],"right_children":[2,-1,4,-1,-1],` +
			`"split_conditions":[200,0,1,-1,1],"split_indices":[0,0,1,0,0],"split_type":[0,0,0,0,0]}]},"name":"gbtree"},` +
			`"learner_model_param":{"base_score":"5E-1","num_class":"0","num_feature":"2","num_target":"1"},"objective":{"name":"binary:logistic"}},"version":[3,1,0]}`,
		"people.csv": "age,sex\n18,F\n80,M\n?,F\n40,F\n",
		"study.yaml": "model: model.json\ndata: {files: [people.csv], missing: [\"?\"]}\nfeatures:\n  age: {integer: 18..80, missing: true}\n  sex: {categories: [F, M]}\nprotected: {sex: all}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	study, plugins := filepath.Join(folder, "study.yaml"), plugintest.Folder(t, map[string]string{"hyfair-solver-bnb": "plugins/solver-bnb"})
	proof := filepath.Join(folder, "fair.cert")
	for _, c := range []struct {
		args string
		want string
	}{
		{"certify", "\n  age    missing   same\n"},
		{"certify --where age=missing", "UNFAIR"},
		{"certify --where age=18.. --certificate " + proof, "FAIR, grade rigorous"},
		{"audit", "1 of them (25.0 %) would get the other decision with another sex"},
		{"inspect", "18..80 or missing"},
	} {
		args := strings.Fields(c.args)
		_, stdout, stderr := command(t, plugins, append([]string{args[0], study}, args[1:]...)...)
		if !strings.Contains(stdout, c.want) || strings.Contains(stdout, "left out") {
			t.Errorf("%s: no %q in\n%s%s", c.args, c.want, stdout, stderr)
		}
	}
	if code, stdout, stderr := command(t, plugins, "check", proof, "--study", study); code != ExitDone || !strings.Contains(stdout, "age=18..80") {
		t.Errorf("check: exit code %d\n%s%s", code, stdout, stderr)
	}
	var shares struct {
		Individuals   string
		Discriminated struct {
			AtLeast string `json:"at_least"`
			AtMost  string `json:"at_most"`
		}
	}
	_, stdout, stderr := command(t, plugins, "quantify", study, "--json")
	if err := json.Unmarshal([]byte(stdout), &shares); err != nil || shares.Individuals != "64" || shares.Discriminated.AtLeast != "1" || shares.Discriminated.AtMost != "1" {
		t.Errorf("%v, %+v\n%s", err, shares, stderr)
	}
}
