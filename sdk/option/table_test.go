package option_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/option"
)

func TestTable(t *testing.T) {
	table := option.Table{
		{Option: sdk.Option{Name: "mode", Default: "slow", Help: "slow or fast"}, Words: []string{"fast", "slow"}},
		{Option: sdk.Option{Name: "share", Default: "0.5"}, Max: 1},
		{Option: sdk.Option{Name: "depth", Default: "3"}, Min: 1, Max: 9, Whole: true},
	}
	got, err := table.Read(map[string]string{"depth": "7"})
	want := map[string]option.Value{"mode": {Word: "slow", Int: 1}, "share": {Number: 0.5}, "depth": {Int: 7, Number: 7}}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if o := table.Options(); len(o) != 3 || o[0].Help != "slow or fast" || o[2].Default != "3" {
		t.Errorf("described as %v", o)
	}
	for name, value := range map[string]string{"mode": "slower", "share": "1.5", "depth": "2.5", "speed": "1"} {
		if _, err := table.Read(map[string]string{name: value}); !errors.Is(err, sdk.ErrInvalidOption) {
			t.Errorf("%s=%s: error %v, want ErrInvalidOption", name, value, err)
		}
	}
}
