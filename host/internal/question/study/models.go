package study

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
)

// Models lists the bare names that Options.Model accepts: the networks in the study's folder of
// models, in natural order (AC-2 before AC-10). Empty if the study has no such folder.
func Models(path string, o Options) ([]string, error) {
	file, err := studyFile(path)
	if err != nil {
		return nil, err
	}
	root, _, _, err := readStudy(file)
	if err != nil {
		return nil, err
	}
	folder, err := (&reader{options: o}).modelFolder(root)
	if err != nil || folder == "" {
		return nil, err
	}
	if strings.HasPrefix(folder, dataPrefix) {
		return nil, ErrNoDataRoot
	}
	files, err := filesIn(folder, modelfile.Extensions()...)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f, filepath.Ext(f)))
	}
	slices.SortStableFunc(names, byNumbers)
	return slices.Compact(names), nil
}

// byNumbers compares names in natural order: digits are compared as numbers.
func byNumbers(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x == "" || y == "" {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		m, n := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if c := cmp.Or(cmp.Compare(len(m), len(n)), cmp.Compare(m, n)); c != 0 {
			return c
		}
		a, b = a[len(x):], b[len(y):]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns the digits that text begins with.
func digits(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
}
