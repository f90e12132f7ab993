package shell

import "testing"

func TestPathsAreQuoted(t *testing.T) {
	for path, want := range map[string]string{"/a/b-c_d.e": "/a/b-c_d.e", "/a b": "'/a b'", "/it's": `'/it'\''s'`, "/$(x)": "'/$(x)'", "a=1..2,b=c": "a=1..2,b=c", "b=x|y": "'b=x|y'", "": "''",
		"a\u202eb": `$'a\u202eb'`, "it's \\\n": `$'it\'s \\\u000a'`, "\U000e0001x": `$'\U000e0001x'`} {
		if got := Word(path); got != want {
			t.Errorf("%s becomes %s, want %s", path, got, want)
		}
	}
}
