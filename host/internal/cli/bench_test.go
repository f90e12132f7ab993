package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk/evaluate"
)

func TestBenchEvaluator(t *testing.T) {
	for _, kernel := range evaluate.Kernels() {
		t.Setenv(evaluate.Force, kernel)
		code, stdout, stderr := hyfair("bench", "evaluator", tenureStudy(t), "--individuals", "200", "--time", "1ms", "--json")
		if code != ExitDone || stderr != "" {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		var got evaluatorBench
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatal(err)
		}
		if got.Study != "tenure" || got.Kernel != kernel || got.K != 2 || got.Individuals != 200 || got.Rows != 0 ||
			got.Passes < 1 || got.PerSecond <= 0 || got.MeanK < 1 || got.MeanK > 2 || got.Violating <= 0 || got.Violating > 1 {
			t.Errorf("%+v", got)
		}
	}
	code, stdout, _ := hyfair("bench", "evaluator", tenureStudy(t), "--individuals", "50", "--time", "1ms")
	if code != ExitDone || !strings.Contains(stdout, "individuals a second on one core") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

// A strategy plugin in a process of its own, on a study and without one.
func TestBenchNext(t *testing.T) {
	plugins := shippedStrategies(t)
	for name, args := range map[string][]string{"": nil, "tenure": {tenureStudy(t)}} {
		args = append([]string{"bench", "next", "--plugin-dir", plugins, "--strategy", "rw", "--messages", "20", "--json"}, args...)
		code, stdout, stderr := hyfair(args...)
		if code != ExitDone || stderr != "" {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		var got nextBench
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatal(err)
		}
		if got.Strategy != "rw" || got.Study != name || got.Messages != 20 || got.P50 <= 0 || got.P99 < got.P50 {
			t.Errorf("%+v", got)
		}
	}
}

func TestBenchRefuses(t *testing.T) {
	study := tenureStudy(t)
	for _, args := range [][]string{
		{"bench", "everything"},
		{"bench", "evaluator"},
		{"bench", "evaluator", study, "--individuals", "0"},
		{"bench", "evaluator", study, "--time", "0s"},
		{"bench", "next", "--messages", "0"},
		{"bench", "next", study, study},
		{"bench", "next", "--plugin-dir", t.TempDir(), "--strategy", "no such"},
	} {
		if code, stdout, stderr := hyfair(args...); code != ExitUsage || stdout != "" || !strings.HasPrefix(stderr, "hyfair: ") {
			t.Errorf("%s: exit code %d, %q, %q", strings.Join(args, " "), code, stdout, stderr)
		}
	}
}
