// Package yamlfile reads the YAML files that say what to run: a shape of text
// fields, every mistake reported with file, line and column, and nothing in a
// hostile file that takes memory or depth. Study files, which are larger, have a
// reader of their own (package study).
package yamlfile

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/hyfair/hyfair/host/internal/system/files"
)

// Bounds on a file.
const (
	maxBytes = 64 << 10
	maxDepth = 16
)

// Read reads a file of at most 64 KiB.
func Read(path string) (string, error) {
	f, _, err := files.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && len(text) > maxBytes {
		err = fmt.Errorf("%s: more than %d KiB", path, maxBytes>>10)
	}
	return string(text), err
}

// HasKey reports whether the path is a file with this key at its top level.
// What cannot be read has none.
func HasKey(path, key string) bool {
	text, err := Read(path)
	if err != nil {
		return false
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, key+":") {
			return true
		}
	}
	return false
}

// Reader is a file whose shape was read. What is wrong with its values is
// collected: see Fault and Err.
type Reader struct {
	path   string
	syntax *ast.File
	faults []error
}

// Decode reads text into a shape, a pointer to a struct with yaml tags; keys
// that it lacks are errors. path names the file in errors, and what is what it is
// called there: "a comparison file".
func Decode(text, path, what string, shape any) (*Reader, error) {
	tokens := lexer.Tokenize(strings.TrimPrefix(text, "\ufeff"))
	if t, why := unwanted(tokens, what); t != nil {
		return nil, fmt.Errorf("%s:%d:%d: %s", path, t.Position.Line, t.Position.Column, why)
	}
	syntax, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, located(path, err)
	}
	if err := yaml.NewDecoder(strings.NewReader(text), yaml.Strict()).Decode(shape); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("the file is empty")
		}
		return nil, located(path, err)
	}
	return &Reader{path: path, syntax: syntax}, nil
}

// unwanted finds what such a file has no use for and the YAML package trips
// over: tags, anchors and aliases, and nesting that takes its recursive parser
// deep.
func unwanted(tokens token.Tokens, what string) (at *token.Token, why string) {
	depth, marks := 0, 0
	for _, t := range tokens {
		if t.Position == nil {
			continue
		}
		switch t.Type {
		case token.TagType, token.AnchorType, token.AliasType, token.MergeKeyType:
			return t, fmt.Sprintf("%s: %s has no tags, anchors and aliases", t.Value, what)
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType, token.MappingKeyType:
			marks++
		case token.StringType, token.IntegerType, token.FloatType:
			marks = 0
		}
		if depth > maxDepth || marks > maxDepth {
			return t, "nested too deep"
		}
	}
	return nil, ""
}

// located gives an error of the YAML package its place in the file.
func located(path string, err error) error {
	var syntax yaml.Error
	if errors.As(err, &syntax) && syntax.GetToken() != nil && syntax.GetToken().Position != nil {
		at := syntax.GetToken().Position
		return fmt.Errorf("%s:%d:%d: %s", path, at.Line, at.Column, syntax.GetMessage())
	}
	return fmt.Errorf("%s:1:1: %w", path, err)
}

// Fault reports what is wrong at a place such as $.arms[1].notion, or at the
// nearest one around it that exists.
func (r *Reader) Fault(place string, format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf("%s: %s: %s", r.At(place), strings.TrimPrefix(place, "$."), fmt.Sprintf(format, args...)))
}

// At is where a place is, as file:line:column.
func (r *Reader) At(place string) string {
	line, column := 1, 1
	for at := place; at != "$" && at != ""; at = at[:max(0, strings.LastIndexAny(at, ".["))] {
		if t := begin(r.node(at)); t != nil && t.Position != nil {
			line, column = t.Position.Line, t.Position.Column
			break
		}
	}
	return fmt.Sprintf("%s:%d:%d", r.path, line, column)
}

// begin is the first token of a node; of a mapping, which calls its colon so,
// that of its first key.
func begin(node ast.Node) *token.Token {
	switch n := node.(type) {
	case nil:
		return nil
	case *ast.MappingNode:
		if len(n.Values) > 0 && !n.IsFlowStyle {
			return n.Values[0].Key.GetToken()
		}
	case *ast.MappingValueNode:
		return n.Key.GetToken()
	}
	return node.GetToken()
}

// node is what is at a place; nil for nothing.
func (r *Reader) node(place string) ast.Node {
	p, err := yaml.PathString(place)
	if err != nil {
		return nil
	}
	node, err := p.FilterFile(r.syntax)
	if err != nil {
		return nil
	}
	return node
}

// Keys are the keys of the mapping at a place, in the file's order; none where
// there is no mapping.
func (r *Reader) Keys(place string) []string {
	var keys []string
	switch node := r.node(place).(type) {
	case *ast.MappingNode:
		for _, v := range node.Values {
			keys = append(keys, v.Key.GetToken().Value)
		}
	case *ast.MappingValueNode: // of one key
		keys = append(keys, node.Key.GetToken().Value)
	}
	return keys
}

// Integer reads the whole number at a place; empty text is 0.
func (r *Reader) Integer(place, text string, lo, hi int64) int64 {
	if text == "" {
		return 0
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < lo || v > hi {
		r.Fault(place, "%q is no whole number from %d to %d", text, lo, hi)
		return 0
	}
	return v
}

// Err is all faults together; nil for none.
func (r *Reader) Err() error { return errors.Join(r.faults...) }
