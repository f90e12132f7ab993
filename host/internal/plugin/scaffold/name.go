package scaffold

import (
	"fmt"
	"regexp"
	"slices"
)

// maxName bounds the length of names, since the paths of plugins' sockets must be short.
const maxName = 40

var nameShape = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// reserved are values of --solver and --strategy with a meaning of their own.
var reserved = []string{"none", "all", "default"}

// CheckName returns an error if a new plugin cannot have the name: it must have lower-case
// letters, digits and single dashes between them, a letter first. Names occur in file
// names, options and tables; a + is for presets.
func CheckName(name string) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("the name %q has more than %d characters: choose a shorter one", name, maxName)
	case !nameShape.MatchString(name):
		return fmt.Errorf("the name %q: want lower-case letters and digits, a letter first, with single dashes between them, such as my-idea", name)
	case slices.Contains(reserved, name):
		return fmt.Errorf("the name %q has a meaning of its own on the command line: choose another", name)
	}
	return nil
}
