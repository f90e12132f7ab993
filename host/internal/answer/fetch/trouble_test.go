package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/fetch"
)

func TestRedirects(t *testing.T) {
	h := newHome(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/file.bin":
			http.Redirect(w, r, "/moved", http.StatusFound)
		case "/moved":
			serve(w, r, content)
		default:
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}
	})
	if out := bring(t, options(t.TempDir()), one(h))["set/file.bin"]; out.State != fetch.Fetched {
		t.Error(out.Err)
	}
	circle := one(h)
	circle.Sources[0].URL = h.URL + "/circle"
	if out := bring(t, options(t.TempDir()), circle)["set/file.bin"]; out.State != fetch.Failed || !strings.Contains(out.Err.Error(), "ten redirects") {
		t.Errorf("a circle: %v", out.Err)
	}
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, h.URL+"/moved", http.StatusFound)
	}))
	defer secure.Close()
	o := options(t.TempDir())
	o.Client = fetch.NewClient()
	o.Client.Transport = secure.Client().Transport
	away := one(h)
	away.Sources[0].URL = secure.URL + "/file.bin"
	if out := bring(t, o, away)["set/file.bin"]; out.State != fetch.Failed || !strings.Contains(out.Err.Error(), "away from https") {
		t.Errorf("from https to http: %v", out.Err)
	}
}

// stalls sends a part and then nothing the first time, and all of it after that.
func stalls(n int, w http.ResponseWriter, r *http.Request) {
	if n == 1 {
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		w.Write(content[:100])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return
	}
	serve(w, r, content)
}

// TestAStandstillIsCutShort: the server sends a part and then nothing; the rest
// comes with the next try.
func TestAStandstillIsCutShort(t *testing.T) {
	h := newHome(t, stalls)
	into := t.TempDir()
	o := options(into)
	o.Idle = 50 * time.Millisecond
	if out := bring(t, o, one(h))["set/file.bin"]; out.State != fetch.Fetched {
		t.Fatal(out.Err)
	}
	if want := []string{"/file.bin", "/file.bin bytes=100-"}; !slices.Equal(h.calls(), want) {
		t.Errorf("asked %q, want %q", h.calls(), want)
	}
	silent := newHome(t, func(_ int, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	if out := bring(t, o, fetch.File{Path: "x", SHA256: sum(nil), Sources: []fetch.Source{{URL: silent.URL}}})["x"]; out.State != fetch.Failed || !strings.Contains(out.Err.Error(), "nothing arrived for 50ms") {
		t.Errorf("a silent server: %v", out.Err)
	}
}

// TestInterrupted: downloaded parts are kept, and the next run resumes.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := newHome(t, stalls)
	into := t.TempDir()
	o := options(into)
	o.Progress = func(fetch.Progress) { cancel() }
	second := one(h)
	second.Path = "set/second.bin"
	out, err := fetch.Run(ctx, []fetch.File{one(h), second}, o)
	if !errors.Is(err, context.Canceled) || len(out) != 2 || out[0].State != fetch.Skipped || out[1].State != fetch.Skipped {
		t.Fatalf("%v, %+v", err, out)
	}
	only(t, into, "set/file.bin.part")
	o.Progress = nil
	if out := bring(t, o, one(h))["set/file.bin"]; out.State != fetch.Fetched {
		t.Fatal(out.Err)
	}
	if calls := h.calls(); calls[len(calls)-1] != "/file.bin bytes=100-" {
		t.Errorf("asked %q", calls)
	}
}

func TestDiskTrouble(t *testing.T) {
	h := newHome(t, func(_ int, w http.ResponseWriter, r *http.Request) { serve(w, r, content) })
	t.Run("a folder in the way", func(t *testing.T) {
		into := t.TempDir()
		os.MkdirAll(filepath.Join(into, "set/file.bin"), 0o755)
		out := bring(t, options(into), one(h))["set/file.bin"]
		if out.State != fetch.Failed || !strings.Contains(out.Err.Error(), "not a file but a folder") {
			t.Errorf("%s: %v", out.State, out.Err)
		}
	})
	t.Run("a file in place of a folder", func(t *testing.T) {
		into := t.TempDir()
		os.WriteFile(filepath.Join(into, "set"), nil, 0o644)
		if out := bring(t, options(into), one(h))["set/file.bin"]; out.State != fetch.Failed {
			t.Errorf("%s: %v", out.State, out.Err)
		}
		if _, err := fetch.Run(t.Context(), nil, options(filepath.Join(into, "set"))); err == nil {
			t.Error("a data root that is a file was accepted")
		}
	})
	t.Run("a full disk", func(t *testing.T) {
		if _, err := os.Stat("/dev/full"); err != nil {
			t.Skipf("SKIPPED %s: this system has no /dev/full", t.Name())
		}
		into := t.TempDir()
		os.MkdirAll(filepath.Join(into, "set"), 0o755)
		if err := os.Symlink("/dev/full", filepath.Join(into, "set/file.bin.part")); err != nil {
			t.Skipf("SKIPPED %s: %v", t.Name(), err)
		}
		before := len(h.calls())
		out := bring(t, options(into), one(h))["set/file.bin"]
		if out.State != fetch.Failed || !strings.Contains(out.Err.Error(), "no space left") || len(h.calls()) != before+1 {
			t.Errorf("%s after %d requests: %v", out.State, len(h.calls())-before, out.Err)
		}
	})
}

// TestDeadHostIsAskedOnce: the files after the first do not wait for it again.
func TestDeadHostIsAskedOnce(t *testing.T) {
	h := newHome(t, nil)
	h.Close() // its address answers no more
	waits := 0
	o := options(t.TempDir())
	o.Wait = func(int) time.Duration { waits++; return 0 }
	second := one(h)
	second.Path = "set/second.bin"
	out := bring(t, o, one(h), second)
	if waits != o.Retries {
		t.Errorf("%d pauses, want %d", waits, o.Retries)
	}
	for _, f := range out {
		if f.State != fetch.Failed {
			t.Errorf("%s: %s", f.File.Path, f.State)
		}
	}
	if !strings.Contains(out["set/second.bin"].Err.Error(), "could not be reached earlier in this run") {
		t.Errorf("%v", out["set/second.bin"].Err)
	}
}
