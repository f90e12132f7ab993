package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Pictures are an experiment's figures as files.
type Pictures struct {
	// Plots are the files that were drawn.
	Plots []string `json:"plots,omitempty"`
}

// Draw draws figures into a folder, which it makes, and notes the files.
func (p *Pictures) Draw(dir, format string, figures []*view.Figure) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	taken := map[string]bool{}
	for _, figure := range figures {
		name := fileName(figure.Name)
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d", fileName(figure.Name), n)
		}
		taken[name] = true
		path := filepath.Join(dir, name+"."+format)
		if err := files.Write(path, func(file *os.File) error { return figure.Write(file, format) }); err != nil {
			return err
		}
		p.Plots = append(p.Plots, path)
	}
	slices.Sort(p.Plots)
	return nil
}

// fileName keeps what is harmless in the name of a file, and not more than file systems
// take.
func fileName(name string) string {
	const most = 200 // bytes
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || strings.ContainsRune(`/\:*?"<>| `, r) {
			return '_'
		}
		return r
	}, name)
	for i := range name {
		if i > most {
			return name[:i]
		}
	}
	return name
}
