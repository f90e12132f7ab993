package cli

import (
	"bytes"
	"encoding"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/check"
	"github.com/hyfair/hyfair/host/internal/answer/diff"
	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/answer/export"
	"github.com/hyfair/hyfair/host/internal/answer/fetch"
	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/answer/inspect"
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
	"github.com/hyfair/hyfair/host/internal/experiment/fleet"
	"github.com/hyfair/hyfair/host/internal/experiment/series"
	"github.com/hyfair/hyfair/host/internal/experiment/soundness"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/internal/tier"
)

// outputs are the JSON objects of --json: the command, when it writes this object, and its type.
var outputs = []struct {
	command, when string
	object        any
}{
	{"init", "", draft.Result{}},
	{"inspect", "", inspect.Result{}},
	{"inspect", "with --scores", reconcile.Result{}},
	{"certify", "", certify.Result{}},
	{"certify", "of several sets of attributes or classes", certify.Results{}},
	{"quantify", "", quantify.Result{}},
	{"quantify", "of several sets of attributes", quantify.Results{}},
	{"quantify", "with --groups", quantify.Rates{}},
	{"search", "", search.Result{}},
	{"audit", "", audit.Result{}},
	{"diff", "", diff.Result{}},
	{"explain", "", explain.Result{}},
	{"explain", "of a file of studies", series.Explanations{}},
	{"mitigate", "", mitigate.Result{}},
	{"mitigate", "of a file of studies", series.Mitigations{}},
	{"guard", "", guard.Result{}},
	{"guard export", "", guard.ExportResult{}},
	{"compare", "", compare.Comparison{}},
	{"ablate", "", ablate.Ablation{}},
	{"soundness new", "", bench.Result{}},
	{"soundness run", "", soundness.Report{}},
	{"train", "", train.Result{}},
	{"check", "", check.Result{}},
	{"export", "", export.Result{}},
	{"export-helper", "", exportHelper{}},
	{"fetch", "", fetch.Result{}},
	{"fleet status", "", fleet.Status{}},
	{"fleet drain", "", fleet.Drained{}},
	{"plugins", "", plugins.Listed{}},
	{"plugin new", "", plugins.Written{}},
	{"plugin test", "", plugins.Tested{}},
	{"plugin install", "", plugins.Installed{}},
	{"plugin uninstall", "", plugins.Uninstalled{}},
	{"doctor", "", plugins.Diagnosis{}},
	{"report", "of a study", report.Result{}},
	{"report", "of a search", runs.Search{}},
	{"report", "of a quantification", runs.Quantification{}},
	{"runs", "", runs.Runs{}},
	{"runs show", "", runs.Details{}},
	{"runs export", "of each line", record.Event{}},
	{"runs delete", "", runs.Deleted{}},
	{"runs merge", "", runs.Merged{}},
	{"version", "", versionOutput{}},
}

// schemaName is the file of the schema of an output.
func schemaName(command, when string) string {
	when = strings.NewReplacer("of several sets of attributes or classes", "sets", "of several sets of attributes", "sets", "of a file of studies", "file", "with --", "", "of each line", "", "of a ", "").Replace(when)
	return strings.ReplaceAll(strings.TrimSpace(command+" "+when), " ", "-") + ".schema.json"
}

// schemaTitle returns the title of an output's schema.
func schemaTitle(command, when string) string {
	if slices.Contains(withoutJSON, command) {
		return "hyfair " + command + ", " + when
	}
	return strings.TrimSpace("hyfair " + command + " --json " + when)
}

// schemas makes JSON Schemas of types: names, kinds and what may be absent of the types, as encoding/json
// writes them, and descriptions of the comments on their fields.
type schemas struct {
	files    map[reflect.Type]string // of the types that have a schema of their own
	comments map[string]string       // by package path, type and field
	defs     map[string]any          // of the schema under way
	bare     []string                // fields without a comment
}

func newSchemas() *schemas {
	g := &schemas{files: map[reflect.Type]string{}, comments: map[string]string{}}
	for _, o := range outputs {
		g.files[reflect.TypeOf(o.object)] = schemaName(o.command, o.when)
	}
	return g
}

