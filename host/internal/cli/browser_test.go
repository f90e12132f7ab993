package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/view/browser"
	"github.com/hyfair/hyfair/internal/tier"
)

// hostile is a name that would run something, end something or turn something around.
const hostile = `"'><script>document.title='run'</script><img src=x onerror="document.title='run'">&lt;` + "\u202Etluaf"

// hostileStudy is a study whose names are hostile, and whose protected attribute has many
// values.
func hostileStudy(t *testing.T, many int) string {
	t.Helper()
	dir := t.TempDir()
	quoted := func(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }
	var categories, rows strings.Builder
	rows.WriteString("a,b,g,y\n")
	for i := range many {
		fmt.Fprintf(&categories, "%sc%d", map[bool]string{true: ", "}[i > 0], i)
		fmt.Fprintf(&rows, "%d,%d,c%d,%d\n", i%10, i%2, i, i%2)
	}
	study := "name: " + quoted(hostile) + "\nsummary: " + quoted(hostile) + "\nmodel: net.json\nepsilon: 0.05\ndata: {files: [rows.csv], label: {column: y, positive: '1'}}\n" +
		"features:\n  a: {integer: 0..9}\n  b: {categories: ['0', " + quoted(hostile) + "]}\n  g: {categories: [" + categories.String() + "]}\nprotected: {g: all}\n"
	net := fmt.Sprintf(`{"format": "hyfair-network", "version": 1, "precision": 64, "head": "sigmoid",
		"layers": [{"name": "out", "inputs": 3, "units": 1, "activation": "linear", "weights": [[0.1, 1, %g]], "bias": [-1]}]}`, 4/float64(many))
	for name, text := range map[string]string{"study.yaml": study, "net.json": net, "rows.csv": strings.ReplaceAll(rows.String(), ",1,c", ",0,c")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// looks are the ways that pages are looked at.
var looks = map[string]browser.Look{
	"light": {Width: 1000}, "dark": {Width: 1000, Dark: true}, "narrow": {Width: 360}, "narrow-dark": {Width: 360, Dark: true}, "print": {Width: 700, Print: true},
	"landscape": {Width: 1040, Print: true},
}

// sheet is the size of a page of a PDF.
var sheet = regexp.MustCompile(`/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]`)

// landscape counts the sheets of a printed page that are wider than high, and all of them.
func landscape(t *testing.T, file string) (wide, all int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range sheet.FindAllSubmatch(text, -1) {
		width, _ := strconv.ParseFloat(string(size[1]), 64)
		height, _ := strconv.ParseFloat(string(size[2]), 64)
		if all++; width > height {
			wide++
		}
	}
	return wide, all
}

// readable lists what is wrong with how a page looks: it is wider than the window, texts are
// smaller than 12 pixels, or stand over each other in a drawing, or a drawing has to be scrolled, or is there twice.
const readable = `(() => {
	const wrong = [];
	if (document.documentElement.scrollWidth > document.documentElement.clientWidth) wrong.push('wider than the window: ' + document.documentElement.scrollWidth);
	for (const e of document.querySelectorAll('body *')) {
		if (e.closest('script') || ![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue;
		const box = e.getBoundingClientRect();
		if (!box.width || e.tagName == 'title') continue;
		let size = parseFloat(getComputedStyle(e).fontSize);
		if (e.ownerSVGElement) size *= e.ownerSVGElement.getScreenCTM().a;
		if (size < 11.9 && !matchMedia('print').matches) wrong.push(size + ' pixels: ' + e.textContent.slice(0, 40));
	}
	for (const figure of document.querySelectorAll('figure')) {
		const shown = [...figure.querySelectorAll('svg')].filter(e => e.getBoundingClientRect().width);
		if (shown.length > 1) wrong.push(shown.length + ' drawings in one figure');
		for (const svg of shown) {
			const room = svg.closest('.scroll').getBoundingClientRect().width;
			if (svg.getBoundingClientRect().width > room + 1) wrong.push('a drawing wider than its place: ' + svg.getBoundingClientRect().width + ' of ' + room);
		}
	}
	for (const svg of document.querySelectorAll('figure svg')) {
		const boxes = [...svg.querySelectorAll('text')].map(e => [e.getBoundingClientRect(), e.textContent]);
		const all = svg.getBoundingClientRect();
		boxes.forEach(([a, text], i) => {
			if (a.width && (a.left < all.left - 1 || a.right > all.right + 1 || a.top < all.top - 1 || a.bottom > all.bottom + 1)) wrong.push('cut off: ' + text);
			for (const [b, other] of boxes.slice(i + 1)) {
				const x = Math.min(a.right, b.right) - Math.max(a.left, b.left), y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
				if (x > 2 && y > 4) wrong.push('over each other: ' + text + ' and ' + other);
			}
		});
	}
	return wrong;
})()`

// TestPagesInABrowser looks at pages of every kind as people do, in a real browser: they
// ask for nothing and run nothing, whatever the names in them, and can be read and used.
// HYFAIR_PICTURES is a folder for pictures of them.
func TestPagesInABrowser(t *testing.T) {
	tier.NeedLong(t)
	b := browser.Open(t)
	axe := browser.Axe(t)
	binary, dir, tenure, evil := program(t), t.TempDir(), tenureStudy(t), hostileStudy(t, 10_000)
	plugins := plugintest.Folder(t, map[string]string{"hyfair-search-sa": "plugins/search-sa", "hyfair-search-climb": "plugins/search-climb", "hyfair-solver-bnb": "plugins/solver-bnb"})
	grid := filepath.Join(dir, "grid.yaml")
	if err := os.WriteFile(grid, []byte("studies: [{study: "+tenure+"}]\nbudget: 200it\nruns: 3\nsolver: none\nstrategies: [{name: sa}, {name: climb}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, page := range map[string]struct {
		args    string
		figures int // at least
		says    []string
	}{
		"report":   {"report --study " + loan + " --budget 20s", 7, []string{"3,900 of 6,820 people in the data", "impact ratio by origin", "of plausible people", "3,933 of 6,820 people", "credit_rating", "10. Provenance"}},
		"two":      {"report --study " + tenure + " --budget 5s", 2, []string{"1. Groups", "Missing: "}}, // K = 2, and no data
		"hostile":  {"report --study " + evil + " --budget 30s", 4, []string{"people were audited", "<script>"}},
		"certify":  {"certify " + loan, 0, []string{"UNFAIR"}},
		"each":     {"certify " + loan + " --protected each", 0, []string{"UNFAIR"}},
		"quantify": {"quantify " + loan + " --map " + filepath.Join(dir, "map.csv"), 2, []string{"above 75 %"}},
		"search":   {"search " + loan + " --budget 200it", 1, []string{"Max.K"}},
		"audit":    {"audit " + loan + " --top 5000", 3, []string{"more rows have no room in this page", "People by all of sex, age and origin together"}},
		"explain":  {"explain " + loan + " --budget 20000ev", 2, []string{"credit_rating <= 4"}},
		"compare":  {"compare " + tenure + " --solvers bnb --budget 1s --runs 2", 1, []string{"No proof was refuted."}},
		"ablate":   {"ablate " + grid, 2, []string{"what the searches found"}},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, name+".html")
			args := append(strings.Fields(page.args), "--html", file, "--plugin-dir", plugins, "--journal", filepath.Join(dir, "journal.db"))
			cmd := exec.Command(binary, args...)
			cmd.Env = append(os.Environ(), "HYFAIR_PLUGIN_DIR=", "XDG_DATA_HOME="+filepath.Join(dir, "home"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("hyfair %s: %v\n%s", page.args, err, out)
			}
			if info, err := os.Stat(file); err != nil || info.Size() > 1<<20 {
				t.Errorf("%v, %d bytes", err, info.Size())
			}
			for look, how := range looks {
				b.Load(file, how)
				for _, e := range b.Events("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled") {
					t.Errorf("%s: %s %s", look, e.Method, e.Params)
				}
				if asked := b.Events("Network.requestWillBeSent"); len(asked) != 1 {
					t.Errorf("%s: %d requests", look, len(asked))
				}
				var wrong []string
				if b.Evaluate(readable, &wrong); len(wrong) > 0 {
					t.Errorf("%s: %s", look, strings.Join(wrong, "\n"))
				}
				if to := os.Getenv("HYFAIR_PICTURES"); to != "" {
					b.Picture(filepath.Join(to, name+"-"+look+".png"))
				}
				if how.Print || how.Width < 1000 {
					continue
				}
				b.Evaluate(axe+"\n0", nil)
				var violations []string
				b.Evaluate(`axe.run({resultTypes: ['violations']}).then(r => r.violations.map(v => v.id + ': ' + v.help + ' ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(' | ')))`, &violations)
				if len(violations) > 0 {
					t.Errorf("%s: %s", look, strings.Join(violations, "\n"))
				}
			}
			// Tables of many columns, and nothing else, are printed on wide sheets.
			var tables int
			b.Load(file, browser.Look{Width: 700, Print: true})
			b.Evaluate("[...document.querySelectorAll('.wide')].filter(e => e.getBoundingClientRect().width).length", &tables)
			b.PDF(file + ".pdf")
			if sheets, all := landscape(t, file+".pdf"); all == 0 || (sheets > 0) != (tables > 0) {
				t.Errorf("%d wide tables are printed on %d wide sheets of %d", tables, sheets, all)
			}
			b.Load(file, browser.Look{Width: 1000})
			b.Evaluate("document.querySelectorAll('details').forEach(d => d.open = true)", nil)
			var wide float64
			if b.Evaluate("document.documentElement.scrollWidth", &wide); wide > 1000 {
				t.Errorf("with all details open it is %v wide", wide)
			}
			var title, said string
			var figures, marks int
			b.Evaluate("document.title", &title)
			b.Evaluate("document.body.innerText", &said)
			b.Evaluate("document.querySelectorAll('figure svg').length", &figures)
			b.Evaluate("document.querySelectorAll('figure svg path').length", &marks)
			if title == "run" || figures < page.figures || marks < 10*page.figures {
				t.Errorf("title %s, %d figures with %d marks", title, figures, marks)
			}
			for _, text := range page.says {
				if !strings.Contains(said, text) {
					t.Errorf("does not say %s", text)
				}
			}
		})
	}
}
