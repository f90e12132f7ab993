package plugins

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/plugin/scaffold"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/shell"
	"github.com/hyfair/hyfair/host/internal/view"
)

// NewRequest asks for a new plugin.
type NewRequest struct {
	scaffold.Request
	// Kind is search, solver or model.
	Kind string
}

// Written is the answer to a NewRequest and the JSON object of hyfair plugin new.
type Written struct {
	// The plugin's name.
	Name string `json:"name"`
	// The kind: solver, strategy or model.
	Kind string `json:"kind"`
	// The language: go or python.
	Language string `json:"language"`
	// The project's folder.
	Path string `json:"path"`
	// The files in it, without the copy of the SDK.
	Files []string `json:"files"`
	// The sources of hyfair that it is built against; absent if they are not on this machine.
	SDK string `json:"sdk,omitempty"`
	// The next commands in order. The first changes the folder.
	Steps []scaffold.Step `json:"steps"`
}

// New writes a new plugin.
func New(_ context.Context, s *session.Session, r NewRequest) (*Written, error) {
	r.Request.Kind = discover.Kinds[r.Kind]
	if r.Request.Kind == 0 {
		return nil, session.Mistake(fmt.Errorf("kind of plugin %q: want search, solver or model", r.Kind))
	}
	if r.Language != scaffold.Go && r.Language != scaffold.Python {
		return nil, session.Mistake(fmt.Errorf("--language %q: want go or python", r.Language))
	}
	for _, f := range s.Plugins.Plugins {
		if f.Kind == r.Request.Kind && f.Name == r.Name {
			return nil, session.Mistake(fmt.Errorf("there is already a %s %s, at %s, and names must be unique: choose another", f.Kind, f.Name, f.Path))
		}
	}
	p, err := scaffold.Write(r.Request, thisProgram())
	if err != nil {
		return nil, mistake(err)
	}
	return &Written{p.Name, p.Kind.String(), string(p.Language), p.Path, p.Files, p.SDK, p.Steps}, nil
}

// thisProgram returns the command that starts this program in a shell in any folder.
func thisProgram() string {
	exe, err := os.Executable()
	if err != nil {
		return "hyfair"
	}
	if found, err := exec.LookPath("hyfair"); err == nil {
		there, err1 := filepath.EvalSymlinks(found)
		here, err2 := filepath.EvalSymlinks(exe)
		if err1 == nil && err2 == nil && there == here {
			return "hyfair"
		}
	}
	return shell.Word(exe)
}

// Document says what was written and what comes next.
func (r *Written) Document() *view.Document {
	next := &view.Facts{Title: "Next:"}
	for _, s := range r.Steps {
		switch {
		case s.Purpose == "":
			next.Add(s.Command)
		case len(s.Command) > 100: // padding to its width would move the other purposes out of sight
			next.Add(s.Command + "   # " + s.Purpose)
		default:
			next.Add(s.Command, " # "+s.Purpose)
		}
	}
	return view.Of(view.Paragraph{fmt.Sprintf("%s %s, in %s: %s", r.Kind, r.Name, r.Path, strings.Join(r.Files, ", "))}, next)
}
