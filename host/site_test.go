package main

import (
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/view/browser"
	"github.com/hyfair/hyfair/internal/tier"
	"golang.org/x/net/html"
)

// TestSite builds the site of docs/, follows each of its links to a file and an anchor in it, and
// opens each page in a browser as wide as a phone: the page fits, loads nothing from outside, and raises no error.
// HYFAIR_PICTURES is a folder for pictures of all pages, wide and narrow, light and dark.
func TestSite(t *testing.T) {
	tier.NeedLong(t)
	python, err := filepath.Abs("../.deps/docs/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(python); err != nil {
		browser.Missing(t, err)
	}
	site := t.TempDir()
	build := exec.Command(python, "-m", "mkdocs", "build", "--site-dir", site)
	build.Dir, build.Env = "..", append(os.Environ(), "NO_MKDOCS_2_WARNING=1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("mkdocs: %v\n%s", err, out)
	}
	pages := map[string]*page{}
	err = filepath.WalkDir(site, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".html" || d.Name() == "404.html" { // its links are relative to a server's root
			return err
		}
		pages[path], err = readPage(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index.html", "CHANGELOG.html", "reference/semantics.html", "developer/decisions/index.html"} {
		if pages[filepath.Join(site, filepath.FromSlash(name))] == nil {
			t.Errorf("no %s in the site", name)
		}
	}
	for path, p := range pages {
		for _, link := range p.links {
			p.follow(t, pages, path, link)
		}
	}
	if !t.Failed() {
		look(t, site, pages)
	}
}

// page holds the anchors of a page and its links.
type page struct {
	anchors map[string]bool
	links   []string
}

func readPage(path string) (*page, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	root, err := html.Parse(file)
	if err != nil {
		return nil, err
	}
	p := &page{anchors: map[string]bool{"": true}}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			switch a.Key {
			case "id", "name":
				p.anchors[a.Val] = true
			case "href", "src":
				p.links = append(p.links, a.Val)
			}
		}
	}
	return p, nil
}

// follow fails the test if a link leads to no file of the site, or to no anchor of one.
func (p *page) follow(t *testing.T, pages map[string]*page, path, link string) {
	t.Helper()
	to, err := url.Parse(link)
	if err != nil {
		t.Errorf("%s links to %s: %v", path, link, err)
		return
	}
	if to.Scheme != "" || to.Host != "" {
		return
	}
	target := path
	if to.Path != "" {
		target = filepath.Join(filepath.Dir(path), filepath.FromSlash(to.Path))
	}
	if info, err := os.Stat(target); err != nil {
		t.Errorf("%s links to %s, which is not there", path, link)
		return
	} else if info.IsDir() {
		target = filepath.Join(target, "index.html")
	}
	if at := pages[target]; at != nil && !at.anchors[to.Fragment] {
		t.Errorf("%s links to %s, which has no such anchor", path, link)
	}
}

// look opens all pages in a browser, and searches in one of them.
func look(t *testing.T, site string, pages map[string]*page) {
	b := browser.Open(t)
	pictures := os.Getenv("HYFAIR_PICTURES")
	for path := range pages {
		name, err := filepath.Rel(site, path)
		if err != nil {
			t.Fatal(err)
		}
		b.Load(path, browser.Look{Width: 400})
		var wide int
		if b.Evaluate("document.documentElement.scrollWidth", &wide); wide > 400 {
			t.Errorf("%s is %d pixels wide in a window of 400", name, wide)
		}
		for _, e := range b.Events("Runtime.exceptionThrown", "Log.entryAdded") {
			t.Errorf("%s: %s %s", name, e.Method, e.Params)
		}
		for _, e := range b.Events("Network.requestWillBeSent") {
			if !strings.Contains(string(e.Params), `"url":"file:`) && !strings.Contains(string(e.Params), `"url":"data:`) {
				t.Errorf("%s loads something from outside: %.300s", name, e.Params)
			}
		}
		if pictures == "" {
			continue
		}
		for look, how := range map[string]browser.Look{"narrow": {Width: 400}, "narrow-dark": {Width: 400, Dark: true}, "wide": {Width: 1280}, "wide-dark": {Width: 1280, Dark: true}} {
			b.Load(path, how)
			b.Picture(filepath.Join(pictures, strings.ReplaceAll(name, string(filepath.Separator), "-")+"-"+look+".png"))
		}
	}
	b.Load(filepath.Join(site, "index.html"), browser.Look{Width: 1280})
	var found string
	b.Evaluate(`new Promise(found => {
		const results = document.querySelector('.md-search-result__list');
		new MutationObserver(() => results.querySelector('a') && found(results.innerText)).observe(results, {childList: true, subtree: true});
		const query = document.querySelector('.md-search__input');
		query.focus();
		query.value = 'counterfactual';
		query.dispatchEvent(new Event('keyup', {bubbles: true}));
	})`, &found)
	if !strings.Contains(strings.ToLower(found), "counterfactual") {
		t.Errorf("a search for counterfactual finds\n%s", found)
	}
}
