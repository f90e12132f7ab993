// Command chameleon is a plugin whose kind and name are those of its file. With the name liar it
// reports another name, with the name broken it exits at once. $TESTPLUGIN_NOLIB lists the names of
// solvers that report a missing library.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/serve"
)

func main() {
	file := filepath.Base(os.Args[0])
	if len(os.Args) > 1 { // started by a plugin.yaml
		file = os.Args[1]
	}
	name, isSolver := strings.CutPrefix(file, "hyfair-solver-")
	name = strings.TrimPrefix(name, "hyfair-search-")
	if name == "broken" {
		fmt.Fprintln(os.Stderr, "the plugin's own last words")
		os.Exit(3)
	}
	if isSolver {
		serve.Solver(solver{name: name})
		return
	}
	serve.Strategy(strategy{name: name})
}

type solver struct {
	reference.Enumerator
	name string
}

func (s solver) Describe(ctx context.Context) (sdk.Description, error) {
	d, err := s.Enumerator.Describe(ctx)
	d.Name = s.name
	if s.name == "liar" {
		d.Name = "somebody-else"
	}
	found := !slices.Contains(strings.Split(os.Getenv("TESTPLUGIN_NOLIB"), ","), s.name)
	d.Libraries = []sdk.Library{{Name: "libexample", Found: found, Version: "1.2", Path: "/lib/libexample.so", Hint: "apt-get install libexample"}}
	if s.name == "bnb" {
		d.Serves = d.Serves[:2] // the network form only
	}
	return d, err
}

type strategy struct {
	reference.Wanderer
	name string
}

func (s strategy) Describe(ctx context.Context) (sdk.Description, error) {
	d, err := s.Wanderer.Describe(ctx)
	d.Name, d.Presets = s.name, nil
	if s.name != "plain" {
		d.Presets = []sdk.Preset{{Name: s.name, Summary: "as it is"}, {Name: s.name + "+short", Summary: "in short", Options: map[string]string{"rounds": "3"}}}
	}
	if s.name == "thief" {
		d.Presets = append(d.Presets, sdk.Preset{Name: "sa"}, sdk.Preset{Name: "sa+short"})
	}
	return d, err
}
