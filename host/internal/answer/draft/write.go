package draft

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

var (
	bare     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*( [A-Za-z0-9_.-]+)*$`)
	reserved = regexp.MustCompile(`(?i)^(yes|no|y|n|true|false|on|off|null|nan|inf|from-data|all|value|one-hot|table)$`)
)

// scalar formats a text as a YAML scalar.
func scalar(text string) string {
	if bare.MatchString(text) && !reserved.MatchString(text) {
		return text
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return `""`
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(quoted))
}

func list(texts []string) string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = scalar(text)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// remark replaces the characters of a text that would end a comment.
func remark(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, text)
}

// write returns the text of the study.
func (d *drafter) write() (string, error) {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
	}
	say := func(indent int, text string) { line("%s# %s", strings.Repeat(" ", indent), remark(text)) }
	v := d.chosen.view

	say(0, "Drafted by hyfair init from "+filepath.Base(d.Data)+". Each comment says how sure the next line is: certain, likely or a")
	say(0, "guess, and why. hyfair inspect shows how hyfair reads the study; docs/reference/studies.md describes everything that a study can say.")
	if d.model != nil {
		if d.raw {
			say(0, "likely: the file's means and ranges are not applied, since the outputs fit better without them")
		}
		line("model: %s", d.modelText())
		switch {
		case d.info.OneOfMany:
			say(0, "certain: the model distinguishes several classes")
			line("notion: decision")
		case d.info.Linear && d.model.Link() == fairness.LinkShare:
			say(0, "likely: the model ends in a sum of its trees, from 0 to 1, which is the score; for a quantity in a unit, write output: logit and notion: logit")
			line("output: share")
		case d.info.Linear && d.truth.numbers != nil:
			if regresses(d.model) {
				say(0, "certain: the model predicts a number, whose differences are the gaps")
			} else {
				say(0, fmt.Sprintf("likely: the model predicts %s, and its differences are the gaps; if the output is the logit of a probability, --positive names the values of the label that count as 1", d.out.Label))
			}
			line("output: number")
			if d.out.Epsilon != nil {
				say(0, fmt.Sprintf("guess: a twentieth of the range of %s, as 0.05 for scores from 0 to 1", d.out.Label))
				line("epsilon: %s", decimal(*d.out.Epsilon))
			}
		case d.info.Linear && regresses(d.model):
			say(0, "certain: the model ends in a sum of its trees, whose differences are the gaps")
			line("output: logit")
			line("notion: logit")
		case d.info.Linear:
			say(0, "certain: the model ends in a linear unit, to be read as a logit")
			line("output: logit")
		}
	} else {
		say(0, "Name the model's file here:")
		line("# model: model.onnx")
	}
	b.WriteString("\n")
	d.data(line, say)
	b.WriteString("\nfeatures:\n")
	if d.model != nil {
		say(2, "In the order of the model's inputs. "+d.out.Inputs)
	}
	for _, doubt := range d.out.Doubts {
		say(2, "DOUBT: "+doubt)
	}
	for i := range d.chosen.features {
		f := &d.chosen.features[i]
		if f.filled() {
			f.Lo, f.Hi = min(f.Lo, f.fill), max(f.Hi, f.fill)
			if f.Kind == space.Integer && f.fill != math.Trunc(f.fill) && !slices.Contains(d.Protected, f.Name) {
				f.Kind = space.Real // which includes people with a missing value
				f.why = append(f.why, fmt.Sprintf("guess: real, to include people whose number is filled; integer: %.0f..%.0f asks only about whole numbers, and leaves them out", f.Lo, f.Hi))
			}
		}
		domain, why := f.domain(v)
		f.why = slices.Insert(f.why, 0, why)
		for _, text := range f.why {
			say(2, text)
		}
		text := domain
		if f.from.hot != nil {
			var columns []string
			for _, name := range f.Categories {
				columns = append(columns, f.from.hot[name])
			}
			text = "columns: " + list(columns) + ", " + text
			say(2, "certain: in every row one of its columns is 1, and the others are 0")
		}
		switch {
		case f.filled():
			text += mapped(f.from.marks, decimal(f.fill))
			say(2, fmt.Sprintf("certain: the model puts %s in place of a missing number, which %s rows have", decimal(f.fill), view.Count(f.from.missing)))
		case f.gapName != "":
			text += mapped(f.from.gapMarks, scalar(f.gapName))
			say(2, "certain: a missing cell has a code of its own, and is a category here")
		case f.lacks():
			text += ", missing: true"
			say(2, fmt.Sprintf("likely: the trees were trained with missing values, which %s rows have; if your own code fills them before the model, write encode: {map: …} in place of missing:", view.Count(f.from.missing)))
		}
		if f.from.dated && f.Kind != space.Categorical {
			text += ", encode: {days-since: " + scalar(f.from.since.Format(time.DateOnly)) + "}"
			say(2, "certain: dates; likely: the model sees them as days, since the first of them or scaled")
		}
		if f.inputs != "" {
			text += ", inputs: " + f.inputs
		}
		line("  %s: {%s}", scalar(f.Name), text)
		if f.lacks() {
			domain += " or " + space.MissingName
		}
		d.out.Features = append(d.out.Features, Feature{f.Name, domain, f.inputs, f.why})
	}
	b.WriteString("\n")
	return b.String() + d.protected(), nil
}

// mapped formats an encoding that maps marks to one value, which is a YAML scalar.
func mapped(marks []string, to string) string {
	out := make([]string, len(marks))
	for i, mark := range marks {
		out[i] = scalar(mark) + ": " + to
	}
	return ", encode: {map: {" + strings.Join(out, ", ") + "}}"
}

func (d *drafter) modelText() string {
	path := scalar(relative(d.Out, d.Model))
	var more string
	if d.Output != "" {
		more += ", output: " + scalar(d.Output)
	}
	if d.Class != nil {
		more += fmt.Sprintf(", class: %d", *d.Class)
	}
	if d.raw {
		more += ", normalize: false"
	}
	if d.absent != nil {
		more += ", missing: " + decimal(*d.absent)
	}
	if more != "" {
		return "{file: " + path + more + "}"
	}
	return path
}

func (d *drafter) data(line func(string, ...any), say func(int, string)) {
	t, v := d.table, d.chosen.view
	line("data:")
	line("  files: [%s]", scalar(relative(d.Out, d.Data)))
	if separator := t.format.Delimiter; separator != ',' {
		say(2, fmt.Sprintf("certain: all rows have %d cells", len(t.columns)))
		line("  delimiter: %s", map[bool]string{true: "tab", false: scalar(string(separator))}[separator == '\t'])
	}
	if how := written(&t.format); how != "" {
		say(2, "likely: the notation of numbers, since it reads most cells as numbers")
		line("  %s", strings.ReplaceAll(how, ", thou", "\n  thou"))
	}
	if !t.header {
		if d.Columns == nil {
			say(2, "likely: the first line has no names, since it looks like the others; --columns gives better ones")
		}
		line("  columns: %s", list(t.format.Columns))
	}
	if t.format.Trim {
		line("  trim: true")
	}
	var marks, drop, own, all []string
	for _, c := range t.columns {
		used := c == d.label || slices.ContainsFunc(d.chosen.features, func(f feature) bool { return f.from == c })
		switch {
		case c.missing == 0 || slices.ContainsFunc(d.chosen.features, func(f feature) bool { return f.from == c && f.filled() }):
		case !used && !slices.Contains(d.counts, c):
			drop = append(drop, c.name)
		case v.drop || c.numeric || c == d.label:
			for _, m := range c.marks {
				if !slices.Contains(marks, m) && !slices.Contains(c.odd, m) {
					marks = append(marks, m)
				}
			}
			if len(c.odd) > 0 {
				own = append(own, scalar(c.name)+": "+list(c.odd))
			}
			all = append(all, scalar(c.name)+": "+list(c.marks))
		}
	}
	if slices.ContainsFunc(t.columns, func(c *column) bool {
		return slices.ContainsFunc(marks, func(mark string) bool { _, is := c.index[mark]; return is })
	}) {
		marks, own = nil, all // a mark of a missing value in one column is a value of another
	}
	if len(marks)+len(own) > 0 {
		text := "likely: these mark a missing value"
		if len(v.rows) < t.rows {
			text += fmt.Sprintf("; %s of %s rows%s are kept, the others are left out", view.Count(len(v.rows)), view.Count(t.rows),
				map[bool]string{true: " that the model can take", false: " without one"}[v.fill])
		}
		say(2, text)
		if len(own) == 0 {
			line("  missing: %s", list(marks))
		} else {
			if len(marks) > 0 {
				own = slices.Insert(own, 0, `"*": `+list(marks))
			}
			line("  missing: {%s}", strings.Join(own, ", "))
		}
	}
	if len(d.left) > 0 {
		say(2, "Not used: "+strings.Join(d.left, ", "))
	}
	if len(drop) > 0 && len(marks)+len(own) > 0 {
		line("  drop: %s", list(drop))
	}
	if d.label != nil {
		for _, why := range d.labels {
			say(2, why)
		}
		line("  label: {column: %s, positive: %s}", scalar(d.label.name), list(d.out.Positive))
	}
}

// domain returns a feature's domain as YAML, and how sure it is.
func (f *feature) domain(v *selection) (text, why string) {
	k, rows := v.of[f.from], view.Count(len(v.rows))
	switch f.Kind {
	case space.Categorical:
		return "categories: " + list(f.Categories), fmt.Sprintf("certain: %d texts in %s rows; likely: there are no others", len(k.categories), rows)
	case space.Integer:
		return fmt.Sprintf("integer: %.0f..%.0f", f.Lo, f.Hi), fmt.Sprintf("certain: whole numbers in %s rows; guess: the domain ends where the data does", rows)
	}
	return fmt.Sprintf("real: %s..%s", decimal(f.Lo), decimal(f.Hi)), fmt.Sprintf("certain: numbers in %s rows; guess: the domain ends where the data does", rows)
}

// protected returns the section protected, or comments on how to write it.
func (d *drafter) protected() string {
	var b strings.Builder
	candidates := make([]string, len(d.out.Candidates))
	for i, name := range d.out.Candidates {
		candidates[i] = remark(name)
	}
	if len(d.Protected) == 0 {
		b.WriteString("# Nothing is protected yet, so no question can be asked: you choose the attributes that must not decide; the data cannot.\n")
		if len(candidates) > 0 {
			fmt.Fprintf(&b, "# By their names or values these are candidates: %s.\n", strings.Join(candidates, ", "))
			fmt.Fprintf(&b, "# Remove the # before those to protect, or start again with hyfair init … --protected %s --force\n", strings.Join(candidates, ","))
		} else {
			b.WriteString("# Start again with hyfair init … --protected NAME,NAME --force, or write them here:\n")
			candidates = []string{d.chosen.features[0].Name}
		}
		b.WriteString("# protected:\n")
		for _, name := range candidates {
			fmt.Fprintf(&b, "#   %s: all\n", scalar(name))
		}
		return b.String()
	}
	b.WriteString("# From --protected. A list, or a range such as 20..60, takes some of the values.\nprotected:\n")
	for _, name := range d.Protected {
		fmt.Fprintf(&b, "  %s: all\n", scalar(name))
	}
	if len(candidates) > 0 {
		fmt.Fprintf(&b, "# By their names or values these are candidates, too: %s.\n", strings.Join(candidates, ", "))
	}
	return b.String()
}
