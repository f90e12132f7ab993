package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// node is a JSON value with its place, so that every error names line and field.
type node struct {
	line int
	path string
	// value is nil, a bool, a json.Number, a string, []*node, or []member.
	value any
}

type member struct {
	name  string
	value *node
}

// maxDepth is deeper than any rules file is.
const maxDepth = 16

// parse reads one JSON value, and nothing after it.
func parse(text []byte) (*node, error) {
	p := &parser{text: text, decoder: json.NewDecoder(bytes.NewReader(text))}
	p.decoder.UseNumber()
	root, err := p.value("", 0)
	if err != nil {
		return nil, err
	}
	if _, err := p.decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: something follows the object; a rules file is one object", p.line())
	}
	return root, nil
}

type parser struct {
	text    []byte
	decoder *json.Decoder
	// counted lines end before offset: what line adds to is linear in all.
	counted, offset int
}

// line is that of the token read last.
func (p *parser) line() int {
	to := min(int(p.decoder.InputOffset()), len(p.text))
	p.counted += bytes.Count(p.text[p.offset:to], []byte("\n"))
	p.offset = to
	return p.counted + 1
}

func (p *parser) token(path string) (json.Token, error) {
	t, err := p.decoder.Token()
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, at(1+bytes.Count(p.text, []byte("\n")), path, "the file ends in the middle")
	case err != nil:
		return nil, at(p.line(), path, "%v", err)
	}
	return t, nil
}

func at(line int, path, format string, args ...any) error {
	what := fmt.Errorf(format, args...)
	if path == "" {
		return fmt.Errorf("line %d: %w", line, what)
	}
	return fmt.Errorf("line %d: %s: %w", line, path, what)
}

func (p *parser) value(path string, depth int) (*node, error) {
	t, err := p.token(path)
	if err != nil {
		return nil, err
	}
	n := &node{line: p.line(), path: path, value: t}
	delimiter, ok := t.(json.Delim)
	if !ok {
		return n, nil
	}
	if depth >= maxDepth {
		return nil, n.errorf("nested more than %d deep", maxDepth)
	}
	if delimiter == '[' {
		items := []*node{}
		for p.decoder.More() {
			item, err := p.value(fmt.Sprintf("%s[%d]", path, len(items)), depth+1)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		n.value = items
	} else if n.value, err = p.members(path, depth); err != nil {
		return nil, err
	}
	_, err = p.token(path) // the closing delimiter
	return n, err
}

func (p *parser) members(path string, depth int) ([]member, error) {
	members := []member{}
	for p.decoder.More() {
		t, err := p.token(path)
		if err != nil {
			return nil, err
		}
		name := t.(string)                                                    // the decoder lets nothing else be a name
		inner := strings.TrimPrefix(fmt.Sprintf("%s.%.40s", path, name), ".") // names may be long
		if slices.ContainsFunc(members, func(m member) bool { return m.name == name }) {
			return nil, at(p.line(), inner, "given twice")
		}
		if len(members) >= maxMembers {
			return nil, at(p.line(), path, "more than %d fields", maxMembers)
		}
		value, err := p.value(inner, depth+1)
		if err != nil {
			return nil, err
		}
		members = append(members, member{name, value})
	}
	return members, nil
}

// maxMembers is more than any object of a rules file has.
const maxMembers = 16

func (n *node) errorf(format string, args ...any) error { return at(n.line, n.path, format, args...) }

// kind names the value in messages.
func (n *node) kind() string {
	switch v := n.value.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprint(v)
	case json.Number:
		return fmt.Sprintf("the number %.40s", v)
	case string:
		return fmt.Sprintf("the text %.40q", v)
	case []*node:
		return "a list"
	}
	return "an object"
}

// object hands each field to its reader; a field without one is an error, and
// so is one of needs that is not there.
func (n *node) object(readers map[string]func(*node) error, needs ...string) error {
	members, ok := n.value.([]member)
	if !ok {
		return n.errorf("want an object, not %s", n.kind())
	}
	for _, m := range members {
		read, ok := readers[m.name]
		if !ok {
			return m.value.errorf("there is no such field here")
		}
		if err := read(m.value); err != nil {
			return err
		}
	}
	for _, name := range needs {
		if !slices.ContainsFunc(members, func(m member) bool { return m.name == name }) {
			return n.errorf("%q is missing", name)
		}
	}
	return nil
}

func (n *node) list(most int, item func(*node) error) error {
	items, ok := n.value.([]*node)
	if !ok {
		return n.errorf("want a list, not %s", n.kind())
	}
	if len(items) > most {
		return n.errorf("%d entries; at most %d are read", len(items), most)
	}
	for _, i := range items {
		if err := item(i); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) text(to *string) error {
	v, ok := n.value.(string)
	if !ok {
		return n.errorf("want a text, not %s", n.kind())
	}
	*to = v
	return nil
}

func (n *node) number(to **float64) error {
	v, ok := n.value.(json.Number)
	if !ok {
		return n.errorf("want a number, not %s", n.kind())
	}
	f, err := v.Float64()
	if err != nil || math.IsInf(f, 0) {
		return n.errorf("%.40s is beyond the range of numbers", v)
	}
	*to = &f
	return nil
}
