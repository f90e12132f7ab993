package plugins

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/client"
)

// InstallRequest asks for a plugin to be installed from a path. Force replaces the
// plugin of that name.
type InstallRequest struct {
	Path  string `json:"path"`
	Force bool   `json:"force,omitempty"`
}

// Installed is the answer to an InstallRequest and the JSON object of hyfair plugin
// install.
type Installed struct {
	// The plugin's name.
	Name string `json:"name"`
	// The kind: solver, strategy or model.
	Kind string `json:"kind"`
	// The plugin's version.
	Version string `json:"version"`
	// The installed program or folder.
	Path string `json:"path"`
	// The state: pinned.
	State string `json:"state"`
	// A plugin of the same name was replaced.
	Replaced bool `json:"replaced"`
	// The number of files copied and pinned.
	Files int `json:"files"`
}

// Install copies a plugin to the user's folder of plugins and pins it.
func Install(ctx context.Context, s *session.Session, r InstallRequest) (*Installed, error) {
	dir, err := discover.UserFolder()
	if err != nil {
		return nil, err
	}
	if err := s.Plugins.Free(r.Path, dir); err != nil {
		return nil, session.Mistake(err)
	}
	s.Work()
	in, err := discover.Install(ctx, r.Path, dir, r.Force, s.Plugins.Logger)
	if err != nil {
		return nil, err
	}
	f := in.Found
	return &Installed{f.Name, f.Kind.String(), in.Description.Version, f.Path, string(f.State), in.Replaced, in.Files}, nil
}

// Document says what was installed.
func (r *Installed) Document() *view.Document {
	word, files := "installed", "1 file"
	if r.Replaced {
		word = "installed in place of another"
	}
	if r.Files != 1 {
		files = fmt.Sprintf("%d files", r.Files)
	}
	return view.Of(view.Paragraph{fmt.Sprintf("%s %s %s %s: %s, %s, %s", r.Kind, r.Name, r.Version, word, r.Path, files, r.State)})
}

// UninstallRequest asks for an installed plugin to be removed; Kind is empty, solver,
// search or model.
type UninstallRequest struct {
	Name string `json:"name"`
	Kind string `json:"kind,omitempty"`
}

// Uninstalled is the answer to an UninstallRequest and the JSON object of hyfair
// plugin uninstall.
type Uninstalled struct {
	// The plugin's name.
	Name string `json:"name"`
	// The kind: solver, strategy or model.
	Kind string `json:"kind"`
	// The program or folder that was removed.
	Path string `json:"path"`
}

// Uninstall removes an installed plugin and its pin.
func Uninstall(ctx context.Context, s *session.Session, r UninstallRequest) (*Uninstalled, error) {
	kind, err := kindOf(r.Kind)
	if err != nil {
		return nil, err
	}
	dir, err := discover.UserFolder()
	if err != nil {
		return nil, err
	}
	s.Work()
	f, err := discover.Uninstall(ctx, dir, kind, r.Name)
	if err != nil {
		return nil, mistake(err)
	}
	return &Uninstalled{f.Name, f.Kind.String(), f.Path}, nil
}

// Document says what was removed.
func (r *Uninstalled) Document() *view.Document {
	return view.Of(view.Paragraph{fmt.Sprintf("%s %s uninstalled: %s", r.Kind, r.Name, r.Path)})
}

// kindOf parses --kind; 0 if it is not given.
func kindOf(word string) (client.Kind, error) {
	kind := discover.Kinds[word]
	if kind == 0 && word != "" {
		return 0, session.Mistake(fmt.Errorf("--kind %q: want solver, search or model", word))
	}
	return kind, nil
}

// mistake makes an error the user's, unless it concerns the file system or is an interrupt.
func mistake(err error) error {
	var file *fs.PathError
	var files *os.LinkError
	if errors.As(err, &file) || errors.As(err, &files) || errors.Is(err, context.Canceled) {
		return err
	}
	return session.Mistake(err)
}
