package fetch_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/fetch"
)

// content is what the test's files hold: long enough to be cut.
var content = []byte(strings.Repeat("the published bytes. ", 20_000))

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// home is a loopback server that behaves as each test says and notes what it
// was asked.
type home struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string // path, and the range after a blank
	answer func(n int, w http.ResponseWriter, r *http.Request)
}

// newHome answers with the n-th call's behaviour, n from 1.
func newHome(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) *home {
	t.Helper()
	h := &home{answer: answer}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.asked = append(h.asked, strings.TrimSpace(r.URL.Path+" "+r.Header.Get("Range")))
		n := len(h.asked)
		h.mu.Unlock()
		h.answer(n, w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *home) calls() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.asked)
}

// serve answers with b, and ranges of it.
func serve(w http.ResponseWriter, r *http.Request, b []byte) {
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(b)))
}

// cut answers with half of b and ends the connection.
func cut(w http.ResponseWriter, b []byte) {
	w.Header().Set("Content-Length", fmt.Sprint(len(b)))
	w.Write(b[:len(b)/2])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// one is a file of the server with the test's content.
func one(h *home) fetch.File {
	return fetch.File{Path: "set/file.bin", Set: "set", SHA256: sum(content), Sources: []fetch.Source{{URL: h.URL + "/file.bin"}}}
}

func options(into string) fetch.Options {
	return fetch.Options{Into: into, Retries: 2, Wait: func(int) time.Duration { return 0 }}
}

// bring fetches files and returns the outcomes by path.
func bring(t *testing.T, o fetch.Options, files ...fetch.File) map[string]fetch.Outcome {
	t.Helper()
	out, err := fetch.Run(t.Context(), files, o)
	if err != nil {
		t.Fatal(err)
	}
	byPath := map[string]fetch.Outcome{}
	for _, f := range out {
		byPath[f.File.Path] = f
	}
	return byPath
}

func has(t *testing.T, path string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != string(want) {
		t.Fatalf("%s: %d bytes, %v; want %d bytes", path, len(got), err, len(want))
	}
}

// only asks that a folder holds exactly these files, in any depth.
func only(t *testing.T, folder string, want ...string) {
	t.Helper()
	var got []string
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(folder, path)
			got = append(got, filepath.ToSlash(rel))
		}
		return err
	})
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the folder holds %v (%v), want %v", got, err, want)
	}
}

