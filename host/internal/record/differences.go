package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// measured are result fields that depend on time, machine and journal, not on the question.
var measured = []string{
	"t", "seconds", "elapsed", "cpu", "cores", "load", "memory_held", "memory_peak", "memory_killed", "retried",
	"T.1st", "T.maxK", "run", "runs", "journal", "machine",
}

// mostDifferences is the largest number of fields that Differences names.
const mostDifferences = 10

// Differences lists the fields in which two results of a task, as JSON, differ, except the
// measured ones. Empty: the results are equal.
func Differences(a, b []byte) []string {
	if bytes.Equal(a, b) {
		return nil
	}
	var x, y any
	if decode(a, &x) != nil || decode(b, &y) != nil {
		return []string{"(no JSON)"}
	}
	strip(x)
	strip(y)
	return differ(nil, "", x, y)
}

// Essence returns the part of a result that Differences compares, equal for equal results.
func Essence(result []byte) ([]byte, error) {
	var of any
	if err := decode(result, &of); err != nil {
		return nil, err
	}
	strip(of)
	return json.Marshal(of)
}

func decode(text []byte, to *any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // equal numbers are written alike
	return d.Decode(to)
}

func strip(of any) {
	switch of := of.(type) {
	case map[string]any:
		for _, name := range measured {
			delete(of, name)
		}
		for _, v := range of {
			strip(v)
		}
	case []any:
		for _, v := range of {
			strip(v)
		}
	}
}

func differ(out []string, at string, x, y any) []string {
	if len(out) >= mostDifferences {
		return out
	}
	if x, ok := x.(map[string]any); ok {
		if y, ok := y.(map[string]any); ok {
			all := maps.Clone(x)
			maps.Copy(all, y)
			for _, name := range slices.Sorted(maps.Keys(all)) {
				path := name
				if at != "" {
					path = at + "." + name
				}
				out = differ(out, path, x[name], y[name])
			}
			return out
		}
	}
	if x, ok := x.([]any); ok {
		if y, ok := y.([]any); ok && len(x) == len(y) {
			for i := range x {
				out = differ(out, fmt.Sprintf("%s[%d]", at, i), x[i], y[i])
			}
			return out
		}
	}
	before, _ := json.Marshal(x) // what was decoded can be encoded
	now, _ := json.Marshal(y)
	if !bytes.Equal(before, now) {
		out = append(out, fmt.Sprintf("%s %s and %s", at, brief(before), brief(now)))
	}
	return out
}

func brief(text []byte) string {
	const most = 40
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}
