package option_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/option"
)

var described = []sdk.Option{
	{Name: "share", Default: "0.25", Help: "a share, 0 to 1"},
	{Name: "least", Default: "3", Help: "no end above"},
	{Name: "most", Default: "-1", Help: "no end below"},
	{Name: "free", Default: "0", Help: "any number"},
	{Name: "count", Default: "10", Help: "from 2 on"},
	{Name: "large", Default: "0", Help: "any whole number"},
	{Name: "on", Default: "false", Help: "true or false"},
	{Name: "colour", Default: "red", Help: "red or blue"},
}

type values struct {
	share, least, most, free float64
	count, large             int
	on                       bool
	colour                   string
}

func read(given map[string]string) (values, error) {
	r := option.Read(described, given)
	v := values{
		share: r.Float("share", 0, 1), least: r.Float("least", 2, math.Inf(1)), most: r.Float("most", math.Inf(-1), 2),
		free: r.Float("free", math.Inf(-1), math.Inf(1)), count: r.Int("count", 2, 1_000_000), large: r.Int("large", math.MinInt, math.MaxInt),
		on: r.Bool("on"), colour: r.Choice("colour", "red", "blue"),
	}
	r.Require("count", v.count != 13)
	return v, r.Err()
}

func TestValues(t *testing.T) {
	defaults := values{0.25, 3, -1, 0, 10, 0, false, "red"}
	if got, err := read(nil); err != nil || got != defaults {
		t.Errorf("defaults: %+v, %v", got, err)
	}
	given := map[string]string{"share": "1", "least": "1e300", "most": "2", "free": "-7.5", "count": "1e6", "large": "-9007199254740993", "on": "true", "colour": "blue"}
	if got, err := read(given); err != nil || got != (values{1, 1e300, 2, -7.5, 1_000_000, -9007199254740993, true, "blue"}) {
		t.Errorf("%v: %+v, %v", given, got, err)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ name, values, why string }{
		{"share", "|-0.1|1.1|NaN|Inf|x", "allowed is a number from 0 to 1; share: a share, 0 to 1"},
		{"least", "1.9|Inf|NaN", "number of at least 2; least: no end above"},
		{"most", "2.1|-Inf", "number of at most 2;"},
		{"free", "Inf|-Inf|1e999|NaN", "number that is finite;"},
		{"count", "|1|2.5|1000001|1e7|Inf|NaN|ten", "allowed is a whole number from 2 to 1000000; count: from 2 on"},
		{"count", "13", `count = "13"; count: from 2 on`},
		{"large", "0.5|1e17|-1e300|1e999", "whole number from -9223372036854775808 to 9223372036854775807"},
		{"on", "|1|on|True", "allowed are true, false; on: true or false"},
		{"colour", "|green", "allowed are red, blue; colour: red or blue"},
		{"hue", "|red", "it takes share, least, most, free, count, large, on, colour"},
	} {
		for _, v := range strings.Split(c.values, "|") {
			_, err := read(map[string]string{c.name: v})
			if !errors.Is(err, sdk.ErrInvalidOption) || !strings.Contains(err.Error(), c.name) || !strings.Contains(err.Error(), c.why) {
				t.Errorf("%s=%q: error %v, want one with %q", c.name, v, err, c.why)
			}
		}
	}
	if err := option.Check("plain", nil, map[string]string{"b": "", "a": ""}); err == nil || err.Error() != `invalid option: plain has no option "a"; it takes none` {
		t.Errorf("no options: %v", err)
	}
}

// The first of several errors is returned. Reading an option that the plugin does not describe
// is the plugin's mistake, not the user's.
func TestFirstError(t *testing.T) {
	if _, err := read(map[string]string{"share": "2", "colour": "green"}); err == nil || !strings.Contains(err.Error(), `share = "2"`) {
		t.Errorf("error %v, want share's", err)
	}
	r := option.Read(described, nil)
	r.Int("forgotten", 0, 1)
	r.Float("share", 5, 6)
	if err := r.Err(); err == nil || errors.Is(err, sdk.ErrInvalidOption) || !strings.Contains(err.Error(), "forgotten") {
		t.Errorf("error %v, want one about an option that is not described", err)
	}
}