func TestFetchOnceAndLeaveAlone(t *testing.T) {
	h := newHome(t, func(_ int, w http.ResponseWriter, r *http.Request) { serve(w, r, content) })
	into := filepath.Join(t.TempDir(), "new", "root")
	var last fetch.Progress
	o := options(into)
	o.Progress = func(p fetch.Progress) { last = p }
	out := bring(t, o, one(h))["set/file.bin"]
	if out.State != fetch.Fetched || out.Bytes != int64(len(content)) || out.SHA256 != sum(content) || out.Err != nil {
		t.Fatalf("%+v", out)
	}
	if last.Done != last.Total || last.Done != int64(len(content)) || last.What != "set/file.bin" {
		t.Errorf("the last progress was %+v", last)
	}
	has(t, filepath.Join(into, "set/file.bin"), content)
	if out = bring(t, o, one(h))["set/file.bin"]; out.State != fetch.Present || len(h.calls()) != 1 {
		t.Errorf("the second run: %s, after %d requests", out.State, len(h.calls()))
	}
	if err := os.WriteFile(filepath.Join(into, "set/file.bin"), []byte("spoiled"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out = bring(t, o, one(h))["set/file.bin"]; out.State != fetch.Replaced {
		t.Errorf("a spoiled file: %s, %v", out.State, out.Err)
	}
	has(t, filepath.Join(into, "set/file.bin"), content)
	only(t, into, "set/file.bin")
}

// TestGoesOnAfterACut: within a run, and in the next one.
func TestGoesOnAfterACut(t *testing.T) {
	rest := fmt.Sprintf("/file.bin bytes=%d-", len(content)/2)
	t.Run("same run", func(t *testing.T) {
		h := newHome(t, func(n int, w http.ResponseWriter, r *http.Request) {
			if n == 1 {
				cut(w, content)
			}
			serve(w, r, content)
		})
		into := t.TempDir()
		if out := bring(t, options(into), one(h))["set/file.bin"]; out.State != fetch.Fetched {
			t.Fatal(out.Err)
		}
		if want := []string{"/file.bin", rest}; !slices.Equal(h.calls(), want) {
			t.Errorf("asked %q, want %q", h.calls(), want)
		}
	})
	t.Run("next run", func(t *testing.T) {
		h := newHome(t, func(n int, w http.ResponseWriter, r *http.Request) {
			if n == 1 {
				cut(w, content)
			}
			serve(w, r, content)
		})
		into := t.TempDir()
		o := options(into)
		o.Retries = 0
		if out := bring(t, o, one(h))["set/file.bin"]; out.State != fetch.Failed || !strings.Contains(out.Err.Error(), "unexpected EOF") && !strings.Contains(out.Err.Error(), "ended after") {
			t.Fatalf("%s: %v", out.State, out.Err)
		}
		only(t, into, "set/file.bin.part")
		if out := bring(t, o, one(h))["set/file.bin"]; out.State != fetch.Fetched || h.calls()[1] != rest {
			t.Fatalf("%s: %v, asked %q", out.State, out.Err, h.calls())
		}
		has(t, filepath.Join(into, "set/file.bin"), content)
	})
	t.Run("a server without ranges", func(t *testing.T) {
		h := newHome(t, func(n int, w http.ResponseWriter, r *http.Request) {
			if n == 1 {
				cut(w, content)
			}
			w.Write(content)
		})
		into := t.TempDir()
		if out := bring(t, options(into), one(h))["set/file.bin"]; out.State != fetch.Fetched {
			t.Fatal(out.Err)
		}
		has(t, filepath.Join(into, "set/file.bin"), content)
	})
	t.Run("a server whose ranges lie", func(t *testing.T) {
		h := newHome(t, func(n int, w http.ResponseWriter, r *http.Request) {
			switch {
			case n == 1:
				cut(w, content)
			case r.Header.Get("Range") != "":
				w.Header().Set("Content-Range", fmt.Sprintf("bytes 7-%d/%d", len(content)-1, len(content)))
				w.WriteHeader(http.StatusPartialContent)
				w.Write(content[7:])
			default:
				serve(w, r, content)
			}
		})
		into := t.TempDir()
		if out := bring(t, options(into), one(h))["set/file.bin"]; out.State != fetch.Fetched {
			t.Fatal(out.Err)
		}
		has(t, filepath.Join(into, "set/file.bin"), content)
	})
}

// TestStalePartIsBegunAnew: what an earlier run left was of another file, longer
// or shorter than the right one, or is whole already.
func TestStalePartIsBegunAnew(t *testing.T) {
	for name, part := range map[string][]byte{
		"shorter": []byte("something else"), "longer": append(slices.Clone(content), 'x'), "as long": []byte(strings.Repeat("x", len(content))), "whole": content,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, func(_ int, w http.ResponseWriter, r *http.Request) { serve(w, r, content) })
			into := t.TempDir()
			if err := os.MkdirAll(filepath.Join(into, "set"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(into, "set/file.bin.part"), part, 0o644); err != nil {
				t.Fatal(err)
			}
			if out := bring(t, options(into), one(h))["set/file.bin"]; out.State != fetch.Fetched {
				t.Fatal(out.Err)
			}
			has(t, filepath.Join(into, "set/file.bin"), content)
			only(t, into, "set/file.bin")
		})
	}
}

func TestWrongFileIsNotKept(t *testing.T) {
	h := newHome(t, func(_ int, w http.ResponseWriter, r *http.Request) { serve(w, r, []byte("another file")) })
	into := t.TempDir()
	out := bring(t, options(into), one(h))["set/file.bin"]
	if out.State != fetch.Failed || len(h.calls()) != 1 {
		t.Fatalf("%s after %d requests", out.State, len(h.calls()))
	}
	for _, want := range []string{"set/file.bin: ", h.URL + "/file.bin", "not the published file", sum([]byte("another file")), sum(content), "by hand: save", filepath.Join(into, "set/file.bin")} {
		if !strings.Contains(out.Err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, out.Err)
		}
	}
	only(t, into)
}

