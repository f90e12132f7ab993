package main

import (
	"fmt"
	"slices"
	"strings"
)

// command is one top-level command of a script.
type command struct {
	text string
	// words are the elements directly inside the outer parentheses: atoms, names without
	// their bars, and lists as text.
	words []string
	line  int // from 1
	start int // where text begins
}

// scan splits a script into its commands. It handles parentheses, comments, quoted names
// and strings, and leaves the content of commands to Z3.
func scan(text string) ([]command, error) {
	var out []command
	var open []int // positions of the parentheses that are open
	var words []string
	line, from := 1, 1
	for at := 0; at < len(text); {
		c := text[at]
		end := at + 1
		word, isWord := "", false
		switch {
		case c == '\n':
			line++
		case c == ' ' || c == '\t' || c == '\r':
		case c < ' ':
			return nil, fmt.Errorf("line %d: control character %#x is not allowed", line, c)
		case c == ';':
			if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
				end = at + n
			} else {
				end = len(text)
			}
		case c == '(':
			if len(open) == 0 {
				words, from = nil, line
			}
			open = append(open, at)
		case c == ')':
			if len(open) == 0 {
				return nil, fmt.Errorf("line %d: unexpected )", line)
			}
			start := open[len(open)-1]
			if open = open[:len(open)-1]; len(open) == 0 {
				out = append(out, command{text[start:end], words, from, start})
			} else if len(open) == 1 {
				words = append(words, text[start:end])
			}
		case c == '|' || c == '"':
			n := strings.IndexByte(text[end:], c)
			if n < 0 {
				return nil, fmt.Errorf("line %d: the text ends inside %c…%c", line, c, c)
			}
			word, isWord = text[end:end+n], true
			if strings.IndexByte(word, 0) >= 0 {
				return nil, fmt.Errorf("line %d: control character 0x0 is not allowed", line)
			}
			line += strings.Count(word, "\n")
			end += n + 1
		default:
			for end < len(text) && !strings.ContainsRune(" \t\r\n();|\"", rune(text[end])) {
				if text[end] < ' ' {
					return nil, fmt.Errorf("line %d: control character %#x is not allowed", line, text[end])
				}
				end++
			}
			word, isWord = text[at:end], true
		}
		if isWord {
			if len(open) == 0 {
				return nil, fmt.Errorf("line %d: want a command in parentheses, not %q", line, word)
			}
			if len(open) == 1 {
				words = append(words, word)
			}
		}
		at = end
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("line %d: a parenthesis is never closed", from)
	}
	return out, nil
}

// The commands that a script may contain in addition to assert and set-logic. All others are
// refused, because some make Z3 solve, print or exit.
var (
	declaring = []string{"declare-const", "declare-fun", "declare-sort"}
	defining  = []string{"define-fun", "define-const", "define-sort"}
	dropped   = []string{"set-info", "set-option"}
)

// chunk is a checked piece of script, as loaded or as one delta adds it.
type chunk struct {
	// text is for Z3. Commands that Z3 must not see are blanked out, so that lines and
	// columns stay.
	text string
	// names are the commands that declare and define, in order.
	names []command
	// constants maps the declared constants to their sorts.
	constants map[string]string
	logic     string
}

// readChunk checks the commands of a piece of script.
func readChunk(text string) (*chunk, error) {
	commands, err := scan(text)
	if err != nil {
		return nil, err
	}
	out := &chunk{constants: map[string]string{}}
	clean := []byte(text)
	for _, c := range commands {
		head := ""
		if len(c.words) > 0 {
			head = c.words[0]
		}
		switch {
		case head == "assert":
		case slices.Contains(declaring, head), slices.Contains(defining, head):
			out.names = append(out.names, c)
			out.note(c)
		case slices.Contains(dropped, head):
			blank(clean[c.start : c.start+len(c.text)])
		case head == "set-logic":
			blank(clean[c.start : c.start+len(c.text)])
			if len(c.words) == 2 {
				out.logic = c.words[1]
			}
		default:
			return nil, fmt.Errorf("line %d: command %q; want only assert, set-logic, set-info, set-option, declare-const, declare-fun, declare-sort, define-const, define-fun and define-sort", c.line, head)
		}
	}
	out.text = string(clean)
	return out, nil
}

// note records the sort of a declared constant; (declare-fun f () Int) declares one, too.
func (k *chunk) note(c command) {
	w := c.words
	switch {
	case w[0] == "declare-const" && len(w) == 3:
		k.constants[w[1]] = w[2]
	case w[0] == "declare-fun" && len(w) == 4 && strings.Join(strings.Fields(w[2]), "") == "()":
		k.constants[w[1]] = w[3]
	}
}

func blank(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}

// prelude returns the commands that must precede text so that it can use the names that the
// chunks declare and define. Definitions may be long; they are included only if the text
// mentions one.
func prelude(chunks []*chunk, text string) string {
	needed := false
	for _, k := range chunks {
		for _, c := range k.names {
			needed = needed || slices.Contains(defining, c.words[0]) && len(c.words) > 1 && strings.Contains(text, c.words[1])
		}
	}
	var b strings.Builder
	for _, k := range chunks {
		for _, c := range k.names {
			if needed || slices.Contains(declaring, c.words[0]) {
				b.WriteString(c.text)
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}
