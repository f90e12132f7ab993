package study

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/people"
)

// TestDigestsTellZeros: what is set to zero, or to nothing, is not what is left out; what is empty is.
func TestDigestsTellZeros(t *testing.T) {
	zero, class, day := 0.0, 0, time.Unix(0, 0).UTC()
	text := func(v any) string {
		out, err := json.Marshal(withoutZeros(reflect.ValueOf(v)))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	for _, set := range []any{
		modelfile.Choice{Class: &class}, modelfile.Choice{Missing: &zero}, people.Step{Threshold: &zero}, people.Step{Since: &day},
		people.Step{Map: map[string]string{"": ""}}, people.Column{Missing: &zero},
	} {
		if got, none := text(set), text(reflect.Zero(reflect.TypeOf(set)).Interface()); got == none || none != "{}" {
			t.Errorf("%T: %s, and without %s", set, got, none)
		}
	}
	if got := text(people.Column{Steps: []people.Step{}, OneHot: []string{}}); got != "{}" {
		t.Errorf("empty lists: %s", got)
	}
}
