// Package browser opens pages in a headless Chromium, for tests, over the DevTools protocol
// on two pipes.
package browser

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// Browser is a running Chromium. It ends with its test.
type Browser struct {
	t  testing.TB
	in *os.File

	mu      sync.Mutex
	last    int
	waiting map[int]chan answer
	lost    error
	// session is the DevTools session of the page; events are those received so far.
	session string
	events  []Event
	loaded  chan struct{}
}

// Event is a message of the browser about a page.
type Event struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// names are the file names of Chromium.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// program returns HYFAIR_BROWSER, or the first Chromium that is installed.
func program() (string, error) {
	if path := os.Getenv("HYFAIR_BROWSER"); path != "" {
		return path, nil
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no Chromium is installed; scripts/setup.sh browser installs Debian's, or set HYFAIR_BROWSER to one")
}

// Missing skips a test that lacks a tool, and fails it in CI, where all tools are installed.
func Missing(t testing.TB, why error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skipf("SKIPPED %s: %v", t.Name(), why)
}

// patience bounds how long a browser may take for one answer.
const patience = 2 * time.Minute

// Open starts a browser, or skips the test if none is installed.
func Open(t testing.TB) *Browser {
	t.Helper()
	path, err := program()
	if err != nil {
		Missing(t, err)
	}
	toBrowser, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, fromBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
		"--disable-background-networking", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir(), "about:blank")
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toBrowser.Close()
	fromBrowser.Close()
	b := &Browser{t: t, in: in, waiting: map[int]chan answer{}, loaded: make(chan struct{}, 1)}
	go b.read(out)
	t.Cleanup(func() {
		b.call("", "Browser.close", nil, nil)
		in.Close()
		done := make(chan struct{})
		go func() { cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
		}
		stop()
		<-done
		out.Close()
	})
	var target struct{ TargetID string }
	b.must("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.must("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Log", "Network", "Runtime"} {
		b.must(b.session, domain+".enable", nil, nil)
	}
	return b
}

// read receives the browser's messages until it ends.
func (b *Browser) read(out *os.File) {
	lines := bufio.NewReaderSize(out, 1<<20)
	for {
		text, err := lines.ReadBytes(0)
		if err != nil {
			b.mu.Lock()
			b.lost = fmt.Errorf("the browser ended: %w", err)
			for id, to := range b.waiting {
				delete(b.waiting, id)
				close(to)
			}
			b.mu.Unlock()
			return
		}
		var m struct {
			ID int `json:"id"`
			answer
			Event
		}
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		if to := b.waiting[m.ID]; m.ID != 0 && to != nil {
			delete(b.waiting, m.ID)
			to <- m.answer
		} else if m.Method != "" {
			b.events = append(b.events, m.Event)
			if m.Method == "Page.loadEventFired" {
				select {
				case b.loaded <- struct{}{}:
				default:
				}
			}
		}
		b.mu.Unlock()
	}
}

func (b *Browser) call(session, method string, params, result any) error {
	b.mu.Lock()
	if b.lost != nil {
		b.mu.Unlock()
		return b.lost
	}
	b.last++
	id, to := b.last, make(chan answer, 1)
	b.waiting[id] = to
	b.mu.Unlock()
	message := map[string]any{"id": id, "method": method}
	if session != "" {
		message["sessionId"] = session
	}
	if params != nil {
		message["params"] = params
	}
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		return err
	}
	select {
	case a, ok := <-to:
		switch {
		case !ok:
			return b.lost
		case a.Error != nil:
			return fmt.Errorf("%s: %s", method, a.Error.Message)
		case result != nil:
			return json.Unmarshal(a.Result, result)
		}
		return nil
	case <-time.After(patience):
		return fmt.Errorf("%s: no answer after %v", method, patience)
	}
}

func (b *Browser) must(session, method string, params, result any) {
	b.t.Helper()
	if err := b.call(session, method, params, result); err != nil {
		b.t.Fatal(err)
	}
}

// Look is how a page is displayed.
type Look struct {
	Width int
	Dark  bool
	Print bool
}

// Load opens a file, and returns when it has loaded.
func (b *Browser) Load(path string, look Look) {
	b.t.Helper()
	b.View(look)
	b.mu.Lock()
	b.events = nil
	select {
	case <-b.loaded:
	default:
	}
	b.mu.Unlock()
	absolute, err := filepath.Abs(path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.must(b.session, "Page.navigate", map[string]any{"url": "file://" + filepath.ToSlash(absolute)}, nil)
	select {
	case <-b.loaded:
	case <-time.After(patience):
		b.t.Fatalf("%s has not loaded after %v", path, patience)
	}
}

// View changes how the page is displayed.
func (b *Browser) View(look Look) {
	b.t.Helper()
	scheme, media := "light", ""
	if look.Dark {
		scheme = "dark"
	}
	if look.Print {
		media = "print"
	}
	b.must(b.session, "Emulation.setDeviceMetricsOverride", map[string]any{"width": look.Width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.must(b.session, "Emulation.setEmulatedMedia", map[string]any{"media": media, "features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Events returns the page's events so far that have one of these methods.
func (b *Browser) Events(methods ...string) []Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(b.events), func(e Event) bool { return !slices.Contains(methods, e.Method) })
}

// Evaluate stores the value of a JavaScript expression in the page.
func (b *Browser) Evaluate(expression string, value any) {
	b.t.Helper()
	var out struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.must(b.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &out)
	if len(out.ExceptionDetails) > 0 {
		b.t.Fatalf("%.100s: %s", expression, out.ExceptionDetails)
	}
	if value == nil {
		return
	}
	if err := json.Unmarshal(out.Result.Value, value); err != nil {
		b.t.Fatalf("%.100s: %v", expression, err)
	}
}

// Picture writes a screenshot of the entire page.
func (b *Browser) Picture(path string) {
	b.t.Helper()
	b.save(path, "Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true})
}

// PDF prints the page to a file.
func (b *Browser) PDF(path string) {
	b.t.Helper()
	b.save(path, "Page.printToPDF", map[string]any{"printBackground": false, "preferCSSPageSize": true})
}

func (b *Browser) save(path, method string, params any) {
	b.t.Helper()
	var out struct{ Data string }
	b.must(b.session, method, params, &out)
	raw, err := base64.StdEncoding.DecodeString(out.Data)
	if err == nil {
		err = os.WriteFile(path, raw, 0o666)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// Axe returns the source of axe-core, which finds barriers to accessibility; the test is
// skipped if scripts/setup.sh browser has not downloaded it.
func Axe(t testing.TB) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	path := filepath.Join(filepath.Dir(here), "../../../../.deps/axe/axe.min.js")
	text, err := os.ReadFile(path)
	if err != nil {
		Missing(t, fmt.Errorf("axe-core is not there (%w); scripts/setup.sh browser downloads it", err))
	}
	return string(text)
}
