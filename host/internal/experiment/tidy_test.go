package experiment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/view"
)

// A row says which run did its task, in which journal and on which machine, also where
// that was another one. Fields that are structs or maps have names of their own, and what
// an answer says of seed or status is not taken for the task's.
func TestTidyRows(t *testing.T) {
	type part struct {
		Mean float64 `json:"mean"`
	}
	type answer struct {
		Set    map[string]string `json:"set"`
		Inside part              `json:"inside"`
		Proved *part             `json:"proved"`
		Share  *float64          `json:"share"`
		Kept   int               `json:"kept"`
		Gap    float64           `json:"gap,omitempty"`
		List   []part            `json:"list"`
		Seed   int64             `json:"seed"`
	}
	tidy := &Tidy{}
	here, there := record.Machine{OS: "linux", Arch: "amd64", CPUs: 2}, record.Machine{OS: "linux", Arch: "arm64", CPUs: 4}
	for i, of := range []answer{
		{Set: map[string]string{"p": "1"}, Inside: part{0.5}, Seed: 9}, {Proved: &part{2}, Share: new(0.25), Kept: 3, Gap: 0.1},
	} {
		key := string(rune('a' + i))
		tidy.Add("", &Terms{Threads: 1, Jobs: 2}, key, &Subject{Study: "s", Model: "m"}, key, nil, 7, Done, Fields(of))
	}
	tidy.Keep(Kept{Source: Source{Run: "3f0", Journal: "j.db", Machine: &here}, origins: map[string]*journal.Origin{"b": {Run: "4a1", Machine: there}}})
	var b strings.Builder
	if err := tidy.Records().Write(&b, view.CSV); err != nil {
		t.Fatal(err)
	}
	want := `experiment,study,model,arm,where,protected,rules,threshold,clock,threads,jobs,seed,status,set.p,inside.mean,proved.mean,share,kept,gap,run,journal,machine
,s,m,a,,,,,,1,2,7,done,1,0.5,,,0,,3f0,j.db,"linux/amd64, 2 CPUs"
,s,m,b,,,,,,1,2,7,done,,0,2,0.25,3,0.1,4a1,j.db,"linux/arm64, 4 CPUs"
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}
