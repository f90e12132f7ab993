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

// Bounds on a rules file, far above what people can answer for.
const (
	maxBytes      = 1 << 20
	maxRules      = 10_000
	maxConditions = 1_000
	maxFeatures   = 1 << 16
	maxCategories = 1 << 16
	format        = "hyfair-guard"
)

// Read reads a rules file and holds it against the space that the rules are to
// be used in; s may be nil, for a file that is to be looked at alone. Errors
// name file, line and field.
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
		return nil, fmt.Errorf("more than %d bytes of rules", maxBytes)
	}
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	r := &Rules{}
	var rules []*node
	err = root.object(map[string]func(*node) error{
		"format": func(n *node) error {
			if n.value != format {
				return n.errorf("want %q, not %s", format, n.kind())
			}
			return nil
		},
		"version": func(n *node) error {
			if n.value != json.Number("1") {
				return n.errorf("%s; this program reads version %d", n.kind(), Version)
			}
			r.Version = Version
			return nil
		},
		"study":    func(n *node) error { return n.text(&r.Study) },
		"features": func(n *node) error { return n.list(maxFeatures, r.readFeature) },
		"rules": func(n *node) error { // read when the features are known, in whatever order they come
			return n.list(maxRules, func(item *node) error { rules = append(rules, item); return nil })
		},
	}, "format", "version", "features", "rules")
	if err != nil {
		return nil, err
	}
	known := map[string]*Feature{}
	for i := range r.Features {
		known[r.Features[i].Name] = &r.Features[i]
	}
	names := map[string]bool{}
	for _, n := range rules {
		rule, err := readRule(n, known)
		if err != nil {
			return nil, err
		}
		if names[rule.Name] {
			return nil, n.errorf("a second rule named %q", rule.Name)
		}
		names[rule.Name] = true
		r.Rules = append(r.Rules, rule)
	}
	return r, nil
}

func (r *Rules) readFeature(n *node) error {
	var f Feature
	err := n.object(map[string]func(*node) error{
		"name": func(n *node) error { return n.text(&f.Name) },
		"kind": func(n *node) error {
			for _, k := range []space.Kind{space.Integer, space.Categorical, space.Real} {
				if n.value == k.String() {
					f.Kind = k
					return nil
				}
			}
			return n.errorf("want integer, categorical or real, not %s", n.kind())
		},
		"categories": func(n *node) (err error) {
			f.Categories, err = texts(n, maxCategories)
			return err
		},
	}, "name", "kind")
	switch {
	case err != nil:
		return err
	case f.Name == "":
		return n.errorf("the name is empty")
	case slices.ContainsFunc(r.Features, func(g Feature) bool { return g.Name == f.Name }):
		return n.errorf("feature %q appears twice", f.Name)
	case (f.Kind == space.Categorical) != (len(f.Categories) > 0):
		return n.errorf("feature %q is %s: categorical features have categories, others have none", f.Name, f.Kind)
	}
	if len(f.Categories) == 0 {
		f.Categories = nil
	}
	r.Features = append(r.Features, f)
	return nil
}

// texts reads a list of different texts, none of them empty.
func texts(n *node, most int) ([]string, error) {
	out := []string{}
	seen := map[string]bool{}
	err := n.list(most, func(item *node) error {
		var text string
		if err := item.text(&text); err != nil {
			return err
		}
		if text == "" || seen[text] {
			return item.errorf("%q is empty or there already", text)
		}
		seen[text] = true
		out = append(out, text)
		return nil
	})
	return out, err
}

func readRule(n *node, known map[string]*Feature) (Rule, error) {
	var r Rule
	err := n.object(map[string]func(*node) error{
		"name": func(n *node) error { return n.text(&r.Name) },
		"why":  func(n *node) error { return n.text(&r.Why) },
		"conditions": func(n *node) error {
			return n.list(maxConditions, func(item *node) error {
				c, err := readCondition(item, known)
				r.Conditions = append(r.Conditions, c)
				return err
			})
		},
	}, "name", "conditions")
	switch {
	case err != nil:
		return r, err
	case r.Name == "":
		return r, n.errorf("the name is empty")
	case len(r.Conditions) == 0:
		return r, n.errorf("%w", errEverybody)
	}
	return r, nil
}

