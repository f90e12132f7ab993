package export

import (
	"strconv"
	"strings"
)

// maxName is far below the 255 characters that readers allow, so that lines of the LP format
// stay short.
const maxName = 60

// names holds arbitrary names and, in the same order, legal ones that differ from each other.
type names struct{ old, new []string }

// legalNames makes names that free MPS and the LP format both read. A name consists of letters,
// digits, underscores and full stops, begins with a letter other than e, and is not a word of the
// LP format. Names differ even if a reader ignores case. Names that are legal already are kept;
// taken lists names already in use.
func legalNames[T any](list []T, nameOf func(*T) string, taken ...string) *names {
	out := &names{}
	used := make(map[string]bool, len(list))
	for _, name := range taken {
		used[strings.ToLower(name)] = true
	}
	next := map[string]int{}
	for i := range list {
		old := nameOf(&list[i])
		stem := legal(old)
		name := stem
		for used[strings.ToLower(name)] {
			key := strings.ToLower(stem)
			next[key] = max(2, next[key]+1)
			name = stem + "_" + strconv.Itoa(next[key])
		}
		used[strings.ToLower(name)] = true
		out.old, out.new = append(out.old, old), append(out.new, name)
	}
	return out
}

func legal(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '.':
			return r
		}
		return '_'
	}, name)
	if len(name) > maxName {
		name = name[:maxName]
	}
	if name == "" || !startsName(name[0]) || lpWords[strings.ToLower(name)] {
		name = "v_" + name
	}
	return name
}

// startsName reports whether a name may begin with c. It may not with e or E: "2 e5" would be a
// number.
func startsName(c byte) bool {
	return (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') && c != 'e' && c != 'E'
}

// lpWords holds the words that can begin a line or a bound of the LP format. It omits words that
// begin with e, because no legal name does.
var lpWords = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`max maximize maximise maximum min minimize minimise minimum
		multi objectives st st. s.t. such subject that to lazy user cuts constraints
		bounds bound free inf infinity int integer integers general generals gen
		bin binary binaries semi semis sec sin semicontinuous sos sos1 sos2 pwlobj nan`) {
		words[w] = true
	}
	return words
}()

// printable returns text in plain ASCII, safe in any encoding and within a comment's line:
// other characters become question marks.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
}
