package client

import (
	"testing"
	"time"
)

// A grace of 10 s and 60 s for handing over, second by second.
func TestPatience(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(1000+int64(s), 0) }
	for _, c := range []struct {
		name string
		do   func(*pulse)
		now  int
		want int
	}{
		{"silent", func(p *pulse) { p.begin(at(0), 0) }, 4, 6},
		{"silent for too long", func(p *pulse) { p.begin(at(0), 0) }, 10, 0},
		{"part of the grace is used up", func(p *pulse) { p.begin(at(0), 3*time.Second) }, 4, 3},
		{"pieces came", func(p *pulse) { p.begin(at(0), 3*time.Second); p.arrived(at(6)); p.taken(at(6)) }, 8, 8},
		{"pieces came long ago", func(p *pulse) { p.begin(at(0), 0); p.arrived(at(6)); p.taken(at(6)) }, 17, 0},
		{"pieces are worked on", func(p *pulse) { p.begin(at(0), 0); p.arrived(at(1)) }, 500, 10},
		{"they were, for long", func(p *pulse) { p.begin(at(0), 0); p.arrived(at(1)); p.taken(at(500)) }, 502, 8},
		{"they were, since before", func(p *pulse) { p.arrived(at(-90)); p.begin(at(0), 0); p.taken(at(70)) }, 72, 8},
		{"work before counts for nothing", func(p *pulse) {
			p.arrived(at(-100))
			p.taken(at(-1))
			p.begin(at(0), 0)
			for s := 1; s < 59; s += 5 {
				p.arrived(at(s))
				p.taken(at(s))
			}
		}, 58, 2},
		{"pieces without end", func(p *pulse) {
			p.begin(at(0), 0)
			for s := range 70 {
				p.arrived(at(s))
				p.taken(at(s))
			}
		}, 70, 0},
		{"unwanted pieces came", func(p *pulse) { p.begin(at(0), 0); p.unheeded(at(2)); p.arrived(at(6)); p.taken(at(6)) }, 8, 4},
		{"unwanted while they are worked on", func(p *pulse) { p.begin(at(0), 0); p.arrived(at(1)); p.unheeded(at(2)) }, 12, 0},
	} {
		var p pulse
		c.do(&p)
		if got := p.patience(at(c.now), 10*time.Second, 60*time.Second); got != time.Duration(c.want)*time.Second {
			t.Errorf("%s: %v more, want %d s", c.name, got, c.want)
		}
	}
}
