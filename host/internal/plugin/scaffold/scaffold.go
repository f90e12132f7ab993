// Package scaffold writes the first version of a plugin: a small strategy, solver
// or model, in Go or Python, that builds, passes the conformance suite and is
// found by the host. Its author then replaces the idea in it.
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

// templates has a folder LANGUAGE-KIND for each project, and a folder common for shared
// files. A file NAME.tmpl becomes NAME; its actions are between « and ». Files that become
// empty are not written.
//
//go:embed all:templates
var templates embed.FS

// Language is the language of a project.
type Language string

// The languages of the templates.
const (
	Go     Language = "go"
	Python Language = "python"
)

// Request describes the project to write.
type Request struct {
	Kind     client.Kind
	Name     string
	Language Language
	// Dir is the folder in which the project's folder is created. Empty: for Go the
	// folder plugins of the hyfair tree that contains the working directory, else the
	// working directory.
	Dir string
	// SDK is the root of a hyfair tree to build against; empty: the first one found,
	// see findSDK.
	SDK string
}

// Project is a written project.
type Project struct {
	Request
	// File is the name of the plugin's file, such as hyfair-search-my-idea.
	File string
	// Path is the project's folder, Files the files in it in order of their names, without those
	// of a copy of the SDK: see Bundles.
	Path  string
	Files []string
	// InTree: the project is in the folder plugins of the hyfair tree, and part of its
	// module.
	InTree bool
	// Steps are the next commands, up to a comparison or an audit.
	Steps []Step
	// version is hyfair's, if a module proxy has it, else empty. asked: the user named the
	// tree.
	version string
	asked   bool
}

// Write creates the project's folder, which must not exist, and its files. If it fails,
// the folder is removed. hyfair is the command of the host in the steps.
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
		// A folder with the plugin's name would count as the plugin.
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

// render executes the templates.
func (p *Project) render(hyfair string) ([]file, error) {
	p.steps(hyfair)
	var out []file
	for _, folder := range []string{"common", string(p.Language) + "-" + discover.Word(p.Kind)} {
		entries, err := fs.ReadDir(templates, path.Join("templates", folder))
		if err != nil {
			return nil, fmt.Errorf("there is no template for a %s in %q: want go or python", p.Kind, p.Language)
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

// Describes returns a sentence on what the template does.
func (p *Project) Describes() string {
	switch {
	case p.Kind == client.Strategy && p.Language == Go:
		return "A walk within the shared round of strategies: uphill, and now and then downhill."
	case p.Kind == client.Solver && p.Language == Go:
		return "It takes the MILP form and decides it by branch and bound in rational numbers, which is exact, and slow."
	case p.Kind == client.Model && p.Language == Go:
		return "A scorecard of four features, which the host asks for scores."
	}
	return ""
}

// Package returns the project's package for the go command in the folder of the steps.
func (p *Project) Package() string {
	if p.InTree {
		return "./plugins/" + filepath.Base(p.Path)
	}
	return "."
}

// Replaces reports whether the project's go.mod points to sources in a folder instead of a
// version that any machine can fetch: because --sdk was given, or because this hyfair has
// no such version.
func (p *Project) Replaces() bool {
	return p.Language == Go && !p.InTree && p.SDK != "" && (p.asked || p.version == "")
}

// Bundles reports whether the project has a copy of the SDK in its own folder hyfair, so that it
// builds on any machine.
func (p *Project) Bundles() bool { return p.Replaces() && !p.asked }

// Tree returns SDK, quoted for a shell.
func (p *Project) Tree() string { return shell.Word(p.SDK) }

// Study returns a study to compare on, or with data for a model: the example in hyfair's sources, or if these are
// unknown, a placeholder.
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
