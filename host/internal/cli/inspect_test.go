package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updateInspect = flag.Bool("update-inspect", false, "write the golden files of hyfair inspect again")

// inspectRun runs hyfair inspect without a data root.
func inspectRun(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	t.Setenv("HYFAIR_DATA", "")
	var out, errs bytes.Buffer
	code = Main(append([]string{"inspect"}, args...), strings.NewReader(""), &out, &errs)
	validJSON(t, append([]string{"inspect"}, args...), out.String())
	return out.String(), errs.String(), code
}

func TestInspectGolden(t *testing.T) {
	golden, err := filepath.Abs("testdata/inspect")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../question/study/testdata")
	seconds := regexp.MustCompile(`"seconds": [-+.e0-9]+`)
	for name, args := range map[string][]string{
		"study.txt":   {"people"},
		"study.json":  {"people", "--json", "--seed", "7"},
		"rules.txt":   {"people/study.yaml", "--rules", "all", "--model", "small"},
		"model.txt":   {"people/models/small.json"},
		"model.json":  {"people/models/linear.json", "--json"},
		"nodata.txt":  {"nodata.yaml"},
		"nodata.json": {"nodata.yaml", "--json"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := inspectRun(t, args...)
			if code != ExitDone {
				t.Fatalf("exit code %d\n%s", code, stderr)
			}
			if strings.HasSuffix(name, ".json") && !json.Valid([]byte(stdout)) {
				t.Error("not one JSON value")
			}
			if hint := strings.Contains(stderr, "no rows and no accuracy: nodata.yaml:4:11: data.files[0]: data:rows.csv: the file is under the data root"); hint != strings.HasPrefix(name, "nodata") {
				t.Errorf("standard error: %s", stderr)
			}
			got := seconds.ReplaceAllString(stdout, `"seconds": 0`)
			path := filepath.Join(golden, name)
			if *updateInspect {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("(-want +got, -update-inspect writes it again):\n%s", d)
			}
		})
	}
}

func TestInspectRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"wants one study or model":                     {},
		"no such file":                                 {"nowhere.yaml"},
		"../question/study/testdata/people/people.csv": {"../question/study/testdata/people/people.csv"},
		"is read as a network":                         {"../question/study/testdata/people/models/small.json", "--rules", "all"},
		`no model "smal"`:                              {"../question/study/testdata/people", "--model", "smal"},
		`no rule "x"`:                                  {"../question/study/testdata/people", "--rules", "x"},
	} {
		stdout, stderr, code := inspectRun(t, args...)
		if code != ExitUsage || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, want %d and %q\n%s%s", args, code, ExitUsage, want, stdout, stderr)
		}
	}
}
