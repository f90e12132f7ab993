// Package scaffold writes the first version of a plugin: a small strategy or
// solver, in Go or Python, that builds, passes the conformance suite and is
// found by the host, for its author to replace the idea in it by a better one.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/system/shell"
	"github.com/hyfair/hyfair/sdk/client"
)

// templates has a folder LANGUAGE-KIND for each project, and common for files
// of several. A file NAME.tmpl becomes NAME, its actions between « and »; of one
// that becomes empty nothing is written.
//
//go:embed all:templates
var templates embed.FS

// Language is what a project is written in.
type Language string

// The languages of the templates.
const (
	Go     Language = "go"
	Python Language = "python"
)

// Request says what to write.
type Request struct {
	Kind     client.Kind
	Name     string
	Language Language
	// Dir is the folder in which the project's own folder is made; empty: the
	// folder plugins of the hyfair tree that the working directory lies in, for
	// Go, else the working directory.
	Dir string
	// SDK is the root of a hyfair tree to build against; empty: the first that is
	// found, see FindSDK.
	SDK string
}

// Project is what was written.
type Project struct {
	Request
	// File is the name the host knows the plugin by, such as
	// hyfair-search-my-idea.
	File string
	// Path is the project's folder; Files are in it, in order of their names, without those of
	// the SDK's copy: see Bundles.
	Path  string
	Files []string
	// InTree tells that it lies in the hyfair tree's own folder of plugins, and
	// is part of its module.
	InTree bool
	// Steps lead from here to a comparison.
	Steps []Step
	// version of hyfair, if a module proxy has it; empty otherwise. asked: the user named the
	// tree.
	version string
	asked   bool
}

// Write makes the project's folder, which must not be there yet, and fills it.
// Where that fails the folder is removed again. hyfair is the host's program as
// the steps shall call it.
func Write(r Request, hyfair string) (*Project, error) {
	if err := CheckName(r.Name); err != nil {
		return nil, err
	}
	p, err := plan(r)
	if err != nil {
		return nil, err
	}
	files, err := p.render(hyfair)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.Dir, 0o755); err != nil {
		return nil, err
	}
	if err := os.Mkdir(p.Path, 0o755); errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s exists already and is not changed: choose another name or another --dir", p.Path)
	} else if err != nil {
		return nil, err
	}
	for _, f := range files {
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(f.text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(filepath.Join(p.Path, f.name), []byte(f.text), mode); err != nil {
			return nil, errors.Join(err, os.RemoveAll(p.Path))
		}
		p.Files = append(p.Files, f.name)
	}
	if p.Bundles() {
		if err := bundle(p.SDK, filepath.Join(p.Path, bundled)); err != nil {
			return nil, errors.Join(err, os.RemoveAll(p.Path))
		}
	}
	return p, nil
}

// plan decides where the project goes and what it is built against.
func plan(r Request) (*Project, error) {
	p := &Project{Request: r, File: discover.FileName(r.Kind, r.Name), version: published(), asked: r.SDK != ""}
	var err error
	if p.SDK, err = findSDK(r); err != nil {
		return nil, err
	}
	if p.Dir, err = filepath.Abs(r.Dir); err != nil {
		return nil, err
	}
	if around := upwards(p.Dir); r.Dir == "" && r.Language == Go && around != "" {
		p.Dir = filepath.Join(around, "plugins")
	}
	folder := p.File
	if r.Language == Go {
		// A folder with the plugin's own name would be taken for the plugin.
		folder = strings.TrimPrefix(p.File, "hyfair-")
		if tree := upwards(p.Dir); tree != "" && p.Dir == filepath.Join(tree, "plugins") {
			p.SDK, p.InTree = tree, true
		}
		if p.SDK == "" && p.version == "" {
			return nil, errors.New("a Go plugin is built against the sources of hyfair: give the folder that holds them with --sdk DIR")
		}
	}
	p.Path = filepath.Join(p.Dir, folder)
	return p, nil
}

type file struct{ name, text string }

// render fills the templates in.
func (p *Project) render(hyfair string) ([]file, error) {
	p.steps(hyfair)
	var out []file
	for _, folder := range []string{"common", string(p.Language) + "-" + discover.Word(p.Kind)} {
		entries, err := fs.ReadDir(templates, path.Join("templates", folder))
		if err != nil {
			return nil, fmt.Errorf("there is no template for a %s in %q; there are go and python", p.Kind, p.Language)
		}
		for _, e := range entries {
			text, err := fill(path.Join("templates", folder, e.Name()), p)
			if err != nil {
				return nil, err
			}
			if strings.TrimSpace(text) != "" {
				out = append(out, file{strings.TrimSuffix(e.Name(), ".tmpl"), text})
			}
		}
	}
	if p.Language == Go && !p.InTree {
		module, sums, err := p.module()
		if err != nil {
			return nil, err
		}
		out = append(out, file{"go.mod", module})
		if sums != "" {
			out = append(out, file{"go.sum", sums})
		}
	}
	return out, nil
}

func fill(name string, p *Project) (string, error) {
	t, err := template.New(path.Base(name)).Delims("«", "»").Option("missingkey=error").ParseFS(templates, name)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = t.Execute(&b, p)
	return b.String(), err
}

// Describes is a sentence on what the template does.
func (p *Project) Describes() string {
	switch {
	case p.Kind == client.Strategy && p.Language == Go:
		return "A walk on the round that strategies share: uphill, and now and then downhill."
	case p.Kind == client.Solver && p.Language == Go:
		return "It takes the MILP form and decides it by branch and bound in rational numbers, which is exact, and slow."
	}
	return ""
}

// Package is the project as the go command calls it in the folder of the steps.
func (p *Project) Package() string {
	if p.InTree {
		return "./plugins/" + filepath.Base(p.Path)
	}
	return "."
}

// Replaces reports whether the project's go.mod leads to sources in a folder, in place of a
// version that any machine can fetch: because --sdk was given, or this hyfair is of no
// such version.
func (p *Project) Replaces() bool {
	return p.Language == Go && !p.InTree && p.SDK != "" && (p.asked || p.version == "")
}

// Bundles reports whether these sources are a copy of the SDK in the project's own folder
// hyfair, so that the project builds on any machine.
func (p *Project) Bundles() bool { return p.Replaces() && !p.asked }

// Tree is SDK as a shell takes it.
func (p *Project) Tree() string { return shell.Word(p.SDK) }

// Study is a study to compare on: the example that comes with hyfair's sources,
// or where these are not known, a name to be replaced.
func (p *Project) Study() string {
	if p.SDK == "" {
		return "STUDY.yaml"
	}
	loan := filepath.Join(p.SDK, "studies", "loan")
	if p.InTree {
		if rel, err := filepath.Rel(p.Path, loan); err == nil {
			return rel
		}
	}
	return loan
}
