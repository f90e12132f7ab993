package lime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNoReference says that no Python with the package lime was found.
var ErrNoReference = errors.New("no Python with the package lime")

// FindReference finds a Python that has the package lime. If $HYFAIR_PYTHON is set, it tries only
// that. Otherwise it tries the active virtual environment, then .deps/python in the current folder
// and in the program's folder, each followed by its parents, and at last python3. If it finds none,
// it returns ErrNoReference, wrapped with advice.
func FindReference(ctx context.Context) (python string, err error) {
	var tried []string
	for _, python := range pythons() {
		found, err := exec.LookPath(python)
		if err != nil {
			continue
		}
		if err := runPython(ctx, found, "import sys; sys.path[:] = [p for p in sys.path if p]; import lime.lime_tabular", struct{}{}, nil); err == nil {
			return found, nil
		}
		tried = append(tried, found)
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case len(tried) == 0 && os.Getenv("HYFAIR_PYTHON") != "":
		return "", fmt.Errorf("%w: HYFAIR_PYTHON is %s, which is not a program", ErrNoReference, os.Getenv("HYFAIR_PYTHON"))
	case len(tried) == 0:
		return "", fmt.Errorf("%w: there is no Python; run scripts/setup.sh lime to install one, or set HYFAIR_PYTHON", ErrNoReference)
	}
	return "", fmt.Errorf("%w: %s cannot import it; run scripts/setup.sh lime to install one that can, or set HYFAIR_PYTHON", ErrNoReference, strings.Join(tried, " and "))
}

func pythons() []string {
	if p := os.Getenv("HYFAIR_PYTHON"); p != "" {
		return []string{p}
	}
	var out []string
	if venv := os.Getenv("VIRTUAL_ENV"); venv != "" {
		out = append(out, filepath.Join(venv, "bin", "python"))
	}
	for _, start := range []func() (string, error){os.Getwd, os.Executable} {
		dir, err := start()
		for err == nil && dir != filepath.Dir(dir) {
			out = append(out, filepath.Join(dir, ".deps", "python", "bin", "python"))
			dir = filepath.Dir(dir)
		}
	}
	return append(out, "python3")
}

// shownOfError is the number of bytes shown from the end of a script's errors.
const shownOfError = 500

// runPython runs a script with a question as JSON on its standard input, and decodes the
// answer from its standard output unless answer is nil.
func runPython(ctx context.Context, python, script string, question, answer any) error {
	text, err := json.Marshal(question)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, python, "-c", script)
	cmd.Stdin = bytes.NewReader(text)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		text := strings.TrimSpace(stderr.String())
		return fmt.Errorf("%s: %w: %s", python, err, text[max(0, len(text)-shownOfError):])
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(stdout.Bytes(), answer); err != nil {
		return fmt.Errorf("%s: the script's answer: %w", python, err)
	}
	return nil
}