// root is the schema of an output.
func (g *schemas) root(of reflect.Type) map[string]any {
	g.defs = map[string]any{}
	schema := g.object(of)
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	if len(g.defs) > 0 {
		schema["$defs"] = g.defs
	}
	return schema
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// saysNull matches the comment of a field that may be null: "the mean; null without a run".
var saysNull = regexp.MustCompile(`(?:[;,] |Otherwise )null\b`)

// kind is the schema of a type.
func (g *schemas) kind(of reflect.Type) map[string]any {
	switch {
	case of == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case of.Kind() == reflect.Pointer:
		return g.kind(of.Elem())
	case of.Implements(textMarshaler):
		return map[string]any{"type": "string"}
	case of.Kind() == reflect.Func: // a sequence, written as an array
		return map[string]any{"type": "array", "items": g.kind(of.In(0).In(0))}
	}
	switch of.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice, reflect.Array:
		if of.Implements(marshaler) { // json.RawMessage
			return map[string]any{}
		}
		return map[string]any{"type": "array", "items": g.orNull(of.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": g.orNull(of.Elem())}
	case reflect.Interface:
		return map[string]any{}
	case reflect.Struct:
		if file := g.files[of]; file != "" {
			return map[string]any{"$ref": file}
		}
		name := of.String()
		if g.defs[name] == nil {
			g.defs[name] = map[string]any{} // of a type that holds itself
			g.defs[name] = g.object(of)
		}
		return map[string]any{"$ref": "#/$defs/" + name}
	}
	return map[string]any{"type": "integer"}
}

// orNull is the schema of an element: a pointer may be null.
func (g *schemas) orNull(of reflect.Type) map[string]any {
	if of.Kind() == reflect.Pointer && of.Elem().Kind() != reflect.Struct {
		return nullable(g.kind(of))
	}
	return g.kind(of)
}

func nullable(s map[string]any) map[string]any {
	if kind, ok := s["type"]; ok {
		s["type"] = []any{kind, "null"}
		return s
	}
	return map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
}

// object is the schema of a struct. A field may be absent by its tag. It may be null if it is a
// pointer that is never absent, and if its comment says so.
func (g *schemas) object(of reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	g.fields(of, properties, &required)
	slices.Sort(required)
	schema := map[string]any{"type": "object", "properties": properties}
	if text := g.comment(of, ""); text != "" {
		schema["description"] = text
	}
	if len(required) > 0 {
		schema["required"] = slices.Compact(required)
	}
	return schema
}

func (g *schemas) fields(of reflect.Type, properties map[string]any, required *[]string) {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	var own []reflect.StructField
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Pointer: // perhaps nil
			g.fields(f.Type, properties, new([]string))
		case f.Anonymous && name == "":
			g.fields(f.Type, properties, required)
		case f.IsExported() && name != "-":
			own = append(own, f)
		}
	}
	for _, f := range own { // after those of embedded types, which they hide
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		text := g.comment(of, f.Name)
		if text == "" {
			g.bare = append(g.bare, of.String()+"."+f.Name)
		}
		schema, optional := g.kind(f.Type), strings.Contains(options, "omit")
		if f.Type.Kind() == reflect.Pointer && !optional || saysNull.MatchString(text) {
			schema = nullable(schema)
		}
		if schema["description"] = text; text == "" {
			delete(schema, "description")
		}
		properties[name] = schema
		if !optional {
			*required = append(*required, name)
		}
	}
}

// comment is the comment on a type, or on a field of it.
func (g *schemas) comment(of reflect.Type, field string) string {
	if _, read := g.comments[of.PkgPath()]; !read {
		g.comments[of.PkgPath()] = "read"
		g.read(of.PkgPath())
	}
	name, _, _ := strings.Cut(of.Name(), "[")
	return g.comments[of.PkgPath()+"."+name+"."+field]
}

// read reads the comments of a package.
func (g *schemas) read(path string) {
	folder := filepath.Join("../../..", strings.TrimPrefix(path, "github.com/hyfair/hyfair"))
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		panic(err)
	}
	line := func(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			panic(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			if !ok || d.Tok != token.TYPE {
				return true
			}
			for _, s := range d.Specs {
				s := s.(*ast.TypeSpec)
				doc := s.Doc
				if doc == nil && len(d.Specs) == 1 {
					doc = d.Doc
				}
				g.comments[path+"."+s.Name.Name+"."] = line(doc)
				if of, ok := s.Type.(*ast.StructType); ok {
					for _, f := range of.Fields.List {
						for _, name := range f.Names {
							g.comments[path+"."+s.Name.Name+"."+name.Name] = line(f.Doc)
						}
					}
				}
			}
			return true
		})
	}
}

// schemaFiles are all schemas as files, by name, and the fields that lack a comment.
func schemaFiles() (map[string][]byte, []string) {
	g, out := newSchemas(), map[string][]byte{}
	for _, o := range outputs {
		schema := g.root(reflect.TypeOf(o.object))
		schema["title"] = schemaTitle(o.command, o.when)
		text, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			panic(err)
		}
		out[schemaName(o.command, o.when)] = append(text, '\n')
	}
	slices.Sort(g.bare)
	return out, slices.Compact(g.bare)
}

