package guard_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/sdk/space"
)

// exported are rules with every form of condition, over names that are keywords
// elsewhere, look alike, or need quoting.
const exported = `{
  "format": "hyfair-guard", "version": 1, "study": "a \"study\"\nof two lines",
  "features": [
    {"name": "hours-per-week", "kind": "integer"},
    {"name": "hours per week", "kind": "integer"},
    {"name": "class", "kind": "categorical", "categories": ["a", "b\"\\", "ü\n", "a, b", "'"]},
    {"name": "2", "kind": "real"},
    {"name": "ß", "kind": "real"},
    {"name": "age", "kind": "integer", "missing": true}
  ],
  "rules": [
    {"name": "r \"1\"", "why": "ü\n\\", "conditions": [{"feature": "hours-per-week", "above": 39, "most": 60}, {"feature": "class", "in": ["ü\n", "a, b"]}]},
    {"name": "r2", "conditions": [{"feature": "2", "above": -0.25, "below": 0.1}, {"feature": "ß", "least": -1e-3}]},
    {"name": "r3", "conditions": [{"feature": "hours per week", "least": 5, "below": 7}, {"feature": "class", "in": ["'"]}]},
    {"name": "r4", "conditions": [{"feature": "age", "above": 6, "missing": true}, {"feature": "class", "in": ["a"]}]},
    {"name": "r5", "conditions": [{"feature": "age", "missing": true}, {"feature": "class", "in": ["'"]}]},
    {"name": "r6", "conditions": [{"feature": "age", "least": 39}, {"feature": "class", "in": ["ü\n"]}]}
  ]
}`

// verdict is what a function says of one row: the rule that refuses, and why.
type verdict struct{ Rule, Why string }

// exportCases returns rows in the order of the features, with numbers as text,
// NaN and unknown categories among them, and the verdict of this package on each.
func exportCases(t *testing.T, r *guard.Rules) (rows [][]string, want []*verdict) {
	t.Helper()
	s := &space.Space{}
	for _, f := range r.Features {
		feature := space.Feature{Name: f.Name, Kind: f.Kind, Lo: -1e6, Hi: 1e6, Categories: f.Categories, Missing: f.Missing}
		if f.Kind == space.Categorical {
			feature.Lo, feature.Hi = 0, float64(len(f.Categories)-1)
		}
		s.Features = append(s.Features, feature)
	}
	guards, err := r.Predicates(s)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 0))
	refused := 0
	ends := []float64{39, 40, 60, 61, -0.25, 0.1, -1e-3, 5, 6, 7, math.Nextafter(0.1, 0), math.Nextafter(-0.25, 0)}
	for range 2000 {
		x := make([]float64, len(s.Features))
		row := make([]string, len(x))
		for i := range s.Features {
			f := &s.Features[i]
			switch {
			case f.Kind == space.Categorical:
				x[i] = float64(rng.IntN(len(f.Categories)))
				row[i] = f.Categories[int(x[i])]
				continue
			case rng.IntN(2) == 0:
				x[i] = ends[rng.IntN(len(ends))]
			default:
				x[i] = 2*rng.Float64() - 1
			}
			if f.Kind == space.Integer {
				x[i] = math.Round(x[i])
			}
			row[i] = strconv.FormatFloat(x[i], 'g', -1, 64)
			if f.Missing && rng.IntN(3) == 0 {
				x[i], row[i] = f.Hi, "NaN"
			}
		}
		rows = append(rows, row)
		rule, ok := guard.Refuses(guards, x)
		if !ok {
			want = append(want, nil)
			continue
		}
		refused++
		want = append(want, &verdict{r.Rules[rule].Name, r.Rules[rule].Why})
	}
	if refused < 200 || refused > 1800 {
		t.Fatalf("%d of 2000 rows refused: the cases say little", refused)
	}
	rows = append(rows, []string{"NaN", "0", "a", "0", "0", "0"}, []string{"0", "0", "A", "0", "0", "0"})
	want = append(want, &verdict{"", "hours-per-week is not a number"}, &verdict{"", "class is not one of its categories"})
	return rows, want
}

