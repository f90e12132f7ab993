package cli

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/check"
	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/answer/export"
	"github.com/hyfair/hyfair/host/internal/answer/fetch"
	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/answer/mitigate"
	"github.com/hyfair/hyfair/host/internal/answer/plugins"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/answer/reconcile"
	"github.com/hyfair/hyfair/host/internal/answer/report"
	"github.com/hyfair/hyfair/host/internal/answer/runs"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	bench "github.com/hyfair/hyfair/host/internal/answer/soundness"
	"github.com/hyfair/hyfair/host/internal/answer/train"
	"github.com/hyfair/hyfair/host/internal/experiment/ablate"
	"github.com/hyfair/hyfair/host/internal/experiment/compare"
	"github.com/hyfair/hyfair/host/internal/experiment/series"
	"github.com/hyfair/hyfair/host/internal/experiment/soundness"
)

const cliPage = "../../../docs/reference/cli.md"

// sections are the reference's: the text below each "## " heading.
func sections(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(cliPage)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		out[name] = body
	}
	return out
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

//go:generate go test -run ^TestReferenceOfFlags$ . -update-docs
var updateDocs = flag.Bool("update-docs", false, "write the tables of flags in docs/reference/cli.md again")

// flagTables are the blocks of docs/reference/cli.md that the commands themselves write.
var flagTables = regexp.MustCompile(`(?s)<!-- flags of ([a-z ]+) -->\n(.*?)<!-- end of flags -->`)

// flagTable is the table of a command's own flags, in the words of its help.
func flagTable(cmd *cobra.Command) string {
	var b strings.Builder
	b.WriteString("| flag | meaning | default |\n|---|---|---|\n")
	flags := cmd.LocalNonPersistentFlags()
	if !cmd.HasParent() {
		flags = cmd.PersistentFlags()
	}
	flags.VisitAll(func(f *pflag.Flag) {
		kind, text := pflag.UnquoteUsage(f)
		standard := strings.Trim(f.DefValue, "[]")
		if standard != "" {
			standard = "`" + standard + "`"
		}
		if cut := strings.LastIndex(text, " (default"); cut >= 0 && strings.HasSuffix(text, ")") {
			text, standard = text[:cut], strings.Trim(text[cut+len(" (default"):len(text)-1], ": ")
		}
		name := strings.TrimSpace(f.Name + " " + kind)
		fmt.Fprintf(&b, "| `--%s` | %s | %s |\n", name, strings.ReplaceAll(text, "|", `\|`), standard)
	})
	return b.String()
}

// TestReferenceOfFlags holds the tables of flags in docs/reference/cli.md against the commands:
// all are there, and each is what its command's help says.
func TestReferenceOfFlags(t *testing.T) {
	t.Setenv("HYFAIR_DATA", "")
	root := newRoot(&App{})
	missing := map[string]bool{root.Name(): true}
	var list func(*cobra.Command)
	list = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			if sub.LocalNonPersistentFlags().HasFlags() {
				missing[sub.CommandPath()] = true
			}
			list(sub)
		}
	}
	list(root)
	text, err := os.ReadFile(cliPage)
	if err != nil {
		t.Fatal(err)
	}
	fresh := flagTables.ReplaceAllStringFunc(string(text), func(block string) string {
		path := flagTables.FindStringSubmatch(block)[1]
		cmd, rest, err := root.Find(strings.Fields(path)[1:])
		if err != nil || len(rest) > 0 || !missing[path] {
			t.Errorf("docs/reference/cli.md has a table of the flags of %s", path)
			return block
		}
		delete(missing, path)
		return "<!-- flags of " + path + " -->\n" + flagTable(cmd) + "<!-- end of flags -->"
	})
	for path := range missing {
		t.Errorf("docs/reference/cli.md has no table of the flags of %s", path)
	}
	if *updateDocs {
		err = os.WriteFile(cliPage, []byte(fresh), 0o644)
	} else if d := cmp.Diff(string(text), fresh); d != "" {
		t.Errorf("docs/reference/cli.md is not what the commands say; go generate ./host/internal/cli writes it: %s", d)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range root.Commands() {
		if cmd.IsAdditionalHelpTopicCommand() {
			continue
		}
		if _, ok := sections(t)[cmd.Name()]; !ok {
			t.Errorf("docs/reference/cli.md has no section on %s", cmd.Name())
		}
	}
}

// TestReferenceOfJSON holds the fields of every command's JSON object against
// the tables of docs/reference/cli.md, both ways.
func TestReferenceOfJSON(t *testing.T) {
	sections := sections(t)
	for command, object := range map[string]any{
		"init": draft.Result{}, "inspect": reconcile.Result{}, "certify": certify.Result{}, "quantify": quantify.Result{}, "search": search.Result{},
		"train": train.Result{}, "plugins": plugins.Listed{}, "doctor": plugins.Diagnosis{},
		"compare": compare.Comparison{}, "ablate": ablate.Ablation{}, "export": export.Result{}, "fetch": fetch.Result{},
		"runs": runs.Runs{}, "runs show": runs.Details{}, "runs delete": runs.Deleted{},
		"plugin new": plugins.Written{}, "plugin install": plugins.Installed{}, "plugin uninstall": plugins.Uninstalled{},
		"plugin test": plugins.Tested{},
		"check":       check.Result{}, "audit": audit.Result{}, "report": runs.Search{},
		"report of a study": report.Result{}, "report of a quantification": runs.Quantification{}, "certify and quantify of several sets": certify.Results{},
		"explain": explain.Result{}, "explain of a file": series.Explanations{},
		"mitigate": mitigate.Result{}, "mitigate of a file": series.Mitigations{}, "guard": guard.Result{}, "guard export": guard.ExportResult{},
		"soundness new": bench.Result{}, "soundness run": soundness.Report{},
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

// jsonFields lists the paths of a type's JSON fields, those of a list or a sequence
// with []; those of a type inside itself once.
func jsonFields(of reflect.Type, prefix string, out *[]string, outer ...reflect.Type) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Func {
		if of.Kind() != reflect.Pointer {
			prefix = strings.TrimSuffix(prefix, ".") + "[]."
		}
		if of.Kind() == reflect.Func {
			of = of.In(0).In(0)
		} else {
			of = of.Elem()
		}
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
