package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/hyfair/hyfair/host/internal/view"
)

// statusLine is one line of progress on standard error, rewritten in place. It
// stays silent with --json and if standard error is not a terminal. A text that stays
// unchanged for a while is shown with its age. With --progress json each text is a line
// of its own, at least one a second. Safe for concurrent use.
type statusLine struct {
	mu    sync.Mutex
	file  *os.File      // nil: silent, or lines of JSON
	lines chan []byte   // lines of JSON for write, which drops them while no one reads; nil: none
	done  chan struct{} // closed when write ends
	text  string        // the last text received
	also  string        // shown after the text
	told  time.Time     // when it was received, or when the line was cleared
	last  time.Time     // time of the last rewrite
	shown bool
	ended bool
}

// The values of --progress.
const (
	progressLine = "line"
	progressJSON = "json"
)

const (
	// statusEvery is the shortest time between two rewrites.
	statusEvery = 100 * time.Millisecond
	// statusQuiet is the interval at which the age of an unchanged line is updated.
	statusQuiet = time.Second
	// statusPatience is the longest wait at the end for a reader of lines of JSON.
	statusPatience = time.Second
)

func newStatusLine(a *App) *statusLine {
	said, _ := a.Stderr.(*diagnostics)
	if said == nil {
		return &statusLine{}
	}
	if a.Progress == progressJSON {
		s := &statusLine{lines: make(chan []byte, 1), done: make(chan struct{}), told: time.Now()}
		go s.write(said.to, a.interrupt)
		go s.tick()
		return s
	}
	file, ok := said.to.(*os.File)
	if a.JSON || !ok || !isTerminal(file) {
		return &statusLine{}
	}
	s := &statusLine{file: file, told: time.Now()}
	go s.tick()
	return s
}

// show sets the text, and rewrites the line if the last rewrite was at least statusEvery ago.
func (s *statusLine) show(text string) { s.set(&s.text, text) }

// beside sets what is shown after the text, as show does.
func (s *statusLine) beside(text string) { s.set(&s.also, text) }

func (s *statusLine) set(part *string, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*part, s.told = text, time.Now()
	if s.file == nil && s.lines == nil || s.ended || time.Since(s.last) < statusEvery {
		return
	}
	s.put(s.text)
}

// tick updates the age of a text that stays unchanged.
func (s *statusLine) tick() {
	for range time.Tick(statusQuiet) {
		s.mu.Lock()
		if s.ended {
			s.mu.Unlock()
			return
		}
		if s.lines != nil && !s.ended {
			s.put(s.text)
		} else if quiet := time.Since(s.told); quiet >= 2*statusQuiet && s.text != "" {
			s.put(fmt.Sprintf("%s (%s ago)", s.text, view.Seconds(quiet.Truncate(time.Second).Seconds())))
		}
		s.mu.Unlock()
	}
}

// put rewrites the line, cut to the terminal's width. mu must be held.
func (s *statusLine) put(text string) {
	s.last = time.Now()
	if s.also != "" {
		text = strings.TrimPrefix(text+" · "+s.also, " · ")
	}
	text = view.OneLine(text)
	if s.lines != nil {
		line, err := json.Marshal(map[string]string{"progress": text})
		if err != nil {
			return
		}
		select {
		case s.lines <- append(line, '\n'):
		default: // the earlier line is still unread
		}
		return
	}
	s.shown = true
	if width, _, err := term.GetSize(int(s.file.Fd())); err == nil {
		if runes := []rune(text); len(runes) >= width && width > 1 {
			text = string(runes[:width-1])
		}
	}
	fmt.Fprintf(s.file, "\r\x1b[K%s", text)
}

// write writes lines of JSON until there are no more. It calls lost if one cannot be written: the caller is gone, and with
// it the reader of the result.
func (s *statusLine) write(to io.Writer, lost func()) {
	defer close(s.done)
	for line := range s.lines {
		if _, err := to.Write(line); err != nil && lost != nil {
			lost()
		}
	}
}

// clear removes the line until the next text.
func (s *statusLine) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told = time.Now(); s.shown {
		fmt.Fprint(s.file, "\r\x1b[K")
		s.shown = false
	}
}

// end removes the line for good.
func (s *statusLine) end() {
	s.clear()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lines != nil && !s.ended {
		close(s.lines)
		select {
		case <-s.done:
		case <-time.After(statusPatience):
		}
	}
	s.ended = true
}
