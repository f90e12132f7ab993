package chain

import "testing"

// A memory forgets the oldest and stays bounded.
func TestMemory(t *testing.T) {
	var m Memory
	number := func(i int) string { return Key([]float64{float64(i)}) }
	for i := range 3 * maxMemory {
		if k := number(i); !m.Add(k) || m.Add(k) {
			t.Fatalf("%d is not new once", i)
		}
	}
	if n := len(m.young) + len(m.old); n > 2*maxMemory || m.Has(number(0)) || !m.Has(number(3*maxMemory-1)) {
		t.Errorf("%d are remembered, the first: %v", n, m.Has(number(0)))
	}
}
