// Package shell writes commands that users can paste.
package shell

import (
	"fmt"
	"strings"
	"unicode"
)

// Word quotes a word of a command for a shell. Invisible and bidirectional characters are
// escaped as in bash, zsh and ksh.
func Word(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,=:") == "" {
		return word
	}
	if !strings.ContainsFunc(word, unseen) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var b strings.Builder
	for _, r := range word {
		switch {
		case unseen(r) && r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		case unseen(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return "$'" + b.String() + "'"
}

func unseen(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
