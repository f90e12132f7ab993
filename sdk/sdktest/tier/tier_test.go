package tier

import "testing"

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
