package study

import (
	"slices"
	"unicode/utf8"

	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// data reads the data section into s.spec. A missing data root is not a fault of the file: dataErr
// keeps the error until the data is needed.
func (r *reader) data(n *yamlfile.Node, s *Study) {
	if !r.object(n, "data") {
		return
	}
	spec := &people.Spec{}
	s.spec = spec
	r.files(n, s)
	r.format(n, &spec.Format)
	if l := n.Get("label"); l != nil && r.object(l, "label") {
		r.label(l, spec)
	}
	if w := n.Get("weight"); w != nil {
		if name, ok := r.Name(w); ok {
			spec.Weight = name
			r.column(w, name, &spec.Format)
		}
	}
	if h := n.Get("held-back"); h != nil && r.object(h, "held-back") {
		if f := h.Get("fraction"); f == nil {
			r.Fault(h, "needs the key fraction, such as 0.2")
		} else if v, ok := r.Number(f); ok && (v < 0 || v >= 1) {
			r.Fault(f, "got %s, want a number of at least 0 and below 1", f.Text)
		} else {
			spec.Split.Fraction = v
		}
		seed, _ := r.Integer(h.Get("seed"), 0, 1<<52)
		spec.Split.Seed = uint64(seed)
	}
}

// files reads the list of data files: paths, or mappings with further keys.
func (r *reader) files(n *yamlfile.Node, s *Study) {
	files := n.Get("files")
	if files == nil {
		r.Fault(n, "needs the key files, a list of data files")
		return
	}
	if len(files.List()) == 0 {
		r.Fault(files, "lists no file")
	}
	for _, item := range files.List() {
		var file people.File
		path := item
		if item.Kind == yamlfile.Mapping {
			if !r.object(item, "file") {
				continue
			}
			if path = item.Get("path"); path == nil {
				r.Fault(item, "needs the key path")
				continue
			}
			file.Skip, _ = r.Integer(item.Get("skip"), 0, 1<<30)
			file.HeldBack, _ = r.Boolean(item.Get("held-back"))
		}
		text, ok := r.Name(path)
		if !ok {
			continue
		}
		var err error
		if file.Path, err = where(path.At.File, text, r.options.DataRoot); err == nil {
			err = missing(text, file.Path, r.options.DataRoot)
		}
		if err != nil && s.dataErr == nil {
			s.dataErr = &placed{path, err}
		}
		s.spec.Files = append(s.spec.Files, file)
	}
}

func (r *reader) format(n *yamlfile.Node, f *people.Format) {
	header := true
	if c := n.Get("columns"); c != nil && r.Kind(c, yamlfile.Sequence) {
		f.Columns, _ = r.Texts(c)
		header = false
		for i, name := range f.Columns {
			if slices.Contains(f.Columns[:i], name) {
				r.Fault(c.Items[i], "column %q appears twice", name)
			}
		}
		if len(f.Columns) == 0 {
			r.Fault(c, "names no column")
		}
	}
	h := n.Get("header")
	switch v, ok := r.Boolean(h); {
	case !ok || v == header:
	case v:
		r.Fault(h, "is true, but the key columns names the columns, too: leave out that key, or skip the header line with the key skip")
	default:
		r.Fault(h, "is false, so the key columns must name the columns")
	}
	d := n.Get("delimiter")
	if text, ok := r.Text(d); ok {
		f.Delimiter = r.delimiter(d, text)
	}
	f.Trim, _ = r.Boolean(n.Get("trim"))
	r.marks(n.Get("missing"), f)
	word, _ := r.Choice(n.Get("decimal"), ".", ",")
	if word == "," {
		f.Decimal = ','
	}
	if t := n.Get("thousands"); t != nil {
		text, _ := r.Choice(t, ".", ",", "'", "’", "space")
		if f.Thousands, _ = utf8.DecodeRuneInString(text); text == "space" {
			f.Thousands = ' '
		}
		if text == "." && f.Decimal == 0 || text == "," && f.Decimal == ',' {
			r.Fault(t, "%q is also the decimal separator: set the key decimal, too", text)
		}
	}
	word, _ = r.Choice(n.Get("missing-rows"), "drop", "refuse")
	f.RefuseMissing = word == "refuse"
	drop := n.Get("drop")
	f.Drop, _ = r.Texts(drop)
	for i, name := range f.Drop {
		r.column(drop.List()[i], name, f)
	}
}

// everyColumn is the key of the missing-value marks of all columns.
const everyColumn = "*"

// marks reads the missing-value marks, of all columns or by column.
func (r *reader) marks(n *yamlfile.Node, f *people.Format) {
	if n == nil || n.Kind != yamlfile.Mapping {
		f.Missing, _ = r.Texts(n)
		return
	}
	f.MissingIn = map[string][]string{}
	for _, e := range n.Entries {
		marks, _ := r.Texts(e.Value)
		if e.Key.Text == everyColumn {
			f.Missing = marks
			continue
		}
		r.column(e.Key, e.Key.Text, f)
		f.MissingIn[e.Key.Text] = marks
	}
}

func (r *reader) delimiter(n *yamlfile.Node, text string) rune {
	switch text {
	case "tab":
		return '\t'
	case "space":
		return ' '
	}
	c, size := utf8.DecodeRuneInString(text)
	if size != len(text) || c == utf8.RuneError || c == '"' || c == '\n' || c == '\r' {
		r.Fault(n, "got the delimiter %q, want one character, tab or space", text)
		return 0
	}
	return c
}

// column checks the name of a column if the study lists the columns.
func (r *reader) column(n *yamlfile.Node, name string, f *people.Format) {
	if len(f.Columns) > 0 && !slices.Contains(f.Columns, name) {
		r.Fault(n, "no column %q; %s", name, yamlfile.Suggest(name, f.Columns))
	}
}

func (r *reader) label(n *yamlfile.Node, spec *people.Spec) {
	for _, key := range []string{"column", "positive"} {
		if n.Get(key) == nil {
			r.Fault(n, "needs the key %s", key)
		}
	}
	c, positive := n.Get("column"), n.Get("positive")
	if name, ok := r.Name(c); ok {
		spec.Label.Column = name
		r.column(c, name, &spec.Format)
	}
	values, ok := r.Texts(positive)
	if ok && len(values) == 0 {
		r.Fault(positive, "lists no value")
	}
	spec.Label.Positive = values
	spec.Label.StripSuffix, _ = r.Text(n.Get("strip-suffix"))
}
