package plugins

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/client"
)

// Checkup asks whether this machine can run hyfair.
type Checkup struct {
	// Data is the folder of paths that begin with data:; empty: none was named.
	Data string `json:"data,omitempty"`
}

// Diagnosis is the answer to a Checkup and the JSON object of hyfair doctor.
type Diagnosis struct {
	// OK: at least one solver can be used.
	OK bool `json:"ok"`
	// The version of hyfair; outside a release with the commit, or (devel) and the beginning of its file's
	// checksum.
	Version string `json:"version"`
	// The machine.
	Machine Machine `json:"machine"`
	Listed
	// The data root.
	Data Data `json:"data"`
	// Advice lists what to do, the most needed first; empty if all is well.
	Advice []string `json:"advice"`
}

// Machine describes this machine.
type Machine struct {
	// The version of Go.
	Go string `json:"go"`
	record.Machine
}

// Data is the folder of the data.
type Data struct {
	// The path; empty if none is set.
	Path string `json:"path"`
	// The folder exists.
	Found bool `json:"found"`
}

// Diagnose answers a Checkup.
func Diagnose(ctx context.Context, s *session.Session, r Checkup) (*Diagnosis, error) {
	list, all := listed(ctx, s.Plugins)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	d := &Diagnosis{
		Version: session.Build(), Listed: *list, Data: Data{Path: r.Data}, Advice: []string{},
		Machine: Machine{runtime.Version(), session.Machine()},
	}
	usable := map[client.Kind]int{}
	var fixes []string
	for i := range all {
		l := &all[i]
		if l.Usable() {
			usable[l.Kind]++
		}
		fixes = append(fixes, missing(l)...)
	}
	if d.OK = usable[client.Solver] > 0; !d.OK {
		d.Advice = append(d.Advice, "no solver can be used, so nothing can be certified: run make setup && make build")
	}
	if usable[client.Strategy] == 0 {
		d.Advice = append(d.Advice, "no strategy can be used, so nothing can be searched: run make build")
	}
	d.Advice = append(d.Advice, fixes...)
	if info, err := os.Stat(r.Data); r.Data != "" && err == nil && info.IsDir() {
		d.Data.Found = true
	} else if r.Data != "" {
		d.Advice = append(d.Advice, fmt.Sprintf("the data folder %s does not exist: check --data or $HYFAIR_DATA", r.Data))
	}
	return d, nil
}

// missing says what would make the plugin usable.
func missing(l *discover.Listing) (fixes []string) {
	if l.Err != nil {
		return []string{fmt.Sprintf("%s %s does not start: see its error above, or remove %s", l.Kind, l.Name, l.Path)}
	}
	for _, lib := range l.Description.Libraries {
		if !lib.Found {
			fixes = append(fixes, fmt.Sprintf("%s for %s %s: %s", lib.Name, l.Kind, l.Name, lib.Hint))
		}
	}
	return fixes
}

// Document shows the diagnosis.
func (d *Diagnosis) Document() *view.Document {
	m := d.Machine
	machine := fmt.Sprintf("hyfair %s, %s, %s", d.Version, m.Go, m.Machine)
	plugins, data := &view.Facts{Title: "plugins"}, &view.Facts{Title: "data"}
	for i := range d.Plugins {
		p := &d.Plugins[i]
		mark := "ok     "
		switch {
		case p.Error != "":
			mark = "BROKEN "
		case !p.Usable:
			mark = "MISSING"
		}
		plugins.Add(mark + "  " + p.title())
		below := func(text string) {
			plugins.Add(under + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+under))
		}
		for _, l := range p.Libraries {
			below(library(&l))
			if l.Problem != "" {
				below(l.Problem)
			}
		}
		if p.Error != "" {
			below(p.Error)
		}
	}
	if len(d.Plugins) == 0 {
		plugins.Add("none found (hyfair plugins says where they are looked for)")
	}
	switch {
	case d.Data.Found:
		data.Add("ok       " + d.Data.Path)
	case d.Data.Path != "":
		data.Add("MISSING  " + d.Data.Path)
	default:
		data.Add("not set  studies of public data need --data or $HYFAIR_DATA; the shipped example does not")
	}
	out := view.Of(view.Paragraph{machine}, plugins, data)
	if len(d.Advice) == 0 {
		out.Add(view.Paragraph{"All is well."})
	} else {
		out.Add(&view.List{Title: "what to do", Items: d.Advice})
	}
	return out
}

// under indents a line by the width of a plugin's mark.
const under = "         "
