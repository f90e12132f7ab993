// Package tier says how much a test asks. There are three tiers, and whatever a
// lower one asserts is asserted by those above it too:
//
//	make check      go test -short ./...             before each commit
//	make test       go test ./...                    each package, with reduced counts
//	make test-long  HYFAIR_TEST=long go test ./...   all counts, all seeds, the long referees
//
// A package that tests itself from the inside can use it whatever it is: it
// imports nothing of this module.
package tier

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Variable is the environment variable that chooses the long tier: its only value
// is "long".
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

// Count is how many seeds, questions or repetitions a test takes: long in the long
// tier, else usual.
func Count(usual, long int) int {
	if Long() {
		return long
	}
	return usual
}

// Checks is how often the test's rapid.Check draws: usual times, and 100 times or more in the
// long tier, unless the flag -rapid.checks of go test says otherwise. It is as often with
// -short, where rapid takes a fifth of the flag's number: few draws that a test is sound with
// would else be too few.
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
		t.Skipf("SKIPPED %s: it takes long; %s=long (make test-long) runs it", t.Name(), Variable)
	}
}

// NeedUsual skips the test where go test has the flag -short, as make check gives it.
func NeedUsual(t testing.TB) {
	t.Helper()
	if testing.Short() && !Long() {
		t.Skipf("SKIPPED %s: it does more than a quick check; make test runs it", t.Name())
	}
}

// NeedData is the folder with the public data sets and networks: $HYFAIR_DATA, or ../shared/data beside the
// repository. Where the file or folder of this path is not in it, the test is skipped.
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
