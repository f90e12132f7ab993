package draft_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
)

// treesOf are XGBoost trees of one comparison each, of inputs of these names with a border: missing values go right.
func treesOf(names []string, borders ...string) string {
	var all, quoted []string
	for i, name := range names {
		quoted = append(quoted, fmt.Sprintf("%q", name))
		all = append(all, fmt.Sprintf(`{"default_left":[0,0,0],"left_children":[1,-1,-1],"right_children":[2,-1,-1],"split_conditions":[%s,-1,1],"split_indices":[%d,0,0]}`, borders[i], i))
	}
	return fmt.Sprintf(`{"learner":{"gradient_booster":{"model":{"trees":[%s]},"name":"gbtree"},"feature_names":[%s],"learner_model_param":{"base_score":"5E-1","num_class":"0","num_feature":"%d","num_target":"1"},"objective":{"name":"binary:logistic"}},"version":[3,1,0]}`,
		strings.Join(all, ","), strings.Join(quoted, ","), len(names))
}

// A column of numbers with a few other cells is one of numbers, and the draft lists these; codes among which a text is one are
// categories, and so is what the model has an input for.
func TestOddCells(t *testing.T) {
	many := func(i int) string { return fmt.Sprint(18 + i*7%60) }
	few := func(i int) string { return fmt.Sprint(i % 10) }
	for name, c := range map[string]struct {
		cell  func(int) string
		odd   map[int]string
		trees bool
		names string // of the model's first input
		want  string
		marks string
		left  int
	}{
		"one word, trees":      {cell: many, odd: map[int]string{3: "unknown"}, trees: true, want: "age: {integer: 18..77, missing: true}", marks: "{age: [unknown]}"},
		"one word":             {cell: many, odd: map[int]string{3: "unknown"}, want: "age: {integer: 18..77}", marks: "{age: [unknown]}", left: 1},
		"several marks":        {cell: many, odd: map[int]string{3: "-", 9: "Unknown", 90: "?", 91: "k.A."}, trees: true, want: "age: {integer: 18..77, missing: true}", marks: `{"*": ["?"], age: ["-", Unknown, k.A.]}`},
		"few values, trees":    {cell: func(i int) string { return fmt.Sprint(i % 3 * 30) }, odd: map[int]string{3: "unknown"}, trees: true, want: "age: {integer: 0..60, missing: true}", marks: "{age: [unknown]}"},
		"a unit":               {cell: many, odd: map[int]string{3: "12 yrs", 7: "13 yrs"}, trees: true, want: "age: {integer: 18..77, missing: true}", marks: `{age: ["12 yrs", "13 yrs"]}`},
		"a letter for a digit": {cell: few, odd: map[int]string{3: "l2", 300: "#REF!"}, want: `age: {categories: [`},
		"a code":               {cell: few, odd: map[int]string{3: "10+", 13: "10+", 23: "10+", 33: "10+", 43: "10+", 53: "10+"}, want: `age: {categories: ["0", "1", "10+"`},
		"half of them": {cell: many, odd: func() map[int]string {
			m := map[int]string{}
			for i := range 200 {
				m[2*i] = "A" + fmt.Sprint(i%9)
			}
			return m
		}(), want: "age: {categories: ["},
		"an input of its own":    {cell: many, odd: map[int]string{3: "unknown"}, names: "age_unknown", want: "age: {categories: ["},
		"a category of two more": {cell: func(i int) string { return fmt.Sprint(i % 2) }, odd: map[int]string{3: "unknown"}, want: `age: {categories: ["0", "1", unknown]`},
	} {
		t.Run(name, func(t *testing.T) {
			text := "age,note,y\n"
			for i := range 400 {
				cell, yes := c.cell(i), 0
				if age, _ := strconv.Atoi(cell); age >= 40 {
					yes = 1
				}
				if odd, ok := c.odd[i]; ok {
					cell = odd
				}
				text += cell + "," + []string{"unknown", "b"}[i%2] + "," + fmt.Sprint(yes) + "\n"
			}
			r := draft.Request{Data: written(t, "d.csv", text)}
			if c.trees {
				r.Model = written(t, "m.json", treesOf([]string{"age", "note"}, "40", "0.5"))
			} else if c.names != "" {
				r.Model = written(t, "m.json", treesOf([]string{c.names}, "0.5"))
			}
			out, st, study := drafted(t, r)
			if !strings.Contains(study, "  "+c.want) || c.marks != "" && !strings.Contains(study, "  missing: "+c.marks+"\n") {
				t.Errorf("want %s, missing: %s in\n%s", c.want, c.marks, study)
			}
			d, err := st.Data()
			if err != nil || d.Dropped != c.left || out.RowsLeft != c.left || len(d.Points) != out.Rows {
				t.Errorf("%v: %d rows left out, told %d\n%s", err, d.Dropped, out.RowsLeft, study)
			}
			doubts := strings.Join(out.Doubts, "\n")
			for _, odd := range c.odd {
				if c.marks != "" && odd != "?" && !strings.Contains(doubts, fmt.Sprintf("%q", odd)) {
					t.Errorf("%q is not told: %s", odd, doubts)
				}
			}
			if c.marks == "" && strings.Contains(doubts, "are not numbers") {
				t.Error(doubts)
			}
		})
	}
}

