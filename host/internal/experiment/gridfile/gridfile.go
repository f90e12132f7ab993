// Package gridfile reads the parts that all files with lists of studies share: comparison files,
// grids of searches, and lists of studies to explain or to mitigate. Flags of the command line
// override them.
package gridfile

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/host/internal/system/clock"
)

// File is a file that lists studies, while it is read. Err returns its mistakes.
type File struct {
	yamlfile.Reader
	Root *yamlfile.Node
	path string
}

// Study is a study that a file lists.
type Study struct {
	// Path of the study; a relative path in the file is relative to the file's folder.
	Path string
	// Models is a pattern for the names of networks next to the study's network; empty: the
	// study's network only.
	Models string
	// Partition is the partition of arms with "partition: study".
	Partition string
	// At is the place that names the study, as file:line:column.
	At string
}

// Open reads the file at path. Messages call it by its kind, such as "a grid file", which is the
// second argument. keys are the keys that it may have besides name, summary and studies.
func Open(path, what string, keys ...string) (*File, error) {
	text, err := yamlfile.Read(path)
	if err != nil {
		return nil, err
	}
	return Parse(text, path, what, keys...)
}

// Parse is Open for the file's text.
func Parse(text []byte, path, what string, keys ...string) (*File, error) {
	root, err := yamlfile.Parse(text, path, what)
	if err != nil {
		return nil, err
	}
	f := &File{Root: root, path: path}
	if !f.Mapping(root, append([]string{"name", "summary", "studies"}, keys...)...) {
		return nil, f.Err()
	}
	f.Setting("summary")
	return f, nil
}

// Setting returns the text of a key; empty if the file lacks the key.
func (f *File) Setting(key string) string {
	text, _ := f.Text(f.Root.Get(key))
	return text
}

// Texts returns the list of texts of a key; nil if the file lacks the key.
func (f *File) Texts(key string) []string {
	texts, _ := f.Reader.Texts(f.Root.Get(key))
	return texts
}

// Number returns the whole number of a key; 0 if the file lacks the key. A number outside lo to hi
// is a fault.
func (f *File) Number(key string, lo, hi int) int {
	v, _ := f.Integer(f.Root.Get(key), lo, hi)
	return v
}

// Time returns the duration of a key; 0 if the file lacks the key. A duration shorter than the
// given minimum is a fault.
func (f *File) Time(key string, least time.Duration) time.Duration {
	text, ok := f.Text(f.Root.Get(key))
	if !ok {
		return 0
	}
	t, err := time.ParseDuration(text)
	if err != nil || t < least {
		f.Fault(f.Root.Get(key), "got %q, want a time of at least %v, such as 100s", text, least)
	}
	return t
}

// Name is the value of the key name, or else the file's name without its extension.
func (f *File) Name() string {
	return cmp.Or(f.Setting("name"), strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path)))
}

// Called is the value of the key name, or else the file's name.
func (f *File) Called() string { return cmp.Or(f.Setting("name"), filepath.Base(f.path)) }

// Studies reads the list of studies. The keys of a study are study, models and those listed in
// more.
func (f *File) Studies(more ...string) []Study {
	list := f.Root.Want("studies")
	if len(list.Items) == 0 {
		f.Fault(list, "lists no study: want at least one")
	}
	out := make([]Study, len(list.Items))
	for i, n := range list.Items {
		if !f.Mapping(n, append([]string{"study", "models"}, more...)...) {
			continue
		}
		s := &out[i]
		s.At = n.Want("study").At.String()
		s.Path, _ = f.Text(n.Get("study"))
		if s.Path == "" {
			f.Fault(n, "needs the key study with a file")
		}
		if s.Path = filepath.FromSlash(s.Path); !filepath.IsAbs(s.Path) {
			s.Path = filepath.Join(filepath.Dir(f.path), s.Path)
		}
		s.Models, _ = f.Text(n.Get("models"))
		if _, err := filepath.Match(s.Models, ""); err != nil {
			f.Fault(n.Get("models"), "%q is not a pattern: %v", s.Models, err)
		}
		s.Partition, _ = f.Text(n.Get("partition"))
	}
	return out
}

// TermsKeys are the keys that Terms reads.
func TermsKeys() []string {
	return []string{"epsilon", "threshold", "bands", "protected", "where", "rules", "budget", "clock", "runs", "seed", "threads", "jobs"}
}

// Terms are the file's settings for all its arms. The caller reads Budget, whose form depends on
// the kind of file.
func (f *File) Terms() experiment.Terms {
	if _, err := clock.Named(f.Setting("clock"), time.Now()); err != nil {
		f.Fault(f.Root.Get("clock"), "%v", err)
	}
	return experiment.Terms{
		Scope: question.Scope{Epsilon: f.Setting("epsilon"), Threshold: f.Setting("threshold"), Bands: f.Setting("bands"), Protected: f.Texts("protected"), Where: f.Setting("where"), Rules: f.Texts("rules")},
		Clock: f.Setting("clock"), Runs: f.Number("runs", 1, experiment.MaxRuns), Seed: int64(f.Number("seed", 1, experiment.MaxSeed)),
		Threads: f.Number("threads", 1, experiment.MaxThreads), Jobs: f.Number("jobs", 1, experiment.MaxThreads),
	}
}

// Models is the pattern of --models, which, if Given, replaces the file's patterns for all studies.
type Models struct {
	Pattern string
	Given   bool
}

// Each calls the function for every network of the studies. The error joins all mistakes, with the
// places of their studies.
func (m Models) Each(studies []Study, data string, take func(spec question.Spec, s Study) error) error {
	var faults []error
	none := m.Given
	for _, s := range studies {
		names, err := m.of(s, data)
		for i := 0; i < len(names) && err == nil; i++ {
			none = false
			err = take(question.Spec{Study: s.Path, Data: data, Model: names[i]}, s)
		}
		if err != nil && s.At != "" {
			err = fmt.Errorf("%s: %w", s.At, err)
		}
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil || !none {
		return err
	}
	return fmt.Errorf("--models %q: no study has such a network in its folder of networks", m.Pattern)
}

// of lists the networks to use with a study, as values of study.Options.Model: those that match
// the pattern, or "", the study's network, without a pattern. A study in which nothing matches
// the user's pattern yields none.
func (m Models) of(s Study, data string) ([]string, error) {
	name, pattern := "models", s.Models
	if m.Given {
		name, pattern = "--models", m.Pattern
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, fmt.Errorf("%s %q: %w", name, pattern, err)
	}
	if pattern == "" {
		_, err := os.Stat(s.Path)
		return []string{""}, err
	}
	names, err := study.Models(s.Path, study.Options{DataRoot: data})
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		ok, _ := path.Match(pattern, name)
		return !ok
	})
	if len(names) == 0 && !m.Given {
		return nil, fmt.Errorf("%s %q: the study has no such network in its folder of networks", name, pattern)
	}
	return names, nil
}
