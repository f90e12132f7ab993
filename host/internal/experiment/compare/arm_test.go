package compare

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseArm(t *testing.T) {
	for text, want := range map[string]Arm{
		"z3=solver:z3": {Name: "z3", Solver: "z3"},
		"a b=solver:highs,notion:logit,epsilon:0.2,encoding:bigm,bounds:linear,goal:maximise,gap:1e-4,start:search": {
			Name: "a b", Solver: "highs", Notion: "logit", Epsilon: "0.2", Encoding: "bigm", Bounds: "linear", Goal: GoalMaximise, Gap: 1e-4, Start: StartSearch},
		"p=solver:z3,partition:age=10,hours-per-week=20,soft:10s": {
			Name: "p", Solver: "z3", Partition: "age=10,hours-per-week=20", Soft: Duration(10 * time.Second)},
	} {
		got, err := ParseArm(text)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", text, err, d)
		}
	}
}

func TestParseArmRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"z3":                         "name=solver",
		"=solver:z3":                 "name=solver",
		"a=z3":                       "key:value",
		"a=notion:score":             "no solver",
		"a=solver:":                  "no solver",
		"a=solver:z3,solver:b":       "twice",
		"a=solver:z3,speed:9":        "unknown key",
		"a=solver:z3,notion:fair":    "decision-strict",
		"a=solver:z3,encoding:tiny":  "bigm",
		"a=solver:z3,bounds:none":    "interval",
		"a=solver:z3,goal:find":      "maximise",
		"a=solver:z3,gap:1":          "relative gap",
		"a=solver:z3,gap:NaN":        "relative gap",
		"a=solver:z3,start:warm":     "search",
		"a=solver:z3,soft:ten":       "10s",
		"a=solver:z3,soft:-1s":       "above 0",
		"a=solver:z3,partition,gap:": "want a number",
	} {
		if _, err := ParseArm(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestDurationText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		100 * time.Second: "100s", time.Minute: "1m", 90 * time.Minute: "1h30m", time.Hour: "1h", 1500 * time.Millisecond: "1.5s", 3601 * time.Second: "1h0m1s",
	} {
		got := Duration(d).String()
		var back Duration
		if err := back.UnmarshalText([]byte(got)); got != want || err != nil || back != Duration(d) {
			t.Errorf("%v: %s, back %v, %v", d, got, back, err)
		}
	}
}
