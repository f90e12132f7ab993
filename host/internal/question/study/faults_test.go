package study_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// fault is a study file with mistakes and the lines they are reported in,
// without the file's name; a line need only be begun. shape tells that the
// mistake is one of shape, which the schema must see too.
type fault struct {
	name, text string
	want       []string
	shape      bool
}

// grouped is a study with thresholds by group.
func grouped(threshold string) string {
	return "features: {sex: {categories: [man, woman]}, age: {integer: 20..40}, job: {integer: 0..1}}\nprotected: {sex: all, age: [20, 40]}\ndecision: {threshold: " + threshold + "}\n"
}

var faults = []fault{
	{"empty", "", []string{"1:1: the file is empty"}, false},
	{"a list", "- a\n- b\n", []string{"1:1: a study is a mapping of keys"}, true},
	{"no features", "name: x\n", []string{"1:1: the study has no features"}, true},
	{"model without a file", "model: {output: p}\nfeatures: {a: {integer: 0..1}}\n", []string{"1:9: model: needs the key file"}, true},
	{"model with a class that is none", "model: {file: a.onnx, class: -1}\nfeatures: {a: {integer: 0..1}}\n", []string{"1:30: model.class: -1 is not a whole number from 0"}, true},
	{"columns of a number", "features:\n  a: {integer: 0..1, columns: [a_0, a_1]}\n", []string{"2:31: features.a.columns: needs the key categories"}, false},
	{"columns of other categories", "features:\n  a: {categories: [x, y], columns: [a_x, a_y, a_z]}\n", []string{"2:19: features.a.categories: 2 categories, but the key columns lists 3"}, false},
	{"two sources", "features:\n  a: {integer: 0..1, column: b, any-of: [a_0, a_1]}\n", []string{"2:41: features.a.any-of: excludes the key column"}, false},
	{"no date", "features:\n  a: {integer: 0..1, encode: {days-since: 2024-02-30}}\n", []string{`2:43: features.a.encode.days-since: "2024-02-30" is not a date such as 2024-02-29`}, false},
	{"syntax", "name: x\nfeatures: {a: {integer: 0..1}\n", []string{"2:11: could not find flow mapping end token '}'"}, false},
	{"key twice", "name: x\nname: y\n", []string{"2:1: "}, false},
	{"unknown key", "featurs: {}\nfeatures: {a: {integer: 0..1}}\n", []string{`1:1: unknown key "featurs"; did you mean "features"? allowed: extends, name,`}, true},
	{"unknown nested key", "features:\n  a:\n    integer: 0..1\n    encod: round\n", []string{`4:5: features.a: unknown key "encod"; did you mean "encode"?`}, true},
	{"several", "epsilon: nought\nfeatures:\n  a: {integer: 5..1}\n  b: {real: x}\nnotion: scor\n",
		[]string{
			`1:10: epsilon: "nought" is neither a decimal such as 0.05 nor a fraction such as 1/20`,
			"3:16: features.a.integer: the domain 5..1 is empty: 5 is above 1",
			`4:13: features.b.real: "x" is not a range; write lo..hi, such as 10..100`,
			`5:9: notion: unknown value "scor"; did you mean "score"? allowed: score, logit, decision, decision-strict`,
		}, true},
	{"a population that is none", "features: {a: {integer: 0..1}}\npopulation: everybody\n", []string{`2:13: population: unknown value "everybody"; `}, true},
	{"a population twice", "features: {a: {integer: 0..1}}\npopulation: {classes: 4, weights: w.csv}\n", []string{"2:14: population: want one of the keys classes, network and weights"}, true},
	{"classes beyond number", "features: {a: {integer: 0..1}}\npopulation: {classes: 1000}\n", []string{`2:23: population.classes: got population "classes:1000"`}, true},
	{"a side of scores that is none", "features: {a: {integer: 0..1}}\ndecision: {yes: small}\n", []string{`2:17: decision.yes: unknown value "small"; `}, true},
	{"a side of numbers", "features: {a: {integer: 0..1}}\noutput: number\ndecision: {yes: low}\n", []string{"3:17: decision.yes: low, but the study predicts a number"}, false},
	{"epsilon of the notion", "features: {a: {integer: 0..1}}\nepsilon: 1.5\n", []string{"2:10: epsilon: ε = 1.5 is outside 0 < ε < 1"}, false},
	{"epsilon nought", "features: {a: {integer: 0..1}}\nnotion: logit\nepsilon: 0\n", []string{"3:10: epsilon: ε = 0 is not above 0"}, true},
	{"epsilon beyond measure", "features: {a: {integer: 0..1}}\nepsilon: 1e-99999999\n", []string{"2:10: epsilon: "}, false},
	{"threshold beyond a share", "features: {a: {integer: 0..1}}\ndecision: {threshold: 30}\n", []string{"2:23: decision.threshold: 30 is not between 0 and 1"}, true},
	{"a group beyond a share", grouped("{sex: {man: 1.2, woman: 0.4}}"), []string{"3:35: decision.threshold.sex.man: 1.2 is not between 0 and 1"}, true},
	{"a group without a threshold", grouped("{sex: {man: 0.5}}"), []string{"3:30: decision.threshold.sex: sex = woman has no threshold: add it, alone or in a group such as man|woman"}, false},
	{"a number without a threshold", grouped("{age: {..29: 0.5, 40..: 0.4}}"), []string{"3:30: decision.threshold.age: age = 30 has no threshold: add it, alone or in a group such as 20..40"}, false},
	{"a value in two groups", grouped("{sex: {man: 0.5, man|woman: 0.4}}"), []string{"3:40: decision.threshold.sex.man|woman: man is in two groups, man and man|woman"}, false},
	{"a group of no category", grouped("{sex: {men: 0.5, woman: 0.4}}"), []string{`3:30: decision.threshold.sex.men: no category "men"`}, false},
	{"groups of an unknown attribute", grouped("{gender: {man: 0.5, woman: 0.4}}"), []string{`3:24: decision.threshold: no feature "gender"; `}, false},
	{"groups of what is not protected", grouped("{job: {0: 0.5, 1: 0.4}}"), []string{"3:24: decision.threshold: job is not protected"}, false},
	{"groups of too many values", "features: {pay: {integer: 0..5000}}\nprotected: {pay: [1, 2]}\ndecision: {threshold: {pay: {..: 0.5}}}\n", []string{"3:24: decision.threshold: pay has more than 4096 values"}, false},
	{"groups of a real number", "features: {pay: {real: 0..1}}\nprotected: {pay: [0, 1]}\ndecision: {threshold: {pay: {..: 0.5}}}\n", []string{"3:24: decision.threshold: pay has a real domain"}, false},
	{"groups by two attributes", grouped("{sex: {man: 0.5, woman: 0.4}, age: {..: 0.5}}"), []string{"3:24: decision.threshold: thresholds by group: want {ATTRIBUTE: {VALUE: THRESHOLD, …}}"}, true},
	{"groups of the same attribute twice", grouped("{sex: {man: {sex: {man: 0.5, woman: 0.4}}, woman: 0.4}}"), []string{"3:36: decision.threshold.sex.man: sex is also the attribute of the mapping around this one: take another, or give a threshold"}, false},
	{"groups within a group left out", grouped("{sex: {man: {age: {20..29: 0.5}}, woman: 0.4}}"), []string{"3:42: decision.threshold.sex.man.age: sex = man, age = 30 has no threshold"}, false},
	{"bands out of order", "features: {a: {integer: 0..1}}\ndecision: {bands: {A: 0.4, B: 0.6, C: 0}}\n", []string{"2:20: decision.bands: band A begins at 0.4, band B at 0.6: list the bands by their least scores, each a different one"}, false},
	{"a band beyond a share", "features: {a: {integer: 0..1}}\ndecision: {bands: {A: 1.5, B: 0}}\n", []string{"2:20: decision.bands: band A begins at 1.5, which is not between 0 and 1"}, true},
	{"no lowest band", "features: {a: {integer: 0..1}}\ndecision: {bands: {A: 0.5, B: 0.2}}\n", []string{"2:20: decision.bands: the lowest band, B, begins at 0.2: it takes all scores below the others, so write 0"}, false},
	{"bands beside a threshold", "features: {a: {integer: 0..1}}\ndecision: {threshold: 0.3, bands: {A: 0.5, B: 0}}\n", []string{"2:23: decision.threshold: a decision has bands or a threshold: leave out the key threshold"}, false},
	{"threshold that is none", "features: {a: {integer: 0..1}}\ndecision: {threshold: low, side: high}\n", []string{`2:23: decision.threshold: "low" is neither a decimal`, `2:28: decision: unknown key "side"`}, true},
	{"wrong types", "features:\n  a: 5\n  b: {integer: [1, 2]}\n  c: {categories: p}\n",
		[]string{
			"2:6: features.a: want a mapping, this is a single value",
			"3:16: features.b.integer: want a single value, this is a list",
			"4:19: features.c.categories: want a list of names, or from-data",
		}, true},
	{"nothing said", "features:\n  a:\n", []string{"2:3: features.a: want a mapping, this is nothing"}, false},
	{"no domain", "features:\n  a: {about: x}\n", []string{"2:7: features.a: has no domain; give integer: lo..hi, real: lo..hi or categories: […]"}, false},
	{"two domains", "features:\n  a: {integer: 0..1, real: 0..1}\n", []string{"2:7: features.a: has several domains, [integer real]"}, false},
	{"fractional ends", "features:\n  a: {integer: 0..1.5}\n", []string{"2:16: features.a.integer: the ends of 0..1.5 are not whole numbers"}, false},
	{"category twice", "features:\n  a: {categories: [p, q, p]}\n", []string{`2:26: features.a.categories[2]: category "p" appears twice`}, true},
	{"no categories", "features:\n  a: {categories: []}\n", []string{"2:19: features.a.categories: lists no category"}, true},
	{"categories from no data", "features:\n  a: {categories: from-data}\n", []string{"2:19: features.a.categories: the study declares no data to take categories from"}, false},
	{"protected unknown", "features:\n  age: {integer: 0..9}\nprotected:\n  aeg: [1]\n", []string{`4:3: protected: no feature "aeg"; did you mean "age"? allowed: age`}, false},
	{"protected outside", "features:\n  age: {integer: 0..9}\nprotected:\n  age: [1, 12]\n", []string{"4:12: protected.age[1]: 12 is outside the domain 0..9; write {values: 12, extrapolate: true} if that is intended"}, false},
	{"protected range outside", "features:\n  age: {integer: 0..9}\nprotected:\n  age: 5..12\n", []string{"4:8: protected.age: 5..12 is outside the domain 0..9; write {values: 5..12, extrapolate: true} if that is intended"}, false},
	{"protected no category", "features:\n  sex: {categories: [Female, Male]}\nprotected:\n  sex: [Femal]\n", []string{`4:9: protected.sex[0]: no category "Femal"; did you mean "Female"? allowed: Female, Male`}, false},
	{"protected twice", "features:\n  sex: {categories: [Female, Male]}\nprotected:\n  sex: [Male, 1]\n", []string{"4:15: protected.sex[1]: 1 appears twice"}, false},
	{"protected fraction", "features:\n  age: {integer: 0..9}\nprotected:\n  age: [1.5]\n", []string{"4:9: protected.age[0]: got 1.5, want a whole number"}, false},
	{"protected too many", "features:\n  a: {integer: 0..9999}\n  b: {integer: 0..9999}\nprotected:\n  a: all\n  b: all\n", []string{"5:3: protected: more than 1048576 combinations of protected values; protect fewer attributes, or select some with --protected"}, false},
	{"constraint on nothing", "features:\n  sex: {categories: [Female, Male]}\nconstraints:\n  r:\n    forbid: sex=Female,relation=Husband\n", []string{`5:13: constraints.r.forbid: no feature "relation"; the features are sex`}, false},
	{"constraint without predicate", "features:\n  a: {integer: 0..1}\nconstraints:\n  r: {on: true}\n", []string{"4:7: constraints.r: needs the key forbid, a predicate"}, true},
	{"constraint that never holds", "features:\n  a: {integer: 0..1}\nconstraints:\n  r: {forbid: a=7}\n", []string{"4:15: constraints.r.forbid: never holds: a has values from 0 to 1"}, false},
	{"constraint called all", "features:\n  a: {integer: 0..1}\nconstraints:\n  all: {forbid: a=0}\n", []string{`4:3: constraints.all: a rule cannot be named "all"`}, true},
	{"constraint switch", "features:\n  a: {integer: 0..1}\nconstraints:\n  r: {forbid: a=0, on: maybe}\n", []string{`4:24: constraints.r.on: "maybe" is neither true nor false`}, true},
	{"column unknown", "data:\n  files: [x.csv]\n  columns: [age, sex]\nfeatures:\n  aged: {column: agee, integer: 0..1}\n  sex: {integer: 0..1}\n", []string{`5:18: features.aged.column: no column "agee"; did you mean "age"? allowed: age, sex`}, false},
	{"column of the feature's name", "data:\n  files: [x.csv]\n  columns: [age]\nfeatures:\n  ages: {integer: 0..1}\n", []string{`5:10: features.ages: no column "ages"; did you mean "age"?`}, false},
	{"dropped column", "data:\n  files: [x.csv]\n  columns: [age]\n  drop: [fnlwgt]\nfeatures:\n  age: {integer: 0..1}\n", []string{`4:10: data.drop[0]: no column "fnlwgt"; allowed: age`}, false},
	{"no files", "data: {trim: true}\nfeatures: {a: {integer: 0..1}}\n", []string{"1:8: data: needs the key files, a list of data files"}, false},
	{"label half said", "data: {files: x.csv, label: {column: y}}\nfeatures: {a: {integer: 0..1}}\n", []string{"1:30: data.label: needs the key positive"}, true},
	{"header and columns", "data:\n  files: x.csv\n  header: true\n  columns: [a]\nfeatures: {a: {integer: 0..1}}\n", []string{"3:11: data.header: is true, but the key columns names the columns, too"}, false},
	{"delimiter", "data: {files: x.csv, delimiter: ';;'}\nfeatures: {a: {integer: 0..1}}\n", []string{`1:33: data.delimiter: got the delimiter ";;", want one character, tab or space`}, true},
	{"fraction", "data: {files: x.csv, held-back: {fraction: 1.5}}\nfeatures: {a: {integer: 0..1}}\n", []string{"1:44: data.held-back.fraction: got 1.5, want a number of at least 0 and below 1"}, true},
	{"skip", "data: {files: [{path: x.csv, skip: -1}]}\nfeatures: {a: {integer: 0..1}}\n", []string{"1:36: data.files[0].skip: -1 is not a whole number from 0 to"}, true},
	{"step unknown", "features:\n  a: {integer: 0..1, encode: rond}\n", []string{`2:30: features.a.encode: unknown value "rond"; did you mean "round"?`}, true},
	{"step of two", "features:\n  a: {integer: 0..1, encode: {threshold: 1, bins: 2}}\n", []string{"2:31: features.a.encode: a step is one of round, map, threshold, bins and days-since; for several, write a list"}, true},
	{"bins half said", "features:\n  a: {integer: 0..1, encode: {bins: {count: 2, min: 0}}}\n", []string{"2:38: features.a.encode.bins: needs the key count, and min and max together or not at all"}, true},
	{"bins of nothing", "features:\n  a: {integer: 0..1, encode: {bins: {count: 2, min: 3, max: 3}}}\n", []string{"2:38: features.a.encode.bins: min 3 is not below max 3"}, false},
	{"one-hot of a real", "features:\n  a: {real: 0..1, inputs: one-hot}\n", []string{"2:27: features.a.inputs: a real feature cannot have a table"}, false},
	{"one-hot too long", "features:\n  a: {integer: 0..4503599627370496, inputs: one-hot}\n", []string{"2:45: features.a.inputs: 0..4.503599627370496e+15 is too long for a table"}, false},
	{"tables too large", "features:\n  a: {integer: 0..1019, inputs: one-hot}\n  b: {integer: 0..8199, inputs: {table: [" + strings.Repeat("1,", 8199) + "1]}}\n", []string{"3:41: features.b.inputs.table: the tables have more than 1048576 entries together"}, false},
	{"one-hot too large", "features:\n  a: {integer: 0..2000, inputs: one-hot}\n", []string{"2:33: features.a.inputs: the tables have more than 1048576 entries together"}, false},
	{"table of another length", "features:\n  a: {integer: 0..3, inputs: {table: [1, 2]}}\n", []string{"2:38: features.a.inputs.table: has 2 entries; the domain has 4 values"}, false},
	{"input of two kinds", "features:\n  a: {integer: 0..3, inputs: {scale: 1, mean: 2}}\n", []string{"2:31: features.a.inputs: want value, one-hot, {scale: s, offset: o}"}, true},
	{"deviation nought", "features:\n  a: {integer: 0..3, inputs: {mean: 1, deviation: 0}}\n", []string{"2:51: features.a.inputs.deviation: 0 is not above 0"}, true},
	{"number in quotes", "features:\n  a: {integer: 0..3, encode: {threshold: \"5\"}}\n", []string{`2:42: features.a.encode.threshold: "5" is not a number`}, true},
	{"tag", "name: !!binary aGk=\nfeatures: {a: {integer: 0..1}}\n", []string{"1:7: a study has no use for a tag here"}, false},
	{"two documents", "name: x\n---\nname: y\n", []string{"3:5: a second document begins here"}, false},
	{"alias unknown", "name: *who\nfeatures: {a: {integer: 0..1}}\n", []string{"1:7: no anchor &who before this"}, false},
	{"alias within itself", "features: &f {a: *f}\n", []string{"1:18: no anchor &f before this"}, false},
}

func TestFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			folder := write(t, map[string]string{"study.yaml": f.text})
			_, err := study.Load(folder, study.Options{NoModel: true})
			if err == nil {
				t.Fatal("no fault found")
			}
			got := strings.Split(strings.ReplaceAll(err.Error(), filepath.Join(folder, "study.yaml")+":", ""), "\n")
			if len(got) != len(f.want) {
				t.Errorf("%d faults, want %d:\n%s", len(got), len(f.want), strings.Join(got, "\n"))
			}
			for i := range min(len(got), len(f.want)) {
				if !strings.HasPrefix(got[i], f.want[i]) {
					t.Errorf("got  %s\nwant %s", got[i], f.want[i])
				}
			}
			var many yamlfile.Faults
			var one *yamlfile.Fault
			if !errors.As(err, &many) && !errors.As(err, &one) {
				t.Errorf("a %T is neither Faults nor a Fault", err)
			}
		})
	}
}

// TestManyFaults does not flood the terminal.
func TestManyFaults(t *testing.T) {
	var b strings.Builder
	b.WriteString("features:\n")
	for i := range 100 {
		fmt.Fprintf(&b, "  f%d: {integer: x}\n", i)
	}
	_, err := study.Load(write(t, map[string]string{"study.yaml": b.String()}), study.Options{NoModel: true})
	if err == nil {
		t.Fatal("no fault found")
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 21 || lines[20] != "… and 80 more" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

// TestHostileFiles are refused, however little they ask for in bytes.
func TestHostileFiles(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), ", "))
	}
	merges := "a0: &a0 {x: 1}\n"
	for i := range 30 {
		merges += fmt.Sprintf("a%d: &a%d {<<: [*a%d, *a%d]}\n", i+1, i+1, i, i)
	}
	for name, c := range map[string]struct{ text, want string }{
		"aliases of aliases":  {bomb, "more than 200000 values, aliases expanded"},
		"merges of merges":    {merges, "deep"},
		"brackets":            {strings.Repeat("[", 100_000), "nested more than 32 deep"},
		"braces":              {strings.Repeat("{a: ", 50_000), "nested more than 32 deep"},
		"dashes":              {strings.Repeat("- ", 100_000) + "x", "nested more than 32 deep"},
		"question marks":      {strings.Repeat("? ", 100_000) + "x", "nested more than 32 deep"},
		"anchors":             {strings.Repeat("&a ", 80_000) + "x", ""},
		"a staircase":         {staircase(700), "deep"},
		"too long":            {"# " + strings.Repeat("x", 1<<20), "more than 1024 KiB"},
		"a million values":    {"a: [" + strings.Repeat("1,", 300_000) + "1]", "more than 200000 values"},
		"bytes of no meaning": {"\x00\x01\x02: \xff\xfe", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := study.Load(write(t, map[string]string{"study.yaml": c.text}), study.Options{NoModel: true})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want %q", err, c.want)
			}
		})
	}
}

// staircase nests mappings, each a step further to the right.
func staircase(steps int) string {
	var b strings.Builder
	for i := range steps {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}
