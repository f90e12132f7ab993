package fetch

import (
	"bytes"
	"testing"
)

// FuzzContentRange: whatever a server says is read without a panic, and only a
// number that is there counts as a beginning.
func FuzzContentRange(f *testing.F) {
	for _, seed := range []string{"bytes 5-9/10", "bytes 0-0/*", "bytes */10", "", "bytes -1-2/3", "5-/", "bytes 99999999999999999999-/1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, whole, ok := contentRange(text)
		if ok && first < 0 || whole < -1 {
			t.Errorf("%q reads as %d of %d", text, first, whole)
		}
	})
}

// FuzzMember: no archive makes the reader panic or give more than it may.
func FuzzMember(f *testing.F) {
	f.Add([]byte("PK\x05\x06" + string(make([]byte, 18))))
	f.Add([]byte("PK\x03\x04 and no more"))
	f.Fuzz(func(t *testing.T, archive []byte) {
		content, err := one(bytes.NewReader(archive), int64(len(archive)), "a.data")
		if err == nil && len(content) > maxFile {
			t.Errorf("%d bytes", len(content))
		}
	})
}
