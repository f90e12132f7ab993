package study

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/hyfair/hyfair/host/internal/system/files"
)

// Bounds on a study file. They keep hostile YAML (deep nesting, aliases of
// aliases) from taking more than a moment.
const (
	maxFileBytes = 256 << 10
	maxNodes     = 50_000 // after aliases are expanded
	maxDepth     = 32
)

// place is a position in a study file.
type place struct {
	file         string
	line, column int
}

type nodeKind uint8

const (
	nullNode nodeKind = iota
	scalarNode
	mappingNode
	sequenceNode
)

func (k nodeKind) String() string {
	return [...]string{"nothing", "a single value", "a mapping", "a list"}[k]
}

// node is a piece of a study file: YAML with its aliases and merge keys
// expanded. Scalars keep the text they were written with, so that 1.10, no
// and 0.05 stay what they are until something that knows the type reads them.
type node struct {
	kind    nodeKind
	text    string // of a scalar
	quoted  bool   // a scalar in quotes or a block: text, never a number
	entries []entry
	items   []*node
	at      place
	path    string // features.age.integer
}

type entry struct {
	key, value *node
}

// get finds the value of a key; nil if there is none or it is null.
func (n *node) get(key string) *node {
	if i := n.find(key); i >= 0 && n.entries[i].value.kind != nullNode {
		return n.entries[i].value
	}
	return nil
}

func (n *node) find(key string) int {
	for i := range n.entries {
		if n.entries[i].key.text == key {
			return i
		}
	}
	return -1
}

// readFile reads a study file. name is how messages call it. sum is given the
// file's bytes.
func readFile(path, name string, sum io.Writer) (*node, error) {
	f, _, err := files.Open(path)
	if err != nil {
		var e *os.PathError
		if errors.As(err, &e) {
			err = e.Err
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	sum.Write(src) // a hash: never fails
	return parse(src, name)
}

// parse reads one YAML document into nodes.
func parse(src []byte, name string) (root *node, err error) {
	if len(src) > maxFileBytes {
		return nil, &Fault{name, 1, 1, fmt.Sprintf("the file has more than %d KiB", maxFileBytes>>10)}
	}
	tokens := lexer.Tokenize(strings.TrimPrefix(string(src), "\ufeff"))
	if t := tooDeep(tokens); t != nil {
		return nil, faultAt(name, t, fmt.Sprintf("nested more than %d deep", maxDepth))
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		var syntax yaml.Error
		if errors.As(err, &syntax) && syntax.GetToken() != nil {
			return nil, faultAt(name, syntax.GetToken(), syntax.GetMessage())
		}
		return nil, &Fault{name, 1, 1, err.Error()}
	}
	c := converter{file: name, anchors: map[string]ast.Node{}}
	for i, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if root != nil {
			return nil, c.fault(file.Docs[i].Body, "a second document; a study is one")
		}
		if root, err = c.node(doc.Body, "", 0); err != nil {
			return nil, err
		}
	}
	if root == nil {
		return nil, &Fault{name, 1, 1, "the file is empty"}
	}
	return root, nil
}

// tooDeep looks for nesting that would take the recursive parser very deep:
// brackets within brackets, and block structure far to the right.
func tooDeep(tokens token.Tokens) *token.Token {
	const farRight = 400
	flow, marks := 0, 0
	for _, t := range tokens {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		}
		switch t.Type {
		case token.AnchorType, token.TagType, token.SequenceEntryType, token.MappingKeyType:
			marks++
		case token.CommentType:
		default:
			marks = 0
		}
		structural := t.Type == token.SequenceEntryType || t.Type == token.MappingKeyType || t.Type == token.MappingValueType
		if flow > maxDepth || marks > maxDepth || structural && flow <= 0 && t.Position.Column > farRight {
			return t
		}
	}
	return nil
}

func faultAt(file string, t *token.Token, message string) *Fault {
	f := &Fault{file, 1, 1, message}
	if t != nil && t.Position != nil {
		f.Line, f.Column = max(1, t.Position.Line), max(1, t.Position.Column)
	}
	return f
}

