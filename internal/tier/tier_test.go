package tier

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheVariableChoosesTheTier(t *testing.T) {
	for value, want := range map[string]int{"": 3, "long": 20} {
		t.Setenv(Variable, value)
		if got := Count(3, 20); got != want {
			t.Errorf("Count(3, 20) with %s=%q is %d, want %d", Variable, value, got, want)
		}
		ran := t.Run("long", func(t *testing.T) {
			NeedLong(t)
			if value != "long" {
				t.Error("ran below the long tier")
			}
		})
		if !ran {
			t.Errorf("%s=%q failed", Variable, value)
		}
	}
	t.Setenv(Variable, "lnog")
	defer func() {
		if recover() == nil {
			t.Error("a misspelt tier is taken for none")
		}
	}()
	Count(3, 20)
}

func TestDataIsWhereTheVariableSays(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "adult"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HYFAIR_DATA", dir)
	if got := NeedData(t, "adult"); got != dir {
		t.Errorf("%s, want %s", got, dir)
	}
	t.Run("without", func(t *testing.T) {
		NeedData(t, "bank")
		t.Error("ran without its data")
	})
}
