package record

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each piece of work falls into one shard, and about as many into each.
func TestShard(t *testing.T) {
	counts := map[int]int{}
	for i := range 3000 {
		id, in := fmt.Sprint("piece ", i), 0
		for part := 1; part <= 3; part++ {
			if (Shard{part, 3}).Has(id) {
				in++
				counts[part]++
			}
		}
		if in != 1 || !(Shard{}).Has(id) || !(Shard{1, 1}).Has(id) {
			t.Fatalf("%s is in %d of 3 shards", id, in)
		}
	}
	for part, n := range counts {
		if n < 900 || n > 1100 {
			t.Errorf("shard %d has %d of 3000", part, n)
		}
	}
	if !(Shard{7, 20}).Has("piece 1") { // on every machine, in every version
		t.Error("the shards of one experiment would not meet")
	}
	if s, err := ParseShard("3/20"); err != nil || s != (Shard{3, 20}) || s.String() != "3/20" {
		t.Error(s, err)
	}
	for _, bad := range []string{"", "3", "0/3", "4/3", "3/0", "a/b", "1/3/4", "-1/-1", "1/9999999", " 1/2", "1/2 "} {
		if _, err := ParseShard(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestWhole(t *testing.T) {
	whole := Task{Command: "ablate", Settings: map[string]string{"plan": "{}", MachineSetting: "one"}}
	part := Task{Command: "ablate", Settings: map[string]string{"plan": "{}", MachineSetting: "other", ShardSetting: "1/2", TasksSetting: "4"}}
	if whole.Whole().ID() != part.Whole().ID() || whole.ID() == part.ID() || part.Settings[ShardSetting] != "1/2" {
		t.Errorf("%+v and %+v", whole.Whole(), part.Whole())
	}
	if !IsFailure(FailedKey("a | seed 1", 2)) || IsFailure("a | seed 1") || IsFailure("a | failed once") {
		t.Error("failures are not told from results")
	}
}

// Results differ in what was found, not in when and where.
func TestDifferences(t *testing.T) {
	a := `{"measures":{"Max.K":9,"T.1st":1.5},"steps":[{"t":1,"k":2}],"seconds":3,"cores":[1],"big":12345678901234567890}`
	for b, want := range map[string][]string{
		`{"big":12345678901234567890,"measures":{"T.1st":7,"Max.K":9},"steps":[{"k":2,"t":5}],"load":[1,2]}`: nil,
		`{"measures":{"Max.K":8},"steps":[{"t":1,"k":2}],"big":12345678901234567890}`:                        {"measures.Max.K 9 and 8"},
		`{"measures":{"Max.K":9},"steps":[],"big":12345678901234567891}`:                                     {"big 12345678901234567890 and 12345678901234567891", `steps [{"k":2}] and []`},
		`{"measures":null}`: {"big 12345678901234567890 and null", `measures {"Max.K":9} and null`, `steps [{"k":2}] and null`},
		`[`:                 {"(no JSON)"},
	} {
		if d := cmp.Diff(want, Differences([]byte(a), []byte(b))); d != "" {
			t.Errorf("%s: %s", b, d)
		}
		x, _ := Essence([]byte(a))
		if y, err := Essence([]byte(b)); err == nil && (string(x) == string(y)) != (want == nil) {
			t.Errorf("%s and %s", x, y)
		}
	}
	long := Differences([]byte(`{"a":"`+strings.Repeat("x", 1000)+`"}`), []byte(`{"a":1}`))
	if len(long) != 1 || len(long[0]) > 100 {
		t.Errorf("%q", long)
	}
}
