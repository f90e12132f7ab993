package study_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hyfair/hyfair/host/internal/question/study"
)

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(studies + "study.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// instance is a YAML text as the schema sees it.
func instance(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	j, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(strings.NewReader(string(j)))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSchemaAcceptsStudies: whatever loads must look right in an editor.
func TestSchemaAcceptsStudies(t *testing.T) {
	s := schema(t)
	files, err := filepath.Glob(studies + "*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("only %v: %v", files, err)
	}
	more, err := filepath.Glob(studies + "*/study.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(append(files, more...), peopleStudy+"/study.yaml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nstudies:") {
			continue // an experiment on studies
		}
		if err := s.Validate(instance(t, text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if !strings.HasPrefix(string(text), "# yaml-language-server: $schema=") {
			t.Errorf("%s: does not name its schema in the first line", file)
		}
		if _, err := study.Load(file, study.Options{NoModel: true}); err != nil {
			t.Error(err)
		}
	}
}

// TestSchemaRefusesFaults: mistakes of shape are seen by an editor too.
func TestSchemaRefusesFaults(t *testing.T) {
	s := schema(t)
	shapes := 0
	for _, f := range faults {
		if !f.shape {
			continue
		}
		shapes++
		if err := s.Validate(instance(t, []byte(f.text))); err == nil {
			t.Errorf("%s: the schema accepts\n%s", f.name, f.text)
		}
	}
	if shapes < 10 {
		t.Errorf("only %d faults of shape", shapes)
	}
}

// TestSchemaHasTheSameKeys holds the schema's mappings against the reader's.
func TestSchemaHasTheSameKeys(t *testing.T) {
	text, err := os.ReadFile(studies + "study.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Defs map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for shape, want := range study.Shapes {
		got := properties(file.Defs[shape])
		want := slices.Sorted(slices.Values(want))
		if !slices.Equal(got, want) {
			t.Errorf("%s: the schema has %v, the reader %v", shape, got, want)
		}
	}
}

// properties lists the keys of the one mapping that a definition describes.
func properties(def any) []string {
	switch d := def.(type) {
	case map[string]any:
		if p, ok := d["properties"].(map[string]any); ok {
			var keys []string
			for k := range p {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			return keys
		}
		return properties(d["anyOf"])
	case []any:
		for _, one := range d {
			if keys := properties(one); keys != nil {
				return keys
			}
		}
	}
	return nil
}