func source(t *testing.T, r *guard.Rules, language string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := guard.Export(&out, r, language); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// run runs a program that reads rows and writes verdicts, and compares.
func run(t *testing.T, cmd *exec.Cmd, rows [][]string, want []*verdict) {
	t.Helper()
	input, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, &stderr)
	}
	var got []*verdict
	if err := json.Unmarshal(output, &got); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if len(got) != len(want) {
		t.Fatalf("%d verdicts, want %d", len(got), len(want))
	}
	for i := range want {
		if (got[i] == nil) != (want[i] == nil) || got[i] != nil && *got[i] != *want[i] {
			t.Fatalf("row %q: the exported function says %+v, ours %+v", rows[i], got[i], want[i])
		}
	}
}

func exportedRules(t *testing.T) *guard.Rules {
	t.Helper()
	r, err := guard.Parse([]byte(exported))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPythonFunction runs the exported function and this package on the same rows.
func TestPythonFunction(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED TestPythonFunction: there is no python3 here")
	}
	r := exportedRules(t)
	rows, want := exportCases(t, r)
	folder := t.TempDir()
	write(t, filepath.Join(folder, "guard.py"), source(t, r, "python"))
	write(t, filepath.Join(folder, "main.py"), []byte(`import inspect, json, sys
import guard
names = list(inspect.signature(guard.refuses).parameters)
def said(row):
    values = [v if n == "class_2" else float(v) for n, v in zip(names, row)]
    answer = guard.refuses(**dict(zip(names, values)))
    return answer and {"Rule": answer[0], "Why": answer[1]}
json.dump([said(row) for row in json.load(sys.stdin)], sys.stdout)
`))
	cmd := exec.Command(python, "-B", "main.py")
	cmd.Dir = folder
	run(t, cmd, rows, want)
}

// TestGoFunction builds the exported function and runs it and this package on the same
// rows.
func TestGoFunction(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("SKIPPED TestGoFunction: there is no go command here")
	}
	r := exportedRules(t)
	rows, want := exportCases(t, r)
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "guard"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "go.mod"), []byte("module example\n\ngo 1.21\n"))
	write(t, filepath.Join(folder, "guard", "guard.go"), source(t, r, "go"))
	write(t, filepath.Join(folder, "main.go"), []byte(`package main

import (
	"encoding/json"
	"os"
	"strconv"

	"example/guard"
)

type verdict struct{ Rule, Why string }

func main() {
	var rows [][]string
	if err := json.NewDecoder(os.Stdin).Decode(&rows); err != nil {
		panic(err)
	}
	out := []*verdict{}
	for _, row := range rows {
		n := func(i int) float64 {
			v, err := strconv.ParseFloat(row[i], 64)
			if err != nil {
				panic(err)
			}
			return v
		}
		rule, why, refused := guard.Refuses(n(0), n(1), row[2], n(3), n(4), n(5))
		if refused {
			out = append(out, &verdict{rule, why})
		} else {
			out = append(out, nil)
		}
	}
	json.NewEncoder(os.Stdout).Encode(out)
}
`))
	cmd := exec.Command(tool, "run", ".")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	run(t, cmd, rows, want)
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestExportIsDeterministic: the same rules give the same text.
func TestExportIsDeterministic(t *testing.T) {
	r := exportedRules(t)
	for _, language := range guard.Languages() {
		if a, b := source(t, r, language), source(t, r, language); !bytes.Equal(a, b) {
			t.Errorf("%s: two exports differ", language)
		}
	}
	if err := guard.Export(&bytes.Buffer{}, r, "cobol"); err == nil || !strings.Contains(err.Error(), "go, python") {
		t.Errorf("an unknown language: %v", err)
	}
}
