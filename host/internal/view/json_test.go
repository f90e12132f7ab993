package view

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"
)

type embedded struct {
	Share float64 `json:"share"`
}

type numbers struct {
	Name   string `json:"name"`
	Hidden int    `json:"-"`
	own    int
	embedded
	Bound  *float64           `json:"bound"`
	None   *float64           `json:"none,omitempty"`
	List   []float64          `json:"list"`
	Nil    []int              `json:"nil"`
	By     map[int]float64    `json:"by"`
	Values map[string]float64 `json:"values,omitempty"`
	At     time.Time          `json:"at"`
	Raw    json.RawMessage    `json:"raw"`
	Any    any                `json:"any"`
	Plain  bool
}

func samples(f float64) numbers {
	return numbers{
		Name: "a < b", Hidden: 3, own: 4, embedded: embedded{f}, Bound: &f, List: []float64{1, f}, By: map[int]float64{10: f, 9: 1},
		At: time.Unix(1, 0).UTC(), Raw: json.RawMessage(`{"x":1}`), Any: []any{f, embedded{f}, nil},
	}
}

// TestJSON: what is finite is written as by encoding/json, and what is not as
// null, in the same object.
func TestJSON(t *testing.T) {
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(samples(0.25)); err != nil {
		t.Fatal(err)
	}
	for _, f := range []float64{0.25, math.Inf(1), math.Inf(-1), math.NaN()} {
		var got bytes.Buffer
		if err := JSON(&got, samples(f), " "); err != nil {
			t.Fatal(err)
		}
		should := want.Bytes()
		if f != 0.25 {
			should = bytes.ReplaceAll(should, []byte("0.25"), []byte("null"))
		}
		if !bytes.Equal(got.Bytes(), should) {
			t.Errorf("%v:\n%s\nwant\n%s", f, &got, should)
		}
	}
	var again bytes.Buffer
	if err := JSON(&again, nullable(reflect.ValueOf(samples(0.25))), " "); err != nil || again.String() != want.String() {
		t.Errorf("%v\n%s\nwant\n%s", err, &again, &want)
	}
	if Finite(math.Inf(-1)) != -math.MaxFloat64 || Finite(3) != 3 {
		t.Error("Finite")
	}
}
