package cli

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/system/files"
)

type guardExportFlags struct {
	language string
	out      string
}

func newGuardExport(app *App) *cobra.Command {
	var f guardExportFlags
	cmd := &cobra.Command{
		Use:   "export RULES",
		Short: "Write guardrails as a function in Python or Go that needs nothing else",
		Example: `  hyfair guard export rules.json --language python > guard.py
  hyfair guard export rules.json --language go --out guard/guard.go`,
		Args: exactlyOne("RULES"),
		RunE: func(_ *cobra.Command, args []string) error { return runGuardExport(app, &f, args[0]) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.language, "language", "python", "the function's language: "+strings.Join(guard.Languages(), " or "))
	fl.StringVar(&f.out, "out", "", "file to write it to (default: standard output)")
	return cmd
}

// guardExportReport is the JSON object of hyfair guard export.
type guardExportReport struct {
	Language string `json:"language"`
	Rules    int    `json:"rules"`
	// Out is the file written; without one, Source is the function.
	Out    string `json:"out,omitempty"`
	Source string `json:"source,omitempty"`
}

func runGuardExport(app *App, f *guardExportFlags, path string) error {
	if !slices.Contains(guard.Languages(), f.language) {
		return usage(fmt.Errorf("--language %q: want %s", f.language, strings.Join(guard.Languages(), " or ")))
	}
	rules, err := guard.Read(path, nil)
	if err != nil {
		return usage(err)
	}
	var source bytes.Buffer
	if err := guard.Export(&source, rules, f.language); err != nil {
		return err
	}
	report := guardExportReport{Language: f.language, Rules: len(rules.Rules), Out: f.out}
	if f.out == "" {
		report.Source = source.String()
	} else if err := files.Write(f.out, func(file *os.File) error { _, err := file.Write(source.Bytes()); return err }); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	switch {
	case app.JSON:
		return app.printJSON(report)
	case f.out == "":
		_, err = app.Stdout.Write(source.Bytes())
	}
	return err
}
