package cli

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/check"
	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/answer/export"
	"github.com/hyfair/hyfair/host/internal/answer/fetch"
	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/answer/inspect"
	"github.com/hyfair/hyfair/host/internal/answer/mitigate"
	"github.com/hyfair/hyfair/host/internal/answer/plugins"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/answer/report"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/answer/train"
	"github.com/hyfair/hyfair/host/internal/answer/verdict"
	"github.com/hyfair/hyfair/host/internal/experiment/ablate"
	"github.com/hyfair/hyfair/host/internal/experiment/compare"
)

// reference is docs/cli.md by section: the text below each "## " heading.
func reference(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		sections[name] = body
	}
	return sections
}

// rows are the tables' rows of a section as cells, headings included.
func rows(section string) [][]string {
	var out [][]string
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		line = strings.ReplaceAll(strings.TrimSpace(line), `\|`, "\x00")
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), "\x00", "|")
		}
		out = append(out, cells)
	}
	return out
}

// TestReferenceOfFlags holds the flags of every command against docs/cli.md:
// all are there, none is invented, and defaults are those of the code.
func TestReferenceOfFlags(t *testing.T) {
	t.Setenv("HYFAIR_DATA", "")
	sections := reference(t)
	root := newRoot(&App{})
	for _, cmd := range append([]*cobra.Command{root}, root.Commands()...) {
		section, ok := sections[cmd.Name()]
		if cmd == root {
			section, ok = sections["Common flags"]
		}
		if !ok {
			t.Errorf("docs/cli.md has no section on %s", cmd.Name())
			continue
		}
		documented := map[string]string{} // flag → default
		for _, cells := range rows(section) {
			if name, isFlag := strings.CutPrefix(cells[0], "`--"); isFlag {
				name = strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '`' })[0]
				documented[name] = strings.Trim(cells[2], "`")
			}
		}
		flags := cmd.LocalNonPersistentFlags()
		if cmd == root {
			flags = cmd.PersistentFlags()
		} else {
			for _, sub := range cmd.Commands() {
				flags.AddFlagSet(sub.LocalNonPersistentFlags())
			}
		}
		flags.VisitAll(func(f *pflag.Flag) {
			text, ok := documented[f.Name]
			delete(documented, f.Name)
			switch value := strings.Trim(f.DefValue, "[]"); {
			case !ok:
				t.Errorf("%s: --%s is not documented", cmd.Name(), f.Name)
			case slices.Contains([]string{"", "0", "0s", "false"}, value):
				// Stands for "not given", which the text explains.
			case text != value:
				t.Errorf("%s: --%s has the default %s, documented as %s", cmd.Name(), f.Name, value, text)
			}
		})
		for name := range documented {
			t.Errorf("%s: --%s is documented and does not exist", cmd.Name(), name)
		}
	}
}

// TestReferenceOfJSON holds the fields of every command's JSON object against
// the tables of docs/cli.md, both ways.
func TestReferenceOfJSON(t *testing.T) {
	sections := reference(t)
	for command, object := range map[string]any{
		"inspect": inspect.Result{}, "certify": verdict.Result{}, "quantify": quantify.Result{}, "search": search.Result{},
		"train": train.Result{}, "plugins": plugins.Listed{}, "doctor": plugins.Diagnosis{},
		"compare": compare.Comparison{}, "ablate": ablate.Ablation{}, "export": export.Result{}, "fetch": fetch.Result{},
		"runs": report.Runs{}, "runs show": report.Details{}, "runs delete": report.Deleted{},
		"plugin new": plugins.Written{}, "plugin install": plugins.Installed{}, "plugin uninstall": plugins.Uninstalled{},
		"plugin test": plugins.Tested{},
		"check":       check.Result{}, "audit": audit.Result{}, "report": report.Search{},
		"report of a quantification": report.Quantification{}, "quantify of several sets": quantify.Results{},
		"explain": explain.Result{}, "explain of a file": explainGrid{},
		"mitigate": mitigate.Result{}, "mitigate of a file": mitigateGrid{}, "guard": guard.Result{}, "guard export": guard.ExportResult{},
	} {
		var fields []string
		jsonFields(reflect.TypeOf(object), "", &fields)
		quoted := regexp.MustCompile("`([^`]+)`")
		named, wild := map[string]bool{}, map[string]bool{}
		inTable := false
		for _, cells := range rows(sections[command]) {
			if !strings.HasPrefix(cells[0], "`") {
				inTable = cells[0] == "JSON field"
				continue
			}
			for _, m := range quoted.FindAllStringSubmatch(cells[0], -1) {
				if prefix, ok := strings.CutSuffix(m[1], ".*"); inTable && ok {
					wild[prefix+"."] = true
				} else if inTable {
					named[m[1]] = true
				}
			}
		}
		used := map[string]bool{}
		for _, f := range fields {
			if named[f] {
				used[f] = true
				continue
			}
			covered := false
			for prefix := range wild {
				if strings.HasPrefix(f, prefix) {
					used[prefix], covered = true, true
				}
			}
			if !covered {
				t.Errorf("%s: field %s is not documented", command, f)
			}
		}
		for _, set := range []map[string]bool{named, wild} {
			for f := range set {
				if !used[f] {
					t.Errorf("%s: field %s is documented and does not exist", command, f)
				}
			}
		}
	}
}

// jsonFields lists the paths of a type's JSON fields, a list's with []; those of
// a type inside itself once.
func jsonFields(of reflect.Type, prefix string, out *[]string, outer ...reflect.Type) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		if of.Kind() == reflect.Slice {
			prefix = strings.TrimSuffix(prefix, ".") + "[]."
		}
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || slices.Contains(outer, of) {
		return
	}
	outer = append(slices.Clone(outer), of)
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			jsonFields(f.Type, prefix, out, outer...)
		case f.IsExported() && name != "-":
			*out = append(*out, prefix+name)
			jsonFields(f.Type, prefix+name+".", out, outer...)
		}
	}
}