// converter turns syntax into nodes.
type converter struct {
	file    string
	anchors map[string]ast.Node
	nodes   int
}

func (c *converter) fault(n ast.Node, format string, args ...any) *Fault {
	return faultAt(c.file, n.GetToken(), fmt.Sprintf(format, args...))
}

func (c *converter) node(n ast.Node, path string, depth int) (*node, error) {
	if c.nodes++; c.nodes > maxNodes {
		return nil, c.fault(n, "more than %d values, aliases expanded", maxNodes)
	}
	if depth > maxDepth {
		return nil, c.fault(n, "nested more than %d deep", maxDepth)
	}
	at := c.fault(n, "")
	out := &node{kind: scalarNode, path: path, at: place{at.File, at.Line, at.Column}}
	switch n := n.(type) {
	case *ast.AnchorNode:
		// Named only when it is read: an alias within itself is unknown.
		inner, err := c.node(n.Value, path, depth+1)
		c.anchors[n.Name.GetToken().Value] = n.Value
		return inner, err
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		target, ok := c.anchors[name]
		if !ok {
			return nil, c.fault(n, "no anchor &%s before this", name)
		}
		return c.node(target, path, depth+1)
	case *ast.NullNode:
		out.kind = nullNode
	case *ast.MappingNode:
		return out, c.mapping(out, n.Values, depth)
	case *ast.MappingValueNode:
		return out, c.mapping(out, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out.kind = sequenceNode
		for i, item := range n.Values {
			child, err := c.node(item, fmt.Sprintf("%s[%d]", path, i), depth+1)
			if err != nil {
				return nil, err
			}
			out.items = append(out.items, child)
		}
	case *ast.LiteralNode:
		out.text, out.quoted = n.Value.Value, true
	case *ast.StringNode:
		t := n.GetToken().Type
		out.text, out.quoted = n.Value, t == token.SingleQuoteType || t == token.DoubleQuoteType
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		out.text = strings.TrimSpace(n.GetToken().Value)
	default:
		return nil, c.fault(n, "a study has no use for a %s here", strings.ToLower(n.Type().YAMLName()))
	}
	return out, nil
}

// mapping fills out with the entries, those of merge keys (<<) after the
// mapping's own, which win.
func (c *converter) mapping(out *node, values []*ast.MappingValueNode, depth int) error {
	out.kind = mappingNode
	seen := map[string]bool{}
	var merged []entry
	for i, v := range values {
		if i == 0 { // the token of a mapping is its first colon or brace
			at := c.fault(v.Key, "")
			out.at = place{at.File, at.Line, at.Column}
		}
		if v.Key.IsMergeKey() {
			from, err := c.node(v.Value, out.path, depth+1)
			if err != nil {
				return err
			}
			sources := []*node{from}
			if from.kind == sequenceNode {
				sources = from.items
			}
			for _, s := range sources {
				if s.kind != mappingNode {
					return c.fault(v.Value, "<< takes a mapping or a list of mappings, not %s", s.kind)
				}
				merged = append(merged, s.entries...)
			}
			continue
		}
		key, err := c.node(v.Key, "", depth+1)
		if err != nil {
			return err
		}
		if key.kind != scalarNode {
			return c.fault(v.Key, "a key is a single value")
		}
		if seen[key.text] {
			return c.fault(v.Key, "key %q appears twice", key.text)
		}
		seen[key.text] = true
		path := key.text
		if out.path != "" {
			path = out.path + "." + key.text
		}
		key.path = path
		value, err := c.node(v.Value, path, depth+1)
		if err != nil {
			return err
		}
		if value.kind == nullNode {
			value.at = key.at // where there is nothing, point at its name
		}
		out.entries = append(out.entries, entry{key, value})
	}
	for _, e := range merged {
		if !seen[e.key.text] {
			seen[e.key.text] = true
			out.entries = append(out.entries, e)
		}
	}
	return nil
}
