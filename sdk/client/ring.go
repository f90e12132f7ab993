package client

import (
	"strings"
	"sync"
)

// ring keeps the last bytes written to it. Writes never fail and never block
// for long. Safe for concurrent use.
type ring struct {
	mu   sync.Mutex
	data []byte // grows to size, then wraps
	size int
	at   int // next byte to overwrite once full
}

func newRing(size int) *ring { return &ring{size: size} }

// Write implements io.Writer.
func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(p)
	if len(p) > r.size {
		p = p[len(p)-r.size:]
	}
	if room := r.size - len(r.data); room > 0 {
		k := min(room, len(p))
		r.data = append(r.data, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 {
		k := copy(r.data[r.at:], p)
		p = p[k:]
		r.at = (r.at + k) % r.size
	}
	return n, nil
}

// String returns the bytes held, oldest first; the first line may be cut.
func (r *ring) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.data[r.at:]) + string(r.data[:r.at])
}

// tail is the last lines of text within a limit of bytes, for an error message.
func tail(text string, limit int) string {
	text = strings.TrimSpace(text)
	if len(text) <= limit {
		return text
	}
	text = text[len(text)-limit:]
	if _, whole, found := strings.Cut(text, "\n"); found {
		text = whole
	}
	return "… " + strings.ToValidUTF8(text, "")
}
