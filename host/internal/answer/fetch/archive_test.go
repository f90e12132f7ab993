package fetch_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/fetch"
	"github.com/hyfair/hyfair/internal/tier"
)

// zipped is an archive of names and contents, in order.
func zipped(t *testing.T, pairs ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		w, err := z.Create(pairs[i])
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(pairs[i+1]))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func member(h *home, path, content string, members ...string) fetch.File {
	return fetch.File{Path: path, SHA256: sum([]byte(content)), Sources: []fetch.Source{{URL: h.URL + "/all.zip", Members: members}}}
}

// TestMembersOfOneDownload: two files and one in an archive within come out of
// one download, and the archive is taken away.
func TestMembersOfOneDownload(t *testing.T) {
	inner := zipped(t, "folder/", "", "folder/c.csv", "third")
	all := zipped(t, "a.data", "first", "b.data", "second", "__MACOSX/._a", "junk", "inner.zip", string(inner))
	h := newHome(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			cut(w, all)
		}
		serve(w, r, all)
	})
	into := t.TempDir()
	out := bring(t, options(into),
		member(h, "x/a.data", "first", "a.data"), member(h, "x/b.data", "second", "b.data"), member(h, "y/c.csv", "third", "inner.zip", "folder/c.csv"))
	for _, o := range out {
		if o.State != fetch.Fetched {
			t.Errorf("%s: %s, %v", o.File.Path, o.State, o.Err)
		}
	}
	has(t, filepath.Join(into, "y/c.csv"), []byte("third"))
	only(t, into, "x/a.data", "x/b.data", "y/c.csv")
	if n := len(h.calls()); n != 2 {
		t.Errorf("%d requests; want two, the second after a cut", n)
	}
	if _, err := os.Stat(filepath.Join(into, ".fetch")); err == nil {
		t.Error("the folder of the archives is still there")
	}
}

func TestArchivesThatAreRefused(t *testing.T) {
	whole := zipped(t, "a.data", strings.Repeat("first", 100))
	spoiled := bytes.Replace(whole, whole[len(whole)/2:len(whole)/2+4], []byte("????"), 1)
	for name, c := range map[string]struct {
		archive []byte
		members []string
		want    string
	}{
		"another content":         {zipped(t, "a.data", "changed"), []string{"a.data"}, "not the published file"},
		"no such member":          {zipped(t, "b.data", "first"), []string{"a.data"}, "has no member a.data"},
		"a name that leads out":   {zipped(t, "../../../evil", "x", "a.data", "first"), []string{"a.data"}, `"../../../evil" leads out of its folder`},
		"an absolute name":        {zipped(t, "/etc/evil", "x", "a.data", "first"), []string{"a.data"}, "leads out"},
		"a backslash":             {zipped(t, `..\evil`, "x", "a.data", "first"), []string{"a.data"}, "leads out"},
		"no archive":              {[]byte("<html>not found</html>"), []string{"a.data"}, "not a zip archive"},
		"no archive in it":        {zipped(t, "a.data", "first"), []string{"a.data", "b"}, "not a valid zip"},
		"an evil archive in it":   {zipped(t, "in.zip", string(zipped(t, "../x", "", "a.data", "first"))), []string{"in.zip", "a.data"}, "leads out"},
		"a spoiled member or end": {spoiled, []string{"a.data"}, "archive"},
	} {
		h := newHome(t, func(_ int, w http.ResponseWriter, r *http.Request) { serve(w, r, c.archive) })
		root := t.TempDir()
		into := filepath.Join(root, "a", "b")
		out := bring(t, options(into), member(h, "x/a.data", "first", c.members...))["x/a.data"]
		if out.State != fetch.Failed || !strings.Contains(out.Err.Error(), c.want) {
			t.Errorf("%s: %s, %v; want %q", name, out.State, out.Err, c.want)
		}
		only(t, root)
	}
}

// TestPublicFiles checks the list of files for consistency, and against the data root if there
// is one.
func TestPublicFiles(t *testing.T) {
	files := fetch.Files()
	networks, seen := 0, map[string]bool{}
	for _, f := range files {
		if seen[f.Path] || seen[f.SHA256] || len(f.SHA256) != 64 || !filepath.IsLocal(f.Path) || f.Licence == "" || len(f.Sources) == 0 {
			t.Errorf("%+v", f)
		}
		seen[f.Path], seen[f.SHA256] = true, true
		if strings.HasSuffix(f.Path, ".h5") {
			networks++
		}
		for _, s := range f.Sources {
			if !strings.HasPrefix(s.URL, "https://") {
				t.Errorf("%s comes from %s", f.Path, s.URL)
			}
		}
		if last := f.Sources[len(f.Sources)-1]; last.Members != nil {
			t.Errorf("%s: no source of its own to name for people", f.Path)
		}
	}
	if networks != 20 || len(files) != 25 || len(fetch.Files("bank")) != 10 || len(fetch.Files("adult", "bank")) != 25 {
		t.Errorf("%d networks among %d files", networks, len(files))
	}
	root := tier.NeedData(t, "adult")
	var there []fetch.File
	for _, f := range files {
		if _, err := os.Stat(filepath.Join(root, f.Path)); err == nil {
			there = append(there, f)
		}
	}
	for path, o := range bring(t, fetch.Options{Into: root, BaseURL: "http://127.0.0.1:1"}, there...) {
		if o.State != fetch.Present {
			t.Errorf("%s: %s, not the pinned file", path, o.State)
		}
	}
}
