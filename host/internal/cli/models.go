package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/question/study"
)

// modelsFlag is --models of the commands that take several networks.
type modelsFlag struct {
	pattern string
	// given reports that the user gave the flag.
	given func() bool
}

func (f *modelsFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.pattern, "models", "",
		"pattern of the networks beside each study's own, such as 'AC-[1368]', in place of the file's (default: as the file says, else the study's own network)")
	f.given = func() bool { return cmd.Flag("models").Changed }
}

// of lists the networks to take of a study, as Options.Model of package study
// takes them: those that match, or the study's own, "", where there is no
// pattern. pattern is the file's; the flag replaces it for every study, and a
// study that has no such network is left out then.
func (f *modelsFlag) of(app *App, file, pattern string) ([]string, error) {
	name := "models"
	if f.given() {
		name, pattern = "--models", f.pattern
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, fmt.Errorf("%s %q: %w", name, pattern, err)
	}
	if pattern == "" {
		_, err := os.Stat(file)
		return []string{""}, err
	}
	names, err := study.Models(file, study.Options{DataRoot: app.Data})
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		ok, _ := path.Match(pattern, name)
		return !ok
	})
	if len(names) == 0 && !f.given() {
		return nil, fmt.Errorf("%s %q: the study has no such network beside its own", name, pattern)
	}
	return names, nil
}

// all lists the networks of a file's studies. Its mistakes and theirs are the
// error.
func (f *modelsFlag) all(app *App, in *gridfile.File, take func(path, model string)) error {
	for i, s := range in.Studies() {
		models, err := f.of(app, s.Path, s.Models)
		if err != nil {
			in.Fault(in.Root.Get("studies").Items[i], "%v", err)
		}
		for _, model := range models {
			take(s.Path, model)
		}
	}
	return in.Err()
}

// takeSettings gives flags that the user did not give the values that a file has
// under their names.
func takeSettings(in *gridfile.File, flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		flag := flags.Lookup(name)
		list, several := flag.Value.(pflag.SliceValue)
		switch at := in.Root.Get(name); {
		case at == nil || flag.Changed:
		case several:
			list.Replace(in.Texts(name))
		default:
			text := in.Setting(name)
			if err := flag.Value.Set(text); err != nil && text != "" {
				in.Fault(at, "%q: %v", text, cmp.Or(errors.Unwrap(err), err))
			}
		}
	}
}

// none is the error where no study has a network that the flag asks for.
func (f *modelsFlag) none() error {
	return fmt.Errorf("--models %q: no study has such a network beside its own", f.pattern)
}
