package view

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rows that lack a column of another have no value there; what is no value is not 0.
func TestRecords(t *testing.T) {
	third := 1.0 / 3
	r := Records{
		{{"arm", "a, \"b\""}, {"set.p", "0.5"}, {"seed", int64(1)}, {"#ID", 3}, {"T.1st", &third}},
		{{"arm", "c"}, {"set.q", "<x>"}, {"seed", int64(2)}, {"#ID", 0.0}, {"T.1st", (*float64)(nil)}, {"pinned", true}},
	}
	for format, want := range map[string]string{
		CSV: `arm,set.p,set.q,seed,#ID,T.1st,pinned
"a, ""b""",0.5,,1,3,0.3333333333333333,
c,,<x>,2,0,,true
`,
		JSONLines: `{"arm":"a, \"b\"","set.p":"0.5","set.q":null,"seed":1,"#ID":3,"T.1st":0.3333333333333333,"pinned":null}
{"arm":"c","set.p":null,"set.q":"<x>","seed":2,"#ID":0,"T.1st":null,"pinned":true}
`,
	} {
		var b strings.Builder
		if err := r.Write(&b, format); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, b.String()); d != "" {
			t.Errorf("%s: %s", format, d)
		}
	}
}

// However many there are, a line is an object and nothing else is.
func TestManyRecordsAsJSONLines(t *testing.T) {
	var b strings.Builder
	if err := slices.Repeat(Records{{{"arm", strings.Repeat("a", 100)}}}, 1000).Write(&b, JSONLines); err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat(`{"arm":"`+strings.Repeat("a", 100)+"\"}\n", 1000); b.String() != want {
		t.Errorf("%d bytes, want %d", b.Len(), len(want))
	}
}
