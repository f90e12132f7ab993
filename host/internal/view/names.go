package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const cut = "…"

// shortened returns a text that fits, with its middle cut out if it has to.
func shortened(text string, fits func(string) bool) string {
	runes := []rune(text)
	for keep := len(runes); keep > 0 && !fits(text); keep-- {
		text = string(runes[:(keep+1)/2]) + cut + string(runes[len(runes)-keep/2:])
	}
	return text
}

// ShortNames shortens names as legends of figures do, see shortNames.
func ShortNames(names []string) []string {
	return shortNames(names, fits(textStyle(small), mostLegend*width-sampleWidth))
}

// shortNames shortens names until they fit, and keeps them distinct. Words common to all names
// that do not fit are dropped first, then the keys of key=value. Names that became equal are numbered.
func shortNames(names []string, fits func(string) bool) []string {
	out := slices.Clone(names)
	for _, shorter := range []func(long []string, name string) string{withoutCommon, withoutKeys} {
		long := slices.DeleteFunc(slices.Clone(out), fits)
		for i := range out {
			if len(long) > 0 {
				out[i] = cmp.Or(shorter(long, out[i]), out[i])
			}
		}
	}
	for i := range out {
		out[i] = shortened(out[i], fits)
	}
	short := slices.Clone(out)
	for i, name := range short {
		if slices.Contains(short[:i], name) || slices.Contains(short[i+1:], name) {
			number := fmt.Sprintf("%d: ", i+1)
			out[i] = number + shortened(names[i], func(s string) bool { return fits(number + s) })
		}
	}
	return out
}

// spaced blanks names that would overlap. fits returns a function that reports whether a name
// fits into a number of columns.
func spaced(names []string, fits func(columns int) func(string) bool) []string {
	out := make([]string, len(names))
	for step := 1; step <= len(names); step++ {
		room, all := fits(step), true
		for i := 0; i < len(names); i += step {
			all = all && room(names[i])
		}
		if last := step > len(names)/2; !all && !last {
			continue
		}
		for i := 0; i < len(names); i += step {
			out[i] = shortened(names[i], room)
		}
		break
	}
	return out
}

// withoutCommon returns a name without the words that all long names share.
func withoutCommon(long []string, name string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(name), func(word string) bool {
		return !slices.ContainsFunc(long, func(other string) bool { return !slices.Contains(strings.Fields(other), word) })
	}), " ")
}

// withoutKeys returns a name with only the values of its key=value words.
func withoutKeys(_ []string, name string) string {
	words := strings.Fields(name)
	for i, word := range words {
		words[i] = word[strings.IndexByte(word, '=')+1:]
	}
	return strings.Join(words, " ")
}

// wrapped splits a text into lines that fit.
func wrapped(text string, fits func(string) bool) (lines []string) {
	for _, word := range strings.Fields(text) {
		if n := len(lines) - 1; n >= 0 && fits(lines[n]+" "+word) {
			lines[n] += " " + word
			continue
		}
		lines = append(lines, shortened(word, fits))
	}
	return lines
}
