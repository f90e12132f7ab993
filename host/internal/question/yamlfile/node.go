package yamlfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits of a file. They bound the time for hostile YAML: deep nesting, aliases of aliases.
const (
	maxFileBytes = 1 << 20
	maxNodes     = 200_000 // after aliases are expanded
	maxDepth     = 32
)

// Kind is the kind of a Node.
type Kind uint8

// The kinds of nodes.
const (
	Null Kind = iota
	Scalar
	Mapping
	Sequence
)

// String names the kind in messages.
func (k Kind) String() string {
	return [...]string{"nothing", "a single value", "a mapping", "a list"}[k]
}

// Node is a value of a file: YAML with its aliases and merge keys expanded. Scalars keep their text
// as written, so that 1.10, no and 0.05 are unchanged until a reader that knows the type reads them.
type Node struct {
	Kind    Kind
	Text    string // the text of a scalar
	Quoted  bool   // a scalar in quotes or a block: a text, never a number
	Entries []Entry
	Items   []*Node
	At      Place
	Path    string // features.age.integer
}

// Entry is a key of a mapping with its value.
type Entry struct {
	Key, Value *Node
}

// Get finds the value of a key; nil if there is none or it is null.
func (n *Node) Get(key string) *Node {
	for _, e := range n.Entries {
		if e.Key.Text == key && e.Value.Kind != Null {
			return e.Value
		}
	}
	return nil
}

// Want is Get, but returns a null node at the place of the mapping instead of nil.
func (n *Node) Want(key string) *Node {
	if value := n.Get(key); value != nil {
		return value
	}
	return &Node{At: n.At, Path: join(n.Path, key)}
}

// List returns the items of a list, or a single value as the only item; none for null or nil.
func (n *Node) List() []*Node {
	switch {
	case n == nil || n.Kind == Null:
		return nil
	case n.Kind == Sequence:
		return n.Items
	}
	return []*Node{n}
}

func join(path, key string) string { return strings.TrimPrefix(path+"."+key, ".") }

// Parse reads the single YAML document of the file at path. what names the kind of file in
// messages, such as "a study".
func Parse(text []byte, path, what string) (root *Node, err error) {
	c := converter{file: path, what: what, anchors: map[string]ast.Node{}}
	if len(text) > maxFileBytes {
		return nil, c.fault(nil, "the file has more than %d KiB", maxFileBytes>>10)
	}
	tokens := lexer.Tokenize(strings.TrimPrefix(string(text), "\ufeff"))
	if t := tooDeep(tokens); t != nil {
		return nil, c.fault(t, "nested more than %d deep", maxDepth)
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		var syntax yaml.Error
		if errors.As(err, &syntax) {
			return nil, c.fault(syntax.GetToken(), "%s", syntax.GetMessage())
		}
		return nil, c.fault(nil, "%v", err)
	}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if root != nil {
			return nil, c.fault(doc.Body.GetToken(), "a second document begins here; %s has one", what)
		}
		if root, err = c.node(doc.Body, "", 0); err != nil {
			return nil, err
		}
	}
	if root == nil {
		return nil, c.fault(nil, "the file is empty")
	}
	return root, nil
}

// tooDeep returns a token whose nesting would take the recursive parser very deep, by brackets
// within brackets or by block structure far to the right; nil if there is none.
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

// converter turns syntax into nodes.
type converter struct {
	file, what string
	anchors    map[string]ast.Node
	nodes      int
}

func (c *converter) place(t *token.Token) Place {
	if t == nil || t.Position == nil {
		return Place{c.file, 1, 1}
	}
	return Place{c.file, max(1, t.Position.Line), max(1, t.Position.Column)}
}

func (c *converter) fault(t *token.Token, format string, args ...any) *Fault {
	return &Fault{c.place(t), fmt.Sprintf(format, args...)}
}

func (c *converter) node(n ast.Node, path string, depth int) (*Node, error) {
	at := n.GetToken()
	if c.nodes++; c.nodes > maxNodes {
		return nil, c.fault(at, "more than %d values, aliases expanded", maxNodes)
	}
	if depth > maxDepth {
		return nil, c.fault(at, "nested more than %d deep", maxDepth)
	}
	out := &Node{Kind: Scalar, Path: path, At: c.place(at)}
	switch n := n.(type) {
	case *ast.AnchorNode:
		// Stored only after it was read, so that an alias within its own anchor is unknown.
		inner, err := c.node(n.Value, path, depth+1)
		c.anchors[n.Name.GetToken().Value] = n.Value
		return inner, err
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		target, ok := c.anchors[name]
		if !ok {
			return nil, c.fault(at, "no anchor &%s before this", name)
		}
		return c.node(target, path, depth+1)
	case *ast.NullNode:
		out.Kind = Null
	case *ast.MappingNode:
		return out, c.mapping(out, n.Values, depth)
	case *ast.MappingValueNode:
		return out, c.mapping(out, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out.Kind = Sequence
		for i, item := range n.Values {
			child, err := c.node(item, fmt.Sprintf("%s[%d]", path, i), depth+1)
			if err != nil {
				return nil, err
			}
			out.Items = append(out.Items, child)
		}
	case *ast.LiteralNode:
		out.Text, out.Quoted = n.Value.Value, true
	case *ast.StringNode:
		out.Text, out.Quoted = n.Value, at.Type == token.SingleQuoteType || at.Type == token.DoubleQuoteType
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		out.Text = strings.TrimSpace(at.Value)
	default:
		return nil, c.fault(at, "%s has no use for a %s here", c.what, strings.ToLower(n.Type().YAMLName()))
	}
	return out, nil
}

// mapping sets the entries of the node. Those of merge keys (<<) follow the mapping's own entries,
// which take precedence.
func (c *converter) mapping(out *Node, values []*ast.MappingValueNode, depth int) error {
	out.Kind = Mapping
	seen := map[string]bool{}
	var merged []Entry
	for i, v := range values {
		at := v.Key.GetToken()
		if i == 0 { // the token of a mapping is its first colon or brace
			out.At = c.place(at)
		}
		if v.Key.IsMergeKey() {
			from, err := c.node(v.Value, out.Path, depth+1)
			if err != nil {
				return err
			}
			for _, s := range from.List() {
				if s.Kind != Mapping {
					return c.fault(v.Value.GetToken(), "<< takes a mapping or a list of mappings, not %s", s.Kind)
				}
				merged = append(merged, s.Entries...)
			}
			continue
		}
		key, err := c.node(v.Key, "", depth+1)
		if err != nil {
			return err
		}
		if key.Kind != Scalar {
			return c.fault(at, "want a single value as a key")
		}
		if seen[key.Text] {
			return c.fault(at, "key %q appears twice", key.Text)
		}
		seen[key.Text] = true
		key.Path = join(out.Path, key.Text)
		value, err := c.node(v.Value, key.Path, depth+1)
		if err != nil {
			return err
		}
		if value.Kind == Null {
			value.At = key.At // an empty value has no place
		}
		out.Entries = append(out.Entries, Entry{key, value})
	}
	for _, e := range merged {
		if !seen[e.Key.Text] {
			seen[e.Key.Text] = true
			out.Entries = append(out.Entries, e)
		}
	}
	return nil
}