// The draft lists cells of a spreadsheet that can be read in two ways.
func TestNotations(t *testing.T) {
	for text, c := range map[string]struct{ want, domain, doubt string }{
		"a;b;y\n3448,36;x;ja\n12,5;y;nein\n":                     {"decimal: \",\"\n", "real: 12.5..3448.36", ""},
		"a;b;y\n1.448,36;x;ja\n12,5;y;nein\n":                    {"decimal: \",\"\n  thousands: \".\"\n", "real: 12.5..1448.36", ""},
		"sep=;\na;b;y\n1,5;x;ja\n2,5;y;nein\n":                   {"decimal: \",\"\n", "real: 1.5..2.5", ""},
		"a,b,y\n\"1,448.36\",x,yes\n12.5,y,no\n":                 {"thousands: \",\"\n", "real: 12.5..1448.36", ""},
		"a,b,y\n\"1,448\",x,yes\n12,y,no\n":                      {"thousands: \",\"\n", "integer: 12..1448", "may precede decimals or separate thousands"},
		"a;b;y\n1,448;x;yes\n12;y;no\n":                          {"decimal: \",\"\n", "real: 1.448..12", "may precede decimals or separate thousands"},
		"a;b;y\n1.448;x;yes\n12;y;no\n":                          {"delimiter: \";\"\n", "real: 1.448..12", "a: numbers such as 1.448 have three digits after every point"},
		"a;b;y\n1.448;x;yes\n1.5;y;no\n":                         {"delimiter: \";\"\n", "real: 1.448..1.5", ""},
		"a\tb\ty\n1 448,5\tx\tyes\n1\u202f500\ty\tno\n":          {"decimal: \",\"\n  thousands: space\n", "real: 1448.5..1500", ""},
		"a,b,y\n1'448.5,x,yes\n1,y,no\n":                         {"thousands: \"'\"\n", "real: 1..1448.5", ""},
		"a,b,y\n1448.5,\"Linz, Nord\",yes\n1,\"Graz, Sud\",no\n": {"files: [d.csv]\n", "real: 1..1448.5", ""},
	} {
		out, st, study := drafted(t, draft.Request{Data: written(t, "d.csv", text), Label: "y"})
		doubts := strings.Join(out.Doubts, "\n")
		if !strings.Contains(study, c.want) && c.want != "files: [d.csv]\n" || out.Features[0].Domain != c.domain || (c.doubt == "") != (doubts == "") || !strings.Contains(doubts, c.doubt) {
			t.Errorf("%q: %v, doubts %q\n%s", text, out.Features[0], doubts, study)
		}
		if d, err := st.Data(); err != nil || len(d.Points) != 2 {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := draft.Guess(draft.Request{Data: written(t, "d.csv", "\xff\xfea\x00\t\x00\"\x00")}); err == nil || !strings.Contains(err.Error(), "iconv -f utf-16 -t utf-8") {
		t.Error(err)
	}
}

// Values that the model may never have seen raise a doubt: numbers apart from all others, categories without an input or
// with one that is written otherwise. One category that was dropped needs no input.
func TestValuesThatTheModelMayNotKnow(t *testing.T) {
	for name, c := range map[string]struct {
		age   func(i int) int
		sex   []string
		names []string
		doubt string
	}{
		"all known":  {func(i int) int { return 18 + i%50 }, []string{"f", "m"}, []string{"age", "sex_f", "sex_m"}, ""},
		"dropped":    {func(i int) int { return 18 + i%50 }, []string{"f", "m"}, []string{"age", "sex_m"}, ""},
		"far above":  {func(i int) int { return 18 + i%50 + i/399*70 }, []string{"f", "m"}, []string{"age", "sex_f", "sex_m"}, "age: 137 in 1 row is far from all others (18..67)"},
		"far below":  {func(i int) int { return 18 + i%50 - i%100/99*1066 }, []string{"f", "m"}, []string{"age", "sex_f", "sex_m"}, "age: -999 in 4 rows is far from all others (18..67)"},
		"a third":    {func(i int) int { return 18 + i%50 }, []string{"f", "m", "x"}, []string{"age", "sex_f", "sex_m"}, "sex: the model has no input for x"},
		"a capital":  {func(i int) int { return 18 + i%50 }, []string{"F", "M"}, []string{"age", "sex_f", "sex_m"}, `sex: the model's input sex_f is assumed to be the one for "F"`},
		"long tails": {func(i int) int { return 2 * (i % 20) * (i % 20) * (i % 20) }, []string{"f", "m"}, []string{"age", "sex_f", "sex_m"}, ""},
	} {
		text := "age,sex,y\n"
		for i := range 400 {
			yes := 0
			if c.age(i) >= 40 {
				yes = 1
			}
			text += fmt.Sprintf("%d,%s,%d\n", c.age(i), c.sex[i*i%7%len(c.sex)], yes)
		}
		borders := []string{"40", "0.5", "0.5"}[:len(c.names)]
		out, _, study := drafted(t, draft.Request{Data: written(t, "d.csv", text), Model: written(t, "m.json", treesOf(c.names, borders...)), Label: "y"})
		doubts := slices.DeleteFunc(out.Doubts, func(doubt string) bool { return strings.Contains(doubt, "which value stood for a missing one") })
		if (len(doubts) == 0) != (c.doubt == "") || !strings.Contains(strings.Join(doubts, "\n"), c.doubt) {
			t.Errorf("%s: %q, want %q\n%s", name, doubts, c.doubt, study)
		}
	}
}

// If an encoder in the model's file refuses a category, its rows are left out with a doubt. If
// that leaves no row, the file is refused, as is a study with such a category. An encoder that
// ignores unknown categories causes a doubt.
func TestStrangersOfAnEncoder(t *testing.T) {
	models := "../../question/modelfile/testdata/models/"
	ignoring, err := os.ReadFile(models + "columns-one-hot-mlp.onnx")
	if err != nil {
		t.Fatal(err)
	}
	refusing := strings.ReplaceAll(string(ignoring), "zeros\x18\x01", "zeros\x18\x00")
	if refusing == string(ignoring) {
		t.Fatal("the encoder's attribute is written otherwise")
	}
	ordinal, err := os.ReadFile(models + "columns-ordinal-logistic.onnx")
	if err != nil {
		t.Fatal(err)
	}
	rows := func(sexes string) string {
		text := "age,hours,work,sex,y\n"
		for i := range 120 {
			text += fmt.Sprintf("%d,%d,%s,%c,%d\n", 20+i%50, 10+i%40, []string{"none", "private", "public"}[i%3], sexes[i%len(sexes)], i%2)
		}
		return written(t, "d.csv", text)
	}
	for name, c := range map[string]struct {
		model, sexes, refused, doubt string
		left                         int
	}{
		"known":                  {refusing, "FM", "", "", 0},
		"refused":                {refusing, "FMFMFx", "", `sex: the model's encoder knows F, M and refuses all else: "x" in 20 rows; these rows are left out`, 20},
		"all of them":            {refusing, "fm", `"f" in 60 rows, "m" in 60 rows: this leaves no row`, "", 0},
		"a code":                 {string(ordinal), "FMFMFx", "", `"x" in 20 rows; these rows are left out`, 20},
		"ignored":                {string(ignoring), "FMFMFx", "", "sex: the model has no input for x", 0},
		"ignored, the first":     {string(ignoring), "FMFMFA", "", "sex: the model has no input for A", 0},
		"ignored, written small": {string(ignoring), "fm", "", `sex: the model has no input for f, m`, 0},
	} {
		r := draft.Request{Data: rows(c.sexes), Model: written(t, "m.onnx", c.model), Protected: []string{"sex"}}
		r.Out = strings.TrimSuffix(r.Model, "m.onnx") + "study.yaml"
		if c.refused != "" {
			if _, err := draft.Guess(r); err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		out, st, text := drafted(t, r)
		doubts := strings.Join(out.Doubts, "\n")
		if c.doubt == "" && strings.Contains(doubts, "sex: ") || !strings.Contains(doubts, c.doubt) {
			t.Errorf("%s: %q", name, doubts)
		}
		if d, err := st.Data(); err != nil || d.Dropped != c.left || out.RowsLeft != c.left {
			t.Errorf("%s: %v, %d rows left out, told %d\n%s", name, err, d.Dropped, out.RowsLeft, text)
		}
		if c.left == 0 {
			continue
		}
		for sex, says := range map[string]string{
			"categories: [F, M, x], inputs: [{table: [1, 0, 0]}, {table: [0, 1, 0]}]": "knows F, M and refuses all else; it has no input for x",
			"categories: [female, M], inputs: one-hot":                                "the study feeds female as F, but its cells have another text",
		} {
			if err := os.WriteFile(r.Out+"2.yaml", []byte("extends: study.yaml\nfeatures: {sex: {"+sex+"}}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := study.Load(r.Out+"2.yaml", study.Options{}); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: a study with %s: %v", name, sex, err)
			}
		}
		mapped := "extends: study.yaml\nfeatures: {sex: {categories: [female, M], encode: {map: {F: female}}}}\n"
		if err := os.WriteFile(r.Out+"2.yaml", []byte(mapped), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := study.Load(r.Out+"2.yaml", study.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A text that marks a missing value elsewhere is a category if the model's file lists it.
func TestMarksThatTheModelKnows(t *testing.T) {
	model := treesOf([]string{"work", "home"}, "0.5", "0.5")
	for before, behind := range map[string]string{
		`]},"name":"gbtree"`: `],"cats":{"enc":[{"offsets":[0,1,2],"values":[63,97]},{"offsets":[0,1,2],"values":[97,98]}]}},"name":"gbtree"`,
		`["work","home"]`:    `["work","home"],"feature_types":["c","c"]`,
	} {
		model = strings.Replace(model, before, behind, 1)
	}
	text := "work,home,y\n"
	for i := range 60 {
		text += fmt.Sprintf("%s,%s,%d\n", []string{"?", "a"}[i%2], []string{"a", "b", "?"}[i%3], i%2)
	}
	out, st, study := drafted(t, draft.Request{Data: written(t, "d.csv", text), Model: written(t, "m.json", model), Protected: []string{"work"}})
	d, err := st.Data()
	if err != nil || d.Dropped != 0 || out.Rows != 60 || !strings.Contains(study, `missing: {home: ["?"]}`) ||
		!strings.Contains(study, `work: {categories: ["?", a]}`) || !strings.Contains(study, "home: {categories: [a, b], missing: true}") {
		t.Errorf("%v, %+v\n%s", err, out, study)
	}
}

// Blanks around the cells of a column, as in columns of fixed width, are removed, unless the
// model's file has names with them.
func TestBlanksAroundCells(t *testing.T) {
	text := "age,sex,y\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,%-6s,%d\n", 20+i, []string{"man", "woman"}[i%2], i/3%2)
	}
	for name, c := range map[string]struct {
		names []string
		trim  bool
	}{
		"plain names":  {[]string{"age", "sex_man", "sex_woman"}, true},
		"padded names": {[]string{"age", "sex_man   ", "sex_woman "}, false},
	} {
		_, st, study := drafted(t, draft.Request{Data: written(t, "d.csv", text), Model: written(t, "m.json", treesOf(c.names, "40", "0.5", "0.5")), Label: "y"})
		want := map[bool]string{true: "man|woman", false: "man   |woman "}[c.trim]
		if got := strings.Join(st.Space.Features[1].Categories, "|"); got != want || strings.Contains(study, "trim: true") != c.trim {
			t.Errorf("%s: %q, want %q\n%s", name, got, want, study)
		}
	}
}

// Input names without the characters that LightGBM refuses match a column, if only one column
// fits.
func TestNamesWithoutSigns(t *testing.T) {
	for columns, found := range map[string]bool{"kids|Loan amount, total": true, "Loan amount, total|loan/amount/total": false} {
		names := strings.Split(columns, "|")
		text := fmt.Sprintf("%q,%q,y\n", names[0], names[1])
		for i := range 60 {
			text += fmt.Sprintf("%d,%d,%d\n", i%4, 20+i*7%50, i/3%2)
		}
		out, _, _ := drafted(t, draft.Request{Data: written(t, "d.csv", text), Model: written(t, "m.json", treesOf([]string{"Loanamounttotal", "kids"}, "40", "1")), Label: "y"})
		if named := strings.Contains(out.Inputs, "by the names of the model's inputs"); named != found {
			t.Errorf("%s: %s", columns, out.Inputs)
		}
	}
}

// Lines that all end in a delimiter make a column without a name, and scores with decimal commas are no title above cells.
func TestDelimitersAtTheEnds(t *testing.T) {
	text, scores := "age,sex,y,\n", "p\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,%s,%d,\n", 20+i, []string{"man", "woman"}[i%2], i/3%2)
		scores += fmt.Sprintf("0,%02d\n", i)
	}
	out, err := draft.Guess(draft.Request{Data: written(t, "d.csv", text), Out: t.TempDir() + "/study.yaml"})
	if err != nil || out.Label != "y" || len(out.Features) != 0 || strings.Join(out.Left, "") != "the one without a name (empty)" {
		t.Errorf("%v, %+v", err, out)
	}
	if got, err := draft.ReadScores(written(t, "s.csv", scores)); err != nil || len(got) != 40 || got[39] != 0.39 {
		t.Errorf("%v, %v", err, got)
	}
}

// Numbered categories cause a doubt if their cells are numbers with units.
func TestNumbersWithUnits(t *testing.T) {
	text := "age,term,y\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,%d months,%d\n", 20+i, 6+6*(i%3), i/3%2)
	}
	out, err := draft.Guess(draft.Request{Data: written(t, "d.csv", text), Model: written(t, "m.json", treesOf([]string{"age", "term"}, "40", "10")), Out: t.TempDir() + "/study.yaml"})
	if err != nil || !strings.Contains(strings.Join(out.Doubts, "\n"), `term: if the model takes the numbers in cells such as "12 months", write these alone`) {
		t.Errorf("%v, %+v", err, out)
	}
}

// An input that no column gives is named, with the reason.
func TestInputsThatNoColumnMakes(t *testing.T) {
	model := written(t, "m.json", treesOf([]string{"age", "income"}, "40", "2000"))
	for name, c := range map[string]struct {
		income func(i int) string
		column string
		want   string
	}{
		"none":       {func(int) string { return "Main St." }, "street", `the model takes "income", and no column of `},
		"money":      {func(i int) string { return fmt.Sprintf("\"$%d,%03d.50\"", 1+i%3, i) }, "income", `income (numbers with a currency or other sign, such as "$1,000.50": write them as plain numbers)`},
		"euros":      {func(i int) string { return fmt.Sprintf("%d EUR", 1000+i) }, "income", `such as "1000 EUR"`},
		"negative":   {func(i int) string { return fmt.Sprintf("(%d)", 1000+i%4) }, "income", `such as "(1000)"`},
		"SAP":        {func(i int) string { return fmt.Sprintf("%d%s", 100+i, map[bool]string{true: "-"}[i%5 == 3]) }, "income", `such as "103-"`},
		"per cent":   {func(i int) string { return fmt.Sprintf("%d.5%%", i%4) }, "income", `such as "0.5%"`},
		"dates":      {func(i int) string { return fmt.Sprintf("%02d.03.2019", 1+i%28) }, "income", `income (dates such as "01.03.2019": write them in the form 2024-02-29)`},
		"other days": {func(i int) string { return fmt.Sprintf("3/%d/19 10:05 PM", 1+i%28) }, "income", `dates such as "3/1/19 10:05 PM"`},
	} {
		text := "age," + c.column + ",y\n"
		for i := range 60 {
			text += fmt.Sprintf("%d,%s,%d\n", 20+i, c.income(i), i%2)
		}
		r := draft.Request{Data: written(t, "d.csv", text), Model: model, Out: t.TempDir() + "/study.yaml"}
		if name == "none" {
			r.Data = written(t, "d.csv", strings.ReplaceAll(text, "Main St.", ""))
		}
		if _, err := draft.Answer(t.Context(), &session.Session{}, r); err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "the model takes") != 1 {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// Texts that only look like numbers with a currency sign or dates stay categories.
func TestTextsBesideNumbers(t *testing.T) {
	for _, texts := range [][]string{{"A1", "B2"}, {"<50k", ">50k"}, {"18-25", "26-35"}, {"1st", "2nd"}, {"$", "$$"}, {"3 kids", "4 kids"}, {"1.2.3", "yes"}} {
		text := "age,kind,y\n"
		for i := range 40 {
			text += fmt.Sprintf("%d,%s,%d\n", 20+i, texts[i%2], i/3%2)
		}
		out, err := draft.Guess(draft.Request{Data: written(t, "d.csv", text), Out: t.TempDir() + "/study.yaml"})
		if err != nil || len(out.Left) > 0 {
			t.Errorf("%q: %v, %v", texts, err, out)
		}
	}
}
