package study

import (
	"slices"
	"unicode/utf8"

	"github.com/hyfair/hyfair/host/internal/question/people"
)

// data reads the data section into s.spec. A data root that is not set is no
// fault of the file: it is kept for the moment the data is wanted.
func (r *reader) data(n *node, s *Study) {
	if !r.object(n, "data") {
		return
	}
	spec := &people.Spec{}
	s.spec = spec
	r.files(n, s)
	r.format(n, &spec.Format)
	if l := n.get("label"); l != nil && r.object(l, "label") {
		r.label(l, spec)
	}
	if h := n.get("held-back"); h != nil && r.object(h, "held-back") {
		if f := h.get("fraction"); f == nil {
			r.add(h, "needs fraction:, such as 0.2")
		} else if v, ok := r.number(f); ok && (v < 0 || v >= 1) {
			r.add(f, "%s is not from 0 up to, but not, 1", f.text)
		} else {
			spec.Split.Fraction = v
		}
		if seed := h.get("seed"); seed != nil {
			v, _ := r.integer(seed, 0, 1<<52)
			spec.Split.Seed = uint64(v)
		}
	}
}

// files reads the list of data files: paths, or mappings with more to say.
func (r *reader) files(n *node, s *Study) {
	files := n.get("files")
	if files == nil {
		r.add(n, "needs files:, a list of data files")
		return
	}
	items := files.items
	if files.kind != sequenceNode {
		items = []*node{files}
	}
	if len(items) == 0 {
		r.add(files, "lists no file")
	}
	for _, item := range items {
		var file people.File
		path := item
		if item.kind == mappingNode {
			if !r.object(item, "file") {
				continue
			}
			if path = item.get("path"); path == nil {
				r.add(item, "needs path:")
				continue
			}
			if skip := item.get("skip"); skip != nil {
				file.Skip, _ = r.integer(skip, 0, 1<<30)
			}
			if held := item.get("held-back"); held != nil {
				file.HeldBack, _ = r.boolean(held)
			}
		}
		text, ok := r.name(path)
		if !ok {
			continue
		}
		var err error
		if file.Path, err = where(path.at.file, text, r.options.DataRoot); err == nil {
			err = missing(text, file.Path, r.options.DataRoot)
		}
		if err != nil && s.dataErr == nil {
			s.dataErr = &placed{path, err}
		}
		s.spec.Files = append(s.spec.Files, file)
	}
}

func (r *reader) format(n *node, f *people.Format) {
	header := true
	if c := n.get("columns"); c != nil && r.kind(c, sequenceNode) {
		f.Columns, _ = r.texts(c)
		header = false
		for i, name := range f.Columns {
			if slices.Contains(f.Columns[:i], name) {
				r.add(c.items[i], "column %q appears twice", name)
			}
		}
		if len(f.Columns) == 0 {
			r.add(c, "names no column")
		}
	}
	if h := n.get("header"); h != nil {
		if v, ok := r.boolean(h); ok && v != header {
			if v {
				r.add(h, "true, and columns: names the columns as well; leave columns out, or skip: the header line")
			} else {
				r.add(h, "false, so columns: must name the columns")
			}
		}
	}
	if d := n.get("delimiter"); d != nil {
		if text, ok := r.text(d); ok {
			f.Delimiter = r.delimiter(d, text)
		}
	}
	if t := n.get("trim"); t != nil {
		f.Trim, _ = r.boolean(t)
	}
	if m := n.get("missing"); m != nil {
		f.Missing, _ = r.texts(m)
	}
	if m := n.get("missing-rows"); m != nil {
		word, _ := r.choice(m, "drop", "refuse")
		f.RefuseMissing = word == "refuse"
	}
	if d := n.get("drop"); d != nil {
		f.Drop, _ = r.texts(d)
		for i, name := range f.Drop {
			at := d
			if d.kind == sequenceNode {
				at = d.items[i]
			}
			r.column(at, name, f)
		}
	}
}

func (r *reader) delimiter(n *node, text string) rune {
	switch text {
	case "tab":
		return '\t'
	case "space":
		return ' '
	}
	c, size := utf8.DecodeRuneInString(text)
	if size != len(text) || c == utf8.RuneError || c == '"' || c == '\n' || c == '\r' {
		r.add(n, "%q is no delimiter; give one character, tab or space", text)
		return 0
	}
	return c
}

// column checks the name of a column where the study lists the columns.
func (r *reader) column(n *node, name string, f *people.Format) {
	if len(f.Columns) > 0 && !slices.Contains(f.Columns, name) {
		r.add(n, "no column %q; %s", name, meant(name, f.Columns))
	}
}

func (r *reader) label(n *node, spec *people.Spec) {
	for _, key := range []string{"column", "positive"} {
		if n.get(key) == nil {
			r.add(n, "needs %s:", key)
		}
	}
	if c := n.get("column"); c != nil {
		if name, ok := r.name(c); ok {
			spec.Label.Column = name
			r.column(c, name, &spec.Format)
		}
	}
	if p := n.get("positive"); p != nil {
		spec.Label.Positive, _ = r.texts(p)
		if p.kind == sequenceNode && len(p.items) == 0 {
			r.add(p, "lists no value")
		}
	}
	if x := n.get("strip-suffix"); x != nil {
		spec.Label.StripSuffix, _ = r.text(x)
	}
}
