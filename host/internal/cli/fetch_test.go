package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/fetch"
	"github.com/hyfair/hyfair/internal/tier"
)

// TestFetchFromAMirrorThatIsIncomplete: the report tells every file, standard
// error what to do, and the exit code that something is missing.
func TestFetchFromAMirrorThatIsIncomplete(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	into := filepath.Join(t.TempDir(), "data")
	args := []string{"fetch", "--into", into, "--base-url", server.URL, "--models", "bank", "--json"}
	code, stdout, stderr := hyfair(args...)
	validJSON(t, args, stdout)
	var rep fetch.Result
	if err := json.Unmarshal([]byte(stdout), &rep); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	if code != ExitFailed || rep.Into != into || len(rep.Files) != 10 {
		t.Fatalf("exit code %d, %d files, %s", code, len(rep.Files), stderr)
	}
	for _, f := range rep.Files {
		if f.State != fetch.Failed || f.Licence == "" || !strings.Contains(f.Error, "404") || !strings.Contains(stderr, f.Error) {
			t.Errorf("%+v", f)
		}
	}
	if !strings.Contains(stderr, "10 of 10 files are missing") {
		t.Errorf("standard error: %s", stderr)
	}
}

// TestFetchFromAMirror takes the real files from a loopback mirror.
func TestFetchFromAMirror(t *testing.T) {
	root := tier.NeedData(t, "bank", "models")
	mirror := httptest.NewServer(http.FileServer(http.Dir(root)))
	defer mirror.Close()
	into := filepath.Join(t.TempDir(), "it's here")
	code, stdout, stderr := hyfair("fetch", "--data", into, "--base-url", mirror.URL)
	if code != ExitDone || stderr != "" || strings.Count(stdout, "fetched") != 25 || strings.Contains(stdout, "export HYFAIR_DATA") {
		t.Fatalf("exit code %d, %s%s", code, stdout, stderr)
	}
	code, stdout, _ = hyfair("fetch", "--data", "", "--into", into, "--base-url", "http://127.0.0.1:1")
	if code != ExitDone || strings.Count(stdout, "present") != 25 || !strings.Contains(stdout, `export HYFAIR_DATA='`) || !strings.Contains(stdout, `it'\''s here'`) {
		t.Errorf("the second run: exit code %d, %s", code, stdout)
	}
	if code, _, stderr := hyfair("inspect", filepath.Join("..", "..", "..", "studies", "bank.yaml"), "--data", into); code != ExitDone {
		t.Errorf("the study does not find what was fetched: %s", stderr)
	}
}

func TestFetchRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"adult"}, "takes no arguments"},
		{[]string{"--models", "german"}, `--models "german": want adult, bank or all`},
		{[]string{"--models", "all,bank"}, "want adult, bank or all"},
		{[]string{"--retries", "-1"}, "negative"},
	} {
		if code, _, stderr := hyfair(append([]string{"fetch", "--into", t.TempDir()}, c.args...)...); code != ExitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit code %d, %s", c.args, code, stderr)
		}
	}
}
