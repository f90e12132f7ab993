package scaffold

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/system/shell"
	"github.com/hyfair/hyfair/sdk/client"
)

// Step is a command and its purpose.
type Step struct {
	// A command for a shell.
	Command string `json:"command"`
	// The command's purpose; absent for the first.
	Purpose string `json:"purpose,omitempty"`
}

// steps sets the commands from the new project to a comparison or an audit. The first one changes to
// the folder in which the others run.
func (p *Project) steps(hyfair string) {
	add := func(purpose string, words ...string) {
		p.Steps = append(p.Steps, Step{strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " "), purpose})
	}
	add("", "cd", p.place())
	plugin, dir := p.plugin(), p.pluginDir()
	if p.Language == Go {
		if !p.Replaces() && !p.InTree {
			add("fetches its modules", "go mod tidy")
		}
		add("builds "+plugin, p.Build())
	} else {
		add("its own tests, without a host", plugin+"/run --test")
	}
	add("the conformance suite, over the wire", hyfair, "plugin test", plugin)
	within := "" // the folder with the project's YAML file
	switch {
	case p.InTree:
		within = "plugins/" + filepath.Base(p.Path) + "/"
	case p.Language == Python:
		within = p.File + "/"
	}
	switch p.Kind {
	case client.Solver:
		study := shell.Word(p.Study())
		if p.InTree {
			study = "studies/loan"
		}
		question := ""
		if p.SDK != "" {
			question = loanQuestion
		}
		add("asks it and another solver the same question", hyfair, "compare", study, "--solvers", p.Name+",highs", question, "--budget 20s --runs 1", dir)
	case client.Strategy:
		add("runs it, sa and rw with equal budgets", hyfair, "ablate", within+"compare.yaml", dir)
	case client.Model:
		add("asks it about everybody in the example, and their copies", hyfair, "audit", within+"study.yaml", dir)
	}
}

// loanQuestion is a question about studies/loan that a simple solver can answer.
const loanQuestion = "--protected sex --where income=5,credit_rating=8,debt_ratio=0,years_employed=10,loan_amount=1,purpose=car,housing=rent"

// place returns the folder in which the steps run.
func (p *Project) place() string {
	switch {
	case p.InTree:
		return shell.Word(p.SDK)
	case p.Language == Python:
		return shell.Word(p.Dir)
	}
	return shell.Word(p.Path)
}

// Build returns the command that builds a Go plugin.
func (p *Project) Build() string {
	if p.InTree {
		return "go build -o " + p.plugin() + " ./plugins/" + filepath.Base(p.Path)
	}
	return "go build -o bin/ ."
}

// plugin returns the plugin's path from place.
func (p *Project) plugin() string {
	switch {
	case p.Language == Python:
		return "./" + p.File
	case p.InTree:
		return "bin/plugins/" + p.File
	}
	return "bin/" + p.File
}

// pluginDir returns the flag that makes the host search the plugin's folder; empty if it
// does so by itself.
func (p *Project) pluginDir() string {
	switch {
	case p.Language == Python:
		return "--plugin-dir ."
	case p.InTree:
		return ""
	}
	return "--plugin-dir bin"
}
