package hdf5

import "testing"

// The values of the hash's own test driver.
func TestLookup3(t *testing.T) {
	for text, want := range map[string]uint32{"": 0xdeadbeef, "Four score and seven years ago": 0x17770551} {
		if got := lookup3([]byte(text)); got != want {
			t.Errorf("lookup3(%q) = %#x, want %#x", text, got, want)
		}
	}
}

func TestFletcher32(t *testing.T) {
	// By hand: words 0x0102, 0x0300; low = 0x0402, high = 0x0102 + 0x0402.
	if got, want := fletcher32([]byte{1, 2, 3}), uint32(0x0504_0402); got != want {
		t.Errorf("fletcher32 = %#x, want %#x", got, want)
	}
	good := []byte{1, 2, 3, 0x02, 0x04, 0x04, 0x05}
	if body, err := stripFletcher32(good); err != nil || len(body) != 3 {
		t.Errorf("%v, %v", body, err)
	}
	good[1]++
	if _, err := stripFletcher32(good); err == nil {
		t.Error("a changed byte went unnoticed")
	}
	// A sum of 65535 is a remainder of 0, which HDF5 writes as 65535.
	if _, err := stripFletcher32([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}); err != nil {
		t.Error(err)
	}
}
