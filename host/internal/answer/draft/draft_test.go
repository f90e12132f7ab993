package draft_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

const loan = "../../../../studies/loan"

// made writes what the owner of the shipped network has: its inputs and its scores for the rows of the data. digits:
// decimals written, −1: all.
func made(t *testing.T, st *study.Study, digits int) (inputs, scores string) {
	t.Helper()
	d, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	var in, out bytes.Buffer
	x := make([]float64, st.Space.Inputs)
	for _, p := range d.Points {
		for i, v := range st.Space.NetworkInputs(x, p) {
			if i > 0 {
				in.WriteByte(',')
			}
			in.WriteString(strconv.FormatFloat(v, 'g', digits, 64))
		}
		in.WriteByte('\n')
		fmt.Fprintln(&out, strconv.FormatFloat(fairness.Sigmoid(st.Model.Logit(x)), 'g', digits, 64))
	}
	folder := t.TempDir()
	inputs, scores = filepath.Join(folder, "inputs.csv"), filepath.Join(folder, "scores.csv")
	for path, text := range map[string]*bytes.Buffer{inputs: &in, scores: &out} {
		if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return inputs, scores
}

func shipped(t *testing.T) *study.Study {
	t.Helper()
	st, err := study.Load(loan, study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// drafted asks for a draft, and reads the study.
func drafted(t *testing.T, r draft.Request) (*draft.Result, *study.Study, string) {
	t.Helper()
	if r.Out == "" {
		r.Out = filepath.Join(t.TempDir(), "study.yaml")
	}
	out, err := draft.Answer(context.Background(), &session.Session{}, r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(r.Out)
	if err != nil {
		t.Fatal(err)
	}
	st, err := study.Load(r.Out, study.Options{NoModel: r.Model == ""})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out, st, string(text)
}

// The shipped study, from its data and network: the same features, fed in the same way.
func TestShippedStudy(t *testing.T) {
	st := shipped(t)
	inputs, scores := made(t, st, -1)
	rough, few := made(t, st, 7)
	for name, r := range map[string]draft.Request{"inputs": {Inputs: inputs}, "inputs of seven digits": {Inputs: rough}, "scores": {Scores: scores}, "scores of seven digits": {Scores: few}} {
		t.Run(name, func(t *testing.T) {
			switch r.Scores {
			case scores:
				tier.NeedLong(t) // seven digits tell less
			case few:
				tier.NeedUsual(t)
			}
			r.Data, r.Model, r.Protected = loan+"/applicants.csv", loan+"/network.json", []string{"sex", "age", "origin"}
			out, got, text := drafted(t, r)
			if !out.Solved || out.Accuracy == nil || !strings.Contains(text, "certain: ") {
				t.Errorf("%+v", out)
			}
			for i := range st.Space.Features {
				want, have := st.Space.Features[i], got.Space.Features[i]
				want.Protected, have.Protected = nil, nil
				if d := cmp.Diff(want, have); d != "" {
					t.Errorf("%s\n%s", d, text)
				}
			}
			if k := got.Space.Protected(); !slices.Equal(k, st.Space.Protected()) {
				t.Errorf("protected %v", k)
			}
		})
	}
}

// written is a file of a text.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Files as programs write them: what separates cells, a header, blanks, missing values, types, label.
func TestFiles(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		names []string
		want  string // features
		label string
		says  []string
	}{
		"commas": {
			text: "id,age,sex,approved\na,30,F,yes\nb,41,M,no\nc,52.5,F,yes\n", want: "id categories age real sex categories", label: "approved=yes",
			says: []string{"real: 30..52.5", "[a, b, c]", "# protected:\n#   age: all\n#   sex: all\n"},
		},
		"semicolons, quotes": {
			text: "\"x;y\";\"y\"\n1;\"no\"\n2;\"yes\"\n3;\"no\"\n", want: "x;y integer", label: "y=yes", says: []string{`delimiter: ";"`, `"x;y": {integer: 1..3}`},
		},
		"no header, blanks, a mark": {
			text: "39, State-gov, <=50K\n50, ?, >50K\n38, Private, <=50K\n44, Private, >50K\n\n", want: "column1 integer column2 categories", label: "column3=>50K",
			says: []string{"trim: true", `missing: ["?"]`, "columns: [column1, column2, column3]", "[Private, State-gov]"},
		},
		"no header, names":        {text: "1,a,0\n2,b,1\n", names: []string{"n", "w", "y"}, want: "n integer w categories", label: "y=1", says: []string{`columns: ["n", w, "y"]`}},
		"tabs, a byte order mark": {text: "\ufeffn\tw\n1\tno\n2\tyes\n3\tyes\n", want: "n integer", label: "w=yes", says: []string{"delimiter: tab"}},
		"a group of columns": {
			text: "n,race_a,race_b,race_c,y\n1,0,1,0,1\n2,1,0,0,0\n3,0,0,1,0\n", want: "n integer race categories", label: "y=1", says: []string{"race: {columns: [race_a, race_b, race_c], categories: [a, b, c]", "#   race: all"},
		},
		"an index": {
			text: ",n,target\n0,1,1\n1,2,0\n2,3,0\n", want: "n integer", label: "target=1", says: []string{"Not used: the one without a name"},
		},
		"a byte order mark before a quote": {
			text: "\ufeff\"n\",\"w\"\n1,no\n2,yes\n", want: "n integer", label: "w=yes",
		},
		"a mark in the first row, no header": {
			text: "?,a,no\n2,b,yes\n3,a,no\n", want: "column1 integer column2 categories", label: "column3=yes", says: []string{`missing: ["?"]`},
		},
		"a quote open where the first look ends": {
			text: "n,w,y\n" + strings.Repeat("1,\"a\nb\",0\n2,\""+strings.Repeat("c\n", 200)+"\",1\n", 1000), want: "n integer w categories", label: "y=1",
		},
		"dates": {
			text: "since,at,y\n2020-02-29,2020-01-01T12:00,0\n2020-03-01,2021-01-01T00:00,1\n,2020-01-02T23:59,1\n2019-12-31,2020-01-01T00:00,0\n", want: "since integer at integer", label: "y=1",
			says: []string{`since: {integer: 0..61, encode: {days-since: "2019-12-31"}}`, `at: {integer: 0..366, encode: {days-since: "2020-01-01"}}`, "3 of 4 rows without one are kept, the others are left out"},
		},
		"dates and others": {
			text: "since,y\n2020-02-29,0\n5,1\n", want: "since categories", label: "y=1",
		},
		"hostile names": {
			text: "\"a\nprotected: {b: all}\",\"#\",y\n1,\"yes: {\",0\n2,\"'\",1\n", want: "a\nprotected: {b: all} integer # categories", label: "y=1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, st, text := drafted(t, draft.Request{Data: written(t, "d.csv", c.text), Columns: c.names})
			var have []string
			for i, f := range out.Features {
				kind, _, _ := strings.Cut(f.Domain, ":")
				have = append(have, f.Name, kind)
				if st.Space.Features[i].Name != f.Name {
					t.Errorf("feature %d is %q, told as %q", i, st.Space.Features[i].Name, f.Name)
				}
			}
			if got := strings.Join(have, " "); got != c.want || out.Label+"="+strings.Join(out.Positive, ",") != c.label {
				t.Errorf("%q, label %s=%s\n%s", got, out.Label, out.Positive, text)
			}
			for _, says := range c.says {
				if !strings.Contains(text, says) {
					t.Errorf("no %q in\n%s", says, text)
				}
			}
			if d, err := st.Data(); err != nil || len(d.Points) != out.Rows {
				t.Errorf("%v\n%s", err, text)
			}
			if len(st.Space.Protected()) > 0 {
				t.Errorf("something is protected:\n%s", text)
			}
		})
	}
}

// What cannot be drafted is refused in one sentence that says what to do.
func TestRefused(t *testing.T) {
	good := written(t, "d.csv", "age,sex,y\n1,F,0\n2,M,1\n3,M,1\n")
	for says, r := range map[string]draft.Request{
		"no such file":                                    {Data: "nowhere.csv"},
		"the file is empty":                               {Data: written(t, "d.csv", "")},
		"no delimiter":                                    {Data: written(t, "d.csv", "\n")},
		"an Excel workbook":                               {Data: written(t, "d.xlsx", "PK\x03\x04\x14\x00\x06\x00\x08")},
		"does not end as a Parquet file":                  {Data: written(t, "d.parquet", "PAR1\x15\x04\x15")},
		"a SAS data set":                                  {Data: written(t, "d.sas7bdat", strings.Repeat("\x00", 12)+"\xc2\xea\x81\x60\xb3\x14")},
		"a compressed file: unpack it":                    {Data: written(t, "d.csv.gz", "\x1f\x8b\x08\x00")},
		"but JSON: write it as CSV":                       {Data: written(t, "d.json", "[{\"age\": 1}]")},
		"no rows":                                         {Data: written(t, "d.csv", "a,b\n")},
		"--protected race":                                {Data: good, Protected: []string{"race"}},
		"--label z":                                       {Data: good, Label: "z"},
		"say which count as 1":                            {Data: good, Label: "age"},
		"--positive 2":                                    {Data: good, Positive: []string{"2"}},
		"name its file":                                   {Data: good, Scores: good},
		"--columns names 2":                               {Data: written(t, "d.csv", "1,F,0\n2,M,1\n"), Columns: []string{"a", "b"}},
		"every row has":                                   {Data: written(t, "d.csv", "a,b,y\n1,,0\n,2,1\n")},
		"want one row for each":                           {Data: loan + "/applicants.csv", Model: loan + "/network.json", Scores: good},
		"the model takes 17 inputs":                       {Data: loan + "/applicants.csv", Model: loan + "/network.json", Inputs: good},
		`"sex" appears twice`:                             {Data: written(t, "d.csv", "age,sex,sex,y\n1,F,0,0\n2,M,1,1\n")},
		`:3: "M\xe9" is not UTF-8`:                        {Data: written(t, "d.csv", "age,sex,y\n1,F,0\n2,M\xe9,1\n")},
		`name "\xe9ge" is not UTF-8`:                      {Data: written(t, "d.csv", "\xe9ge,sex,y\n1,F,0\n2,M,1\n")},
		"below 2 rows, \"Loans of 2024\"":                 {Data: written(t, "d.csv", "Loans of 2024,,\n,,\nage,sex,y\n1,F,0\n2,M,1\n3,M,1\n")},
		"\"Loans of 2024\", is one cell":                  {Data: written(t, "d.csv", "Loans of 2024\nage;sex;y\n1;F;0\n2;M;1\n3;M;1\n")},
		"carriage return alone":                           {Data: written(t, "d.csv", "age,sex,y\r1,F,0\r2,M,1\r")},
		"the only one: cells are to be separated":         {Data: written(t, "d.csv", "age^sex^y\n1^F^0\n2^M^1\n"), Label: "y"},
		`3 values ("no", "yes", "flag")`:                  {Data: written(t, "d.csv", "age,y\n1,no\n2,yes\n3,flag\n"), Label: "y"},
		"remove lines that are not rows, such as a title": {Data: written(t, "d.csv", "age,sex,y\n1,F,0\n2,M,1\nTotal 2\n")},
		"record on line 3: wrong number of fields":        {Data: written(t, "d.csv", "age,sex,y\n1,F,0\n2,M\n3,M,1\n")},
		"more than 256 kB":                                {Data: written(t, "d.csv", strings.Repeat("column,", 100_000)+"\n")},
		"begins with names already":                       {Data: good, Columns: []string{"a", "b", "c"}},
		"neither HDF5 nor JSON":                           {Data: good, Model: good},
	} {
		r.Out = filepath.Join(t.TempDir(), "study.yaml")
		if _, err := draft.Answer(context.Background(), &session.Session{}, r); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", says, err)
		}
		if _, err := os.Stat(r.Out); err == nil {
			t.Errorf("%s: a study was written", says)
		}
	}
}

// Inputs that two columns give equally are not certain. A column of names does not explain an
// input that a column with fewer texts does.
func TestInputsOfSeveralColumns(t *testing.T) {
	var data, plain, scores, twice strings.Builder
	data.WriteString("name,born,age,sex,y\n")
	twice.WriteString("since,age,sex,y\n")
	for i := range 40 {
		age, sex := 20+i*7%50, i*i%3%2
		fmt.Fprintf(&data, "n%d,%d,%d,%c,%d\n", i, 2000-age, age, "FM"[sex], i%2)
		fmt.Fprintf(&twice, "%d,%d,%c,%d\n", age, age, "FM"[sex], i%2)
		fmt.Fprintf(&plain, "%d,%d,%d\n", age, 1-sex, sex)
		fmt.Fprintln(&scores, fairness.Sigmoid(0.1*float64(age)+float64(1-sex)-4))
	}
	n := &relu.Network{Precision: 64, Head: relu.HeadSigmoid, Layers: []relu.Layer{{Name: "score", In: 3, Out: 1, Weights: []float64{0.1, 1, 0}, Bias: []float64{-4}}}}
	model := filepath.Join(t.TempDir(), "network.json")
	file, err := os.Create(model)
	if err == nil {
		err = errors.Join(modelfile.WriteJSON(file, n), file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	for header, solved := range map[string]bool{"": false, "age,sex_F,sex_M\n": true} {
		out, st, text := drafted(t, draft.Request{Data: written(t, "d.csv", data.String()), Model: model, Inputs: written(t, "i.csv", header+plain.String())})
		if names := strings.Join(st.Space.Names(), " "); len(st.Space.Features) != 2 || !strings.HasSuffix(names, " sex") || solved && names != "age sex" {
			t.Errorf("%s\n%s", names, text)
		}
		said := strings.Join(out.Doubts, " ")
		if out.Solved != solved || strings.Contains(out.Inputs, "certain") != solved || strings.Contains(said, "born and age") == solved {
			t.Errorf("%q: %+v", header, out)
		}
	}
	out, _, text := drafted(t, draft.Request{Data: written(t, "d.csv", twice.String()), Model: model, Scores: written(t, "s.csv", scores.String())})
	if out.Solved || strings.Contains(out.Inputs, "certain") || len(out.Doubts) != 1 || !strings.Contains(text, "other columns give the scores") {
		t.Errorf("%+v\n%s", out, text)
	}
}

// With --force an edited file is kept next to the new one, each edit once.
func TestForceKeepsEdits(t *testing.T) {
	out := filepath.Join(t.TempDir(), "study.yaml")
	r := draft.Request{Data: written(t, "d.csv", "age,sex,y\n1,F,0\n2,M,1\n3,M,1\n"), Out: out, Force: true}
	for i, c := range []struct{ edit, kept string }{{"", ""}, {"", ""}, {"# mine\n", ".old1"}, {"# mine\n", ".old1"}, {"# other\n", ".old2"}} {
		if c.edit != "" {
			if err := os.WriteFile(out, []byte(c.edit), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, _, _ := drafted(t, r)
		text := []byte(c.edit)
		if c.kept != "" {
			var err error
			if text, err = os.ReadFile(out + c.kept); err != nil {
				t.Fatal(err)
			}
		}
		if (got.Kept != "") != (c.kept != "") || !strings.HasSuffix(got.Kept, c.kept) || string(text) != c.edit {
			t.Errorf("%d: kept %q: %q", i, got.Kept, text)
		}
	}
}

// A wide file takes no longer for the columns that could be left out.
func TestWide(t *testing.T) {
	var text strings.Builder
	for row := range 4 {
		for column := range 2000 {
			if cell := fmt.Sprint(row * column % 3); row == 0 {
				fmt.Fprintf(&text, "c%d,", column)
			} else {
				fmt.Fprintf(&text, "x%s,", cell)
			}
		}
		fmt.Fprintln(&text, map[bool]string{true: "y", false: fmt.Sprint(row % 2)}[row == 0])
	}
	out, err := draft.Guess(draft.Request{Data: written(t, "d.csv", text.String()), Model: loan + "/network.json", Out: filepath.Join(t.TempDir(), "study.yaml")})
	if err != nil || len(out.Doubts) != 1 || !strings.Contains(out.Doubts[0], "no encoding that was tried") {
		t.Errorf("%v, %+v", err, out)
	}
}

// Whatever is in the file, there is a study that loads, or an error.
func FuzzInit(f *testing.F) {
	for _, seed := range []string{"a,b,y\n1,x,0\n2,z,1\n", "a;b\n1;2\n", "\"\n", "a,a\n1,1\n", "0x1p3,1e999,nan\n1,2,3\n", "x,y\n1_0,yes\n2,no\n", "a,y\n-0,1\n+5,0\n", "r_a,r_b,y_n,y_y\n1,0,0,1\n0,1,1,0\n", "r_a,r_yy_,r,b_y\n1,0,0,1\n0,1,1,0\n", "r_a,r_b,r=a,r=b,y\n1,0,0,1,1\n0,1,1,0,0\n", "a,y\n\"~\",1\n\" b \",0\n"} {
		f.Add(seed)
	}
	for _, seed := range []string{"d,a,y\n2020-01-31,?,1\n2021-12-01,3,0\n", "d,y\n0000-01-01,1\n9999-12-31T23:59:59Z,0\n"} {
		f.Add(seed)
	}
	// One folder for all executions of a process, which does one after the other: making one takes longer than the rest.
	folder := f.TempDir()
	data, out := filepath.Join(folder, "d.csv"), filepath.Join(folder, "study.yaml")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.Remove(out); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if err := os.WriteFile(data, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := draft.Answer(context.Background(), &session.Session{}, draft.Request{Data: data, Out: out}); err != nil {
			return
		}
		st, err := study.Load(out, study.Options{NoModel: true})
		if err == nil {
			_, err = st.Data()
		}
		if err != nil {
			made, _ := os.ReadFile(out)
			t.Fatalf("%v\n%q\n%s", err, text, made)
		}
	})
}

// Some programs write means and ranges into .nnet files and leave them aside: which it is, scores tell, and labels.
func TestMeansOfNNet(t *testing.T) {
	const file = "2,3,1,3,\n3,2,1,\n0,\n0,0,0,\n1,1,1,\n%s\n%s\n1,0,0,\n0,1,-1,\n-30,\n0,\n0.2,2,\n-2,\n"
	r := rand.New(rand.NewPCG(1, 2))
	for _, applied := range []bool{true, false} {
		var data, scores strings.Builder
		data.WriteString("age,sex,y\n")
		for range 500 {
			age, sex := float64(20+r.IntN(50)), r.IntN(2)
			x := age
			if applied {
				x = (age - 10) / 2
			}
			logit := 0.2*max(0, x-30) + 2*max(0, float64(1-2*sex)) - 2
			fmt.Fprintf(&data, "%v,%c,%t\n", age, "FM"[sex], r.Float64() < fairness.Sigmoid(logit))
			fmt.Fprintln(&scores, logit)
		}
		model := written(t, "m.nnet", fmt.Sprintf(file, "10,0,0,0,", "2,1,1,1,"))
		for name, r := range map[string]draft.Request{"labels": {}, "scores": {Scores: written(t, "s.csv", scores.String())}} {
			r.Data, r.Model = written(t, "d.csv", data.String()), model
			out, _, text := drafted(t, r)
			if said := strings.Contains(text, "normalize: false}"); said == applied || name == "scores" && (!out.Solved || *out.Worst > 1e-9) {
				t.Errorf("%s, applied %v: %+v\n%s", name, applied, out, text)
			}
		}
	}
}

// A model of who defaults calls 1 what reads like a no: the label goes with its scores, unless it was said what counts.
func TestLabelThatTheModelTurnsRound(t *testing.T) {
	n := &relu.Network{Precision: 64, Head: relu.HeadSigmoid, Layers: []relu.Layer{{Name: "score", In: 4, Out: 1, Weights: []float64{-2, 1, 0.8, 0}, Bias: []float64{-0.3}}}}
	model := networkFile(t, n)
	r := rand.New(rand.NewPCG(1, 2))
	var data, scores, inputs strings.Builder
	data.WriteString("income,debt,sex,risk\n")
	for range 600 {
		income, debt, sex := float64(r.IntN(7)-3), float64(r.IntN(5)-2), r.IntN(2)
		p := fairness.Sigmoid(n.Logit([]float64{income, debt, float64(1 - sex), float64(sex)}))
		fmt.Fprintf(&data, "%v,%v,%c,%s\n", income, debt, "FM"[sex], map[bool]string{true: "bad", false: "good"}[r.Float64() < p])
		fmt.Fprintln(&scores, p)
		fmt.Fprintf(&inputs, "%v,%v,%d,%d\n", income, debt, 1-sex, sex)
	}
	for name, r := range map[string]draft.Request{
		"the label alone": {},
		"scores":          {Scores: written(t, "s.csv", scores.String())},
		"inputs":          {Inputs: written(t, "i.csv", inputs.String())},
		"said":            {Inputs: written(t, "i.csv", inputs.String()), Positive: []string{"good"}},
	} {
		r.Data, r.Model = written(t, "d.csv", data.String()), model
		out, _, text := drafted(t, r)
		if len(out.Features) != 3 || out.Features[0].Name != "income" {
			t.Errorf("%s: the features are in another order:\n%s", name, text)
		}
		if name == "said" {
			if !slices.Equal(out.Positive, r.Positive) || len(out.Doubts) != 1 || !strings.Contains(text, "the lower for risk = good") {
				t.Errorf("%+v\n%s", out, text)
			}
			continue
		}
		if !slices.Equal(out.Positive, []string{"bad"}) || *out.Accuracy < 75 || len(out.Doubts) > 0 || !strings.Contains(text, `likely: "bad" counts as 1, since the model's scores are higher for it`) {
			t.Errorf("%s: %+v\n%s", name, out, text)
		}
	}
}

// networkFile is a file with the network.
// A label of numbers is what a model that ends in a linear unit predicts: the columns are those by which it is least
// off, and ε is in its unit.
func TestRegression(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	n := &relu.Network{Precision: 64, Head: relu.HeadLinear, Layers: []relu.Layer{
		{Name: "hidden", In: 3, Out: 2, ReLU: true, Weights: []float64{30, 900, 50, -10, 100, 70}, Bias: []float64{-400, 100}},
		{Name: "pay", In: 2, Out: 1, Weights: []float64{1, 0.5}, Bias: []float64{800}},
	}}
	var data strings.Builder
	data.WriteString("shoe,age,sex,hours,pay\n")
	for i := range 500 {
		age, sex, hours := 18+r.IntN(50), r.IntN(2), 5+r.IntN(50)
		pay := fmt.Sprintf("%.0f", n.Logit([]float64{float64(age), float64(sex), float64(hours)})+100*r.NormFloat64())
		if i == 7 {
			pay = ""
		}
		fmt.Fprintf(&data, "%d,%d,%s,%d,%s\n", 36+r.IntN(10), age, []string{"f", "m"}[sex], hours, pay)
	}
	model, file := networkFile(t, n), written(t, "d.csv", data.String())
	out, st, text := drafted(t, draft.Request{Data: file, Model: model, Label: "pay", Protected: []string{"sex"}})
	if got := strings.Join(st.Space.Names(), " "); got != "age sex hours" || st.Notion != fairness.Logit || out.Epsilon == nil || st.Epsilon.RatString() != "300" || *out.Epsilon != 300 || out.Rows != 500 {
		t.Errorf("%s, %v, ε %v, %+v\n%s", got, st.Notion, st.Epsilon, out, text)
	}
	for _, want := range []string{"shoe (the model does not take it), pay (what the model predicts)", "off by", "likely: the model predicts pay", "--positive names", "output: number\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if got := strings.Join(out.Doubts, "\n"); got != "that the model does not take shoe is a guess, by the number of its inputs" || strings.Contains(text, "label:") {
		t.Errorf("%s\n%s", got, text)
	}
	n.Head = relu.HeadSigmoid
	if _, err := draft.Guess(draft.Request{Data: file, Model: networkFile(t, n), Label: "pay", Out: filepath.Join(t.TempDir(), "s.yaml")}); err == nil || !strings.Contains(err.Error(), "--positive") {
		t.Errorf("a score of numbers: %v", err)
	}
}

func networkFile(t *testing.T, n *relu.Network) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "network.json")
	file, err := os.Create(path)
	if err == nil {
		err = errors.Join(modelfile.WriteJSON(file, n), file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}