func readCondition(n *node, known map[string]*Feature) (Condition, error) {
	var c Condition
	err := n.object(map[string]func(*node) error{
		"feature": func(n *node) error { return n.text(&c.Feature) },
		"least":   func(n *node) error { return n.number(&c.Least) },
		"above":   func(n *node) error { return n.number(&c.Above) },
		"most":    func(n *node) error { return n.number(&c.Most) },
		"below":   func(n *node) error { return n.number(&c.Below) },
		"in": func(n *node) (err error) {
			c.In, err = texts(n, maxCategories)
			return err
		},
	}, "feature")
	if err == nil {
		if err = c.check(known[c.Feature]); err != nil {
			err = n.errorf("%w", err)
		}
	}
	return c, err
}

// check holds a condition against the feature it speaks of, nil for none.
func (c *Condition) check(f *Feature) error {
	bounded := c.Least != nil || c.Above != nil || c.Most != nil || c.Below != nil
	switch {
	case f == nil:
		return fmt.Errorf("feature %q is not among the file's features", c.Feature)
	case c.Least != nil && c.Above != nil || c.Most != nil && c.Below != nil:
		return errors.New(`give one of "least" and "above", one of "most" and "below"`)
	case f.Kind == space.Categorical && (bounded || c.In == nil):
		return fmt.Errorf(`feature %q is categorical and takes "in", nothing else`, c.Feature)
	case f.Kind != space.Categorical && (c.In != nil || !bounded):
		return fmt.Errorf(`feature %q is a number (%s) and takes "least", "above", "most" or "below", nothing else`, c.Feature, f.Kind)
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

// fits holds the file's features and rules against a space.
func (r *Rules) fits(s *space.Space) error {
	for i := range r.Features {
		f := &r.Features[i]
		k, ok := s.Index(f.Name)
		if !ok {
			continue // of no consequence unless a rule speaks of it
		}
		if have := &s.Features[k]; have.Kind != f.Kind {
			return fmt.Errorf("features[%d]: %q is %s in the file and %s in the study", i, f.Name, f.Kind, have.Kind)
		}
	}
	_, err := r.Predicates(s)
	return err
}

// The file's fields in the order they are written.
type (
	fileJSON struct {
		Format   string        `json:"format"`
		Version  int           `json:"version"`
		Study    string        `json:"study,omitempty"`
		Features []featureJSON `json:"features"`
		Rules    []ruleJSON    `json:"rules"`
	}
	featureJSON struct {
		Name       string   `json:"name"`
		Kind       string   `json:"kind"`
		Categories []string `json:"categories,omitempty"`
	}
	ruleJSON struct {
		Name       string      `json:"name"`
		Why        string      `json:"why,omitempty"`
		Conditions []Condition `json:"conditions"`
	}
)

// MarshalJSON writes the condition in the form of the file.
func (c Condition) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Feature string   `json:"feature"`
		Least   *float64 `json:"least,omitempty"`
		Above   *float64 `json:"above,omitempty"`
		Most    *float64 `json:"most,omitempty"`
		Below   *float64 `json:"below,omitempty"`
		In      []string `json:"in,omitempty"`
	}(c))
}

// Write writes the rules in the form that Parse reads back as they are. Rules
// that Parse would refuse are an error.
func Write(w io.Writer, r *Rules) error {
	out := fileJSON{Format: format, Version: Version, Study: r.Study, Features: []featureJSON{}, Rules: []ruleJSON{}}
	for _, f := range r.Features {
		out.Features = append(out.Features, featureJSON{f.Name, f.Kind.String(), f.Categories})
	}
	for _, rule := range r.Rules {
		out.Rules = append(out.Rules, ruleJSON{rule.Name, rule.Why, rule.Conditions})
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