// strict are the schemas, compiled, with no other properties than those they have.
func strict() (map[string]*jsonschema.Schema, error) {
	files, _ := schemaFiles()
	c, out := jsonschema.NewCompiler(), map[string]*jsonschema.Schema{}
	for name, text := range files {
		schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		closed(schema)
		if err := c.AddResource("file:///"+name, schema); err != nil {
			return nil, err
		}
	}
	for name := range files {
		schema, err := c.Compile("file:///" + name)
		if err != nil {
			return nil, err
		}
		out[name] = schema
	}
	return out, nil
}

// closed has the objects of a schema hold no other properties.
func closed(schema any) {
	switch s := schema.(type) {
	case []any:
		for _, one := range s {
			closed(one)
		}
	case map[string]any:
		for _, one := range s {
			closed(one)
		}
		if _, ok := s["properties"].(map[string]any); ok && s["type"] != nil {
			s["additionalProperties"] = false
		}
	}
}

// TestJSONOfEveryCommand holds the objects of commands that are quickly done against their schemas. The
// helpers that run commands in other tests do the same.
func TestJSONOfEveryCommand(t *testing.T) {
	tier.NeedUsual(t)
	dir, plugins := t.TempDir(), shippedStrategies(t, "climb")
	t.Setenv("HYFAIR_RUNS_DIR", dir)
	applicants, err := os.ReadFile(loanStudy + "/applicants.csv")
	if err != nil {
		t.Fatal(err)
	}
	few := bytes.Join(bytes.SplitAfter(applicants, []byte("\n"))[:4], nil)
	for _, line := range []string{
		"version",
		"plugins",
		"doctor",
		"export-helper sklearn",
		"runs",
		"inspect LOAN",
		"inspect LOAN/network.json",
		"init LOAN/applicants.csv LOAN/network.json --protected sex --out DIR/study.yaml",
		"train LOAN --epochs 1 --hidden 2 --out DIR/network.json",
		"audit LOAN --top 3 --groups --thresholds 0.2,0.5",
		"export LOAN --format lp --out DIR/",
		"explain LOAN --row 3 --samples 200 --test 100 --rules-out DIR/rules.json",
		"guard export DIR/rules.json",
		"guard LOAN DIR/rules.json",
		"mitigate LOAN --arms original,retrained+guards --budget 20it --solver none --strategy climb --epochs 1 --guardrails DIR/rules.json --unchecked --max-cost 1%",
		"plugin new search fresh --dir DIR",
		"soundness new DIR/bench --rungs 1",
	} {
		args := append([]string{"--plugin-dir", plugins, "--json"}, strings.Fields(strings.NewReplacer("LOAN", loanStudy, "DIR", dir).Replace(line))...)
		var out, said bytes.Buffer
		if Main(args, bytes.NewReader(few), &out, &said); out.Len() == 0 {
			t.Errorf("hyfair %s: no output; %s", line, &said)
		}
		validJSON(t, args, out.String())
	}
}

// compiled are the schemas in which no other properties may stand than those described.
var compiled = sync.OnceValues(strict)

// validJSON holds what a command printed with --json against the schemas of that command.
func validJSON(t testing.TB, args []string, stdout string) {
	t.Helper()
	if stdout == "" || !slices.Contains(args, "--json") {
		return
	}
	cmd, _, err := newRoot(&App{}).Find(args)
	if err != nil {
		t.Fatal(err)
	}
	object, err := jsonschema.UnmarshalJSON(strings.NewReader(stdout))
	if err != nil {
		t.Errorf("hyfair %s: %v", strings.Join(args, " "), err)
		return
	}
	all, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	if list, ok := object.(map[string]any)["reports"].([]any); ok { // on several runs
		object = list[0]
	}
	for name, value := range object.(map[string]any) {
		if list, ok := value.([]any); ok { // the rows of an audit, for example: thousands of one type
			object.(map[string]any)[name] = list[:min(len(list), 500)]
		}
	}
	_, of, _ := strings.Cut(cmd.CommandPath(), " ")
	var wrong []string
	for _, o := range outputs {
		if o.command != of && of != "report" { // which shows results of any command
			continue
		}
		err := all[schemaName(o.command, o.when)].Validate(object)
		if err == nil {
			return
		}
		if o.command == of {
			wrong = append(wrong, err.Error())
		}
	}
	t.Errorf("hyfair %s:\n%s", strings.Join(args, " "), strings.Join(wrong, "\n"))
}

// validLine holds a line of hyfair runs export against its schema.
func validLine(t *testing.T, line string) {
	t.Helper()
	all, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	event, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	if err == nil {
		err = all[schemaName("runs export", "of each line")].Validate(event)
	}
	if err != nil {
		t.Errorf("%s: %v", line, err)
	}
}