// TestAWrongFileThatWasThereStays if the right one cannot be downloaded.
func TestAWrongFileThatWasThereStays(t *testing.T) {
	h := newHome(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	into := t.TempDir()
	path := filepath.Join(into, "set/file.bin")
	os.MkdirAll(filepath.Dir(path), 0o755)
	os.WriteFile(path, []byte("mine"), 0o644)
	out := bring(t, options(into), one(h))["set/file.bin"]
	if out.State != fetch.Failed || out.SHA256 != sum([]byte("mine")) || out.Bytes != 4 {
		t.Errorf("%+v", out)
	}
	has(t, path, []byte("mine"))
}

func TestWhichFailuresAreTriedAgain(t *testing.T) {
	for status, requests := range map[int]int{404: 1, 403: 1, 410: 1, 500: 3, 503: 3, 429: 3, 408: 3} {
		h := newHome(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		out := bring(t, options(t.TempDir()), one(h))["set/file.bin"]
		if out.State != fetch.Failed || len(h.calls()) != requests || !strings.Contains(out.Err.Error(), fmt.Sprint(status)) {
			t.Errorf("status %d: %s after %d requests, want %d: %v", status, out.State, len(h.calls()), requests, out.Err)
		}
	}
	h := newHome(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n < 3 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		serve(w, r, content)
	})
	var pauses []int
	o := options(t.TempDir())
	o.Wait = func(retry int) time.Duration {
		pauses = append(pauses, retry)
		return 0
	}
	if out := bring(t, o, one(h))["set/file.bin"]; out.State != fetch.Fetched || !slices.Equal(pauses, []int{1, 2}) {
		t.Errorf("after two refusals: %s, pauses %v", out.State, pauses)
	}
}

// TestMirror: with a base URL, every file comes from there, by its own path.
func TestMirror(t *testing.T) {
	h := newHome(t, func(_ int, w http.ResponseWriter, r *http.Request) { serve(w, r, content) })
	o := options(t.TempDir())
	o.BaseURL = h.URL + "/mirror/"
	f := fetch.File{Path: "set/file.bin", SHA256: sum(content), Sources: []fetch.Source{{URL: "https://nowhere.invalid/x.zip", Members: []string{"a"}}}}
	if out := bring(t, o, f)["set/file.bin"]; out.State != fetch.Fetched || h.calls()[0] != "/mirror/set/file.bin" {
		t.Errorf("%s, asked %q: %v", out.State, h.calls(), out.Err)
	}
	o.BaseURL = "ftp://example"
	o.Into = t.TempDir()
	if out := bring(t, o, f)["set/file.bin"]; out.State != fetch.Failed || !strings.Contains(out.Err.Error(), "not an http or https URL") {
		t.Errorf("%v", out.Err)
	}
}

// TestSecondSource: if the first source fails, the next one is asked.
func TestSecondSource(t *testing.T) {
	h := newHome(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/file.bin" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		serve(w, r, content)
	})
	f := one(h)
	f.Sources = append(f.Sources, fetch.Source{URL: h.URL + "/copy"})
	if out := bring(t, options(t.TempDir()), f)["set/file.bin"]; out.State != fetch.Fetched {
		t.Error(out.Err)
	}
}

// TestHugeAnswersAreRefused: a server that sends without end does not fill the disk.
func TestHugeAnswersAreRefused(t *testing.T) {
	h := newHome(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(content); err != nil {
				return
			}
		}
	})
	out := bring(t, options(t.TempDir()), one(h))["set/file.bin"]
	if out.State != fetch.Failed || !strings.Contains(out.Err.Error(), "more than") || len(h.calls()) != 1 {
		t.Errorf("%s after %d requests: %v", out.State, len(h.calls()), out.Err)
	}
}
