package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/train"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/internal/tier"
)

var loanStudy = filepath.Join("..", "..", "..", "studies", "loan")

// loanFlags make the committed network of studies/loan; docs/user/loan.md gives
// them to users.
var loanFlags = []string{"--hidden", "16,8", "--epochs", "200", "--rate", "0.003", "--decay", "0.985", "--l2", "0.0001", "--seed", "5"}

// trainWith runs the command and returns its exit code and output.
func trainWith(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Main(append([]string{"train"}, args...), strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func TestTrainReproducesTheCommittedNetwork(t *testing.T) {
	tier.NeedUsual(t)
	want, err := os.ReadFile(filepath.Join(loanStudy, "network.json"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "network.json")
	code, stdout, stderr := trainWith(append([]string{loanStudy, "--out", path}, loanFlags...)...)
	if code != ExitDone || stderr != "" {
		t.Fatalf("exit code %d, standard error %q", code, stderr)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("hyfair train studies/loan %s does not give studies/loan/network.json", strings.Join(loanFlags, " "))
	}
	for _, part := range []string{path + ": 17 inputs → 16 → 8 → 1, 433 weights and biases", "epoch 200 of 200", "trained on", "held back by the study"} {
		if !strings.Contains(stdout, part) {
			t.Errorf("output does not say %q:\n%s", part, stdout)
		}
	}

	document, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "user", "loan.md"))
	if err != nil {
		t.Fatal(err)
	}
	if command := "hyfair train studies/loan " + strings.Join(loanFlags, " "); !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(string(document), "\\\n", " ")), " "), command) {
		t.Errorf("docs/user/loan.md does not give the command %q", command)
	}
}

func TestTrainJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "network.json")
	code, stdout, stderr := trainWith(loanStudy, "--epochs", "3", "--hidden", "4", "--hold-back", "0.2", "--out", path, "--json", "--seed", "9")
	if code != ExitDone || stderr != "" {
		t.Fatalf("exit code %d, standard error %q", code, stderr)
	}
	type rows struct {
		Rows           int
		Loss, Accuracy float64
	}
	var report struct {
		Study, Model string
		Seed         int64
		Epochs       int
		BestEpoch    int `json:"best_epoch"`
		Interrupted  *bool
		Train, Test  rows
		HoldBack     rows `json:"hold_back"`
		Network      modelfile.Summary
	}
	decoder := json.NewDecoder(strings.NewReader(stdout))
	if err := decoder.Decode(&report); err != nil {
		t.Fatal(err)
	}
	if decoder.More() {
		t.Error("more than one object on standard output")
	}
	if report.Study != "loan" || report.Model != path || report.Seed != 9 || report.Epochs != 3 || report.BestEpoch < 1 || report.Interrupted == nil || *report.Interrupted {
		t.Errorf("report: %+v", report)
	}
	if total := report.Train.Rows + report.HoldBack.Rows + report.Test.Rows; total != 6820 || report.Test.Rows != 682 || report.HoldBack.Rows != 1227 {
		t.Errorf("%d rows trained on, %d set aside, %d held back", report.Train.Rows, report.HoldBack.Rows, report.Test.Rows)
	}
	for _, part := range []rows{report.Train, report.HoldBack, report.Test} {
		if !(part.Loss > 0) || !(part.Accuracy > 50 && part.Accuracy < 100) {
			t.Errorf("loss %v and accuracy %v %%", part.Loss, part.Accuracy)
		}
	}
	n, _, err := modelfile.Read(path, modelfile.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	if want := modelfile.Summarise(n); !cmp.Equal(report.Network, want) {
		t.Errorf("network: %+v, the file holds %+v", report.Network, want)
	}
}

