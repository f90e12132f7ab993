package cli

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// statusLine is one line of progress on standard error, rewritten in place. It
// stays silent with --json and where standard error is no terminal. Safe for
// concurrent use.
type statusLine struct {
	mu    sync.Mutex
	file  *os.File // nil: silent
	last  time.Time
	shown bool
}

// statusEvery is the shortest time between two rewrites.
const statusEvery = 100 * time.Millisecond

func newStatusLine(a *App) *statusLine {
	file, ok := a.Stderr.(*os.File)
	if a.JSON || !ok || !term.IsTerminal(int(file.Fd())) {
		return &statusLine{}
	}
	return &statusLine{file: file}
}

// show replaces the line, unless it was replaced a moment ago.
func (s *statusLine) show(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil || time.Since(s.last) < statusEvery {
		return
	}
	s.last, s.shown = time.Now(), true
	if width, _, err := term.GetSize(int(s.file.Fd())); err == nil {
		if runes := []rune(text); len(runes) >= width && width > 1 {
			text = string(runes[:width-1])
		}
	}
	fmt.Fprintf(s.file, "\r\x1b[K%s", text)
}

// clear takes the line away.
func (s *statusLine) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown {
		fmt.Fprint(s.file, "\r\x1b[K")
		s.shown = false
	}
}
