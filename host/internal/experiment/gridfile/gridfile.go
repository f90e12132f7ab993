// Package gridfile reads what all files that list studies have in common:
// comparison files, grids of searches, and lists of studies to explain or to
// mitigate. Flags of the command line override them.
package gridfile

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// File is such a file as it is read. Mistakes are collected: see Err.
type File struct {
	yamlfile.Reader
	Root *yamlfile.Node
	path string
}

// Study is a study that a file lists.
type Study struct {
	// Path of the study; relative paths were taken from the file's folder.
	Path string
	// Models is a pattern of names beside the study's own network; empty: that
	// one.
	Models string
	// Partition is what "partition: study" of an arm stands for.
	Partition string
	// At is where the study is named, as file:line:column.
	At string
}

// Open reads the file at path. what is what it is called in messages ("a grid
// file"), keys what it may say beside name, summary and studies.
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

// Setting is the text of a key; empty where there is none.
func (f *File) Setting(key string) string {
	text, _ := f.Text(f.Root.Get(key))
	return text
}

// Texts is the list of texts of a key; nil where there is none.
func (f *File) Texts(key string) []string {
	texts, _ := f.Reader.Texts(f.Root.Get(key))
	return texts
}

// Number is the whole number of a key; 0 where there is none.
func (f *File) Number(key string, lo, hi int) int {
	v, _ := f.Integer(f.Root.Get(key), lo, hi)
	return v
}

// Time is the time of a key, at least the least; 0 where there is none.
func (f *File) Time(key string, least time.Duration) time.Duration {
	text, ok := f.Text(f.Root.Get(key))
	if !ok {
		return 0
	}
	t, err := time.ParseDuration(text)
	if err != nil || t < least {
		f.Fault(f.Root.Get(key), "%q is not a time such as 100s", text)
	}
	return t
}

// Name is the file's name for itself, else the file's own without its ending.
func (f *File) Name() string {
	if name := f.Setting("name"); name != "" {
		return name
	}
	return strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path))
}

// Studies reads the list of studies. Each has keys study and models, and what
// more says.
func (f *File) Studies(more ...string) []Study {
	list := f.Root.Want("studies")
	if len(list.Items) == 0 {
		f.Fault(list, "lists no study")
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
			f.Fault(n, "needs study: FILE")
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

// ScopeKeys are the keys that Scope reads.
func ScopeKeys() []string { return []string{"epsilon", "protected", "where", "rules"} }

// Scope is what the file asks of all its arms alike.
func (f *File) Scope() question.Scope {
	return question.Scope{Epsilon: f.Setting("epsilon"), Protected: f.Texts("protected"), Where: f.Setting("where"), Rules: f.Texts("rules")}
}
