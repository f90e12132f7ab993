package study

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/host/internal/system/files"
)

// dataPrefix marks a path under the data root.
const dataPrefix = "data:"

// ErrNoDataRoot reports that a file is under the data root, which is not set.
var ErrNoDataRoot = errors.New("the file is under the data root, which is not set; give --data DIR or set $HYFAIR_DATA")

// studyFile returns the study file of a STUDY argument: the argument itself, or in a folder
// study.yaml or else the only .yaml file.
func studyFile(path string) (string, error) {
	stat, err := files.Stat(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, files.Reason(err))
	}
	if stat.Mode().IsRegular() {
		if !isYAML(path) && modelfile.Is(path) {
			return "", fmt.Errorf("%s is a network, not a study: a study is a YAML file that describes the network's inputs and the protected attributes (docs/reference/studies.md); "+
				"with a study, --model %s selects this network, and hyfair inspect %s shows it", path, path, path)
		}
		return path, nil
	}
	if !stat.IsDir() { // opening a pipe would block
		return "", fmt.Errorf("%s: want a file or a folder", path)
	}
	found, err := filesIn(path, ".yaml", ".yml")
	if err != nil {
		return "", err
	}
	for _, name := range found {
		if strings.TrimSuffix(name, filepath.Ext(name)) == "study" {
			return filepath.Join(path, name), nil
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%s: the folder has no study file (.yaml)", path)
	case 1:
		return filepath.Join(path, found[0]), nil
	}
	return "", fmt.Errorf("%s: the folder has several study files; name one: %s", path, strings.Join(found, ", "))
}

// filesIn lists the files of a folder with one of the extensions, sorted.
func filesIn(folder string, extensions ...string) ([]string, error) {
	names, err := files.In(folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, files.Reason(err))
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return !slices.Contains(extensions, strings.ToLower(filepath.Ext(name)))
	}), nil
}

// relativeTo resolves a path that is written in a study file.
func relativeTo(file, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

// where resolves the path of a file that a study names: relative to the file that names it, or under
// the data root.
func where(file, text, dataRoot string) (string, error) {
	inner, under := strings.CutPrefix(text, dataPrefix)
	if !under {
		return relativeTo(file, text), nil
	}
	if dataRoot == "" {
		return "", fmt.Errorf("%s: %w", text, ErrNoDataRoot)
	}
	return filepath.Join(dataRoot, inner), nil
}

// missing returns an error if a file under the data root does not exist.
func missing(text, path, dataRoot string) error {
	if _, err := files.Stat(path); err == nil || !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(text, dataPrefix) {
		return nil
	}
	return fmt.Errorf("%s: %w; %s is under the data root %s, which --data or $HYFAIR_DATA sets", path, fs.ErrNotExist, text, dataRoot)
}

// replacement finds the network that --model names: a file in the current folder, next to the study,
// or in its folder of models; or a bare name in that folder.
func replacement(model, file, folder, dataRoot string) (string, error) {
	if strings.HasPrefix(model, dataPrefix) {
		return where("", model, dataRoot)
	}
	_, err := files.Stat(model)
	bare := !strings.ContainsAny(model, `/\`) && !slices.Contains(modelfile.Extensions(), strings.ToLower(filepath.Ext(model)))
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(model) {
		looked := []string{relativeTo(file, model)}
		if folder != "" && !strings.HasPrefix(folder, dataPrefix) {
			looked = append(looked, filepath.Join(folder, model))
		}
		for _, path := range looked {
			if stat, err := files.Stat(path); err == nil && stat.Mode().IsRegular() {
				return path, nil
			}
		}
		if !bare {
			looked = slices.DeleteFunc(slices.Compact(looked), func(path string) bool { return path == filepath.Clean(model) })
			if len(looked) == 0 {
				return "", fmt.Errorf("%s: %w", model, fs.ErrNotExist)
			}
			return "", fmt.Errorf("%s: %w, neither here nor as %s", model, fs.ErrNotExist, strings.Join(looked, " or "))
		}
	}
	if err == nil || !bare {
		return model, nil
	}
	switch {
	case folder == "":
		return "", fmt.Errorf("%s: no such file, and the study has no folder of models", model)
	case strings.HasPrefix(folder, dataPrefix):
		return "", fmt.Errorf("%s: not found here, nor among the study's models in %s: %w", model, strings.TrimSuffix(folder, "."), ErrNoDataRoot)
	}
	names, err := filesIn(folder, modelfile.Extensions()...)
	if err != nil {
		return "", fmt.Errorf("looking for %q: %w", model, err)
	}
	var stems []string
	for _, name := range names {
		stem := strings.TrimSuffix(name, filepath.Ext(name))
		if stem == model {
			return filepath.Join(folder, name), nil
		}
		stems = append(stems, stem)
	}
	return "", fmt.Errorf("no model %q in %s; %s", model, folder, yamlfile.Suggest(model, stems))
}

// IsStudy reports whether a path is that of a study, not of a network.
func IsStudy(path string) bool {
	if stat, err := files.Stat(path); err == nil && stat.IsDir() {
		return true
	}
	return isYAML(path)
}

func isYAML(path string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(path)))
}
