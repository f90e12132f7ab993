package cli

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

//go:generate go test -run ^TestReference$ . -update-docs
//go:generate python3 ../../../scripts/python_results.py
var updateDocs = flag.Bool("update-docs", false, "write docs/reference/commands.md and docs/reference/schema again")

// referenceFolder holds the pages and schemas that the commands and their types write.
const referenceFolder = "../../../docs/reference"

// TestReference holds docs/reference/commands.md against the commands and docs/reference/schema against
// the types of their JSON objects. Every command with --json has a schema, and every field a description.
func TestReference(t *testing.T) {
	t.Setenv("HYFAIR_DATA", "")
	t.Setenv("HYFAIR_FLEET_KEYS", "")
	schemas, bare := schemaFiles()
	want := map[string][]byte{}
	for name, text := range schemas {
		want["schema/"+name] = text
	}
	for _, field := range bare {
		t.Errorf("%s has no comment, which is the description in its JSON Schema: say what the field means", field)
	}
	want["commands.md"] = commandsPage(t)
	want["studies.md"] = studiesPage(t)
	there, err := filepath.Glob(referenceFolder + "/schema/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		if name := "schema/" + filepath.Base(path); want[name] == nil {
			if *updateDocs {
				err = os.Remove(path)
			} else {
				t.Errorf("docs/reference/%s describes no output; go generate ./host/internal/cli removes it", name)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range want {
		path := filepath.Join(referenceFolder, name)
		if *updateDocs {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		committed, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		} else if d := gocmp.Diff(string(committed), string(text)); d != "" {
			t.Errorf("docs/reference/%s is not what the commands say; go generate ./host/internal/cli writes it: %s", name, d)
		}
	}
}

// commandsPage is docs/reference/commands.md: usage, help, examples, flags and schemas of each command.
func commandsPage(t *testing.T) []byte {
	t.Helper()
	root := newRoot(&App{})
	var page, list bytes.Buffer
	described := map[string]bool{}
	every(root, func(cmd *cobra.Command) {
		_, path, below := strings.Cut(cmd.CommandPath(), " ")
		if !below || cmd.Hidden || cmd.IsAdditionalHelpTopicCommand() {
			return
		}
		level := strings.Repeat("#", 2+strings.Count(path, " "))
		fmt.Fprintf(&list, "| [`%s`](#%s) | %s |\n", strings.ReplaceAll(usageOf(cmd), "|", `\|`), strings.ReplaceAll(path, " ", "-"), markdown(cmd.Short))
		fmt.Fprintf(&page, "\n%s %s\n\n```\nhyfair %s\n```\n\n%s\n", level, path, usageOf(cmd), markdown(cmp.Or(cmd.Long, cmd.Short+".")))
		if cmd.Example != "" {
			fmt.Fprintf(&page, "\n```\n%s\n```\n", regexp.MustCompile(`(?m)^  `).ReplaceAllString(cmd.Example, ""))
		}
		if cmd.LocalNonPersistentFlags().HasFlags() {
			fmt.Fprintf(&page, "\n%s", flagTable(cmd.LocalNonPersistentFlags()))
		}
		var schemas []string
		for _, o := range outputs {
			if o.command == path {
				described[path] = true
				name := schemaName(o.command, o.when)
				schemas = append(schemas, strings.TrimSpace(fmt.Sprintf("[%s](schema/%s) %s", name, name, strings.ReplaceAll(o.when, "--scores", "`--scores`"))))
			}
		}
		if len(schemas) > 0 {
			fmt.Fprintf(&page, "\nJSON: %s.\n", strings.Join(schemas, ", "))
		} else if cmd.Runnable() && !slices.Contains(withoutJSON, path) {
			t.Errorf("hyfair %s has no schema of its JSON: add its type to outputs in schema_test.go", path)
		}
	})
	fmt.Fprintf(&page, "\n## JSON Schemas\n\n| schema | of |\n|---|---|\n")
	for _, o := range outputs {
		if !described[o.command] {
			t.Errorf("outputs has a schema of hyfair %s, which is no command", o.command)
		}
		name := schemaName(o.command, o.when)
		fmt.Fprintf(&page, "| [%s](schema/%s) | `%s` |\n", name, name, schemaTitle(o.command, o.when))
	}
	head := "<!-- Made by go generate ./host/internal/cli. Do not edit. -->\n# Commands\n\n" +
		"This page is made of the commands' own help. [cli.md](cli.md) has what they share: streams, exit codes, gates, the journal, JSON.\n\n| command | |\n|---|---|\n"
	flags := "\n## Common flags\n\nEvery command takes these; [cli.md](cli.md#common-flags) says more.\n\n" + flagTable(root.PersistentFlags())
	return []byte(head + list.String() + flags + page.String())
}

// keyTables are the tables of docs/reference/studies.md that the schema of study files writes.
var keyTables = regexp.MustCompile(`(?s)<!-- keys of (\w+) -->\n.*?<!-- end of keys -->`)

// studiesPage is docs/reference/studies.md with its tables of keys made of studies/study.schema.json.
func studiesPage(t *testing.T) []byte {
	t.Helper()
	page, err := os.ReadFile(referenceFolder + "/studies.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../../studies/study.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]struct {
			Description string
			Properties  yaml.MapSlice
		} `yaml:"$defs"`
	}
	if err := yaml.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	var rows func(b *strings.Builder, of, prefix string)
	rows = func(b *strings.Builder, of, prefix string) {
		for _, p := range schema.Defs[of].Properties {
			var about struct{ Description string }
			text, err := yaml.Marshal(p.Value)
			if err == nil {
				err = yaml.Unmarshal(text, &about)
			}
			if err != nil {
				t.Fatal(err)
			}
			key := prefix + p.Key.(string)
			fmt.Fprintf(b, "| `%s` | %s |\n", key, markdown(cmp.Or(about.Description, schema.Defs[key].Description)))
			switch {
			case prefix != "" || key == "data" || key == "protected": // which have sections of their own
			case key == "files":
				rows(b, "file", "files.")
			default:
				rows(b, key, key+".")
			}
		}
	}
	return keyTables.ReplaceAllFunc(page, func(block []byte) []byte {
		of := string(keyTables.FindSubmatch(block)[1])
		var b strings.Builder
		fmt.Fprintf(&b, "<!-- keys of %s -->\n| key | meaning |\n|---|---|\n", of)
		rows(&b, of, "")
		return []byte(b.String() + "<!-- end of keys -->")
	})
}

// withoutJSON are commands that write no JSON object: they only group others, or write something else.
var withoutJSON = []string{"fleet", "fleet serve", "fleet join", "fleet keys", "plugin", "runs export", "soundness"}

// usageOf is a command's usage without the program's name.
func usageOf(cmd *cobra.Command) string {
	_, parents, _ := strings.Cut(cmd.Parent().CommandPath()+" ", " ")
	return parents + cmd.Use
}

var (
	flagWord = regexp.MustCompile("--[a-z][a-z0-9-]*(?:=[a-z]+)?")
	pageName = regexp.MustCompile(`docs/(user|reference|author|developer)/([a-z-]+\.md)`)
)

// markdown is a help text as Markdown: its paragraphs, lists where lines are indented, flags as code and
// pages as links.
func markdown(text string) string {
	var out []string
	for _, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		var b strings.Builder
		for i, line := range strings.Split(paragraph, "\n") {
			switch {
			case strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "   "):
				if i > 0 {
					b.WriteString("\n")
				}
				b.WriteString("- " + strings.TrimSpace(line))
			case i > 0:
				b.WriteString(" " + strings.TrimSpace(line))
			default:
				b.WriteString(line)
			}
		}
		out = append(out, b.String())
	}
	text = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "|", `\|`).Replace(strings.Join(out, "\n\n"))
	text = flagWord.ReplaceAllString(text, "`$0`")
	return pageName.ReplaceAllStringFunc(text, func(path string) string {
		m := pageName.FindStringSubmatch(path)
		if m[1] == "reference" {
			return fmt.Sprintf("[%s](%s)", m[2], m[2])
		}
		return fmt.Sprintf("[%s](../%s/%s)", m[2], m[1], m[2])
	})
}

// flagTable is the table of flags, in the words of their help.
func flagTable(flags *pflag.FlagSet) string {
	var b strings.Builder
	b.WriteString("| flag | meaning | default |\n|---|---|---|\n")
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
