package space

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names in predicates: separators, a double dot and outer blanks are written
// with a backslash before them.

// indexUnescaped finds the first sep that has no backslash before it, or −1.
func indexUnescaped(text, sep string) int {
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
		} else if strings.HasPrefix(text[i:], sep) {
			return i
		}
	}
	return -1
}

func cutUnescaped(text, sep string) (before, after string, found bool) {
	if i := indexUnescaped(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}

func splitUnescaped(text, sep string) []string {
	var parts []string
	for {
		part, rest, found := cutUnescaped(text, sep)
		parts = append(parts, part)
		if !found {
			return parts
		}
		text = rest
	}
}

// trim cuts blanks at both ends, except an escaped blank at the end.
func trim(text string) string {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	cut := strings.TrimRightFunc(text, unicode.IsSpace)
	slashes := len(cut) - len(strings.TrimRight(cut, `\`))
	if slashes%2 == 1 {
		_, blank := utf8.DecodeRuneInString(text[len(cut):])
		cut = text[:len(cut)+blank]
	}
	return cut
}

// unescape trims a name and removes the backslashes that escape a character. A
// backslash before any other character stays.
func unescape(text string) string {
	text = trim(text)
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if next, _ := utf8.DecodeRuneInString(text[i+1:]); text[i] == '\\' && special(next) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// escape is the inverse of unescape.
func escape(name string) string {
	inner := strings.TrimSpace(name)
	start := strings.Index(name, inner)
	end := start + len(inner)
	var b strings.Builder
	for i, r := range name {
		outer := i < start || i >= end
		if outer || strings.ContainsRune(`\,|=`, r) || strings.HasPrefix(name[i:], "..") {
			b.WriteByte('\\')
		}
		b.WriteString(name[i : i+width(name[i:])])
	}
	return b.String()
}

func special(r rune) bool { return strings.ContainsRune(`\,|=.`, r) || unicode.IsSpace(r) }

func width(text string) int {
	_, n := utf8.DecodeRuneInString(text)
	return n
}
