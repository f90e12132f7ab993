// Package named handles things that have names: the values of an enumeration, and choices
// that users make by name.
package named

import (
	"fmt"
	"reflect"
	"strings"
)

// Of returns the name of a value of an enumeration that begins at 1, or "Status(9)" for an
// unknown value.
func Of[T ~uint8](v T, names ...string) string {
	if i := int(v) - 1; i >= 0 && i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", reflect.TypeFor[T]().Name(), uint8(v))
}

// Find returns the element with the name. The error states the kind and lists the known
// names.
func Find[T any](list []T, nameOf func(T) string, kind, name string) (found T, err error) {
	names := make([]string, len(list))
	for i, v := range list {
		if names[i] = nameOf(v); names[i] == name {
			return v, nil
		}
	}
	return found, fmt.Errorf("unknown %s %q; known: %s", kind, name, strings.Join(names, ", "))
}
