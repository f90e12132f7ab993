package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/view"
)

// findCodes takes the categories of columns, in the order of their codes, from the model's
// file, if it has them. Other values count as missing, as in LightGBM; XGBoost refuses such
// rows.
func (d *drafter) findCodes() {
	for _, c := range d.table.columns {
		at := slices.Index(d.info.InputNames, c.name)
		if at < 0 {
			at = slices.IndexFunc(d.info.InputNames, func(name string) bool { return plain(name) == plain(c.name) })
		}
		if at < 0 && onlyOne(d.table.columns, c.name) == c {
			at = slices.IndexFunc(d.info.InputNames, func(name string) bool { return squeezed(name) == squeezed(c.name) })
		}
		codes, ok := d.info.Codes[at]
		if !ok || c.many || c.hot != nil || c.dated {
			continue
		}
		list, others := c.listOf(codes)
		if list == nil {
			continue
		}
		for _, mark := range slices.Clone(c.marks) {
			if slices.Contains(list, mark) { // a category of the model
				c.keep(mark)
			}
		}
		if len(others) > 0 {
			c.miss(others)
		}
		c.numeric, c.whole = false, false
		c.listed, c.unseen, c.refused = list, others, len(others) > 0 && strings.HasPrefix(d.info.Format, "xgboost")
	}
}

// listOf returns the list that contains most of the column's texts, spelled as in the column, and
// the texts that the list lacks. It returns nil if no list contains any text, or if no list
// contains all and the texts may be numbers.
func (c *column) listOf(codes modelfile.Codes) (list, others []string) {
	for _, own := range codes.Lists {
		written, rest := slices.Clone(own), []string(nil)
		for _, text := range c.texts {
			if at := slices.IndexFunc(own, func(name string) bool { return modelfile.SameCategory(name, text) }); at >= 0 {
				written[at] = text
			} else {
				rest = append(rest, text)
			}
		}
		if len(rest) < len(c.texts) && (list == nil || len(rest) < len(others)) {
			list, others = written, rest
		}
	}
	if len(others) > 0 && codes.Number && c.numeric {
		return nil, nil
	}
	return list, others
}

// doubtCodes adds doubts about values without a code, and about features whose categories'
// codes are a guess.
func (d *drafter) doubtCodes() {
	for i := range d.chosen.features {
		f := &d.chosen.features[i]
		c := f.from
		if len(c.unseen) == 0 {
			continue
		}
		what := "their rows are left out"
		if f.lacks() {
			what = "they count as missing, as in the library"
		}
		d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("%s: %s of %s cells have values that the model never saw (%s; it knows %s): %s", c.name, view.Count(c.rowsWith(c.unseen)), view.Count(len(c.codes)), quoted(c.unseen, mostQuoted), quoted(c.listed, mostQuoted), what))
	}
	for _, f := range d.chosen.features {
		if d.model != nil && !d.out.Solved && f.numbered() && !slices.ContainsFunc(f.Categories, func(name string) bool { return !withUnit.MatchString(strings.TrimSpace(name)) }) {
			d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("%s: if the model takes the numbers in cells such as %.40q, write these alone", f.Name, f.Categories[0]))
		}
	}
	if d.model == nil || d.Scores != "" || d.Inputs != "" {
		return
	}
	var names []string
	for _, f := range d.chosen.features {
		if f.coded() && (d.sends() || len(f.Categories) > 2) { // for a network, only one order of two codes fits the labels
			names = append(names, f.Name)
		}
	}
	if len(names) > 0 {
		d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("the model takes a number for each category of %s, and its file does not say which: the order of the study is a guess; --scores settles it", strings.Join(names, ", ")))
	}
}

// mostQuoted bounds the texts of a list in a doubt.
const mostQuoted = 10

// quoted lists texts in quotes. most bounds their number; … stands for the others.
func quoted(texts []string, most int) string {
	var out []string
	for _, text := range texts[:min(len(texts), most)] {
		out = append(out, fmt.Sprintf("%.40q", text))
	}
	if len(texts) > most {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}
