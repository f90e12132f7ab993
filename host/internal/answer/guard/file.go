package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/hyfair/hyfair/sdk/space"
)

// maxBytes is the size of the largest rules file, far more than people can review.
const maxBytes = 1 << 20

const format = "hyfair-guard"

// The file's fields in the order they are written.
type (
	fileJSON struct {
		Format   formatName    `json:"format"`
		Version  version       `json:"version"`
		Study    string        `json:"study,omitempty"`
		Features []featureJSON `json:"features"`
		Rules    []Rule        `json:"rules"`
	}
	featureJSON struct {
		Name       string   `json:"name"`
		Kind       kindName `json:"kind"`
		Categories []string `json:"categories,omitempty"`
		Missing    bool     `json:"missing,omitempty"`
	}

	formatName string
	version    float64
	kindName   string
)

func (f formatName) valid() error {
	if f != format {
		return fmt.Errorf("want %q, not the text %.40q", format, string(f))
	}
	return nil
}

func (v version) valid() error {
	if v != Version {
		return fmt.Errorf("got %v; this program reads version %d", float64(v), Version)
	}
	return nil
}

var kinds = []space.Kind{space.Integer, space.Categorical, space.Real}

// kind returns the index among kinds; −1 for an unknown name.
func (k kindName) kind() int {
	return slices.IndexFunc(kinds, func(known space.Kind) bool { return known.String() == string(k) })
}

func (k kindName) valid() error {
	if k.kind() < 0 {
		return fmt.Errorf("want integer, categorical or real, not the text %.40q", string(k))
	}
	return nil
}

// Read reads a rules file and checks it against the space in which the rules will
// be used; with a nil s it checks the file alone. Errors name file, line and
// field.
func Read(path string, s *space.Space) (*Rules, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r, err := Parse(text)
	if err == nil && s != nil {
		err = r.fits(s)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Parse reads the text of a rules file. Errors name line and field.
func Parse(text []byte) (*Rules, error) {
	if len(text) > maxBytes {
		return nil, fmt.Errorf("the rules have more than %d bytes, the largest size that is read", maxBytes)
	}
	var file fileJSON
	errorf, err := decode(text, &file)
	if err != nil {
		return nil, err
	}
	r := &Rules{Version: Version, Study: file.Study}
	known := map[string]*Feature{}
	for i := range file.Features {
		f, field := &file.Features[i], fmt.Sprintf("features[%d]", i)
		feature, err := f.read(field, errorf)
		if err != nil {
			return nil, err
		}
		if known[f.Name] != nil {
			return nil, errorf(field, "feature %q appears twice", f.Name)
		}
		known[f.Name] = feature
		r.Features = append(r.Features, *feature)
	}
	names := map[string]bool{}
	for i := range file.Rules {
		rule, field := &file.Rules[i], fmt.Sprintf("rules[%d]", i)
		switch {
		case rule.Name == "":
			return nil, errorf(field, "the name is empty")
		case len(rule.Conditions) == 0:
			return nil, errorf(field, "%w", errEverybody)
		case names[rule.Name]:
			return nil, errorf(field, "a second rule named %q", rule.Name)
		}
		names[rule.Name] = true
		for k := range rule.Conditions {
			c, field := &rule.Conditions[k], fmt.Sprintf("%s.conditions[%d]", field, k)
			if err := different(c.In, field+".in", errorf); err != nil {
				return nil, err
			}
			if err := c.check(known[c.Feature]); err != nil {
				return nil, errorf(field, "%w", err)
			}
		}
		r.Rules = append(r.Rules, *rule)
	}
	return r, nil
}

// read checks and converts a feature of the file.
func (f *featureJSON) read(field string, errorf func(field, format string, args ...any) error) (*Feature, error) {
	kind := kinds[f.Kind.kind()]
	switch {
	case f.Name == "":
		return nil, errorf(field, "the name is empty")
	case (kind == space.Categorical) != (len(f.Categories) > 0):
		return nil, errorf(field, "feature %q is %s: want categories for categorical features, and for no others", f.Name, kind)
	}
	return &Feature{Name: f.Name, Kind: kind, Categories: slices.Clip(f.Categories), Missing: f.Missing}, different(f.Categories, field+".categories", errorf)
}

// different refuses empty and repeated texts.
func different(texts []string, field string, errorf func(field, format string, args ...any) error) error {
	seen := map[string]bool{"": true}
	for i, text := range texts {
		if seen[text] {
			return errorf(fmt.Sprintf("%s[%d]", field, i), "%q is empty or repeated", text)
		}
		seen[text] = true
	}
	return nil
}

// check checks a condition against its feature, which is nil if the file lacks it.
func (c *Condition) check(f *Feature) error {
	bounded := c.bounded() || c.Missing
	switch {
	case f == nil:
		return fmt.Errorf("feature %q is not among the file's features", c.Feature)
	case c.Least != nil && c.Above != nil || c.Most != nil && c.Below != nil:
		return errors.New(`give at most one of "least" and "above", and at most one of "most" and "below"`)
	case f.Kind == space.Categorical && (bounded || c.In == nil):
		return fmt.Errorf(`feature %q is categorical and takes "in", nothing else`, c.Feature)
	case f.Kind != space.Categorical && (c.In != nil || !bounded):
		return fmt.Errorf(`feature %q is a number (%s) and takes "least", "above", "most", "below" or "missing", nothing else`, c.Feature, f.Kind)
	case c.Missing && (c.Most != nil || c.Below != nil || !f.Missing):
		return fmt.Errorf(`feature %q: "missing" needs a feature with "missing", and neither "most" nor "below"`, c.Feature)
	case c.In != nil && len(c.In) == 0:
		return fmt.Errorf("feature %q: no category satisfies the condition", c.Feature)
	}
	for _, name := range c.In {
		if !slices.Contains(f.Categories, name) {
			return fmt.Errorf("feature %q: no category %q", c.Feature, name)
		}
	}
	_, err := c.values(f.Kind)
	return err
}

// fits checks the file's features and rules against a space.
func (r *Rules) fits(s *space.Space) error {
	for i := range r.Features {
		f := &r.Features[i]
		k, ok := s.Index(f.Name)
		if !ok {
			continue // Predicates fails if a rule uses it
		}
		if have := &s.Features[k]; have.Kind != f.Kind {
			return fmt.Errorf("features[%d]: %q is %s in the file and %s in the study", i, f.Name, f.Kind, have.Kind)
		}
	}
	_, err := r.Predicates(s)
	return err
}

// Write writes the rules so that Parse reads the same rules back. Rules that
// Parse would refuse are an error.
func Write(w io.Writer, r *Rules) error {
	out := fileJSON{Format: format, Version: Version, Study: r.Study, Features: []featureJSON{}, Rules: append([]Rule{}, r.Rules...)}
	for _, f := range r.Features {
		out.Features = append(out.Features, featureJSON{f.Name, kindName(f.Kind.String()), f.Categories, f.Missing})
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(out); err != nil {
		return err
	}
	if _, err := Parse(text.Bytes()); err != nil {
		return fmt.Errorf("these rules cannot be written: %w", err)
	}
	_, err := w.Write(text.Bytes())
	return err
}