func TestTrainInterrupted(t *testing.T) {
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	root := newRoot(&App{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr})
	root.SetArgs([]string{"train", loanStudy, "--out", filepath.Join(folder, "n.json")})
	err := root.ExecuteContext(ctx)
	if code := exitCode(ctx, err); code != ExitInterrupted || !strings.Contains(err.Error(), "nothing is written") {
		t.Errorf("exit code %d, error %v", code, err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 0 {
		t.Errorf("files left behind: %v %v", files, err)
	}
}

// countdown is a context that ends after a number of calls of Err.
type countdown struct {
	context.Context
	looks int
}

func (c *countdown) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestTrainKeepsTheBestSoFar(t *testing.T) {
	path := filepath.Join(t.TempDir(), "n.json")
	const batches = (6138 + 31) / 32 // of an epoch
	ctx := &countdown{context.Background(), 2*batches + 10}
	request := train.Request{Study: loanStudy, Config: train.Config{Hidden: []int{4}, Epochs: math.MaxInt32, Seed: 1}, Out: path}
	var stdout, stderr bytes.Buffer
	app := &App{Stdout: &stdout, Stderr: &stderr, JSON: true, LogLevel: "off"}
	err := runTrain(ctx, app, request)
	var exit *exitError
	if !errors.As(err, &exit) || exit.code != ExitInterrupted || exit.err != nil {
		t.Fatalf("error %v, want exit code %d without a message", err, ExitInterrupted)
	}
	var report struct {
		Epochs      int
		Interrupted bool
	}
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil || report.Epochs != 2 || !report.Interrupted {
		t.Errorf("report %+v, error %v", report, err)
	}
	if _, _, err := modelfile.Read(path, modelfile.Choice{}); err != nil {
		t.Error(err)
	}
	app.JSON = false
	stdout.Reset()
	err = runTrain(&countdown{context.Background(), batches + 10}, app, request)
	if !errors.As(err, &exit) || exit.code != ExitInterrupted || exit.err != nil || !strings.Contains(stdout.String(), "interrupted, this is the best so far") {
		t.Errorf("error %v, output:\n%s", err, stdout.String())
	}
}

func TestTrainRefusals(t *testing.T) {
	folder := t.TempDir()
	out := filepath.Join(folder, "n.json")
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("one.csv", "a,b,c\n1,x,1\n2,y,1\n")
	write("wide.csv", "a,b,c\n1,x,1\n9,y,0\n")
	features := "features: {a: {integer: 1..3, inputs: one-hot}, b: {categories: [x, y]}}\nprotected: {b: all}\n"
	data := func(file, more string) string { return "data: {files: [" + file + "]" + more + "}\n" + features }
	label := ", label: {column: c, positive: \"1\"}"
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"no output", []string{loanStudy}, "--out FILE is required"},
		{"no such folder", []string{loanStudy, "--out", filepath.Join(folder, "missing", "n.json")}, "there is no folder"},
		{"no study", []string{filepath.Join(folder, "missing.yaml"), "--out", out}, "missing.yaml"},
		{"two studies", []string{loanStudy, loanStudy, "--out", out}, "wants one STUDY"},
		{"layer", []string{loanStudy, "--hidden", "0", "--out", out}, "hidden layer 1: 0 neurons"},
		{"rate", []string{loanStudy, "--rate", "-1", "--out", out}, "learning rate -1"},
		{"hold back", []string{loanStudy, "--hold-back", "1.5", "--out", out}, "1.5 held back"},
		{"no data", []string{write("none.yaml", features), "--out", out}, "the study declares no data"},
		{"no label", []string{write("label.yaml", data("one.csv", "")), "--out", out}, "training needs labels"},
		{"one class", []string{write("class.yaml", data("one.csv", label)), "--out", out}, "only one class"},
		{"no table entry", []string{write("wide.yaml", data("wide.csv", label)), "--out", out}, "wide.csv:3: a is 9, outside its domain 1..3"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := trainWith(test.args...)
			if code != ExitUsage || stdout != "" {
				t.Errorf("exit code %d, standard output %q", code, stdout)
			}
			if !strings.Contains(stderr, test.want) {
				t.Errorf("standard error %q does not say %q", stderr, test.want)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("a network was written")
			}
		})
	}
}

func TestTrainDivergedIsAFailure(t *testing.T) {
	out := filepath.Join(t.TempDir(), "n.json")
	code, _, stderr := trainWith(loanStudy, "--rate", "1e200", "--epochs", "2", "--out", out)
	if code != ExitFailed || !strings.Contains(stderr, "try a learning rate below") {
		t.Errorf("exit code %d, standard error %q", code, stderr)
	}
}

func TestTrainReplacesAFileWhole(t *testing.T) {
	folder := t.TempDir()
	out := filepath.Join(folder, "n.json")
	if err := os.WriteFile(out, []byte(strings.Repeat("old ", 1<<16)), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := trainWith(loanStudy, "--epochs", "1", "--hidden", "2", "--out", out); code != ExitDone {
		t.Fatalf("exit code %d, standard error %q", code, stderr)
	}
	if _, _, err := modelfile.Read(out, modelfile.Choice{}); err != nil {
		t.Error(err)
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 2 || files[0].Name() != "n.checked.json" {
		t.Errorf("files left: %v, %v", files, err)
	}
	if stat, err := os.Stat(out); err != nil || runtime.GOOS != "windows" && stat.Mode().Perm() != 0o644 {
		t.Errorf("permissions: %v, %v", stat.Mode(), err)
	}
}
