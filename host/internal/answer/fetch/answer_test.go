package fetch

import "testing"

func TestDefaultFolder(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", "/somewhere/share")
	for _, c := range []struct {
		r    Request
		want string
	}{
		{Request{Into: "a", Data: "b"}, "a"},
		{Request{Data: "b"}, "b"},
		{Request{}, "/somewhere/share/hyfair/data"},
	} {
		if got, err := c.r.folder(); err != nil || got != c.want {
			t.Errorf("%+v: %s, %v; want %s", c.r, got, err, c.want)
		}
	}
}
