// Package tier says how much a test does. There are three tiers, and each asserts all that
// the tiers below it assert:
//
//	make check      go test -short ./...             before each commit
//	make test       go test ./...                    each package, with reduced counts
//	make test-long  HYFAIR_TEST=long go test ./...   all counts, all seeds, the long referees
//
// It imports nothing of this module, so every package's internal tests can use it.
package tier

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Variable is the environment variable that chooses the long tier. Its only value is
// "long".
const Variable = "HYFAIR_TEST"

// Long reports whether the long tier is asked for.
func Long() bool {
	switch value := os.Getenv(Variable); value {
	case "":
		return false
	case "long":
		return true
	default:
		panic(fmt.Sprintf("%s is %q: it can only be long, or unset", Variable, value))
	}
}

// Count returns the number of seeds, questions or repetitions of a test: in the long tier
// its second argument, else its first.
func Count(usual, long int) int {
	if Long() {
		return long
	}
	return usual
}

// Checks sets the number of draws of the test's rapid.Check: the number given, and at least
// 100 in the long tier, unless the flag -rapid.checks of go test sets it. With -short it is
// the same number: rapid then takes a fifth of the flag's value, which Checks makes up for,
// because a test needs a minimum of draws.
func Checks(t testing.TB, usual int) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	if before := f.Value.String(); before == f.DefValue {
		n := Count(usual, max(usual, 100))
		if testing.Short() {
			n *= 5
		}
		f.Value.Set(strconv.Itoa(n))
		t.Cleanup(func() { f.Value.Set(before) })
	}
}

// NeedLong skips the test below the long tier.
func NeedLong(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skipf("SKIPPED %s: it takes long; set %s=long (make test-long) to run it", t.Name(), Variable)
	}
}

// NeedUsual skips the test if go test has the flag -short, as in make check.
func NeedUsual(t testing.TB) {
	t.Helper()
	if testing.Short() && !Long() {
		t.Skipf("SKIPPED %s: it does more than a quick check; make test runs it", t.Name())
	}
}

// NeedData returns the folder with the public data sets and networks: $HYFAIR_DATA, or ../shared/data next
// to the repository. It skips the test if the folder does not contain the given path.
func NeedData(t testing.TB, path ...string) (root string) {
	t.Helper()
	root = os.Getenv("HYFAIR_DATA")
	if root == "" {
		dir, err := os.Getwd() // the package's
		if err != nil {
			t.Fatal(err)
		}
		for at := filepath.Dir(dir); !isModule(dir) && at != dir; at = filepath.Dir(dir) {
			dir = at
		}
		root = filepath.Join(filepath.Dir(dir), "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(append([]string{root}, path...)...)); err != nil {
		t.Skipf("SKIPPED %s: no public data (%v); hyfair fetch brings it, HYFAIR_DATA names its folder", t.Name(), err)
	}
	return root
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
