package discover

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"

	"github.com/hyfair/hyfair/sdk/client"
)

// manifestName is the file that makes a folder a plugin.
const manifestName = "plugin.yaml"

// maxManifest bounds the size of a plugin.yaml.
const maxManifest = 64 << 10

// manifest is a plugin.yaml:
//
//	kind: strategy              # or solver; must agree with the folder's name
//	language: python            # optional
//	command: [python3, main.py] # program and arguments, started in the folder
//
// A program with a slash, or one in the folder, is relative to the folder; any other is
// looked up in $PATH.
type manifest struct {
	Kind     string   `yaml:"kind"`
	Language string   `yaml:"language"`
	Command  []string `yaml:"command"`
}

// readManifest reads the plugin.yaml of a folder; kind is that of the folder's name. Errors
// name the file and the line.
func readManifest(folder string, kind client.Kind) (manifest, error) {
	path := filepath.Join(folder, manifestName)
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return manifest{}, fmt.Errorf("%s has no %s", folder, manifestName)
	}
	if err != nil {
		return manifest{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err != nil {
		return manifest{}, err
	}
	if len(text) > maxManifest {
		return manifest{}, fmt.Errorf("%s is larger than %d bytes", path, maxManifest)
	}
	m, err := parseManifest(text, kind)
	if err != nil {
		return manifest{}, fmt.Errorf("%s:%w", path, err)
	}
	m.Command[0], err = resolve(folder, m.Command[0])
	if err != nil {
		return manifest{}, fmt.Errorf("%s:%w", path, atLine(lineOf(text, "$.command"), err))
	}
	return m, nil
}

// parseManifest reads and checks the text; an error begins with the line.
func parseManifest(text []byte, kind client.Kind) (m manifest, err error) {
	// The YAML module panics on some malformed input, such as a sequence that consists of
	// a tag only.
	defer func() {
		if p := recover(); p != nil {
			m, err = manifest{}, atLine(1, errors.New("malformed YAML"))
		}
	}()
	if err := yaml.UnmarshalWithOptions(text, &m, yaml.Strict()); err != nil {
		var where yaml.Error
		if errors.As(err, &where) && where.GetToken() != nil {
			return m, atLine(where.GetToken().Position.Line, errors.New(where.GetMessage()))
		}
		return m, atLine(1, err)
	}
	switch {
	case m.Kind == "":
		return m, atLine(1, errors.New("kind is missing: want solver or strategy"))
	case m.Kind != kind.String():
		return m, atLine(lineOf(text, "$.kind"), fmt.Errorf("kind is %q; the folder's name says %s", m.Kind, kind))
	case len(m.Command) == 0 || strings.TrimSpace(m.Command[0]) == "":
		return m, atLine(max(1, lineOf(text, "$.command")), errors.New("command is missing: want a list of the program and its arguments, such as [python3, main.py]"))
	}
	return m, nil
}

func atLine(line int, err error) error { return fmt.Errorf("%d: %w", line, err) }

// lineOf returns the line of the value at a YAML path; 0 if there is none.
func lineOf(text []byte, path string) int {
	p, err := yaml.PathString(path)
	if err != nil {
		return 0
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return 0
	}
	node, err := p.FilterFile(file)
	if err != nil || node == nil || node.GetToken() == nil {
		return 0
	}
	return node.GetToken().Position.Line
}

// resolve returns the path of a command's program.
func resolve(folder, program string) (string, error) {
	local := filepath.Join(folder, program)
	if filepath.IsAbs(program) {
		local = program
	}
	info, err := os.Stat(local)
	switch {
	case err == nil && info.Mode().IsRegular() && executable(info):
		return local, nil
	case strings.ContainsAny(program, separators) && err != nil:
		return "", fmt.Errorf("command: %w", err)
	case err == nil && info.Mode().IsRegular():
		return "", fmt.Errorf("command: %s is not executable: chmod +x it, or name its interpreter first", local)
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("command: %w", err)
	}
	return path, nil
}
